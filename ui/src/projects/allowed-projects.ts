import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Operation } from '../app/roles.ts';
import { type OrgSession, useOrg } from '../app/session.ts';
import { projectsQuery } from './queries.ts';

/** The ids of projects; undefined: all that the user reaches. */
export type AllowedProjects = ReadonlySet<string> | undefined;

const NONE: AllowedProjects = new Set<string>();

/** The projects with the user's role in each. They differ only for members whose access is limited, others need no list. */
function useRoles(org: OrgSession) {
  return useQuery({ ...projectsQuery(org), enabled: org.isLimited }).data;
}

/** The projects in which the user may call an operation; none while their roles are not known. */
export function useAllowedProjects(operation: Operation): AllowedProjects {
  const org = useOrg();
  const projects = useRoles(org);
  return useMemo(() => {
    if (!org.may(operation)) return NONE;
    if (!org.isLimited) return undefined;
    const allowed = projects?.filter((project) => org.may(operation, project)) ?? [];
    return allowed.length > 0 && allowed.length === projects?.length
      ? undefined
      : new Set(allowed.map(({ id }) => id));
  }, [org, operation, projects]);
}

export const isAllowedIn = (allowed: AllowedProjects, projectId: string): boolean =>
  allowed === undefined || allowed.has(projectId);

/** Whether the user may call an operation in a project; undefined while the role in it is not known. */
export function useMayIn(operation: Operation, projectId: string): boolean | undefined {
  const org = useOrg();
  const projects = useRoles(org);
  if (!org.isLimited || !org.may(operation)) return org.may(operation);
  return projects?.some((project) => project.id === projectId && org.may(operation, project));
}

interface OfProjects {
  /** Ids, separated by commas. */
  project_id?: string;
}

/** Whether a filter may match findings of allowed projects. */
export const mayMatch = ({ project_id }: OfProjects, allowed: AllowedProjects): boolean =>
  allowed === undefined ||
  (project_id === undefined ? allowed.size > 0 : project_id.split(',').some((id) => allowed.has(id)));

/** The filter without findings that the user may not change, so that counts are those of what changes. */
export const within = <Filter extends OfProjects>(
  filter: Filter,
  allowed: AllowedProjects,
): Filter & { min_role?: 'member' } => (allowed === undefined ? filter : { ...filter, min_role: 'member' });
