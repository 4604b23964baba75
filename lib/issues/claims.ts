import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Db, Tx } from '../../db/client.ts';
import type { ClaimableFinding, ClaimedIssue } from '../../db/issues/claim.ts';
import { TRACKER_KINDS, destinations as t } from '../../db/schema/destinations.ts';
import { UNRESOLVED } from '../../db/schema/values.ts';
import type { DestinationRow } from '../destinations/groups.ts';
import { ApiError } from '../errors.ts';
import type { TrackerTools } from '../trackers/calls.ts';
import { createTracker } from '../trackers/create.ts';
import { settingsOf } from '../trackers/settings.ts';

const isTracker = (orgId: string) => and(eq(t.orgId, orgId), inArray(t.kind, [...TRACKER_KINDS]));

/** The issue trackers of an organization, the oldest first. */
export const readTrackers = (db: Db, orgId: string): Promise<DestinationRow[]> =>
  db.select().from(t).where(isTracker(orgId)).orderBy(asc(t.createdAt), asc(t.id));

/** Whether findings of a project may have issues of an integration. */
export const hasProject = ({ projectIds }: DestinationRow, projectId: string): boolean =>
  projectIds?.includes(projectId) ?? true;

const conflict = (message: string) => new ApiError('resource_error/conflict', { message });

/**
 * The issue tracker that a request names. It is locked, so that it is not deleted before its new issue is noted.
 * @throws ApiError `validation_error/field_invalid` if it does not exist, or is not for these projects; `resource_error/conflict` if it is
 * switched off
 */
export async function requireTracker(
  tx: Tx,
  orgId: string,
  id: string,
  projectIds: readonly string[],
): Promise<DestinationRow> {
  const [row] = await tx
    .select()
    .from(t)
    .where(and(isTracker(orgId), eq(t.id, id)))
    .for('key share');
  if (!row || !projectIds.every((projectId) => hasProject(row, projectId)))
    throw new ApiError('validation_error/field_invalid', {
      details: [{ field: 'integration_id', message: 'is not an issue tracker of the project' }],
    });
  if (!row.enabled) throw conflict('The integration is switched off. An admin can enable it.');
  return row;
}

/** The issue that an address names. @throws ApiError `validation_error/field_invalid` if it is not of the project of the integration */
export function requireKey(
  row: DestinationRow,
  url: string,
  tools: TrackerTools,
): { key: string; url: string } {
  // No request is sent, so the token is not needed.
  const tracker = createTracker(settingsOf(row, ''), tools);
  const key = tracker.keyOf(url);
  if (key !== undefined) return { key, url: tracker.urlOf(key) };
  const message = `must be the address of an issue of ${row.tracker?.project} at ${row.url}`;
  throw new ApiError('validation_error/field_invalid', { details: [{ field: 'url', message }] });
}

/** Why a finding gets no issue, unless the caller insists. */
function refusalOf({ status, regressed, reason, proposed }: ClaimableFinding): string | undefined {
  if (reason === 'duplicate') return 'is a duplicate';
  if (!UNRESOLVED.includes(status) && !regressed) return 'is resolved';
  return proposed ? 'was not reported on the default branch or a tracked ref' : undefined;
}

/** @throws ApiError `resource_error/conflict` if a finding should have no issue */
export function requireWanted(findings: readonly ClaimableFinding[]): void {
  for (const finding of findings) {
    const refusal = refusalOf(finding);
    if (refusal === undefined) continue;
    const subject = findings.length === 1 ? 'The finding' : `The finding ${finding.id}`;
    throw conflict(`${subject} ${refusal}. Send \`force: true\` to create an issue anyway.`);
  }
}

/**
 * The issue that all findings have already; undefined if none of them has one.
 * @param url of the issue to link
 * @throws ApiError `resource_error/conflict` if they have others
 */
export function sameIssue(
  findingIds: readonly string[],
  claimed: readonly ClaimedIssue[],
  url: string | undefined,
): ClaimedIssue | undefined {
  const [first, ...others] = claimed;
  if (!first) return undefined;
  const isOne = claimed.length === findingIds.length && others.every(({ id }) => id === first.id);
  if (isOne && (url === undefined || url === first.url)) return first;
  throw conflict(
    findingIds.length === 1
      ? 'The finding has another issue of this integration. Unlink it first.'
      : 'Some of the findings have an issue of this integration already.',
  );
}

/** A pending issue is left to the outbox for this time. */
const WORKING_MS = 10 * 60_000;

/** Whether a request for an issue that was asked for before has the outbox work on it again. */
export const isTriedAgain = ({ state, asked_at }: ClaimedIssue, now: Date): boolean =>
  state === 'failed' || (state === 'pending' && now.getTime() - Date.parse(asked_at) >= WORKING_MS);
