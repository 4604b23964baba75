import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import * as text from '#strings/shell/mfa-required.ts';
import { ServiceError } from '../app/api.ts';
import { useOrg } from '../app/session.ts';
import { Page } from '../components/Page.tsx';

/**
 * Whether the organization requires a second factor that the user lacks. Any read of the organization may notice it, and the
 * polled revision notices the end of it.
 */
export function useMfaRequired(): boolean {
  const { slug } = useOrg();
  const cache = useQueryClient().getQueryCache();
  const [isRequired, setRequired] = useState(false);
  useEffect(
    () =>
      cache.subscribe((event) => {
        if (event.type !== 'updated') return;
        const [scope, org, kind] = event.query.queryKey;
        if (scope !== 'org' || org !== slug) return;
        const { action } = event;
        if (action.type === 'success' && kind === 'revision') setRequired(false);
        if (action.type === 'error' && isRefusal(action.error)) setRequired(true);
      }),
    [cache, slug],
  );
  return isRequired;
}

const isRefusal = (error: unknown) => error instanceof ServiceError && error.code === 'mfa_required_by_org';

/** Takes the place of all pages of the organization until the user has set up a second factor. */
export function MfaRequired() {
  const { org } = useOrg();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  return (
    <Page title={text.setUpMfa}>
      <Stack maw="36rem">
        <Text>{text.whyMfa(org.name)}</Text>
        <Text>{text.howToSetUp}</Text>
        <Group>
          <Button component="a" href={`/profile/mfa?return_to=${encodeURIComponent(location.href)}`}>
            {text.setUpNow}
          </Button>
          <Button component="a" variant="default" href={site.signInUrl('/orgs')}>
            {text.showOrganizations}
          </Button>
        </Group>
      </Stack>
    </Page>
  );
}
