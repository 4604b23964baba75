import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { Schemas } from '../app/api.ts';
import { type OrgSession, useMe, useOrg } from '../app/session.ts';
import { membersQuery } from './queries.ts';

/* Apart from the queries of members, which the first load contains. */

export type ProjectRole = Schemas['ProjectMember']['role'];

export const PROJECT_ROLES = ['viewer', 'member', 'admin'] as const satisfies ProjectRole[];

/** The prefix of the keys of all queries of assignments to projects. */
const projectMembersKey = ({ slug }: OrgSession) => ['org', slug, 'project-members'] as const;

/** The members who are assigned to a project. */
export const projectMembersQuery = (org: OrgSession, projectId: string) =>
  queryOptions({
    queryKey: [...projectMembersKey(org), projectId],
    queryFn: async ({ signal }) =>
      (await org.api.get('/projects/{id}/members', { params: { path: { id: projectId } }, signal })).result,
  });

/** The projects of an organization, and the roles of a member in them. */
export interface Assignments {
  projects: Schemas['Project'][];
  /** By the id of the project. */
  roles: ReadonlyMap<string, ProjectRole>;
}

/** The roles of a member by the id of the project. */
export async function readRoles(
  { api }: OrgSession,
  userId: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, ProjectRole>> {
  const params = { path: { userId } };
  const { result } = await api.get('/members/{userId}/projects', { params, ...(signal && { signal }) });
  return new Map(result.map(({ project_id, role }) => [project_id, role]));
}

/** The assignments of a member, read anew for each form. */
export const assignmentsQuery = (org: OrgSession, userId: string) =>
  queryOptions({
    queryKey: ['org', org.slug, 'assignments', userId],
    async queryFn({ signal }): Promise<Assignments> {
      const [projects, roles] = await Promise.all([
        org.api.get('/projects', { signal }),
        readRoles(org, userId, signal),
      ]);
      return { projects: projects.result, roles };
    },
    // A form must not begin with former roles, nor change under the user.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

/** A function that reads again what the access of a member changes: everything, if it is the user's own. */
export function useRenewAccess() {
  const org = useOrg();
  const { user } = useMe();
  const queries = useQueryClient();
  const router = useRouter();
  return async (userId: string): Promise<void> => {
    const isOwn = userId === user.id;
    const keys = isOwn ? [[]] : [membersQuery(org).queryKey, projectMembersKey(org)];
    for (const queryKey of keys) await queries.invalidateQueries({ queryKey });
    if (isOwn) await router.invalidate();
  };
}
