import { asc, desc, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { IndexedOrder } from '../../db/findings/lists/pages.ts';
import { searchFindings } from '../../db/findings/lists/search.ts';
import { type FindingView, findingText } from '../../db/findings/lists/text.ts';
import { severityRank } from '../../db/scans/scans.ts';
import type { Raw } from '../http/answer.ts';
import { answerRows } from '../http/lists/list.ts';
import { pageOf, resultInfo } from '../http/lists/pages.ts';
import { search } from '../http/lists/search.ts';
import { z } from '../http/schema.ts';
import { type FileFormat, fileOf } from './file.ts';
import { conditionsOf, countedKind, type FilteringCall } from './filter/conditions.ts';
import type { FindingFilter } from './filter/parameters.ts';

/** Fields that may be left out. */
const OMITTABLE = ['description'] as const;

/** The query parameter that leaves them out. */
export const omitParameter = () =>
  z.enum(OMITTABLE).optional().openapi({ description: 'Leaves out the field that may be long.' });

export const FindingsCsv = z.string().openapi({
  description: 'A header line with the field names, then one line per finding.',
  example:
    'id,title,severity\r\n0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07,"SQL injection in search","critical"\r\n',
});

/** Which findings a list has, and how it shows them. */
export interface FindingList extends FindingFilter {
  sort?: (typeof SORTS)[number] | undefined;
  page?: number | undefined;
  per_page?: number | undefined;
  omit?: (typeof OMITTABLE)[number] | undefined;
  format?: FileFormat | undefined;
}

const SORT_KEYS = ['created_at', 'last_seen_at', 'severity', 'cvss_score', 'due_at', 'priority'] as const;
type SortKey = (typeof SORT_KEYS)[number];
export const SORTS = SORT_KEYS.flatMap((key) => [key, `-${key}`] as const);

/** Answers an org's findings, all of them or a page. */
export async function answerFindings(call: FilteringCall, list: FindingList): Promise<Raw> {
  const { db, org, services } = call;
  const { tables } = org;
  const { findings } = tables;
  const { sort, page: _, per_page, omit, format, ...filter } = list;
  const page = pageOf(list);
  const view = viewOf(list);
  const file = format && fileOf(format, call, view);
  const where = conditionsOf(call, filter);
  const kind = countedKind(filter);
  const indexed = kind && indexedOrder(sort);
  if (!page) {
    const rows = db
      .select({ text: findingText(tables, view) })
      .from(findings)
      .where(where)
      .orderBy(...order(findings, sort));
    return answerRows(call, rows.toSQL(), { ...file, isSearch: !indexed, fromReplica: true });
  }
  const window = { limit: page.perPage, offset: page.offset };
  if (indexed) {
    const { total, rows } = await services.findingPages.ofKinds(org, view, kind, indexed, window);
    return answerRows(call, rows, { ...file, info: resultInfo(page, total) });
  }
  const wanted = { where, order: sql.join(order(FOUND, sort), sql`, `), window };
  const { total, ids } = await search(call, (limits) =>
    services.reads.once(org, (client) => searchFindings(client, tables, wanted, limits)),
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
  regressed: sql.raw('regressed'),
  dueAt: sql.raw('due_at'),
};

/** Files other than JSON name the project, because they stand alone. */
const viewOf = ({ format = 'json', omit }: FindingList): FindingView => ({
  as: format === 'csv' ? 'csv' : 'json',
  named: format !== 'json',
  brief: omit === 'description',
});

/** The order if indexes serve it. */
function indexedOrder(sort: FindingList['sort'] = '-created_at'): IndexedOrder | undefined {
  const by = sort.replace(/^-/, '');
  return by === 'created_at' || by === 'severity' || by === 'priority'
    ? { by, descending: sort.startsWith('-') }
    : undefined;
}

/** Newest first by default. Ids carry the time of creation, so that they order by it, and are indexed. */
function order(f: Record<keyof typeof FOUND, SQLWrapper>, sort: FindingList['sort'] = '-created_at'): SQL[] {
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
    case 'priority': {
      const rank = severityRank(f.severity);
      return descending ? [desc(f.regressed), asc(rank), newest] : [asc(f.regressed), desc(rank), newest];
    }
    case 'due_at':
      return [sql`${direction(f.dueAt)} nulls last`, newest];
    case 'cvss_score':
      return [sql`${direction(f.cvssScore)}${nulls}`, newest];
  }
}
