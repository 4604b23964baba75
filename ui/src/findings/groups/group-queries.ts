import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../../app/api.ts';
import type { GroupKey } from '../../app/search.ts';
import type { OrgSession } from '../../app/session.ts';
import { type FindingFilter, readFindings, rowsKey } from '../list-queries.ts';

export type FindingGroup = Schemas['FindingGroup'];

const PER_PAGE = 50;
/** The findings of a group that are shown in the list of groups. */
export const SHOWN_FINDINGS = 10;

/** The parameter of the list that selects a group. */
const PARAMETERS = {
  rule: 'rule',
  cve: 'cve',
  file: 'file',
  project: 'project_id',
} as const satisfies Record<GroupKey, keyof FindingFilter>;

/** The filter of the findings of a group. An empty value selects findings without one. */
export const filterOfGroup = (
  { sort: _, ...filter }: FindingFilter,
  by: GroupKey,
  { key }: Pick<FindingGroup, 'key'>,
): FindingFilter => ({ ...filter, [PARAMETERS[by]]: key ?? '', sort: '-priority' });

/** Pages of groups of the findings that match a filter. */
export const groupsQuery = (org: OrgSession, { sort: _, ...filter }: FindingFilter, by: GroupKey) =>
  infiniteQueryOptions({
    queryKey: [...rowsKey(org), 'groups', by, filter],
    queryFn: async ({ pageParam: page, signal }) => {
      const query = { ...filter, group_by: by, omit: 'description', page, per_page: PER_PAGE } as const;
      const { result, resultInfo } = await org.api.get('/findings', { params: { query }, signal });
      const groups = result as unknown as FindingGroup[];
      return { groups, total: resultInfo?.total ?? groups.length, hasNext: resultInfo?.has_next ?? false };
    },
    initialPageParam: 1,
    getNextPageParam: ({ hasNext }, pages) => (hasNext ? pages.length + 1 : undefined),
  });

/** The first findings of a group. */
export const groupFindingsQuery = (org: OrgSession, filter: FindingFilter) =>
  queryOptions({
    queryKey: [...rowsKey(org), 'group', filter],
    queryFn: async ({ signal }) => (await readFindings(org, filter, 1, SHOWN_FINDINGS, signal)).rows,
  });
