import type { SQL } from 'drizzle-orm';
import { type SelectedFinding, selectFindings } from '../../../db/findings/lists/search.ts';
import {
  type ChangedFinding,
  changeFindings,
  type FindingChange,
} from '../../../db/findings/triage/triage.ts';
import type { FindingStatus } from '../../../db/schema/values.ts';
import { ApiError } from '../../errors.ts';
import { conditionsOf } from '../../findings/filter/conditions.ts';
import type { FindingFilter } from '../../findings/filter/parameters.ts';
import { commonFields } from '../../findings/triage/changes.ts';
import { noteRisks } from '../../findings/triage/triage.ts';
import type { OrgCall } from '../call.ts';
import { runExpensive, search } from '../lists/search.ts';

/** The findings that one request changes at most by a filter. */
export const MAX_BY_FILTER = 5_000;
/** The findings of a transaction. Pushes of the same findings wait for it. */
const CHUNK = 500;

const TOO_MANY = 'This organization changes too many findings at a time.';

/** The results of a bulk change, by finding. */
export interface BulkResult {
  updated: { id: string; status: FindingStatus; previous_status: FindingStatus }[];
  failed: { id: string; code: 'not_found' | 'denied'; message: string }[];
  conflicts: { id: string; status: FindingStatus }[];
}

/**
 * The result of a bulk change, in the order of `ids`.
 * @param denied findings of projects where the caller's role is too low
 */
export function bulkResult(
  ids: readonly string[],
  found: readonly ChangedFinding[],
  denied: ReadonlySet<string> = new Set(),
): BulkResult {
  const byId = new Map(found.map((finding) => [finding.id, finding]));
  const result: BulkResult = { updated: [], failed: [], conflicts: [] };
  for (const id of ids) {
    const finding = byId.get(id);
    if (denied.has(id))
      result.failed.push({ id, code: 'denied', message: 'Your role in the project is too low.' });
    else if (!finding) result.failed.push({ id, code: 'not_found', message: 'The finding does not exist.' });
    else if (finding.conflicts) result.conflicts.push({ id, status: finding.status });
    else result.updated.push({ id, status: finding.status, previous_status: finding.previous_status });
  }
  return result;
}

/** The part of the matching findings that one request changes, newest first. */
interface Selection {
  /** How many match. Compared if it is given, unless `after` is. */
  expectedCount: number | undefined;
  limit: number;
  /** The id of the last finding of the request before. Findings that are newer are left alone, as are those pushed meanwhile. */
  after: string | undefined;
}

/** Findings by a filter. */
export interface FilterSelection extends Selection {
  filter: FindingFilter;
}

/** Findings by their conditions. */
export interface MatchSelection extends Selection {
  where: SQL | undefined;
}

/**
 * Changes the findings that match a filter. A finding that somebody has changed since it was selected is a conflict. If a
 * transaction fails after others have succeeded, the result has what was changed, and `next`.
 * @throws ApiError `resource_error/conflict` if others match than expected
 */
export async function changeByFilter(
  call: OrgCall,
  { filter, ...selection }: FilterSelection,
  change: Omit<FindingChange, 'id'>,
): Promise<BulkResult & { change_ids: string[]; next?: string }> {
  const matching = { ...selection, where: conditionsOf(call, filter) };
  const changed = await changeMatching(call, matching, { changeOf: () => change });
  const { ids, found, changeIds, next } = changed;
  return { ...bulkResult(ids, found), change_ids: changeIds, ...(next && { next }) };
}

/** The outcome for matching findings. */
interface MatchedChanges {
  /** The findings that were to be changed. */
  ids: string[];
  found: ChangedFinding[];
  changeIds: string[];
  /** The last finding, if more may match. */
  next: string | undefined;
}

/**
 * Changes matching findings, in transactions of 500. If one fails after others have succeeded, the result has what was
 * changed.
 * @throws ApiError `resource_error/conflict` if others match than expected
 */
export async function changeMatching(
  call: OrgCall,
  selection: MatchSelection,
  {
    changeOf,
    ruleId,
  }: { changeOf: (finding: SelectedFinding) => Omit<FindingChange, 'id'>; ruleId?: string },
): Promise<MatchedChanges> {
  const { actor, c, log, now, org, services } = call;
  const { limit } = selection;
  const { signal } = c.req.raw;
  const matching = await select(call, selection);
  const selected = matching.slice(0, limit);
  const changeIds: string[] = [];
  const found: ChangedFinding[] = [];
  let done = 0;
  while (done < selected.length) {
    const chunk = selected
      .slice(done, done + CHUNK)
      .map((one) => ({ ...changeOf(one), id: one.id, if_change_id: one.change_id }));
    try {
      found.push(...(await runExpensive(call, () => write(chunk), TOO_MANY)));
    } catch (error) {
      if (done === 0) throw error;
      if (!signal.aborted) log.warn('a bulk change was interrupted', { org: org.id, changed: done, error });
      break;
    }
    done += chunk.length;
    if (signal.aborted) break;
  }
  const ids = selected.slice(0, done).map(({ id }) => id);
  const next = done < matching.length ? ids.at(-1) : undefined;
  return { ids, found, changeIds, next };

  async function write(chunk: readonly FindingChange[]): Promise<ChangedFinding[]> {
    await noteRisks(call, chunk);
    const changeId = services.nextId().id;
    const changer = {
      now,
      actorId: actor.id,
      changeId,
      what: commonFields(chunk),
      ...(ruleId && { ruleId }),
    };
    const changed = await changeFindings(call.sql, org.tables, chunk, changer);
    if (changed.some(({ conflicts }) => !conflicts)) changeIds.push(changeId);
    return changed;
  }
}

/** The findings, one more than the limit if there are more. */
async function select(
  call: OrgCall,
  { where, expectedCount, limit, after }: MatchSelection,
): Promise<SelectedFinding[]> {
  const selection = { where, after, limit: limit + 1 };
  const { total, findings } = await search(call, (limits) =>
    selectFindings(call.sql, call.org.tables, selection, limits),
  );
  if (total !== undefined && expectedCount !== undefined && total !== expectedCount)
    throw new ApiError('resource_error/conflict', {
      message: `${total} findings match, not ${expectedCount}. Nothing was changed.`,
      details: [{ field: 'expected_count', message: `is ${total} by now` }],
    });
  return findings;
}
