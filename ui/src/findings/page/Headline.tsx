import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as text from '#strings/findings/page.tsx';
import { useOrg } from '../../app/session.ts';
import { Copy } from '../../components/Copy.tsx';
import { OrgAnchor } from '../../components/links.tsx';
import { Ago, Day } from '../../components/time/Time.tsx';
import { IconAlertTriangle, IconClock, IconInfoCircle, IconRotateClockwise } from '../../icons/icons.ts';
import { projectsQuery } from '../../projects/queries.ts';
import type { Finding } from '../finding-queries.ts';
import { SeverityBadge, StatusBadge } from '../Severity.tsx';
import classes from './Finding.module.css';
import { SourceLocation } from './SourceLocation.tsx';

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
    <OrgAnchor to="/o/$org/projects/$slug" params={{ slug: project?.slug ?? id }} size="sm" lh="24px">
      <bdi>{project?.name ?? id}</bdi>
    </OrgAnchor>
  );
}

const isResolved = (status: Finding['status']) => status !== 'open' && status !== 'confirmed';

/** The states of a finding that need attention, in words. */
function StateWords({ finding }: { finding: Finding }) {
  const { regressed, regressed_at, proposed, status, due_at, accepted_until } = finding;
  const isOverdue = due_at !== undefined && !isResolved(status) && Date.parse(due_at) < Date.now();
  return (
    <>
      {regressed && (
        <State alarming icon={<IconRotateClockwise size={14} aria-hidden />}>
          {text.regressed(regressed_at && <Ago time={regressed_at} />)}
        </State>
      )}
      {proposed && <State icon={<IconInfoCircle size={14} aria-hidden />}>{text.proposed}</State>}
      {isOverdue && (
        <State alarming icon={<IconAlertTriangle size={14} aria-hidden />}>
          {text.overdueSince(<Day time={due_at} />)}
        </State>
      )}
      {accepted_until && (
        <State icon={<IconClock size={14} aria-hidden />}>
          {text.riskAcceptedUntil(<Day time={accepted_until} />)}
        </State>
      )}
    </>
  );
}

function State({ icon, alarming, children }: { icon: ReactNode; alarming?: boolean; children: ReactNode }) {
  return (
    <Text size="sm" span className={classes.state} {...(alarming && { c: 'var(--mantine-color-error)' })}>
      {icon}
      <span>{children}</span>
    </Text>
  );
}
