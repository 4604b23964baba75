import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useOrg } from '../app/session.ts';
import { Page } from '../components/Page.tsx';
import { FirstSteps } from './first-steps/FirstSteps.tsx';
import { Overview } from './Overview.tsx';
import { statsQuery } from './queries.ts';

/** The overview of an organization, or the first steps while it has no findings. */
export function Dashboard() {
  const org = useOrg();
  const stats = useQuery(statsQuery(org));
  // The first steps stay after the first finding arrived, until the user leaves them.
  const [begins, setBegins] = useState<boolean>();
  if (begins === undefined && stats.data) setBegins(stats.data.total_findings === 0);
  return begins ? (
    <Page title="First steps" description="Receive your first finding in a few minutes.">
      <FirstSteps onDone={() => setBegins(false)} />
    </Page>
  ) : (
    <Page title="Dashboard">
      <Overview />
    </Page>
  );
}
