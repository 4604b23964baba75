import { Alert, Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import * as text from '#strings/sso.tsx';
import { sessionQuery } from '../app/session.ts';
import { startUrl } from './start-url.ts';

/** Signs in at the provider of the deployment, or at the one that the address leads to. */
export function SsoButtons({ email, returnTo }: { email: string; returnTo: string | undefined }) {
  const sso = useQueryClient().getQueryData(sessionQuery.queryKey)?.sso;
  const [isMissing, setMissing] = useState(false);
  const byAddress = () => {
    if (!email.includes('@')) return setMissing(true);
    location.assign(startUrl({ email: email.trim() }, returnTo));
  };
  return (
    <>
      {sso && (
        <Button variant="default" component="a" href={startUrl({}, returnTo)} fullWidth>
          {text.signInBy(sso.name)}
        </Button>
      )}
      {isMissing && (
        <Alert role="alert" color="yellow">
          {text.enterAddressFirst}
        </Alert>
      )}
      <Button variant="default" onClick={byAddress} fullWidth>
        {text.singleSignOn}
      </Button>
    </>
  );
}

/** Tells why a sign-in at a provider had no effect. */
export const SsoProblem = ({ reason, title = text.notSignedIn }: { reason: string; title?: string }) => (
  <Alert role="alert" color="yellow" title={title}>
    {text.reasons[reason] ?? text.unknownReason}
  </Alert>
);
