import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/metrics.tsx';
import { useOrg } from '../app/session.ts';
import { projectsQuery } from '../projects/queries.ts';
import type { DayRange } from './range.ts';
import { dayInWords } from './words.ts';

/** A range of days and the project, in words. */
export function RangeInWords({ range, project_id }: { range: DayRange; project_id: string | undefined }) {
  const projects = useQuery(projectsQuery(useOrg())).data;
  const project = projects?.find(({ id }) => id === project_id);
  return text.rangeAndProject(
    dayInWords(range.from),
    dayInWords(range.to),
    project_id === undefined ? text.allProjects : <bdi>{project?.name ?? text.oneProject}</bdi>,
  );
}
