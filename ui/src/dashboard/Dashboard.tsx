import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useOrg } from '../app/session.ts';
import { Page } from '../components/Page.tsx';
import { FirstSteps } from './first-steps/FirstSteps.tsx';
import { Overview } from './Overview.tsx';
import { statsQuery } from './queries.ts';

/** How an organization stands; where it has no finding yet, how it comes to its first one. */
export function Dashboard() {
  const org = useOrg();
  const stats = useQuery(statsQuery(org));
  // Who sees the first finding come in leaves the first steps when they want to.
  const [begins, setBegins] = useState<boolean>();
  if (begins === undefined && stats.data) setBegins(stats.data.total_findings === 0);
  return begins ? (
    <Page title="First steps" description="From here to the first finding in a few minutes.">
      <FirstSteps onDone={() => setBegins(false)} />
    </Page>
  ) : (
    <Page title="Dashboard">
      <Overview />
    </Page>
  );
}
