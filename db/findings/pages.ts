import { asc, desc, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database } from '../client.ts';
import type { OrgTables } from '../schema/org.ts';
import { type FindingStatus, SEVERITIES, type Severity } from '../schema/values.ts';
import { orgStatement } from '../statements.ts';
import type { TextQuery } from '../stream.ts';
import { type FindingView, findingText } from './text.ts';

/** A part of a list. */
export interface Window {
  limit: number;
  offset: number;
}

/** Orders that indexes serve. */
export interface IndexedOrder {
  by: 'created_at' | 'severity';
  descending: boolean;
}

/** Which findings; what is left out may be any. */
export interface FindingKind {
  projectId?: string | undefined;
  severities?: readonly Severity[] | undefined;
  statuses?: readonly FindingStatus[] | undefined;
}

/** How many findings of a severity and status there are. */
interface Kind {
  severity: Severity;
  status: FindingStatus;
  count: number;
}

type Org = { id: string; tables: OrgTables };

/** Pages of an org's findings. */
export interface FindingPages {
  /**
   * A page of findings of some kinds, and how many there are in all, at a cost that does not depend on it: which
   * severities and statuses there are is kept in counts, and of each the page's share is read from an index that has it
   * in order. (Left to itself, PostgreSQL sorts all of them, or searches the newest ones for the few that match.)
   */
  ofKinds(
    org: Org,
    view: FindingView,
    kind: FindingKind,
    order: IndexedOrder,
    window: Window,
  ): Promise<{ total: number; rows: TextQuery }>;
  /** The findings with these ids, a PostgreSQL array, in its order. */
  ofIds(org: Org, view: FindingView, ids: string): TextQuery;
}

export function createFindingPages(database: Pick<Database, 'of'>): FindingPages {
  return {
    async ofKinds(org, view, { projectId, severities, statuses }, order, { limit, offset }) {
      const { tables } = org;
      const ofProject = projectId !== undefined;
      const kinds = await kindsOf(ofProject)(tables).run(database.of(org).sql, { projectId });
      const wanted = kinds.filter(
        ({ severity, status }) =>
          (severities?.includes(severity) ?? true) && (statuses?.includes(status) ?? true),
      );
      const total = wanted.reduce((sum, { count }) => sum + count, 0);
      // Behind the end there is nothing to be searched for.
      if (offset >= total) return { total, rows: newest(view, true)(tables).query({ limit: 0, offset: 0 }) };
      if (order.by === 'created_at' && !ofProject && !severities && !statuses) {
        return { total, rows: newest(view, order.descending)(tables).query({ limit, offset }) };
      }
      const { bands, rest } = skipBands(wanted, order, offset);
      const params = { bands: JSON.stringify(bands), limit, offset: rest, projectId };
      return { total, rows: banded(view, order, ofProject)(tables).query(params) };
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

/** Used by the statements of one project. */
type OfProject = { projectId: string | undefined };

const kindsOf = variants((ofProject: boolean) =>
  orgStatement<OfProject, Kind>(({ findingCounts: c }, $) => {
    const where = ofProject ? sql`where ${c.projectId} = ${$.projectId}::uuid` : undefined;
    return sql`
select ${c.severity} as severity, ${c.status} as status, sum(${c.count})::int as count from ${c}
${where} group by ${c.severity}, ${c.status} having sum(${c.count}) > 0`;
  }),
);

/** The texts of the findings that `ids` selects, in its order. What `ids` skips costs no more than its id. */
const textsOf = (tables: OrgTables, view: FindingView, ids: SQL) => sql`
with page as materialized (select id, row_number() over () as place from (${ids}) ordered)
select ${findingText(tables, view)} as text
from page join ${tables.findings} on ${tables.findings.id} = page.id order by page.place`;

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
type Banded = Window & OfProject & { bands: string };

const banded = variants((view: FindingView, { by, descending }: IndexedOrder, ofProject: boolean) =>
  orgStatement<Banded, never>((tables, $) => {
    const { findings: f } = tables;
    // Within a severity the newest come first, however severities are ordered.
    const byId = (id: SQLWrapper) => (by === 'severity' || descending ? desc(id) : asc(id));
    const ids = sql`
  select f.id from json_to_recordset(${$.bands}::text::json) as k(severity text, status text, band int)
  cross join lateral (
    select ${f.id} from ${f}
    where ${ofProject ? sql`${f.projectId} = ${$.projectId}::uuid and` : undefined}
      ${f.severity} = k.severity and ${f.status} = k.status
    order by ${byId(f.id)} limit ${$.limit}::bigint + ${$.offset}::bigint
  ) f
  order by k.band, ${byId(sql`f.id`)} limit ${$.limit}::bigint offset ${$.offset}::bigint`;
    return textsOf(tables, view, ids);
  }),
);

/** Kinds of one band follow each other by id, bands one after the other. */
type Band = Pick<Kind, 'severity' | 'status'> & { band: number };

/** Leaves out the severities that lie before the page as a whole. */
function skipBands(
  kinds: readonly Kind[],
  { by, descending }: IndexedOrder,
  offset: number,
): { bands: Band[]; rest: number } {
  if (by === 'created_at') return { bands: kinds.map((kind) => ({ ...kind, band: 0 })), rest: offset };
  const bands: Band[] = [];
  let left = offset;
  // The most severe are the greatest.
  for (const [band, severity] of (descending ? SEVERITIES : SEVERITIES.toReversed()).entries()) {
    const ofBand = kinds.filter((kind) => kind.severity === severity);
    const count = ofBand.reduce((sum, kind) => sum + kind.count, 0);
    if (bands.length === 0 && count <= left) left -= count;
    else bands.push(...ofBand.map((kind) => ({ ...kind, band })));
  }
  return { bands, rest: left };
}
