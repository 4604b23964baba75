import { queryOptions } from '@tanstack/react-query';
import { type Schemas, ServiceError } from '../app/api.ts';
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

const readProjectMembers = async ({ api }: OrgSession, id: string, signal: AbortSignal) =>
  (await api.get('/projects/{id}/members', { params: { path: { id } }, signal })).result;

/** The members who are assigned to a project. */
export const projectMembersQuery = (org: OrgSession, projectId: string) =>
  queryOptions({
    queryKey: [...projectMembersKey(org), projectId],
    queryFn: ({ signal }) => readProjectMembers(org, projectId, signal),
  });

/** The projects of an organization, and the roles of a member in them. */
export interface Assignments {
  projects: Schemas['Project'][];
  /** By the id of the project. */
  roles: ReadonlyMap<string, Schemas['ProjectMember']['role']>;
}

/** How many projects are read at a time. */
const PARALLEL = 6;

/** The assignments of a member, read anew for each form. The API lists them by project. */
export const assignmentsQuery = (org: OrgSession, userId: string) =>
  queryOptions({
    queryKey: ['org', org.slug, 'assignments', userId],
    async queryFn({ signal }): Promise<Assignments> {
      const projects = (await org.api.get('/projects', { signal })).result;
      const roles = new Map<string, Schemas['ProjectMember']['role']>();
      const left = projects.map(({ id }) => id);
      const readNext = async (): Promise<void> => {
        const id = left.pop();
        if (id === undefined) return;
        const members = await readProjectMembers(org, id, signal).catch((error) => {
          // The project was deleted meanwhile.
          if (error instanceof ServiceError && error.status === 404) return [];
          throw error;
        });
        const role = members.find(({ user_id }) => user_id === userId)?.role;
        if (role) roles.set(id, role);
        return readNext();
      };
      await Promise.all(Array.from({ length: PARALLEL }, readNext));
      return { projects, roles };
    },
    // A form must not begin with former roles, nor change under the user.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
