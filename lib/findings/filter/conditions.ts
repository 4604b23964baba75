import {
  and,
  eq,
  gte,
  ilike,
  inArray,
  isNotNull,
  isNull,
  lt,
  not,
  notInArray,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { except, intersect } from 'drizzle-orm/pg-core';
import type { Db } from '../../../db/client.ts';
import type { FindingKind } from '../../../db/findings/lists/pages.ts';
import { lowestIdAt } from '../../../db/ids.ts';
import { within } from '../../../db/projects/reach.ts';
import { mayBeGone } from '../../../db/scans/compare.ts';
import { findingIdsOfScan } from '../../../db/scans/scans.ts';
import { type OrgTables, ruleOf, searchedText, startOf } from '../../../db/schema/org.ts';
import type { Role } from '../../../db/schema/orgs.ts';
import { UNRESOLVED } from '../../../db/schema/values.ts';
import { arrayText } from '../../../db/statements.ts';
import { ApiError } from '../../errors.ts';
import { projectsAmong, type Reaching } from '../../projects/reach.ts';
import { rankOf } from '../../tokens/scopes.ts';
import { escapeLike, matchesGlob, pathMatchesGlob } from './glob.ts';
import type { FindingFilter } from './parameters.ts';
import { matchesWord, words } from './words.ts';

/** The index reads a list of findings for every three characters. */
const INDEXED_CHARACTERS = 24;

/** Written out: PostgreSQL uses `findings_overdue` only if it knows the statuses when it plans. */
const unresolved = sql.raw(`('${UNRESOLVED.join("', '")}')`);

/** A caller with a role; without `role`, the service itself. */
interface Reader extends Reaching {
  role?: Role;
}

/** The organization and the time that a filter is for, and the user that `me` stands for. */
export interface FilterContext extends Reader {
  db: Db;
  org: { tables: OrgTables };
  now: Date;
  user?: { id: string };
}

/** The filter without what the caller does not reach. All readers of filters begin with it. */
export function visible(
  { reach, role = 'owner' }: Reader,
  { min_role: least, ...filter }: FindingFilter,
): FindingFilter {
  const covers = (own: Role | undefined) => own !== undefined && rankOf(own) >= rankOf(least ?? 'viewer');
  const ids = projectsAmong({ reach }, filter.project_id);
  if (reach) return { ...filter, project_id: ids?.filter((id) => covers(reach.roles.get(id))) };
  return { ...filter, project_id: covers(role) ? ids : [] };
}

/** The filter as the counts know it; undefined if they do not. */
export function countedKind(context: Reader, given: FindingFilter): FindingKind | undefined {
  const {
    project_id: projectIds,
    severity: severities,
    status: statuses,
    regressed,
    attention,
    ...rest
  } = visible(context, given);
  const { q, ...others } = rest;
  if (words(q).length > 0 || Object.values(others).some((value) => value !== undefined)) return undefined;
  return { projectIds, severities, statuses, regressed, attention };
}

/**
 * The conditions of a filter.
 * @throws ApiError `validation_error/invalid_request` for `me` without a user
 */
export function conditionsOf(context: FilterContext, given: FindingFilter): SQL | undefined {
  const { db, org, now } = context;
  const filter = visible(context, given);
  const { findings: f, exploits: e } = org.tables;
  const { found_after, found_before, seen_after, seen_before } = filter;
  const { cve, file, rule, path, not_path, source, not_source } = filter;
  return and(
    ...ofScans(db, org.tables, filter),
    ...onReachedScans(context, filter),
    context.reach === undefined
      ? filter.project_id && inArray(f.projectId, filter.project_id)
      : within(f.projectId, filter.project_id),
    filter.severity && inArray(f.severity, filter.severity),
    filter.status && inArray(f.status, filter.status),
    filter.regressed === undefined ? undefined : eq(f.regressed, filter.regressed),
    filter.attention ? needsAttention(f) : undefined,
    filter.proposed === undefined ? undefined : filter.proposed ? sql`${f.proposed}` : isNull(f.proposed),
    filter.ref === undefined ? undefined : presentOn(org.tables, filter.ref),
    filter.assignee && ofAssignees(context, filter.assignee),
    filter.mentions && mentioning(context, filter.mentions),
    isOrNot(
      filter.overdue,
      and(isNotNull(f.dueAt), lt(f.dueAt, now), sql`${f.status} in ${unresolved}`) as SQL,
    ),
    isOrNot(filter.missing, isNotNull(f.missingSince)),
    isOrNot(filter.has_exploit, sql`exists (select from ${e} where ${eq(e.findingId, f.id)})`),
    source && inArray(f.source, source),
    not_source && or(isNull(f.source), notInArray(f.source, not_source)),
    filter.cwe === undefined ? undefined : eq(f.cwe, filter.cwe),
    cve === undefined ? undefined : cve === '' ? isNull(f.cve) : and(indexed(cve), eq(f.cve, cve)),
    file === undefined
      ? undefined
      : file === ''
        ? sql`coalesce(${f.file}, '') = ''`
        : and(indexed(file), eq(f.file, file)),
    rule === undefined
      ? undefined
      : and(eq(startOf(ruleOf(f)), startOf(sql`${rule}::text`)), eq(ruleOf(f), rule)),
    path === undefined ? undefined : matchesGlob(f, path),
    not_path === undefined ? undefined : or(isNull(f.file), not(pathMatchesGlob(f.file, not_path))),
    // Ids carry the time of creation, and are indexed.
    found_after === undefined ? undefined : gte(f.id, lowestIdAt(Date.parse(found_after))),
    found_before === undefined ? undefined : lt(f.id, lowestIdAt(Date.parse(found_before))),
    seen_after === undefined ? undefined : sql`${f.lastSeenAt} >= ${seen_after}`,
    seen_before === undefined ? undefined : sql`${f.lastSeenAt} < ${seen_before}`,
    ...resolvedWithin(f, filter),
    ...unresolvedSince(f, filter),
    changed(context, filter),
    ...words(filter.q).map((word) => matchesWord(f, word)),
  );

  /** The part of an exact text that the search index finds: its end, which differs more than its start. */
  function indexed(text: string): SQL | undefined {
    const end = [...text].slice(-INDEXED_CHARACTERS).join('');
    return end.length < 3 ? undefined : ilike(searchedText(f), `%${escapeLike(end)}%`);
  }
}

type Findings = OrgTables['findings'];

const needsAttention = (f: Findings) =>
  or(and(inArray(f.status, [...UNRESOLVED]), isNull(f.proposed)), f.regressed);

/** Findings that were resolved in a period or within their due date, as the metrics count them, with the index of the metrics. */
function resolvedWithin(
  f: Findings,
  { resolved_after, resolved_before, resolved_in_time }: FindingFilter,
): (SQL | undefined)[] {
  if ([resolved_after, resolved_before, resolved_in_time].every((value) => value === undefined)) return [];
  const at = sql`coalesce(${f.resolvedAt}, ${f.statusChangedAt})`;
  return [
    sql`${f.status} not in ${unresolved}`,
    not(f.regressed),
    isNull(f.proposed),
    resolved_after === undefined ? undefined : sql`${at} >= ${resolved_after}`,
    resolved_before === undefined ? undefined : sql`${at} < ${resolved_before}`,
    // A rule resolves a finding at the time when it is found.
    resolved_in_time === undefined
      ? undefined
      : sql`${f.dueAt} is not null and ${at} > ${f.createdAt} and (${at} <= ${f.dueAt}) = ${resolved_in_time}`,
  ];
}

/** Findings that need attention since a period, as the metrics count them. */
function unresolvedSince(
  f: Findings,
  { unresolved_after: after, unresolved_before: before }: FindingFilter,
): (SQL | undefined)[] {
  if (after === undefined && before === undefined) return [];
  const idAt = (time: string) => lowestIdAt(Date.parse(time));
  const since = sql`coalesce(${f.regressedAt}, ${f.createdAt})`;
  return [
    or(
      and(
        inArray(f.status, [...UNRESOLVED]),
        isNull(f.proposed),
        after === undefined ? undefined : gte(f.id, idAt(after)),
        before === undefined ? undefined : lt(f.id, idAt(before)),
      ),
      and(
        f.regressed,
        sql`${f.status} not in ${unresolved}`,
        after === undefined ? undefined : sql`${since} >= ${after}`,
        before === undefined ? undefined : sql`${since} < ${before}`,
      ),
    ),
  ];
}

/** Findings that are present on a ref. Scans without a ref are of the default branch. */
function presentOn({ findingRefs, findings, projects, series }: OrgTables, ref: string): SQL {
  return sql`${findings.id} in (
    select r.finding_id from ${findingRefs} r where r.missing_since is null and r.series_id = any (array(
      select e.id from ${series} e where e.ref = ${ref} or (e.ref = '' and exists (
        select from ${projects} p where p.id = e.project_id and p.default_ref = ${ref})))))`;
}

const isOrNot = (wanted: boolean | undefined, condition: SQL): SQL | undefined =>
  wanted === undefined ? undefined : wanted ? condition : sql`not ${condition}`;

function ofAssignees(context: FilterContext, assignees: readonly string[]): SQL | undefined {
  const { assigneeId } = context.org.tables.findings;
  const named = assignees.filter((assignee) => assignee !== 'none');
  return or(
    assignees.includes('none') ? isNull(assigneeId) : undefined,
    named.length > 0 ? inArray(assigneeId, idsOf(context, 'assignee', named)) : undefined,
  );
}

function mentioning(context: FilterContext, users: readonly string[]): SQL {
  const { findingEvents: e, findings: f } = context.org.tables;
  const ids = arrayText(idsOf(context, 'mentions', users));
  return sql`${f.id} in (select ${e.findingId} from ${e} where ${e.mentions} && ${ids}::uuid[])`;
}

/** Findings with an entry that matches all three. First reports are no entries here, as in `GET /activity`. */
function changed(context: FilterContext, filter: FindingFilter): SQL | undefined {
  const { changed_after: after, changed_before: before, changed_by: by } = filter;
  if (after === undefined && before === undefined && by === undefined) return undefined;
  const { findingEvents: e, findings: f } = context.org.tables;
  const matches = and(
    after === undefined ? undefined : sql`${e.at} >= ${after}::timestamptz`,
    before === undefined ? undefined : sql`${e.at} < ${before}::timestamptz`,
    by && inArray(e.actorId, idsOf(context, 'changed_by', by)),
  );
  return sql`${f.id} in (select ${e.findingId} from ${e} where ${matches})`;
}

/** User ids, with that of the caller for `me`. */
const idsOf = ({ user }: FilterContext, field: string, users: readonly string[]): string[] =>
  users.map((one) => {
    if (one !== 'me') return one;
    if (user) return user.id;
    throw new ApiError('validation_error/invalid_request', {
      details: [{ field, message: 'me is possible only for a signed-in user' }],
    });
  });

/**
 * A comparison reads the sources of both scans, so a caller compares only scans of projects that the caller reaches. The findings of a
 * single scan are limited by their project: the scan may be deleted.
 */
function onReachedScans({ org, reach }: FilterContext, { scan_id, against }: FindingFilter): SQL[] {
  const { scans: s } = org.tables;
  if (reach === undefined || against === undefined) return [];
  const inReach = within(sql`s.project_id`, reach.ids);
  return [scan_id, against].flatMap((scan) =>
    scan === undefined ? [] : sql`exists (select from ${s} s where s.scan_id = ${scan} and ${inReach})`,
  );
}

/** The conditions on the scan of the findings, or on the difference between two scans. */
function ofScans(db: Db, tables: OrgTables, { scan_id, against, change }: FindingFilter): SQL[] {
  const { id } = tables.findings;
  if (scan_id === undefined) return [];
  const of = (scan: string) => findingIdsOfScan(db, tables, scan);
  if (against === undefined) return [inArray(id, of(scan_id))];
  switch (change) {
    case 'seen_again':
      return [inArray(id, intersect(of(scan_id), of(against)))];
    case 'gone':
      return [inArray(id, except(of(against), of(scan_id))), mayBeGone(tables, scan_id, against)];
    default:
      return [inArray(id, except(of(scan_id), of(against)))];
  }
}
