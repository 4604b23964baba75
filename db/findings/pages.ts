import type { Database } from '../client.ts';
import type { OrgTables } from '../schema/org.ts';
import { orgSchemaName, perOrg } from '../schema/org-schema.ts';
import { type FindingStatus, SEVERITIES, type Severity } from '../schema/values.ts';
import { toQuery } from '../statements.ts';
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
  const statementsOf = perOrg(pageStatements);
  return {
    async ofKinds(org, view, { projectId, severities, statuses }, order, { limit, offset }) {
      const statements = statementsOf(org);
      const ofProject = projectId === undefined ? [] : [projectId];
      const { sql } = database.of(org);
      const kinds = await sql.unsafe<Kind[]>(statements.kinds(ofProject.length > 0), ofProject);
      const wanted = kinds.filter(
        ({ severity, status }) =>
          (severities?.includes(severity) ?? true) && (statuses?.includes(status) ?? true),
      );
      const total = wanted.reduce((sum, { count }) => sum + count, 0);
      // Behind the end there is nothing to be searched for.
      if (offset >= total) return { total, rows: { sql: statements.newest(view, true), params: [0, 0] } };
      if (order.by === 'created_at' && projectId === undefined && !severities && !statuses) {
        return { total, rows: { sql: statements.newest(view, order.descending), params: [limit, offset] } };
      }
      const { bands, rest } = skipBands(wanted, order, offset);
      return {
        total,
        rows: {
          sql: statements.ofKinds(view, order, ofProject.length > 0),
          params: [JSON.stringify(bands), limit, rest, ...ofProject],
        },
      };
    },
    ofIds: (org, view, ids) => ({ sql: statementsOf(org).ofIds(view, GIVEN_IDS), params: [ids] }),
  };
}

/** $1 the ids. */
const GIVEN_IDS =
  'select id from unnest($1::uuid[]) with ordinality as given(id, place) order by given.place';

function pageStatements({ id, tables }: Org) {
  const schema = `"${orgSchemaName(id)}"`;
  const texts = new Map<string, string>();
  /** Put together once, which takes longer than many a page. */
  function textOf(view: FindingView): string {
    const key = `${view.as} ${view.named} ${view.brief}`;
    const text = texts.get(key) ?? toQuery(findingText(tables, view)).sql;
    texts.set(key, text);
    return text;
  }
  // Ids first, text afterwards: what is skipped costs no more than its id.
  const ofIds = (view: FindingView, ids: string) => `
    with page as materialized (select id, row_number() over () as place from (${ids}) ordered)
    select ${textOf(view)} as text from page join ${schema}.findings on "findings".id = page.id order by page.place`;
  const direction = (descending: boolean) => (descending ? 'desc' : 'asc');
  return {
    ofIds,
    /** $1 the project, if it is to be one's. */
    kinds: (ofProject: boolean) => `
      select severity, status, sum(count)::int as count from ${schema}.finding_counts
      ${ofProject ? 'where project_id = $1::uuid' : ''} group by severity, status having sum(count) > 0`,
    /** $1 the limit, $2 the offset. */
    newest: (view: FindingView, descending: boolean) =>
      ofIds(
        view,
        `select id from ${schema}.findings order by id ${direction(descending)} limit $1::bigint offset $2::bigint`,
      ),
    /** $1 the kinds with their bands as JSON, $2 the limit, $3 the offset, $4 the project, if it is to be one's. */
    ofKinds(view: FindingView, { by, descending }: IndexedOrder, ofProject: boolean) {
      // Within a severity the newest come first, however severities are ordered.
      const byId = `id ${direction(by === 'severity' || descending)}`;
      const ids = `
      select f.id from json_to_recordset($1::text::json) as k(severity text, status text, band int)
      cross join lateral (
        select id from ${schema}.findings
        where ${ofProject ? 'project_id = $4::uuid and' : ''} severity = k.severity and status = k.status
        order by ${byId} limit $2::bigint + $3::bigint
      ) f
      order by k.band, f.${byId} limit $2::bigint offset $3::bigint`;
      return ofIds(view, ids);
    },
  };
}

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
