import { Alert, Button, Card, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconInfoCircle, IconLock, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { rolesAllowed } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { LinkAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { featuresQuery } from '../settings/queries.ts';
import { NewToken } from './NewToken.tsx';
import { tokensQuery } from './queries.ts';
import { TokenTable } from './TokenTable.tsx';

/** All tokens of the organization: org-wide tokens and the tokens of projects. */
export function Tokens() {
  const org = useOrg();
  if (!org.may('listTokens')) return <NoAccess />;
  return <AllTokens />;
}

const DESCRIPTION =
  'Agents and CI jobs use these tokens to send findings: org-wide tokens and the tokens of all projects.';

function NoAccess() {
  const { slug } = useOrg();
  return (
    <Page title="API tokens" description={DESCRIPTION}>
      <Empty icon={<IconLock />} title={`Only ${rolesAllowed('listTokens')} can see all tokens`}>
        Each project has a page with its tokens.{' '}
        <LinkAnchor to="/o/$org/projects" params={{ org: slug }} underline="always">
          Choose a project
        </LinkAnchor>
        .
      </Empty>
    </Page>
  );
}

function AllTokens() {
  const org = useOrg();
  const tokens = useQuery(tokensQuery(org));
  const { data: features } = useQuery(featuresQuery(org));
  const [opened, { open, close }] = useDisclosure();
  const flag = features?.find(({ name }) => name === 'org_wide_tokens');
  const isOn = flag?.provisioned && flag.enabled;
  return (
    <Page
      title="API tokens"
      description={DESCRIPTION}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={open} disabled={!isOn}>
          New org-wide token
        </Button>
      }
    >
      {features && !isOn && <SwitchedOff provisioned={flag?.provisioned ?? false} />}
      <Loaded query={tokens}>
        {(list) => (
          <Card withBorder>
            <TokenTable tokens={list} withScope />
          </Card>
        )}
      </Loaded>
      <NewToken opened={opened} onClose={close} />
    </Page>
  );
}

function SwitchedOff({ provisioned }: { provisioned: boolean }) {
  const { slug, may } = useOrg();
  const features = (
    <LinkAnchor to="/o/$org/settings" params={{ org: slug }} inherit underline="always">
      Settings
    </LinkAnchor>
  );
  return (
    <Alert icon={<IconInfoCircle />} title="Org-wide tokens are turned off">
      <Stack gap={4}>
        <Text size="sm">
          {!provisioned ? (
            'They are not available to this organization. The administrator of this service can change this.'
          ) : may('updateOrgFeature') ? (
            <>To create one, turn on “Org-wide API tokens” in {features}.</>
          ) : (
            <>Ask an owner to turn on “Org-wide API tokens” in {features}.</>
          )}
        </Text>
        <Text size="sm">
          Create tokens for a project on the{' '}
          <LinkAnchor to="/o/$org/projects" params={{ org: slug }} inherit underline="always">
            project's page
          </LinkAnchor>
          . Existing org-wide tokens keep working until they are revoked.
        </Text>
      </Stack>
    </Alert>
  );
}
