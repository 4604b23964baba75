import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Operation } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { projectsQuery } from './queries.ts';

/** The ids of projects; undefined: all that the user reaches. */
export type AllowedProjects = ReadonlySet<string> | undefined;

const NONE: AllowedProjects = new Set<string>();
/** The roles in the projects are not known: they load, or could not be read. */
const UNKNOWN: AllowedProjects = new Set<string>();

/** The projects in which the user may call an operation. Roles differ by project for members whose access is limited. */
export function useAllowedProjects(operation: Operation): AllowedProjects {
  const org = useOrg();
  const { data } = useQuery({ ...projectsQuery(org), enabled: org.isLimited });
  return useMemo(() => {
    if (!org.may(operation)) return NONE;
    if (!org.isLimited) return undefined;
    if (!data) return UNKNOWN;
    const allowed = data.filter((project) => org.may(operation, project));
    return allowed.length > 0 && allowed.length === data.length
      ? undefined
      : new Set(allowed.map(({ id }) => id));
  }, [org, operation, data]);
}

export const isAllowedIn = (allowed: AllowedProjects, projectId: string): boolean =>
  allowed === undefined || allowed.has(projectId);

/** Whether the user may call an operation in a project; undefined while the role in it is not known. */
export function useMayIn(operation: Operation, projectId: string): boolean | undefined {
  const allowed = useAllowedProjects(operation);
  return allowed === UNKNOWN ? undefined : isAllowedIn(allowed, projectId);
}

interface OfProjects {
  /** Ids, separated by commas. */
  project_id?: string;
}

const idsOf = ({ project_id }: OfProjects, allowed: ReadonlySet<string>) =>
  project_id === undefined ? [...allowed] : project_id.split(',').filter((id) => allowed.has(id));

/** Whether a filter may match findings of allowed projects. */
export const mayMatch = (filter: OfProjects, allowed: AllowedProjects): boolean =>
  allowed === undefined || idsOf(filter, allowed).length > 0;

/** The filter without the findings of other projects, so that counts are those of what changes. */
export const within = <Filter extends OfProjects>(filter: Filter, allowed: AllowedProjects): Filter =>
  allowed === undefined ? filter : { ...filter, project_id: idsOf(filter, allowed).join(',') };
