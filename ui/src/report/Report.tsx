import { Alert, Group, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { bySeverity, separator } from '#strings/findings.ts';
import { unknownMember } from '#strings/members/unknown.ts';
import * as text from '#strings/report.ts';
import { filterOf, SEVERITIES } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor, OrgButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { PrintButton } from '../components/PrintButton.tsx';
import { dayOf } from '../components/time/dates.ts';
import { FileLocation } from '../findings/FileLocation.tsx';
import { useListWords } from '../findings/list/filters/filter-chips.tsx';
import type { ListedFinding } from '../findings/list-queries.ts';
import { SeverityBadge, StatusBadge } from '../findings/Severity.tsx';
import { titleOf } from '../findings/title.ts';
import { addressOf } from '../findings/views.ts';
import { IconArrowLeft } from '../icons/icons.ts';
import { membersQuery } from '../members/queries.ts';
import { projectsQuery } from '../projects/queries.ts';
import { REASON_NAMES } from '../triage/texts.ts';
import classes from './Report.module.css';
import { type Report as Data, reportQuery, takeRequest } from './report-queries.ts';

const route = getRouteApi('/_signed-in/o/$org/report');

/** The findings of a list for paper: one table without navigation and controls. */
export function Report() {
  const org = useOrg();
  const filter = filterOf(route.useSearch());
  const report = useQuery(reportQuery(org, filter));
  const words = useListWords(filter);
  const projects = useQuery(projectsQuery(org));
  const members = useQuery(membersQuery(org));
  const isComplete = report.data !== undefined && !projects.isPending && !members.isPending;
  const isPrinted = useRef(false);
  useEffect(() => {
    if (!isComplete || isPrinted.current) return;
    isPrinted.current = true;
    if (takeRequest()) window.print();
  }, [isComplete]);
  const projectNames = new Map(projects.data?.map(({ id, name }) => [id, name]));
  const memberNames = new Map(members.data?.map(({ user_id, name, email }) => [user_id, name || email]));
  return (
    <Page
      title={text.title}
      description={words}
      actions={
        <Group gap="xs" data-print-hidden>
          <OrgButton
            to="/o/$org/findings"
            search={addressOf(filter)}
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
          >
            {text.backToList}
          </OrgButton>
          <PrintButton />
        </Group>
      }
    >
      <Loaded query={report}>
        {(data) =>
          data.total === 0 ? (
            <Empty title={text.noMatching}>{text.isEmpty}</Empty>
          ) : (
            <>
              <Counts report={data} />
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
              <section className={classes.wrapper} tabIndex={0} aria-label={text.findingsOfReport}>
                <Table className={classes.table} verticalSpacing={5} fz="sm">
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{text.severity}</Table.Th>
                      <Table.Th className={classes.finding}>{text.finding}</Table.Th>
                      <Table.Th>{text.status}</Table.Th>
                      <Table.Th>{text.found}</Table.Th>
                      <Table.Th>{text.due}</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {data.findings.map((finding) => (
                      <Row
                        key={finding.id}
                        finding={finding}
                        project={projectNames.get(finding.project_id)}
                        assignee={
                          finding.assignee_id &&
                          (memberNames.get(finding.assignee_id) ?? unknownMember(org.isLimited))
                        }
                      />
                    ))}
                  </Table.Tbody>
                </Table>
              </section>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

function Counts({ report: { findings, total } }: { report: Data }) {
  const isCut = findings.length < total;
  const parts = SEVERITIES.map(
    (severity) => [findings.filter((finding) => finding.severity === severity).length, severity] as const,
  ).filter(([count]) => count > 0);
  return (
    <>
      <Text fw={600} role="status">
        {isCut ? text.findings(total) : text.findingsBySeverity(total, bySeverity(parts))}
      </Text>
      {isCut && (
        <Alert color="yellow" title={text.firstOnly(findings.length)}>
          {text.filesHaveAll(total)}
        </Alert>
      )}
    </>
  );
}

interface RowProps {
  finding: ListedFinding;
  project: string | undefined;
  assignee: string | undefined;
}

function Row({ finding, project, assignee }: RowProps) {
  const { id, title, file, line, cve, severity, status, regressed, proposed, reason, due_at, created_at } =
    finding;
  return (
    <Table.Tr>
      <Table.Td>
        <SeverityBadge severity={severity} />
      </Table.Td>
      <Table.Td className={classes.finding}>
        <OrgAnchor to="/o/$org/findings/$id" params={{ id }} c="inherit" inherit preload={false}>
          <bdi>{titleOf(title)}</bdi>
        </OrgAnchor>
        <Text size="xs" c="dimmed">
          {file && (
            <>
              <FileLocation file={file} line={line} />
              {separator}
            </>
          )}
          {cve && (
            <>
              {cve}
              {separator}
            </>
          )}
          <bdi>{project}</bdi>
        </Text>
      </Table.Td>
      <Table.Td>
        <StatusBadge status={status} regressed={regressed} proposed={proposed} />
        {reason && (
          <Text size="xs" c="dimmed">
            {REASON_NAMES[reason]}
          </Text>
        )}
        {assignee && (
          <Text size="xs" c="dimmed" className={classes.who}>
            <bdi>{assignee}</bdi>
          </Text>
        )}
      </Table.Td>
      <Table.Td data-label={text.found}>{dayOf(created_at)}</Table.Td>
      {due_at ? <Table.Td data-label={text.due}>{dayOf(due_at)}</Table.Td> : <Table.Td />}
    </Table.Tr>
  );
}
