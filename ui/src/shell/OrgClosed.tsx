import { Button, Group, Stack, Text } from '@mantine/core';
import { useRouteContext } from '@tanstack/react-router';
import * as text from '#strings/shell/org-closed.ts';
import { useOrg } from '../app/session.ts';
import { Page } from '../components/Page.tsx';
import { startUrl } from '../sso/start-url.ts';
import type { Refusal } from './closed-by.ts';

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
