import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { whenUp } from '../app/server.ts';
import { useOrg } from '../app/session.ts';
import { Page } from '../components/Page.tsx';
import { PrintButton } from '../components/PrintButton.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { Overview } from './Overview.tsx';
import { statsQuery } from './queries.ts';

/** Not loaded with the dashboard: most organizations have findings. */
const FirstSteps = lazy(
  whenUp(async () => ({ default: (await import('./first-steps/FirstSteps.tsx')).FirstSteps })),
);

/** The overview of an organization, or the first steps while it has no findings. */
export function Dashboard() {
  const org = useOrg();
  const stats = useQuery(statsQuery(org));
  // The first steps stay after the first finding arrived, until the user leaves them.
  const [begins, setBegins] = useState<boolean>();
  if (begins === undefined && stats.data) setBegins(stats.data.total_findings === 0);
  return begins ? (
    <Page title="First steps" description="Receive your first finding in a few minutes.">
      <Suspense fallback={<Waiting />}>
        <FirstSteps onDone={() => setBegins(false)} />
      </Suspense>
    </Page>
  ) : (
    <Page title="Dashboard" actions={<PrintButton />}>
      <Overview />
    </Page>
  );
}
