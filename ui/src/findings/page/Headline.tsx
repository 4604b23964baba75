import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import * as text from '#strings/findings/page.tsx';
import { useOrg } from '../../app/session.ts';
import { Copy } from '../../components/Copy.tsx';
import { LinkAnchor } from '../../components/links.tsx';
import { projectsQuery } from '../../projects/queries.ts';
import type { Finding } from '../finding-queries.ts';
import { SeverityBadge, StatusBadge } from '../Severity.tsx';
import classes from './Finding.module.css';
import { SourceLocation } from './SourceLocation.tsx';
import { StateWords } from './StateWords.tsx';

/** The facts of a finding in one line: severity, status, project and location. */
export function Headline({ finding }: { finding: Finding }) {
  const { severity, status, file, line, project_id } = finding;
  return (
    <Group gap="sm" className={classes.headline ?? ''}>
      <SeverityBadge severity={severity} />
      <StatusBadge status={status} />
      <StateWords finding={finding} />
      <ProjectLink id={project_id} />
      {file && (
        <Group gap={2} wrap="nowrap" miw={0}>
          <Text size="sm" ff="monospace" component="code">
            <SourceLocation finding={finding} />
          </Text>
          <Copy value={line === undefined ? file : `${file}:${line}`} label={text.copyFileAndLine} />
        </Group>
      )}
    </Group>
  );
}

function ProjectLink({ id }: { id: string }) {
  const org = useOrg();
  const { data } = useQuery(projectsQuery(org));
  const project = data?.find((one) => one.id === id);
  return (
    <LinkAnchor
      to="/o/$org/projects/$slug"
      params={{ org: org.slug, slug: project?.slug ?? id }}
      size="sm"
      lh="24px"
    >
      <bdi>{project?.name ?? id}</bdi>
    </LinkAnchor>
  );
}
