import { Alert, Box, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import * as text from '#strings/dashboard.tsx';
import { lazyNamed } from '../app/late.ts';
import { useOrg } from '../app/session.ts';
import { Page } from '../components/Page.tsx';
import { PrintButton } from '../components/PrintButton.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { MetricsFilter, RangeInWords } from '../metrics/MetricsFilter.tsx';
import { useMetrics } from '../metrics/queries.ts';
import { Overview } from './Overview.tsx';
import { projectNumbersQuery, statsQuery } from './queries.ts';

const route = getRouteApi('/_signed-in/o/$org/');

/** Not loaded with the dashboard: most organizations have findings. */
const FirstSteps = lazyNamed(() => import('./first-steps/FirstSteps.tsx'), 'FirstSteps');

/** The overview of an organization, or the first steps while it has no findings. */
export function Dashboard() {
  const org = useOrg();
  const stats = useQuery(statsQuery(org));
  // The first steps stay after the first finding arrived, until the user leaves them.
  const [begins, setBegins] = useState<boolean>();
  if (begins === undefined && stats.data) setBegins(stats.data.total_findings === 0);
  return begins ? (
    <Page title={text.firstSteps} description={text.receiveFirstFinding}>
      <Suspense fallback={<Waiting />}>
        <FirstSteps onDone={() => setBegins(false)} />
      </Suspense>
    </Page>
  ) : (
    <Filtered />
  );
}

/** The overview of the project and the range in the address. */
function Filtered() {
  const org = useOrg();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  // The work of today comes first.
  const isReady = useQuery(projectNumbersQuery(org)).data !== undefined;
  const { range, problem, query } = useMetrics(search, isReady);
  return (
    <Page
      title={text.dashboard}
      actions={
        <>
          <MetricsFilter
            search={search}
            range={range}
            problem={problem}
            onChange={(next) => navigate({ search: next, resetScroll: false })}
          />
          <Box visibleFrom="md">
            <PrintButton />
          </Box>
        </>
      }
    >
      <Text size="sm" className="print-only">
        <RangeInWords range={range} project_id={search.project_id} />
      </Text>
      {problem === undefined ? (
        <Overview search={search} range={range} metrics={query} />
      ) : (
        <Alert color="yellow" title={problem} />
      )}
    </Page>
  );
}
