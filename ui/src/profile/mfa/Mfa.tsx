import { Alert, Button, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouteContext } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import * as text from '#strings/profile/mfa.tsx';
import { Loaded } from '../../components/Loaded.tsx';
import { SectionHead } from '../../components/SectionHead.tsx';
import { IconShieldCheck, IconShieldLock } from '../../icons/icons.ts';
import { Identities } from '../../sso/Identities.tsx';
import { mfaQuery, useRefreshUser } from '../queries.ts';
import { MfaDevices } from './MfaDevices.tsx';
import { MfaStatus } from './MfaStatus.tsx';
import { Passkeys } from './Passkeys.tsx';
import { RecoveryCodes, RecoveryCodesShown } from './RecoveryCodes.tsx';

const route = getRouteApi('/_signed-in/_plain/profile/mfa');

/** Multi-factor authentication of the user. */
export function Mfa() {
  const { sso_error } = route.useSearch();
  const mfa = useQuery(mfaQuery);
  const queries = useQueryClient();
  const renew = useRefreshUser();
  const heading = useRef<HTMLHeadingElement>(null);
  const [codes, setCodes] = useState<string[]>();
  const show = (made: string[]) => {
    setCodes(made);
    queries.invalidateQueries({ queryKey: ['profile'] });
  };
  const close = () => {
    setCodes(undefined);
    heading.current?.focus();
    renew();
  };
  return (
    <Stack>
      <SectionHead title={text.multiFactor} description={text.whatMfaDoes} ref={heading} />
      <Loaded query={mfa}>
        {({ mfa_enabled: isOn, devices }) => (
          <>
            <ReturnLink isOn={isOn} />
            <MfaStatus isOn={isOn} devices={devices} onEnabled={show} />
            <Passkeys isLast={(id) => isOn && devices.every((each) => each.id === id || !each.verified)} />
            <Identities refused={sso_error} />
            <MfaDevices isOn={isOn} devices={devices} onEnabled={show} />
            {isOn && <RecoveryCodes onCreated={show} />}
          </>
        )}
      </Loaded>
      <RecoveryCodesShown codes={codes} onClose={close} />
    </Stack>
  );
}

/** The way back for users whom an organization that requires MFA sent here. */
function ReturnLink({ isOn }: { isOn: boolean }) {
  const { return_to } = route.useSearch();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const back = site.safeReturn(return_to);
  if (!back) return null;
  return isOn ? (
    <Alert color="teal" icon={<IconShieldCheck />} title={text.isSetUp}>
      <Button component="a" href={back} size="sm">
        {text.returnToPage}
      </Button>
    </Alert>
  ) : (
    <Alert icon={<IconShieldLock />} title={text.setUpToContinue}>
      {text.youCanReturn}
    </Alert>
  );
}
