import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';
import { membersQuery, reachingQuery } from './queries.ts';

type Member = Schemas['Member'];

/** Otherwise all members reach every project, and one list serves all of them. */
const areLimited = (members: readonly Member[]): boolean =>
  members.some(({ project_access }) => project_access === 'assigned');

/**
 * The members who reach a project; undefined while they are loaded.
 * @param projectId undefined: all members
 */
export function useReaching(
  org: OrgSession,
  projectId: string | undefined,
  isNeeded = true,
): readonly Member[] | undefined {
  const { data: all } = useQuery({ ...membersQuery(org), enabled: isNeeded });
  const isPart = projectId !== undefined && all !== undefined && areLimited(all);
  const { data: some } = useQuery({ ...reachingQuery(org, projectId ?? ''), enabled: isNeeded && isPart });
  return isPart ? some : all;
}

/** Reads the same list. */
export async function readReaching(
  queries: QueryClient,
  org: OrgSession,
  projectId: string,
): Promise<readonly Member[]> {
  const all = await queries.query(membersQuery(org));
  return areLimited(all) ? await queries.query(reachingQuery(org, projectId)) : all;
}
