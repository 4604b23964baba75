import { useLocalStorage } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';
import { projectsQuery } from '../projects/queries.ts';

export const STEPS = ['open', 'decide', 'undo', 'group', 'push'] as const;
export type StepName = (typeof STEPS)[number];

/** What this browser keeps about the tour of an organization. */
interface Tour {
  /** The demo project, so that the tour has its place before the projects are loaded. */
  project?: Pick<Schemas['Project'], 'id' | 'name' | 'slug'>;
  isHidden: boolean;
  done: readonly StepName[];
}

const NEW: Tour = { isHidden: false, done: [] };

/** The demo project of an organization, if it has one, and the tour of it. */
export function useTour(org: OrgSession) {
  const [kept, keep] = useLocalStorage<Tour>({
    key: `demo ${org.org.id}`,
    defaultValue: NEW,
    getInitialValueInEffect: false,
  });
  const projects = useQuery(projectsQuery(org)).data;
  const project = projects ? projects.find(({ demo }) => demo) : kept.project;
  return { tour: kept, project, projects, keep };
}
