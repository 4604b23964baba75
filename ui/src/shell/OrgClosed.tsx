import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import * as text from '#strings/shell/org-closed.ts';
import { ServiceError } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { Page } from '../components/Page.tsx';
import { startUrl } from '../sso/start-url.ts';

/** Refusals of all pages of an organization: it requires a second factor, another sign-in or another network. */
const REFUSALS = ['mfa_required_by_org', 'sso_required', 'address_not_allowed'] as const;

type Refusal = (typeof REFUSALS)[number];

/**
 * The reason for which the organization lets the user read nothing; undefined if it does. Any read of the organization may notice it,
 * and the polled revision notices the end of it.
 */
export function useClosedBy(): Refusal | undefined {
  const { slug } = useOrg();
  const cache = useQueryClient().getQueryCache();
  const [refusal, setRefusal] = useState<Refusal>();
  useEffect(
    () =>
      cache.subscribe((event) => {
        if (event.type !== 'updated') return;
        const [scope, org, kind] = event.query.queryKey;
        if (scope !== 'org' || org !== slug) return;
        const { action } = event;
        if (action.type === 'success' && kind === 'revision') setRefusal(undefined);
        if (action.type === 'error' && isRefusal(action.error)) setRefusal(action.error.code);
      }),
    [cache, slug],
  );
  return refusal;
}

const isRefusal = (error: unknown): error is ServiceError & { code: Refusal } =>
  error instanceof ServiceError && REFUSALS.some((code) => code === error.code);

/** Takes the place of all pages of the organization while it refuses the user. */
export function OrgClosed({ by }: { by: Refusal }) {
  if (by === 'mfa_required_by_org') return <MfaRequired />;
  return by === 'sso_required' ? <SsoRequired /> : <NetworkNotAllowed />;
}

function SsoRequired() {
  const { org, slug } = useOrg();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  return (
    <Page title={text.signInBySso}>
      <Stack maw="36rem">
        <Text>{text.whySso(org.name)}</Text>
        <Group>
          <Button component="a" href={site.signInUrl(startUrl({ org: slug }, location.href))}>
            {text.signInNow}
          </Button>
          <OtherOrganizations />
        </Group>
      </Stack>
    </Page>
  );
}

function NetworkNotAllowed() {
  const { org } = useOrg();
  return (
    <Page title={text.networkNotAllowed}>
      <Stack maw="36rem">
        <Text>{text.whyNetwork(org.name)}</Text>
        <Text>{text.changeNetwork}</Text>
        <Group>
          <OtherOrganizations />
        </Group>
      </Stack>
    </Page>
  );
}

function OtherOrganizations() {
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  return (
    <Button component="a" variant="default" href={site.signInUrl('/orgs')}>
      {text.showOrganizations}
    </Button>
  );
}

function MfaRequired() {
  const { org } = useOrg();
  return (
    <Page title={text.setUpMfa}>
      <Stack maw="36rem">
        <Text>{text.whyMfa(org.name)}</Text>
        <Text>{text.howToSetUp}</Text>
        <Group>
          <Button component="a" href={`/profile/mfa?return_to=${encodeURIComponent(location.href)}`}>
            {text.setUpNow}
          </Button>
          <OtherOrganizations />
        </Group>
      </Stack>
    </Page>
  );
}
