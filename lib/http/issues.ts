import {
  type ClaimableFinding,
  claimIssue,
  lockClaimable,
  readClaimed,
  readFindingsOf,
  retryIssue,
} from '../../db/issues/claim.ts';
import { readIssue } from '../../db/issues/list.ts';
import { ApiError } from '../errors.ts';
import {
  isTriedAgain,
  readTrackers,
  requireKey,
  requireTracker,
  requireWanted,
  sameIssue,
} from '../issues/claims.ts';
import { toIssue } from '../issues/fields.ts';
import { requireStays } from '../projects/transfer/guard.ts';
import { accepted, ok } from './answer.ts';
import { type AuditedCall, newValues } from './audit.ts';
import type { OrgCall } from './call.ts';

/** A request for an issue, of one finding or of several. */
export interface IssueRequest {
  findingIds: readonly string[];
  integration_id: string;
  url?: string | undefined;
  force?: boolean | undefined;
}

/**
 * Creates or links the issue of findings. The outbox does the rest after the response.
 * @returns the pending issue (202), or the one that the findings have already (200)
 */
export async function requestIssue(call: OrgCall & AuditedCall, request: IssueRequest) {
  const { actor, org, services } = call;
  const { findingIds, integration_id, force } = request;
  // Others do not learn whether a finding that they do not reach exists.
  if (!call.reach) await requireStays(call, { findings: findingIds });
  const { id: newId, at } = services.nextId();
  const { id: eventId } = services.nextId();
  const { id, isNew } = await call.audited(
    async ({ db, sql }) => {
      const findings = await lockClaimable(sql, org.tables, findingIds);
      requireReached(call, findingIds, findings);
      const projectIds = findings.map((finding) => finding.project_id);
      const tracker = await db.transaction((tx) => requireTracker(tx, org.id, integration_id, projectIds));
      const tools = { outbound: services.outbound, clock: services.clock };
      const linked = request.url === undefined ? undefined : requireKey(tracker, request.url, tools);
      const claimed = await readClaimed(sql, org.tables, findingIds, tracker.id);
      const same = sameIssue(findingIds, claimed, linked?.url);
      if (same && !isTriedAgain(same, at)) return { id: same.id, isNew: false, findingIds };
      if (!force && !linked) requireWanted(findings);
      const { id: destinationId, projectIds: chosen } = tracker;
      const claim = { at, actorId: actor.id, destinationId, findingIds, projectIds: chosen, linked };
      if (same) {
        const all = await readFindingsOf(sql, org.tables, same.id);
        if (!all.every((finding) => isReached(call, finding)))
          throw conflict('The issue has findings of projects that you do not reach.');
        await retryIssue(sql, org.tables, { ...claim, id: same.id }, eventId);
        return { id: same.id, isNew: true, url: linked?.url, findingIds: all.map((finding) => finding.id) };
      }
      const made = await claimIssue(sql, org.tables, { ...claim, id: newId }, eventId);
      if (made === undefined) throw conflict('The issue was unlinked at the same time. Try again.');
      return { id: made, isNew: true, url: linked?.url, findingIds };
    },
    ({ id, isNew, url, findingIds: finding_ids }) =>
      isNew
        ? { target: { type: 'issue', id }, changes: newValues({ integration_id, finding_ids, url, force }) }
        : undefined,
  );
  const [first = ''] = findingIds;
  const row = await readIssue(call.sql, org.tables, { findingId: first, id }, call.reach);
  if (!row) throw new ApiError('resource_error/not_found');
  const issue = toIssue(row, await readTrackers(call.db, org.id));
  return isNew ? accepted(issue) : ok(issue);
}

const conflict = (message: string) => new ApiError('resource_error/conflict', { message });

const isReached = ({ reach }: Pick<OrgCall, 'reach'>, { project_id }: { project_id: string }): boolean =>
  reach?.ids.includes(project_id) ?? true;

/** Findings that do not exist are not told from those that the caller does not reach. */
function requireReached(
  call: Pick<OrgCall, 'reach'>,
  ids: readonly string[],
  findings: readonly ClaimableFinding[],
): void {
  if (findings.length < ids.length || !findings.every((finding) => isReached(call, finding)))
    throw new ApiError('resource_error/not_found');
}
