import type { ReactNode } from 'react';
import { plural } from './language.ts';

export const integrations = 'Integrations';
export const whatTheyDo =
  'Sends a message to a chat service when a scan fails, or completes with new or regressed findings.';
export const noIntegrations = 'No integrations yet';
export const addIntegration = 'Add integration';
export const editIntegration = 'Edit integration';
export const service = 'Service';
export const services = {
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  mattermost: 'Mattermost',
} as const;
/** Where to get an address. */
export const help = {
  slack: {
    hint: 'Create a Slack app with an incoming webhook for the channel, and copy its address.',
    href: 'https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks',
  },
  teams: {
    hint: 'Create a workflow of Teams that posts to the channel when a webhook request is received, and copy its address.',
    href: 'https://support.microsoft.com/en-us/office/create-incoming-webhooks-with-workflows-for-microsoft-teams-8ae491c7-0394-4861-ba59-055e33f75498',
  },
  discord: {
    hint: 'Create a webhook in the settings of the channel, and copy its address. To post into a thread, append ?thread_id= and the id of the thread.',
    href: 'https://support.discord.com/hc/en-us/articles/228383668-Intro-to-Webhooks',
  },
  mattermost: {
    hint: 'Create an incoming webhook for the channel in Integrations, and copy its address.',
    href: 'https://developers.mattermost.com/integrate/webhooks/incoming/',
  },
} as const;
export const instructions = (name: string) => `Instructions of ${name}`;
export const name = 'Name';
export const nameExample = 'Security team';
export const url = 'Address';
export const urlHint = 'It contains a secret, so it is stored encrypted and never shown again.';
/** The hosts of most addresses. */
export const hosts = {
  slack: 'hooks.slack.com',
  teams: 'example.environment.api.powerplatform.com',
  discord: 'discord.com',
  mattermost: 'mattermost.example.com',
} as const;
export const urlExample = (host: string) => `https://${host}/…`;
export const urlKept = 'Leave it empty to keep the present one.';
export const projects = 'Only these projects';
export const allProjects = 'All projects';
export const muted = 'Not these projects';
export const noProjects = 'None';
export const minSeverity = 'Lowest severity';
export const minSeverityHint = 'Findings below it are left out. A failed scan is always sent.';
export const anySeverity = 'Any';
export const enabled = 'On';
export const save = 'Save';
export const saved = 'The integration was saved.';

export const summary = (
  service: string,
  host: string,
  projectCount: number,
  mutedCount: number,
  severity: string | undefined,
) =>
  [
    service,
    host,
    ...(projectCount > 0 ? [plural(projectCount, { one: '# project', other: '# projects' })] : []),
    ...(mutedCount > 0 ? [plural(mutedCount, { one: '# muted project', other: '# muted projects' })] : []),
    ...(severity === undefined ? [] : [`${severity} and above`]),
  ].join(' · ');
export const actionsOf = (name: string) => `Actions for ${name}`;
export const deliveriesOfIt = 'Deliveries';
export const edit = 'Edit';
export const sendTest = 'Send a test';
export const testSent = 'The test is on its way. The list of deliveries shows its result.';
export const switchOn = 'Switch on';
export const switchOff = 'Switch off';
export const isOn = 'The integration is on. Pending messages are sent at once.';
export const isOff = 'The integration is off. No messages are sent.';
export const remove = 'Delete';
export const askDelete = (shown: ReactNode) => <>Delete the integration {shown}?</>;
export const whatDeletionDoes = 'Nothing more is sent to it, and its log of deliveries is deleted.';
export const deleted = 'The integration was deleted.';
export const backToIntegrations = 'All integrations';
export const whoSeesThem = (roles: string) => `Only ${roles} see integrations`;
export const noSuchIntegration = 'This integration does not exist';
