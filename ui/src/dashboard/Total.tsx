import { Text } from '@mantine/core';
import * as text from '#strings/dashboard.tsx';
import { useOrg } from '../app/session.ts';
import { LinkAnchor } from '../components/links.tsx';
import { ALL } from '../findings/views.ts';
import type { OfProject, ProjectNumbers } from './queries.ts';

interface Props {
  projects: ProjectNumbers[];
  scans: number;
  of: OfProject;
}

/** The numbers of all findings and scans. */
export function Total({ projects, scans, of: { project_id } }: Props) {
  const { slug } = useOrg();
  const of = project_id === undefined ? {} : { project_id };
  const findings = projects.reduce((sum, { total }) => sum + total, 0);
  const link = { params: { org: slug }, inherit: true, underline: 'always' } as const;
  return (
    <Text size="sm" c="dimmed">
      {text.inTotal(
        <LinkAnchor to="/o/$org/findings" search={{ ...ALL, ...of }} {...link}>
          {text.countFindings(findings)}
        </LinkAnchor>,
        <LinkAnchor to="/o/$org/scans" search={of} {...link}>
          {text.countScans(scans)}
        </LinkAnchor>,
      )}
    </Text>
  );
}
