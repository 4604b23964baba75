import type { ReactNode } from 'react';
import { list, number, plural } from './language.ts';

export const webhooks = 'Webhooks';
export const whatTheyDo =
  'Sends events of this organization to an address, as signed POST requests in the format of Standard Webhooks.';
export const noWebhooks = 'No webhooks yet';
export const addWebhook = 'Add webhook';
export const editWebhook = 'Edit webhook';
export const url = 'Address';
export const urlHint = 'An https address on the public internet that answers with a status from 200 to 299.';
export const urlExample = 'https://hooks.example.com/findings';
export const events = 'Events';
export const eventNames = {
  'scan.completed': 'Scan completed',
  'scan.failed': 'Scan failed',
  'finding.status_changed': 'Status of findings changed',
  'finding.assigned': 'Findings assigned',
  'finding.commented': 'Finding commented',
  'finding.due_soon': 'Findings due within three days',
  'finding.overdue': 'Findings overdue',
  'finding.risk_acceptance_ended': 'Acceptance of a risk ended',
  'member.*': 'Members',
  'token.*': 'Tokens',
  'project.*': 'Projects',
  'audit.*': 'Audit log',
} as const;
export const eventHints: Partial<Record<keyof typeof eventNames, string>> = {
  'audit.*': 'All entries, also those of members, tokens and projects, with IP addresses',
};
export const chooseEvents = 'Choose at least one event';
export const projects = 'Projects';
export const projectsHint =
  'Leave it empty for all. With projects, events of members and tokens are not sent, and of the audit log only those of the projects.';
export const allProjects = 'All projects';
export const minSeverity = 'Lowest severity';
export const minSeverityHint =
  'Findings below it are left out. Scans without new or regressed findings of it are not sent.';
export const anySeverity = 'Any';
export const enabled = 'On';
export const save = 'Save';
export const saved = 'The webhook was saved.';

export const summary = (names: readonly string[], projectCount: number, severity: string | undefined) =>
  [
    names.length > 3
      ? plural(names.length, { one: '# kind of events', other: '# kinds of events' })
      : list(names),
    ...(projectCount > 0 ? [plural(projectCount, { one: '# project', other: '# projects' })] : []),
    ...(severity === undefined ? [] : [`${severity} and above`]),
  ].join(' · ');
export const off = 'Off';
export const failing = (count: number) => plural(count, { one: 'Failed # time', other: 'Failed # times' });
export const reasons = {
  unauthorized: 'Switched off: the token is not accepted',
  failing: 'Switched off after three days of failures',
  gone: 'Switched off by the receiver (410)',
};
export const actionsOf = (url: string) => `Actions for ${url}`;
export const deliveriesOfIt = 'Deliveries';
export const edit = 'Edit';
export const sendTest = 'Send a test';
export const testSent = 'The test is on its way. The list of deliveries shows its result.';
export const switchOn = 'Switch on';
export const switchOff = 'Switch off';
export const isOn = 'The webhook is on. Pending deliveries are tried at once.';
export const isOff = 'The webhook is off. No events are sent.';
export const rotate = 'Replace the secret';
export const askRotate = (shown: ReactNode) => <>Replace the secret of {shown}?</>;
export const whatRotationDoes =
  'Requests are signed with both secrets for 24 hours, so that you can change the receiver meanwhile.';
export const replace = 'Replace';
export const remove = 'Delete';
export const askDelete = (shown: ReactNode) => <>Delete the webhook of {shown}?</>;
export const whatDeletionDoes = 'Nothing more is sent to it, and its log of deliveries is deleted.';
export const deleted = 'The webhook was deleted.';

export const secretTitle = 'Secret of the webhook';
export const secretShownOnce =
  'This secret is shown only now. The receiver needs it to verify the signatures.';
export const secretSaved = 'I have stored the secret';
export const secret = 'Secret';
export const copySecret = 'Copy the secret';

export const deliveriesTo = (url: string) => `Deliveries to ${url}`;
export const deliveries = 'Deliveries';
export const whatIsListed = 'Events of the last 30 days that were sent or are to be sent, newest first.';
export const backToWebhooks = 'All webhooks';
export const state = 'State';
export const allStates = 'All states';
export const states = { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' };
export const time = 'Time';
export const event = 'Event';
export const result = 'Result';
export const actions = 'Actions';
export const test = 'Test';
export const attempts = (count: number) => plural(count, { one: '# attempt', other: '# attempts' });
export const answered = (status: number, ms: number) => `${status} after ${number(ms)} ms`;
export const nextAttempt = (when: ReactNode) => <>next attempt {when}</>;
export const soon = 'within a minute';
export const response = 'Response';
export const redeliver = 'Send again';
export const redelivering = 'The event is sent again.';
export const nothing = 'No deliveries yet';
export const nothingYet = 'Send a test, or wait for the next event.';
export const nothingMatches = 'No delivery has this state';
export const showAll = 'Show all deliveries';
export const count = (total: number) => plural(total, { one: '# delivery', other: '# deliveries' });
export const whoSeesThem = (roles: string) => `Only ${roles} see webhooks`;
export const noSuchWebhook = 'This webhook does not exist';
