import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useOrg } from '../../../app/session.ts';
import { membersQuery } from '../../../members/queries.ts';
import { projectsQuery } from '../../../projects/queries.ts';
import type { Names } from './cells.tsx';

/** The names of projects and members by id. Members are loaded if a column shows them. */
export function useNames(columns: readonly { id: string }[]): Names {
  const org = useOrg();
  const projects = useQuery(projectsQuery(org)).data;
  const members = useQuery({
    ...membersQuery(org),
    enabled: columns.some(({ id }) => id === 'assignee'),
  }).data;
  return useMemo(
    () => ({
      projects: new Map(projects?.map(({ id, name }) => [id, name])),
      members: new Map(members?.map(({ user_id, name, email }) => [user_id, name || email])),
    }),
    [projects, members],
  );
}
