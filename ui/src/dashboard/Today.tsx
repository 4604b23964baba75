import { Skeleton, Text } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import * as text from '#strings/dashboard.tsx';
import { number } from '#strings/language.ts';
import { type FindingSearch, has, SEVERITIES } from '../app/search.ts';
import { useOrg } from '../app/session.ts';
import { Problem } from '../components/errors/Problem.tsx';
import { OrgBox } from '../components/links.tsx';
import { totalQuery } from '../findings/list-queries.ts';
import type { SeverityCounts } from '../findings/SeverityBar.tsx';
import { severityWords } from '../findings/SeverityBar.tsx';
import { OVERDUE, REGRESSED, TO_VERIFY } from '../findings/views.ts';
import { sumOf, totalOf } from './Projects.tsx';
import { type OfProject, type ProjectNumbers, trendQuery } from './queries.ts';
import classes from './Today.module.css';

/** Today and yesterday. */
const DAYS = 2;

interface Props {
  /** All projects, or the chosen one. */
  projects: UseQueryResult<ProjectNumbers[]>;
  of: OfProject & FindingSearch;
}

/** Findings to work on today. Each number opens its list. */
export function Today({ projects, of }: Props) {
  const org = useOrg();
  const regressed = projects.data && sumOf(projects.data, 'regressed');
  const overdue = useQuery({ ...totalQuery(org, { ...OVERDUE, ...of }), enabled: has('overdue') });
  const trend = useQuery(trendQuery(org, DAYS, of));
  const toVerify = useQuery(totalQuery(org, { ...TO_VERIFY, ...of }));
  const since = trend.data?.[0]?.date;
  const fresh = trend.data?.reduce((sum, { critical, high }) => sum + critical + high, 0);
  const failed = [projects, overdue, trend, toVerify].find(({ data, error }) => error && data === undefined);
  if (failed) return <Problem error={failed.error} onRetry={failed.refetch} />;
  return (
    <nav className={classes.today} aria-label={text.workToday}>
      <Count
        value={regressed && totalOf(regressed)}
        label={text.regressed}
        search={{ ...REGRESSED, ...of }}
        isUrgent
      >
        {regressed && (worst(regressed) || text.noRegressions)}
      </Count>
      {has('overdue') && (
        <Count value={overdue.data} label={text.overdue} search={{ ...OVERDUE, ...of }} isUrgent>
          {text.dueDateHasPassed}
        </Count>
      )}
      <Count
        value={fresh}
        label={text.newCriticalAndHigh}
        search={{
          ...of,
          severity: ['critical', 'high'],
          proposed: false,
          ...(has('found_after') && since !== undefined && { found_after: `${since}T00:00:00Z` }),
          sort: '-created_at',
        }}
      >
        {text.sinceYesterday}
      </Count>
      <Count value={toVerify.data} label={text.waitingForVerification} search={{ ...TO_VERIFY, ...of }}>
        {text.fixedNotVerified}
      </Count>
    </nav>
  );
}

interface CountProps {
  /** Undefined while it loads. */
  value: number | undefined;
  label: string;
  search: FindingSearch;
  isUrgent?: boolean;
  children: ReactNode;
}

/** A number that opens its list. */
export function Count({ value, label, search, isUrgent = false, children }: CountProps) {
  return (
    <OrgBox
      to="/o/$org/findings"
      search={search}
      className={classes.count}
      data-urgent={(isUrgent && value !== undefined && value > 0) || undefined}
    >
      <span className={classes.number}>
        {value === undefined ? (
          <Skeleton component="span" h={24} w={48} mt={4} display="inline-block" />
        ) : (
          number(value)
        )}
      </span>
      <Text size="sm" fw={500}>
        {label}
      </Text>
      <Text size="xs" c="dimmed">
        {children}
      </Text>
    </OrgBox>
  );
}

/** Such as "6 critical, 12 high". */
const worst = (counts: SeverityCounts): string =>
  severityWords(counts, SEVERITIES.filter((severity) => counts[severity] > 0).slice(0, 2));
