import { asc, desc, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from '../../client.ts';
import type { OrgTables } from '../../schema/org.ts';
import { type FindingStatus, SEVERITIES, type Severity, UNRESOLVED } from '../../schema/values.ts';
import { arrayText, orgStatement } from '../../statements.ts';
import type { TextQuery } from '../../stream.ts';
import type { IndexedOrder } from './order.ts';
import { type FindingView, findingText } from './text.ts';

/** A part of a list. */
export interface Window {
  limit: number;
  offset: number;
}

/** Which findings; what is left out may be any. */
export interface FindingKind {
  projectIds?: readonly string[] | undefined;
  severities?: readonly Severity[] | undefined;
  statuses?: readonly FindingStatus[] | undefined;
  regressed?: boolean | undefined;
  /** Selects findings that are unresolved and not proposed, or have regressed. */
  attention?: boolean | undefined;
}

/** How many findings of a severity and status there are, and how many of them have regressed or are proposed. */
interface Counted {
  /** Null for all projects. */
  project_id: string | null;
  severity: Severity;
  status: FindingStatus;
  count: number;
  regressed: number;
  proposed: number;
}

/** Findings that a page reads from one range of an index. */
interface Kind {
  /** Null if they may be of any project. */
  project_id: string | null;
  severity: Severity;
  status: FindingStatus;
  /** Null if they may have regressed or not. */
  regressed: boolean | null;
  /** Leaves out those that are proposed. */
  merged?: boolean;
  count: number;
}

type Org = { id: string; tables: OrgTables };

/** Pages of an org's findings. */
export interface FindingPages {
  /**
   * A page of findings of some kinds, and how many there are in all, at a cost that does not depend on it: which
   * severities and statuses there are is kept in counts, and of each the page's share is read from an index that has it
   * in order. (Left to itself, PostgreSQL sorts all of them, or searches the newest ones for the few that match.)
   * @param inOrder reads the ids of the page, a PostgreSQL array, from an index that has the findings of all projects in order. Called if
   * the shares of many projects are expensive to read: they then have so many findings that such an index has matches near its start
   */
  ofKinds(
    org: Org,
    view: FindingView,
    kind: FindingKind,
    order: IndexedOrder,
    window: Window,
    inOrder?: () => Promise<string>,
  ): Promise<{ total: number; rows: TextQuery }>;
  /** The findings with these ids, a PostgreSQL array, in its order. */
  ofIds(org: Org, view: FindingView, ids: string): TextQuery;
}

/** The entries of an index that the shares of a page may have. */
const MAX_SHARED = 10_000;

export function createFindingPages(
  database: Pick<Database, 'of'>,
  { maxShared = MAX_SHARED }: { maxShared?: number } = {},
): FindingPages {
  return {
    async ofKinds(org, view, wanted, order, { limit, offset }, inOrder) {
      const { tables } = org;
      const ofProjects = wanted.projectIds !== undefined;
      const projectIds = arrayText(wanted.projectIds ?? []);
      const counted = await countsOf(ofProjects)(tables).run(database.of(org).sql, { projectIds });
      const kinds = counted.flatMap((one) => kindsOf(one, wanted, order));
      const total = kinds.reduce((sum, { count }) => sum + count, 0);
      // Behind the end there is nothing to be searched for.
      if (offset >= total) return { total, rows: newest(view, true)(tables).query({ limit: 0, offset: 0 }) };
      if (order.by === 'created_at' && isAnything(wanted)) {
        return { total, rows: newest(view, order.descending)(tables).query({ limit, offset }) };
      }
      const { bands, rest } = skipBands(kinds, order, offset);
      const shared = bands.reduce((sum, { count }) => sum + Math.min(count, limit + rest), 0);
      if (inOrder && shared > maxShared)
        return { total, rows: given(view)(tables).query({ ids: await inOrder() }) };
      const params = { bands: JSON.stringify(bands), limit, offset: rest };
      return { total, rows: banded(view, order, ofProjects)(tables).query(params) };
    },
    ofIds: ({ tables }, view, ids) => given(view)(tables).query({ ids }),
  };
}

/** One statement for each view and order, made when it is first asked for. */
function variants<Key extends unknown[], Made>(make: (...key: Key) => Made): (...key: Key) => Made {
  const made = new Map<string, Made>();
  return (...key) => {
    const name = JSON.stringify(key);
    const found = made.get(name) ?? make(...key);
    made.set(name, found);
    return found;
  };
}

const countsOf = variants((ofProjects: boolean) =>
  orgStatement<{ projectIds: string }, Counted>(({ findingCounts: c }, $) => {
    const key = ofProjects ? sql`${c.projectId},` : undefined;
    const where = ofProjects ? sql`where ${c.projectId} = any (${$.projectIds}::uuid[])` : undefined;
    return sql`
select ${key ?? sql`null as`} project_id, ${c.severity} as severity, ${c.status} as status, sum(${c.count})::int as count,
  sum(${c.regressed})::int as regressed, sum(${c.proposed})::int as proposed
from ${c} ${where} group by ${key} ${c.severity}, ${c.status} having sum(${c.count}) > 0`;
  }),
);

const isAnything = ({ projectIds, severities, statuses, regressed, attention }: FindingKind): boolean =>
  !projectIds && !severities && !statuses && regressed === undefined && !attention;

/** The findings of a severity and status that are wanted: all, those that have regressed, the others, or both apart. */
function kindsOf(counted: Counted, wanted: FindingKind, { by }: IndexedOrder): Kind[] {
  const { project_id, severity, status, count, regressed, proposed } = counted;
  const { severities, statuses } = wanted;
  if (!(severities?.includes(severity) ?? true) || !(statuses?.includes(status) ?? true)) return [];
  const hasOnlyRegressed = wanted.attention && !UNRESOLVED.includes(status);
  const merged = wanted.attention === true && proposed > 0;
  if (wanted.regressed === undefined && !hasOnlyRegressed && by !== 'priority' && !merged)
    return [{ project_id, severity, status, regressed: null, count }];
  const of = { project_id, severity, status };
  const parts: Kind[] = [];
  if (wanted.regressed !== false) parts.push({ ...of, regressed: true, count: regressed });
  if (wanted.regressed !== true && !hasOnlyRegressed)
    parts.push({ ...of, regressed: false, merged, count: count - regressed - (merged ? proposed : 0) });
  return parts.filter((part) => part.count > 0);
}

/**
 * The texts of the findings that `ids` selects, in its order. A finding that `ids` skips costs no more than its id. The `limit` makes
 * PostgreSQL look each finding up: it does not know how many ids there are, and would read the whole table for a join.
 */
const textsOf = (tables: OrgTables, view: FindingView, ids: SQL) => sql`
with page as materialized (select id, row_number() over () as place from (${ids}) ordered)
select found.text from page cross join lateral (
  select ${findingText(tables, view)} as text from ${tables.findings} where ${tables.findings.id} = page.id limit 1) found
order by page.place`;

/** `ids`: a PostgreSQL array. */
const given = variants((view: FindingView) =>
  orgStatement<{ ids: string }, never>((tables, $) => {
    const ids = sql`select id from unnest(${$.ids}::uuid[]) with ordinality as given(id, place) order by given.place`;
    return textsOf(tables, view, ids);
  }),
);

const newest = variants((view: FindingView, descending: boolean) =>
  orgStatement<Window, never>((tables, $) => {
    const { findings: f } = tables;
    const order = descending ? desc(f.id) : asc(f.id);
    const ids = sql`select ${f.id} from ${f} order by ${order} limit ${$.limit}::bigint offset ${$.offset}::bigint`;
    return textsOf(tables, view, ids);
  }),
);

/** `bands`: the kinds with their bands, as JSON. */
type Banded = Window & { bands: string };

const banded = variants((view: FindingView, { by, descending }: IndexedOrder, ofProjects: boolean) =>
  orgStatement<Banded, never>((tables, $) => {
    const { findings: f } = tables;
    // Within a band the newest come first, however bands are ordered.
    const byId = (id: SQLWrapper) => (by !== 'created_at' || descending ? desc(id) : asc(id));
    const ofKind = (condition: SQL) => sql`(
    select ${f.id} from ${f}
    where ${ofProjects ? sql`${f.projectId} = k.project_id and` : undefined}
      ${f.severity} = k.severity and ${f.status} = k.status and ${condition}
    order by ${byId(f.id)} limit ${$.limit}::bigint + ${$.offset}::bigint)`;
    // Apart, because those that have regressed have an index of their own. PostgreSQL runs one of the two.
    const ids = sql`
  select f.id from json_to_recordset(${$.bands}::text::json) as k(project_id uuid, severity text, status text, regressed boolean, merged boolean, band int)
  cross join lateral (
    ${ofKind(sql`k.regressed and ${f.regressed}`)}
    union all
    ${ofKind(sql`k.regressed is not true and (k.regressed is null or not ${f.regressed})
      and (k.merged is not true or ${f.proposed} is null)`)}
  ) f
  order by k.band, ${byId(sql`f.id`)} limit ${$.limit}::bigint offset ${$.offset}::bigint`;
    return textsOf(tables, view, ids);
  }),
);

/** Kinds of one band follow each other by id, bands one after the other. */
type Band = Kind & { band: number };

/** Leaves out the bands that lie before the page as a whole. */
function skipBands(
  kinds: readonly Kind[],
  order: IndexedOrder,
  offset: number,
): { bands: Band[]; rest: number } {
  const banded = kinds.map((kind) => ({ ...kind, band: bandOf(kind, order) }));
  let rest = offset;
  for (const band of [...new Set(banded.map(({ band }) => band))].sort((a, b) => a - b)) {
    const count = banded.reduce((sum, kind) => (kind.band === band ? sum + kind.count : sum), 0);
    if (count > rest) return { bands: banded.filter((kind) => kind.band >= band), rest };
    rest -= count;
  }
  return { bands: [], rest };
}

/** The place of a kind among the bands; 0 comes first. */
function bandOf({ severity, regressed }: Kind, { by, descending }: IndexedOrder): number {
  if (by === 'created_at') return 0;
  const rank = SEVERITIES.indexOf(severity);
  const place = by === 'priority' && !regressed ? SEVERITIES.length + rank : rank;
  return descending ? place : 2 * SEVERITIES.length - place;
}
