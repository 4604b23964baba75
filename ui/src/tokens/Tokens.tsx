import { Alert, Button, Card, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { limitedToProjects } from '#strings/projects/limited.ts';
import * as text from '#strings/tokens.tsx';
import { rolesAllowed } from '../app/roles.ts';
import { useOrg } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { Loaded } from '../components/Loaded.tsx';
import { OrgAnchor } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { Waiting } from '../components/Waiting.tsx';
import { IconInfoCircle, IconLock, IconPlus } from '../icons/icons.ts';
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

function NoAccess() {
  const { isLimited } = useOrg();
  return (
    <Page title={text.apiTokens} description={text.whatTokensAreFor}>
      <Empty
        icon={<IconLock />}
        title={isLimited ? limitedToProjects : text.whoSeesAll(rolesAllowed('listTokens'))}
      >
        {text.chooseProject((label) => (
          <OrgAnchor to="/o/$org/projects" underline="always">
            {label}
          </OrgAnchor>
        ))}
      </Empty>
    </Page>
  );
}

function AllTokens() {
  const org = useOrg();
  const tokens = useQuery(tokensQuery(org));
  const { data: features, isPending } = useQuery(featuresQuery(org));
  const [opened, { open, close }] = useDisclosure();
  const flag = features?.find(({ name }) => name === 'org_wide_tokens');
  const isOn = flag?.provisioned && flag.enabled;
  return (
    <Page
      title={text.apiTokens}
      description={text.whatTokensAreFor}
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={open} disabled={!isOn}>
          {text.newOrgWideToken}
        </Button>
      }
    >
      {isPending && <Waiting />}
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
  const { may } = useOrg();
  const settings = (label: string) => (
    <OrgAnchor to="/o/$org/settings" inherit underline="always">
      {label}
    </OrgAnchor>
  );
  return (
    <Alert icon={<IconInfoCircle />} title={text.orgWideOff}>
      <Stack gap={4}>
        <Text size="sm">
          {!provisioned
            ? text.orgWideUnavailable
            : may('updateOrgFeature')
              ? text.turnOnOrgWide(settings)
              : text.askOwner(settings)}
        </Text>
        <Text size="sm">
          {text.createForProject((label) => (
            <OrgAnchor to="/o/$org/projects" inherit underline="always">
              {label}
            </OrgAnchor>
          ))}
        </Text>
      </Stack>
    </Alert>
  );
}
