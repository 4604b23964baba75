import { queryOptions } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';

/** The members of an organization, by role and name. */
export const membersQuery = ({ slug, api }: OrgSession) =>
  queryOptions({
    queryKey: ['org', slug, 'members'],
    queryFn: async ({ signal }) => (await api.get('/members', { signal })).result,
    staleTime: 60_000,
  });

/** The members who reach a project. */
export const reachingQuery = ({ slug, api }: OrgSession, project_id: string) =>
  queryOptions({
    queryKey: ['org', slug, 'members', 'of', project_id],
    queryFn: async ({ signal }) =>
      (await api.get('/members', { params: { query: { project_id } }, signal })).result,
    staleTime: 60_000,
  });

/** The prefix of the keys of all queries of assignments to projects. */
export const projectMembersKey = ({ slug }: OrgSession) => ['org', slug, 'project-members'] as const;

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
  roles: ReadonlyMap<string, Schemas['ProjectMember']['role']>;
}

/** The assignments of a member, read anew for each form. */
export const assignmentsQuery = (org: OrgSession, userId: string) =>
  queryOptions({
    queryKey: ['org', org.slug, 'assignments', userId],
    async queryFn({ signal }): Promise<Assignments> {
      const [projects, assigned] = await Promise.all([
        org.api.get('/projects', { signal }),
        org.api.get('/members/{userId}/projects', { params: { path: { userId } }, signal }),
      ]);
      const roles = new Map(assigned.result.map(({ project_id, role }) => [project_id, role]));
      return { projects: projects.result, roles };
    },
    // A form must not begin with former roles, nor change under the user.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
