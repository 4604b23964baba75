import type { Schemas } from '../../../lib/client/index.ts';

/* The values of the form of an integration. It has the fields of all kinds, and sends those of the chosen one. */

export type Integration = Schemas['Integration'];
/** An integration with a chat service. Others are issue trackers. */
export type ChatIntegration = Extract<Integration, { host: string }>;
export type TrackerIntegration = Exclude<Integration, ChatIntegration>;

export const isChat = (integration: Integration): integration is ChatIntegration => 'host' in integration;

export type Kind = Integration['kind'];
export type TrackerKind = TrackerIntegration['kind'];

/** The addresses of trackers that new integrations begin with. */
const ADDRESSES: Record<TrackerKind, string> = {
  github: 'https://github.com',
  gitlab: 'https://gitlab.com',
  jira: '',
};

export const isTrackerKind = (kind: Kind): kind is TrackerKind => Object.hasOwn(ADDRESSES, kind);

/** The address that a new integration begins with. */
export const addressOf = (kind: Kind): string => (isTrackerKind(kind) ? ADDRESSES[kind] : '');

/** Whether an address is one of Jira Cloud, which needs the account of the token. */
export const isJiraCloud = (url: string): boolean =>
  /^https:\/\/[\w-]+\.atlassian\.net(?:\/|$)/i.test(url.trim());

/** The value of `min_severity` for findings of all severities. */
export const ANY = '';
const ISSUE_TYPE = 'Task';

export interface IntegrationValues {
  kind: Kind;
  name: string;
  url: string;
  project_ids: string[];
  enabled: boolean;
  /* Chat services. */
  muted_project_ids: string[];
  min_severity: Schemas['Severity'] | typeof ANY;
  /* Issue trackers. */
  project: string;
  token: string;
  email: string;
  issue_type: string;
  labels: string[];
  on_resolved: TrackerIntegration['on_resolved'];
  on_closed: TrackerIntegration['on_closed'];
}

export type FieldName = keyof IntegrationValues;

/** @param integration unset: a new one */
export function valuesOf(integration?: Integration): IntegrationValues {
  const { kind = 'slack', name = '', project_ids = [], enabled = true } = integration ?? {};
  const chat = integration && isChat(integration) ? integration : undefined;
  const tracker = integration && !isChat(integration) ? integration : undefined;
  return {
    ...{ kind, name, project_ids, enabled },
    url: tracker?.url ?? '',
    muted_project_ids: chat?.muted_project_ids ?? [],
    min_severity: chat?.min_severity ?? ANY,
    project: tracker?.project ?? '',
    token: '',
    email: tracker?.email ?? '',
    issue_type: tracker?.issue_type ?? ISSUE_TYPE,
    labels: tracker?.labels ?? [],
    on_resolved: tracker?.on_resolved ?? 'close',
    on_closed: tracker?.on_closed ?? 'nothing',
  };
}

const orNull = (ids: string[]) => (ids.length > 0 ? ids : null);

const common = ({ name, project_ids, enabled }: IntegrationValues) => ({
  ...{ name, enabled },
  project_ids: orNull(project_ids),
});

const ofChat = ({ muted_project_ids, min_severity }: IntegrationValues) => ({
  muted_project_ids: orNull(muted_project_ids),
  min_severity: min_severity === ANY ? null : min_severity,
});

const ofTracker = ({ kind, email, issue_type, ...values }: IntegrationValues) => ({
  project: values.project,
  labels: values.labels,
  on_resolved: values.on_resolved,
  on_closed: values.on_closed,
  ...(kind === 'jira' && { issue_type, ...(email.trim() !== '' && { email }) }),
});

/** The request that adds an integration. */
export function toNew(values: IntegrationValues): Schemas['NewIntegration'] {
  const { kind, url, token } = values;
  return isTrackerKind(kind)
    ? { kind, url, token, ...common(values), ...ofTracker(values) }
    : { kind, url, ...common(values), ...ofChat(values) };
}

type Place = Pick<IntegrationValues, 'url' | 'project'>;

const hasOtherUrl = (integration: Integration, url: string): boolean =>
  !isChat(integration) && url.trim() !== integration.url;

/** Whether a form changes the address or the project of a tracker. The service then asks for the token again. */
export const isElsewhere = (integration: Integration | undefined, { url, project }: Place): boolean =>
  integration !== undefined &&
  !isChat(integration) &&
  (hasOtherUrl(integration, url) || project.trim() !== integration.project);

/** The request that changes an integration. A secret that is not entered stays. */
export function toChanges(
  integration: Integration,
  values: IntegrationValues,
): Schemas['IntegrationChanges'] {
  const { url, token } = values;
  if (isChat(integration)) return { ...common(values), ...ofChat(values), ...(url !== '' && { url }) };
  return {
    ...common(values),
    ...ofTracker(values),
    ...(hasOtherUrl(integration, url) && { url }),
    ...(token !== '' && { token }),
  };
}
