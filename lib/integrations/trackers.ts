import {
  CLOSED_RULES,
  RESOLVED_RULES,
  type StoredTracker,
  TRACKER_KINDS,
} from '../../db/schema/destinations.ts';
import {
  address,
  areUnique,
  commonFields,
  commonInput,
  commonValues,
  projectList,
  REPEATED,
  shownProjects,
} from '../destinations/fields.ts';
import type { DestinationRow } from '../destinations/groups.ts';
import { ApiError } from '../errors.ts';
import { id, optional, shown, text, z } from '../schema.ts';
import { projectRefusal, type TrackerKind, trackerUrl } from '../trackers/settings.ts';

/* The fields of integrations with issue trackers. */

const URL_EXAMPLE = 'https://github.com';
const PROJECT_EXAMPLE = 'acme/web-shop';
const LABELS_EXAMPLE = ['security'];
const MAX_LABELS = 10;

const { min_severity: _shown, ...shownCommon } = commonFields('integration');
const { min_severity: _given, enabled } = commonInput;

/** An integration with an issue tracker, as the API shows it. */
export const TrackerIntegration = z
  .object({
    id: id(),
    kind: z.enum(TRACKER_KINDS).openapi({ example: 'github' }),
    name: shown('Web shop'),
    url: shown(URL_EXAMPLE),
    project: shown(PROJECT_EXAMPLE),
    labels: z.array(z.string()).openapi({ example: LABELS_EXAMPLE }),
    issue_type: shown('Bug').optional(),
    email: shown('ada@acme.example', 'Absent: not Jira Cloud.').optional(),
    on_resolved: z.enum(RESOLVED_RULES).openapi({ example: 'close' }),
    on_closed: z.enum(CLOSED_RULES).openapi({ example: 'nothing' }),
    project_ids: shownProjects('Absent: all projects.'),
    ...shownCommon,
  })
  .openapi('TrackerIntegration');

/** Fields of requests, without those that all integrations have. */
const ownShape = {
  project: text({ min: 1, max: 1_000, trim: true, example: PROJECT_EXAMPLE }).openapi({
    description:
      'A GitHub repository (`owner/name`), the path of a GitLab project, or the key of a Jira project.',
  }),
  labels: optional(
    z
      .array(
        text({ min: 1, max: 50, trim: true, example: 'security' }).refine(
          (label) => !label.includes(','),
          'must not contain a comma',
        ),
      )
      .max(MAX_LABELS)
      .refine(areUnique, REPEATED)
      .openapi({ description: 'Labels of new issues.', example: LABELS_EXAMPLE }),
  ),
  issue_type: optional(
    text({ min: 1, max: 60, trim: true, example: 'Bug' }).openapi({
      description: 'Jira only: the type of new issues. Left out: `Task`.',
    }),
  ),
  email: optional(
    text({ min: 3, max: 254, trim: true, example: 'ada@acme.example' })
      .refine((value) => /^[^\s:@]+@[^\s:@]+$/.test(value), 'must be an email address')
      .openapi({ description: 'Jira Cloud only, which needs it: the account of the token.' }),
  ),
  on_resolved: optional(
    z.enum(RESOLVED_RULES).openapi({
      description:
        'When all findings of an issue are resolved: `close` closes it with a comment, and a regression opens it again; `comment` comments in both cases. Left out: `close`.',
      example: 'close',
    }),
  ),
  on_closed: optional(
    z.enum(CLOSED_RULES).openapi({
      description:
        'When somebody closes an issue at the tracker: `fixed` sets its findings that are not resolved to `fixed`, once for each closing, if the service has created it; at GitHub only if it is closed as completed. Left out: `nothing`.',
      example: 'nothing',
    }),
  ),
  token: text({ min: 1, max: 1_000, trim: true, example: 'github_pat_11ABCDEFG0123456789' })
    .refine((value) => /^[\x21-\x7e]+$/.test(value), 'must have printable ASCII characters only')
    .openapi({
      description:
        'GitHub: a personal access token that may read and write issues. GitLab: an access token with the scope `api`. Jira Cloud: an API token; Jira Data Center: a personal access token. No response has it.',
    }),
};

const trackerAddress = address(URL_EXAMPLE).openapi({
  description: 'The address of the tracker, such as `https://github.com` or `https://acme.atlassian.net`.',
});

/** A new integration with a tracker. @param name that all integrations have */
export const newTracker = <T extends z.ZodType>(name: T) =>
  z
    .object({
      kind: z.enum(TRACKER_KINDS).openapi({ example: 'github' }),
      ...{ name, url: trackerAddress },
      project_ids: projectList(
        'Only findings of these projects get issues. `null`: findings of all projects.',
      ),
      ...ownShape,
      enabled,
    })
    .openapi('NewTrackerIntegration', {
      example: {
        kind: 'github',
        name: 'Web shop',
        url: URL_EXAMPLE,
        project: PROJECT_EXAMPLE,
        token: 'github_pat_…',
      },
    });

/** Fields of changes that chat services do not have. */
export const trackerChanges = {
  ...ownShape,
  project: optional(ownShape.project),
  token: optional(ownShape.token),
};

/** The fields of a request that concern a tracker only. */
export interface TrackerInput {
  url?: string | undefined;
  project?: string | undefined;
  labels?: string[] | undefined;
  issue_type?: string | undefined;
  email?: string | undefined;
  on_resolved?: StoredTracker['on_resolved'];
  on_closed?: StoredTracker['on_closed'];
  token?: string | undefined;
}

const invalid = (field: string, message: string) =>
  new ApiError('validation_error/field_invalid', { details: [{ field, message }] });

/** The columns of a tracker that a request names. @throws ApiError `validation_error/field_invalid` */
export function trackerColumns(
  kind: TrackerKind,
  given: TrackerInput,
  before?: StoredTracker | null,
): { url?: string; tracker: StoredTracker } {
  const url = given.url === undefined ? undefined : trackerUrl(given.url);
  if (given.url !== undefined && url === undefined)
    throw invalid('url', 'must have no query and no fragment');
  const { project = before?.project ?? '', labels = before?.labels ?? [] } = given;
  const refusal = projectRefusal(kind, project);
  if (refusal !== undefined) throw invalid('project', refusal);
  const isElsewhere = before !== undefined && (given.url !== undefined || project !== before?.project);
  // The person who changes the place may not know the token, which may reach more than the former one.
  if (isElsewhere && given.token === undefined)
    throw invalid('token', 'must be given with a new address or project');
  if (kind !== 'jira')
    for (const field of ['issue_type', 'email'] as const)
      if (given[field] !== undefined) throw invalid(field, 'is for Jira only');
  const jira = {
    issue_type: given.issue_type ?? before?.issue_type ?? 'Task',
    email: given.email ?? before?.email,
  };
  const on_resolved = given.on_resolved ?? before?.on_resolved ?? 'close';
  const on_closed = given.on_closed ?? before?.on_closed ?? 'nothing';
  const tracker = { project, labels, on_resolved, on_closed, ...(kind === 'jira' && jira) };
  return { ...(url !== undefined && { url }), tracker };
}

/** The values that the API shows. */
export const trackerValues = (row: DestinationRow) => ({
  ...{ name: row.name ?? '', url: row.url, project_ids: row.projectIds },
  ...{
    project: '',
    labels: [],
    on_resolved: 'close' as const,
    on_closed: 'nothing' as const,
    ...row.tracker,
  },
  ...commonValues(row),
  min_severity: null,
});
