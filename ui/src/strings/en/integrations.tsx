import type { ReactNode } from 'react';
import { plural } from './language.ts';
import { trackers as trackerNames } from './trackers.ts';

export const integrations = 'Integrations';
export const whatTheyDo =
  'Chat services get a message when a scan fails, or completes with new or regressed findings. At issue trackers, members create issues of findings.';
export const chatServices = 'Chat services';
export const issueTrackers = 'Issue trackers';
export const noIntegrations = 'No integrations yet';
export const addIntegration = 'Add integration';
export const editIntegration = 'Edit integration';
export const service = 'Service';
export const services = {
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  mattermost: 'Mattermost',
  ...trackerNames,
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
/** The fields that have other names at each tracker. */
export const trackers = {
  github: {
    urlHint: 'GitHub, or the address of a GitHub Enterprise Server.',
    urlExample: 'https://github.com',
    project: 'Repository',
    projectExample: 'acme/web-shop',
  },
  gitlab: {
    urlHint: 'GitLab, or the address of a self-managed GitLab.',
    urlExample: 'https://gitlab.com',
    project: 'Path of the project',
    projectExample: 'acme/web-shop',
  },
  jira: {
    urlHint: 'The site of Jira Cloud, or the address of Jira Data Center.',
    urlExample: 'https://acme.atlassian.net',
    project: 'Key of the project',
    projectExample: 'WEB',
  },
} as const;
/** How to make a token with the least rights. */
export const tokenHelp = {
  github: {
    name: 'GitHub',
    hint: 'Create a fine-grained personal access token that reaches only this repository, with the permission “Issues: Read and write”. Its account is the author of the issues.',
    href: 'https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/managing-your-personal-access-tokens',
  },
  gitlab: {
    name: 'GitLab',
    hint: 'Create a project access token with the role Reporter and the scope “api”. It reaches only this project.',
    href: 'https://docs.gitlab.com/user/project/settings/project_access_tokens/',
  },
  jira: {
    name: 'Jira Cloud',
    hint: 'Create an API token without scopes, for an account that reaches only this project. It needs the permissions to browse the project, create issues, add comments and transition issues.',
    href: 'https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/',
  },
  jiraDataCenter: {
    name: 'Jira Data Center',
    hint: 'Create a personal access token of an account that reaches only this project. It needs the permissions to browse the project, create issues, add comments and transition issues.',
    href: 'https://confluence.atlassian.com/enterprise/using-personal-access-tokens-1026032365.html',
  },
} as const;
export const createToken = (tracker: string) => `How to create a token of ${tracker}`;
export const token = 'Token';
export const tokenHint = 'It is never shown again.';
export const tokenKept = 'Leave it empty to keep the present one.';
export const tokenNeeded = 'Enter it again, because the address or the project changes.';
export const email = 'Email of the account';
export const emailHint = 'Jira Cloud only: the account of the token. Leave it empty for Jira Data Center.';
export const emailExample = 'ada@acme.example';
export const emailIsNeeded = 'Enter the email of the account';
export const issueType = 'Type of issues';
export const issueTypeHint = 'A type of the project, such as Task or Bug.';
export const labels = 'Labels';
export const labelsHint = 'Labels of new issues, at most 10.';
export const labelExample = 'security';
export const onResolved = 'When all findings of an issue are resolved';
export const onResolvedHint = 'A finding that regresses opens a closed issue again.';
export const resolvedRules = {
  close: 'Close the issue with a comment',
  comment: 'Comment on the issue',
  nothing: 'Do nothing',
} as const;
export const onClosed = 'When somebody closes an issue at the tracker';
export const onClosedHint =
  'Issues are read once a day. If that sets findings to fixed, everybody who can close issues there can resolve findings.';
export const closedRules = {
  nothing: 'Do nothing',
  fixed: 'Set its open findings to fixed',
} as const;
export const instructions = (name: string) => `Instructions of ${name}`;
export const name = 'Name';
export const nameExample = 'Security team';
export const trackerNameExample = 'Web shop';
export const url = 'Address';
export const urlHint = 'It contains a secret, so it is never shown again.';
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
export const projectsHint = 'Only findings of these projects can get issues.';
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
export const trackerSummary = (service: string, url: string, project: string, projectCount: number) =>
  [
    service,
    url.replace('https://', ''),
    project,
    ...(projectCount > 0 ? [plural(projectCount, { one: '# project', other: '# projects' })] : []),
  ].join(' · ');
export const actionsOf = (name: string) => `Actions for ${name}`;
export const deliveriesOfIt = 'Deliveries';
export const edit = 'Edit';
export const sendTest = 'Send a test';
export const testSent = 'The test is on its way. The list of deliveries shows its result.';
export const testConnection = 'Test the connection';
export const testStarted = 'The connection is being tested. The list of deliveries shows the result.';
export const switchOn = 'Switch on';
export const switchOff = 'Switch off';
export const isOn = 'The integration is on. Pending messages are sent at once.';
export const isOff = 'The integration is off. No messages are sent.';
export const trackerIsOn = 'The integration is on. Pending issues are created at once.';
export const trackerIsOff = 'The integration is off. No issues are created, read or changed.';
export const remove = 'Delete';
export const askDelete = (shown: ReactNode) => <>Delete the integration {shown}?</>;
export const whatDeletionDoes = 'Nothing more is sent to it, and its log of deliveries is deleted.';
export const whatTrackerDeletionDoes =
  'The issues stay at the tracker, but findings lose their links to them. Its log of deliveries is deleted.';
export const deleted = 'The integration was deleted.';
export const backToIntegrations = 'All integrations';
export const whoSeesThem = (roles: string) => `Only ${roles} see integrations`;
export const noSuchIntegration = 'This integration does not exist';
