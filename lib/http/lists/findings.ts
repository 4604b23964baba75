import { wholeList } from '../../../db/findings/lists/order.ts';
import { countIds, firstFindings, searchFindings } from '../../../db/findings/lists/search.ts';
import type { FindingView, Sheet } from '../../../db/findings/lists/text.ts';
import { conditionsOf, countedKind } from '../../findings/filter/conditions.ts';
import type { FindingFilter } from '../../findings/filter/parameters.ts';
import { indexedOrder, orderOf, type Sort } from '../../findings/order.ts';
import { listMembers } from '../../members/fields.ts';
import { orgUrl } from '../../members/invitations.ts';
import { z } from '../../schema.ts';
import type { Raw } from '../answer.ts';
import type { InOrgCall, OrgCall } from '../call.ts';
import { type FileFormat, fileOf } from './findings-file.ts';
import { answerRows } from './list.ts';
import { pageOf, resultInfo } from './pages.ts';
import { search } from './search.ts';

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
  sort?: Sort | undefined;
  page?: number | undefined;
  per_page?: number | undefined;
  omit?: (typeof OMITTABLE)[number] | undefined;
  total?: (typeof TOTALS)[number] | undefined;
  format?: FileFormat | undefined;
  layout?: (typeof LAYOUTS)[number] | undefined;
}

/** How `total` is counted. */
export const TOTALS = ['exact', 'limited'] as const;
/** The most findings of a search that are counted if `total` is `limited`: counting more takes longer than reading a page. */
const MAX_COUNTED = 10_000;

/** Layouts of CSV files. */
export const LAYOUTS = ['fields', 'spreadsheet'] as const;

/** Answers an org's findings, all of them or a page. */
export async function answerFindings(
  call: InOrgCall & Pick<OrgCall, 'user' | 'reach'>,
  list: FindingList,
): Promise<Raw> {
  const { org, services } = call;
  const { tables } = org;
  const { sort, page: _, per_page, omit, total: totals, format, layout, ...filter } = list;
  const page = pageOf(list);
  const view = { ...viewOf(list), ...(layout === 'spreadsheet' && { sheet: await sheetOf(call) }) };
  const file = format && fileOf(format, call, view);
  const where = conditionsOf(call, filter);
  const kind = countedKind(call, filter);
  const byIndex = indexedOrder(sort);
  const indexed = kind && byIndex;
  const order = orderOf(tables, sort);
  if (!page) {
    const rows = wholeList(tables, view, { where, order });
    return answerRows(call, rows, { ...file, isSearch: !indexed, fromReplica: true });
  }
  const window = { limit: page.perPage, offset: page.offset };
  if (indexed) {
    const inOrder = () =>
      search(call, (limits) =>
        services.reads.once(org, (client) =>
          firstFindings(client, tables, { where, order: indexed, window }, limits),
        ),
      );
    // A caller who reaches all projects names at most 50.
    const isOfSeveral = call.reach !== undefined && (kind.projectIds?.length ?? 0) > 1;
    const { ofKinds } = services.findingPages;
    const { total, rows } = await ofKinds(
      org,
      view,
      kind,
      indexed,
      window,
      isOfSeveral ? inOrder : undefined,
    );
    return answerRows(call, rows, { ...file, info: resultInfo(page, total) });
  }
  const counted = totals === 'limited' && byIndex ? { order: byIndex, upTo: MAX_COUNTED } : undefined;
  const { total, ids } = await search(call, (limits) =>
    services.reads.once(org, (client) =>
      searchFindings(client, tables, { where, order, window, counted }, limits),
    ),
  );
  const rows = services.findingPages.ofIds(org, view, ids);
  const info = resultInfo(
    page,
    total,
    counted && { upTo: counted.upTo, isFull: countIds(ids) === page.perPage },
  );
  return answerRows(call, rows, { ...file, info });
}

/** Files other than JSON name the project, because they stand alone. */
const viewOf = ({ format = 'json', omit }: FindingList): FindingView => ({
  as: format === 'csv' ? 'csv' : 'json',
  named: format !== 'json',
  brief: omit === 'description',
});

/** The names of the present members, and the address of findings in the web UI. */
export async function sheetOf(call: InOrgCall): Promise<Sheet> {
  const { org, services } = call;
  return { members: await memberNames(call), url: `${orgUrl(services.config, org.slug)}/findings/` };
}

/** The names of the present members by id, as JSON. */
async function memberNames({ db, now, org, services: { config } }: InOrgCall): Promise<string> {
  const members = await listMembers(db, { config, now }, org.id);
  return JSON.stringify(Object.fromEntries(members.map(({ user_id, name }) => [user_id, name])));
}
