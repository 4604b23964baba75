import { Alert, Grid, Skeleton, Stack, Table, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useId } from 'react';
import * as text from '#strings/metrics.tsx';
import { type FindingSearch, SEVERITIES, withoutUndefined } from '../app/search.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { PrintButton } from '../components/PrintButton.tsx';
import { Card } from '../dashboard/Card.tsx';
import { SEVERITY_NAMES, SeverityMark } from '../findings/Severity.tsx';
import { SeverityBar } from '../findings/SeverityBar.tsx';
import { ATTENTION } from '../findings/views.ts';
import { IconChartLine } from '../icons/icons.ts';
import classes from './Metrics.module.css';
import { MetricsFilter, RangeInWords } from './MetricsFilter.tsx';
import { foundIn, NumberLink, periodOf, resolvedIn } from './NumberLink.tsx';
import { type Metrics as Data, useMetrics } from './queries.ts';
import { type DayRange, type OfProject, ofProject } from './range.ts';
import { TimeToResolve } from './TimeToResolve.tsx';
import { Weeks } from './Weeks.tsx';
import { inHours, inPercent } from './words.ts';

const route = getRouteApi('/_signed-in/o/$org/metrics');

/** How fast findings are resolved, and how many are left. */
export function Metrics() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { range, problem, query } = useMetrics(search);
  return (
    <Page
      title={text.metrics}
      actions={<PrintButton />}
      description={<RangeInWords range={range} project_id={search.project_id} />}
    >
      <Stack gap="md">
        <MetricsFilter
          search={search}
          range={range}
          problem={problem}
          onChange={(next) => navigate({ search: next, resetScroll: false })}
        />
        {problem === undefined ? (
          <Loaded query={query} waiting={<Skeleton height={560} />}>
            {(data) => <Shown data={data} range={range} of={ofProject(search)} />}
          </Loaded>
        ) : (
          <Alert color="yellow" title={problem} />
        )}
      </Stack>
    </Page>
  );
}

interface ShownProps {
  data: Data;
  range: DayRange;
  of: OfProject;
}

function Shown({ data, range, of }: ShownProps) {
  const found = data.weeks.reduce((sum, week) => sum + week.found, 0);
  const open = data.open_by_age.reduce((sum, { total }) => sum + total, 0);
  if (found === 0 && open === 0 && data.resolved.total === 0) {
    return (
      <Empty icon={<IconChartLine />} title={text.noFindingsInRange}>
        {text.whenMetricsAppear}
        <div style={{ marginTop: 'var(--mantine-spacing-md)' }}>
          <OrgButton to="/o/$org" variant="default">
            {text.openDashboard}
          </OrgButton>
        </div>
      </Empty>
    );
  }
  return (
    <>
      <Summary data={data} range={range} of={of} found={found} open={open} />
      <Weeks weeks={data.weeks} range={range} of={of} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <TimeToResolve metrics={data} range={range} of={of} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <OpenByAge ages={data.open_by_age} of={of} />
        </Grid.Col>
      </Grid>
    </>
  );
}

interface SummaryProps extends ShownProps {
  /** Findings that were found in the range. */
  found: number;
  /** Unresolved findings of now. */
  open: number;
}

/** The most important numbers of the range. */
function Summary({ data, range, of, found, open }: SummaryProps) {
  const { resolved: timed, median_hours } = data.time_to_resolve.all;
  const { in_time, resolved: due, share } = data.within_due_date;
  const period = periodOf(range);
  const resolved = { ...of, ...resolvedIn(period) };
  return (
    <dl className={classes.summary} style={{ marginBlock: 0 }} aria-label={text.summary}>
      <Cell
        name={text.found}
        value={<NumberLink count={found} search={{ ...of, ...foundIn(period) }} />}
        about={text.inTheRange}
      />
      <Cell
        name={text.resolved}
        value={<NumberLink count={data.resolved.total} search={resolved} />}
        about={text.inTheRange}
      />
      <Cell
        name={text.unresolved}
        value={<NumberLink count={open} search={{ ...of, ...ATTENTION }} />}
        about={text.now}
      />
      <Cell
        name={text.medianTime}
        value={inHours(median_hours)}
        about={timed === 0 ? text.nothingResolved : text.ofResolved(timed, data.resolved.total - timed)}
      />
      <Cell
        name={text.withinDueDate}
        value={share === undefined ? text.none : inPercent(share)}
        about={
          due === 0
            ? text.noneHadDueDate
            : text.inTimeAndLate(
                <NumberLink count={in_time} search={{ ...resolved, resolved_in_time: true }} isInText />,
                <NumberLink
                  count={due - in_time}
                  search={{ ...resolved, resolved_in_time: false }}
                  isInText
                />,
              )
        }
      />
    </dl>
  );
}

const Cell = ({ name, value, about }: { name: string; value: ReactNode; about: ReactNode }) => (
  <div className={classes.cell}>
    <Text component="dt" size="sm" fw={500}>
      {name}
    </Text>
    <dd style={{ margin: 0 }}>
      <div className={classes.number}>{value}</div>
      <Text size="xs" c="dimmed">
        {about}
      </Text>
    </dd>
  </div>
);

type Age = Data['open_by_age'][number];

const nameOf = ({ min_days, max_days }: Age) =>
  max_days === undefined ? text.moreThanDays(min_days - 1) : text.fromToDays(min_days, max_days);

const unresolvedOf = ({ unresolved_after, unresolved_before }: Age) =>
  withoutUndefined<FindingSearch>({ unresolved_after, unresolved_before, sort: ATTENTION.sort });

/** The unresolved findings of now, by their age and severity. */
function OpenByAge({ ages, of }: { ages: Data['open_by_age']; of: OfProject }) {
  const about = useId();
  const most = Math.max(...ages.map(({ total }) => total));
  return (
    <Card title={text.unresolvedByAge}>
      {most === 0 ? (
        <Text size="sm" c="dimmed">
          {text.noneUnresolved}
        </Text>
      ) : (
        <>
          <Table.ScrollContainer minWidth={260} type="native" tabIndex={0} className={classes.ages ?? ''}>
            <Table className={classes.table} verticalSpacing={6} fz="sm" aria-describedby={about}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{text.age}</Table.Th>
                  <Table.Th>{text.total}</Table.Th>
                  {SEVERITIES.map((severity) => (
                    <Table.Th key={severity}>
                      <span className={classes.word}>{SEVERITY_NAMES[severity]}</span>
                      <span className={classes.mark}>
                        <SeverityMark severity={severity} />
                      </span>
                    </Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {ages.map((age) => (
                  <Table.Tr key={age.min_days}>
                    <Table.Th scope="row" fw={500}>
                      {nameOf(age)}
                      {age.total > 0 && (
                        <div className={classes.age} aria-hidden>
                          <div style={{ width: `${(age.total / most) * 100}%` }}>
                            <SeverityBar counts={age} height={6} />
                          </div>
                        </div>
                      )}
                    </Table.Th>
                    <Table.Td fw={600}>
                      <NumberLink count={age.total} search={{ ...of, ...unresolvedOf(age) }} />
                    </Table.Td>
                    {SEVERITIES.map((severity) => (
                      <Table.Td key={severity}>
                        <NumberLink
                          count={age[severity]}
                          search={{ ...of, ...unresolvedOf(age), severity: [severity] }}
                        />
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
          {/* Not a caption: one is as wide as the table, which a phone shows only a part of. */}
          <Text id={about} size="sm" c="dimmed" mt="xs">
            {text.aboutAge}
          </Text>
        </>
      )}
    </Card>
  );
}
