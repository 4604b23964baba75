import type { ReactNode } from 'react';
import { plural } from '../../language.ts';
import { trackers } from '../../trackers.ts';

type TrackerKind = keyof typeof trackers;

export const issues = 'Issues';
export const noIssue = 'No issue yet.';
export const noTracker = 'No issue tracker is connected to this project.';
export const connectTracker = 'Connect an issue tracker';
export const addIssue = 'Add issue';
export const hasAll = 'This finding has an issue of each tracker';
export const createAt = (integration: string, kind: TrackerKind) =>
  `Create an issue at ${integration} (${trackers[kind]})`;
export const linkAt = (integration: string, kind: TrackerKind) =>
  `Link an issue of ${integration} (${trackers[kind]})…`;
export const created = 'The issue is being created';
export const linked = 'The issue is being linked';

export const states = {
  pending: 'Pending',
  open: 'Open',
  closed: 'Closed',
  gone: 'Out of reach',
  failed: 'Not created',
};
export const nameOf = (key: string | undefined, integration: string | undefined) =>
  [integration, key && (/^\d/.test(key) ? `#${key}` : key)].filter(Boolean).join(' ') || issues;
export const bothSides = (kind: TrackerKind | undefined, there: string, here: string) => (
  <>
    {kind ? trackers[kind] : 'Tracker'}: <bdi>{there}</bdi> · Here: {here}
  </>
);
export const checked = (time: ReactNode) => <>Checked {time}</>;
export const sharedBy = (findings: number) =>
  plural(findings, { one: '# finding has this issue', other: '# findings have this issue' });
export const whyNotYet = (reason: string) => (
  <>
    Not done yet: <bdi>{reason}</bdi>
  </>
);

export const tryAgain = 'Try again';
export const tryIssueAgain = (name: string) => `Try again to create ${name}`;
export const unlink = 'Unlink';
export const unlinkIssue = (name: string) => `Unlink ${name}`;
export const askUnlink = 'Unlink this issue?';
export const whatUnlinkingDoes = 'The issue stays at the tracker.';
export const unlinked = 'The issue was unlinked';

export const linkIssueOf = (integration: string) => (
  <>
    Link an issue of <bdi>{integration}</bdi>
  </>
);
export const link = 'Link';
export const address = 'Address of the issue';
export const addressExamples = {
  github: 'https://github.com/acme/web-shop/issues/12',
  gitlab: 'https://gitlab.com/acme/web-shop/-/issues/12',
  jira: 'https://acme.atlassian.net/browse/WEB-12',
};

export const askForce = 'Create an issue anyway?';
export const whyAsked = {
  duplicate: 'This finding is a duplicate.',
  resolved: 'This finding is resolved.',
  proposed: 'Neither the default branch nor a tracked branch has this finding yet.',
};
export const createAnyway = 'Create';
