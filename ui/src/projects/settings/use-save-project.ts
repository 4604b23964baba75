import { useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../app/api.ts';
import { useOrg } from '../../app/session.ts';
import { projectsQuery } from '../queries.ts';

export type Project = Schemas['Project'];

/** A function that changes settings of a project and returns the project. */
export function useSaveProject({ id }: Project) {
  const org = useOrg();
  const queries = useQueryClient();
  return async (body: Schemas['ProjectChanges']): Promise<Project> => {
    const { result } = await org.api.patch('/projects/{slug}', { params: { path: { slug: id } }, body });
    // The key of all queries of projects begins with this one.
    await queries.invalidateQueries({ queryKey: projectsQuery(org).queryKey });
    return result;
  };
}
