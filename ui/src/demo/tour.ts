import { useLocalStorage } from '@mantine/hooks';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import type { Schemas } from '../app/api.ts';
import type { OrgSession } from '../app/session.ts';
import { projectsQuery } from '../projects/queries.ts';

export const STEPS = ['open', 'decide', 'undo', 'group', 'push'] as const;
export type StepName = (typeof STEPS)[number];

/** The state of the tour of an organization in this browser. */
interface Tour {
  /** The demo project, so that the tour has its place before the projects are loaded. Null: there is none. Unset: not known yet. */
  project?: Pick<Schemas['Project'], 'id' | 'name' | 'slug' | 'role'> | null;
  isHidden: boolean;
  done: readonly StepName[];
}

const NEW: Tour = { isHidden: false, done: [] };

/** Reads again all that is known of an organization. Most of it depends on the demo data. */
export const refreshOrg = (queries: QueryClient, { slug }: OrgSession): Promise<void> =>
  queries.invalidateQueries({ queryKey: ['org', slug] });

/** The demo project of an organization, if it has one, and the tour of it. */
export function useTour(org: OrgSession) {
  const [kept, keep] = useLocalStorage<Tour>({
    key: `demo ${org.org.id}`,
    defaultValue: NEW,
    getInitialValueInEffect: false,
  });
  const projects = useQuery(projectsQuery(org)).data;
  const project = projects ? projects.find(({ demo }) => demo) : (kept.project ?? undefined);
  return { tour: kept, isNew: kept.project === undefined, project, projects, keep };
}
