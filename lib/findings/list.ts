import { and, asc, desc, eq, ilike, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { except, intersect } from 'drizzle-orm/pg-core';
import type { Db } from '../../db/client.ts';
import type { IndexedOrder } from '../../db/findings/pages.ts';
import { searchFindings } from '../../db/findings/search.ts';
import { type FindingView, findingText } from '../../db/findings/text.ts';
import { findingIdsOfScan, severityRank } from '../../db/scans/scans.ts';
import { type OrgTables, searchedText } from '../../db/schema/org.ts';
import type { FindingStatus, Severity } from '../../db/schema/values.ts';
import type { Raw } from '../http/answer.ts';
import type { PublicCall } from '../http/call.ts';
import { answerRows } from '../http/lists/list.ts';
import { pageOf, resultInfo } from '../http/lists/pages.ts';
import { search } from '../http/lists/search.ts';
import { z } from '../http/schema.ts';
import type { Org } from '../orgs/directory.ts';
import { type FileFormat, fileOf } from './file.ts';

/** How findings of a scan differ from another's. */
export const CHANGES = ['new', 'seen_again', 'gone'] as const;
/** Fields that may be left out. */
const OMITTABLE = ['description'] as const;

/** The query parameter that leaves them out. */
export const omitParameter = () =>
  z.enum(OMITTABLE).optional().openapi({ description: 'Leaves out the field that may be long.' });

/** What a list of findings can be narrowed and ordered by. */
export interface FindingFilter {
  scan_id?: string | undefined;
  against?: string | undefined;
  change?: (typeof CHANGES)[number] | undefined;
  project_id?: string | undefined;
  severity?: Severity[] | undefined;
  status?: FindingStatus[] | undefined;
  cwe?: string | undefined;
  /** Words, each of which stands in title, file or CVE. */
  q?: string | undefined;
  sort?: (typeof SORTS)[number] | undefined;
  page?: number | undefined;
  per_page?: number | undefined;
  omit?: (typeof OMITTABLE)[number] | undefined;
  format?: FileFormat | undefined;
}

const SORT_KEYS = ['created_at', 'last_seen_at', 'severity', 'cvss_score'] as const;
type SortKey = (typeof SORT_KEYS)[number];
export const SORTS = SORT_KEYS.flatMap((key) => [key, `-${key}`] as const);

/** Answers an org's findings, all of them or a page. */
export async function answerFindings(call: PublicCall & { org: Org }, filter: FindingFilter): Promise<Raw> {
  const { db, org, services } = call;
  const { tables } = org;
  const { findings } = tables;
  const page = pageOf(filter);
  const view = viewOf(filter);
  const file = filter.format && fileOf(filter.format, call, view);
  const where = and(...conditions(call, filter));
  const indexed = indexedOrder(filter);
  if (!page) {
    const rows = db
      .select({ text: findingText(tables, view) })
      .from(findings)
      .where(where)
      .orderBy(...order(findings, filter.sort));
    return answerRows(call, rows.toSQL(), { ...file, isSearch: !indexed });
  }
  const window = { limit: page.perPage, offset: page.offset };
  if (indexed) {
    const { project_id: projectId, severity: severities, status: statuses } = filter;
    const kind = { projectId, severities, statuses };
    const { total, rows } = await services.findingPages.ofKinds(org, view, kind, indexed, window);
    return answerRows(call, rows, { ...file, info: resultInfo(page, total) });
  }
  const { total, ids } = await search(call, (limits) =>
    searchFindings(
      call.sql,
      tables,
      { where, order: sql.join(order(FOUND, filter.sort), sql`, `), window },
      limits,
    ),
  );
  const rows = services.findingPages.ofIds(org, view, ids);
  return answerRows(call, rows, { ...file, info: resultInfo(page, total) });
}

/** Columns of what a search has found. */
const FOUND = {
  id: sql.raw('id'),
  lastSeenAt: sql.raw('last_seen_at'),
  severity: sql.raw('severity'),
  cvssScore: sql.raw('cvss_score'),
};

/** Files other than JSON name the project, because they stand alone. */
const viewOf = ({ format = 'json', omit }: FindingFilter): FindingView => ({
  as: format === 'csv' ? 'csv' : 'json',
  named: format !== 'json',
  brief: omit === 'description',
});

/** The order, when indexes serve it and the counts that are kept know the filter; undefined when rows are to be searched. */
function indexedOrder({ scan_id, cwe, q, sort = '-created_at' }: FindingFilter): IndexedOrder | undefined {
  if (scan_id !== undefined || cwe !== undefined || words(q).length > 0) return undefined;
  const by = sort.replace(/^-/, '');
  return by === 'created_at' || by === 'severity' ? { by, descending: sort.startsWith('-') } : undefined;
}

function conditions(
  { db, org: { tables } }: PublicCall & { org: Org },
  filter: FindingFilter,
): (SQL | undefined)[] {
  const { findings: f } = tables;
  return [
    ...ofScans(db, tables, filter),
    filter.project_id === undefined ? undefined : eq(f.projectId, filter.project_id),
    filter.severity && inArray(f.severity, filter.severity),
    filter.status && inArray(f.status, filter.status),
    filter.cwe === undefined ? undefined : eq(f.cwe, filter.cwe),
    ...words(filter.q).map((word) => ilike(searchedText(f), word)),
  ];
}

/** Of a scan, or of what differs between two. */
function ofScans(db: Db, tables: OrgTables, { scan_id, against, change }: FindingFilter): SQL[] {
  const { id } = tables.findings;
  if (scan_id === undefined) return [];
  const of = (scan: string) => findingIdsOfScan(db, tables, scan);
  if (against === undefined) return [inArray(id, of(scan_id))];
  switch (change) {
    case 'seen_again':
      return [inArray(id, intersect(of(scan_id), of(against)))];
    case 'gone':
      return [inArray(id, except(of(against), of(scan_id)))];
    default:
      return [inArray(id, except(of(scan_id), of(against)))];
  }
}

const MAX_WORDS = 10;

/** LIKE patterns for the words of a search. */
function words(q: string | undefined): string[] {
  const all = q?.trim().split(/\s+/).filter(Boolean) ?? [];
  return all.slice(0, MAX_WORDS).map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
}

/** Newest first by default. Ids carry the time of creation, so that they order by it, and are indexed. */
function order(
  f: Record<keyof typeof FOUND, SQLWrapper>,
  sort: FindingFilter['sort'] = '-created_at',
): SQL[] {
  const descending = sort.startsWith('-');
  const direction = descending ? desc : asc;
  const nulls = sql.raw(descending ? ' nulls last' : ' nulls first');
  const newest = desc(f.id);
  switch (sort.replace(/^-/, '') as SortKey) {
    case 'created_at':
      return [direction(f.id)];
    case 'last_seen_at':
      return [direction(f.lastSeenAt), newest];
    case 'severity':
      // Rank 1 is critical: the most severe are the greatest.
      return [descending ? asc(severityRank(f.severity)) : desc(severityRank(f.severity)), newest];
    case 'cvss_score':
      return [sql`${direction(f.cvssScore)}${nulls}`, newest];
  }
}
