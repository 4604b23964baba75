import { Button, Card, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import * as text from '#strings/orgs.ts';
import { api, type Schemas } from '../app/api.ts';
import { useMe } from '../app/session.ts';
import { useAction } from '../components/dialogs/use-confirmed.ts';
import { Empty } from '../components/Empty.tsx';
import { showSuccess } from '../components/errors/toasts.ts';
import { LinkButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { dateTime } from '../components/time/Time.tsx';
import { IconBuilding, IconPlus, IconSearch } from '../icons/icons.ts';
import { useRefreshUser } from '../profile/use-refresh-user.ts';
import { OrgCard } from './OrgCard.tsx';

/** The number of organizations from which on the page has a search field. */
const MANY = 9;

/** The organizations of the user. */
export function Orgs() {
  const { orgs } = useMe();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const [typed, setTyped] = useState('');
  const last = localStorage.getItem('org');
  const words = typed.toLowerCase().split(/\s+/);
  const shown = orgs
    .filter(({ name, slug }) => words.every((word) => `${name} ${slug}`.toLowerCase().includes(word)))
    .sort((a, b) => Number(b.slug === last) - Number(a.slug === last) || a.name.localeCompare(b.name));

  return (
    <Page
      title={text.yourOrganizations}
      description={text.eachHasItsOwn}
      actions={
        <LinkButton to="/orgs/new" leftSection={<IconPlus size={16} aria-hidden />}>
          {text.newOrganization}
        </LinkButton>
      }
    >
      {orgs.length >= MANY && (
        <TextInput
          type="search"
          aria-label={text.findOrganization}
          placeholder={text.nameOrSlug}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          maw={360}
        />
      )}
      {orgs.length === 0 ? (
        <Empty icon={<IconBuilding />} title={text.notAMember}>
          {text.createOrAsk}
        </Empty>
      ) : (
        <>
          <Text role="status" size="sm" c="dimmed">
            {shown.length === orgs.length
              ? text.organizations(orgs.length)
              : text.shownOf(shown.length, orgs.length)}
          </Text>
          <SimpleGrid component="ul" cols={{ base: 1, sm: 2 }} spacing="md" p={0} m={0}>
            {shown.map((org) => (
              <OrgCard
                key={org.id}
                org={org}
                isLast={org.slug === last}
                {...(site.reaches(org.slug) && { href: site.orgUrl(org.slug) })}
              />
            ))}
          </SimpleGrid>
        </>
      )}
      <DeletedOrgs />
    </Page>
  );
}

const deletedQuery = queryOptions({
  queryKey: ['orgs', 'deleted'],
  queryFn: async ({ signal }) =>
    (await api.get('/orgs', { signal })).result.filter(({ deleted_at }) => deleted_at !== undefined),
  staleTime: 0,
});

/** The deleted organizations that the user can restore. Empty while they load, because most users have none. */
function DeletedOrgs() {
  const { data: deleted = [] } = useQuery(deletedQuery);
  if (deleted.length === 0) return null;
  return (
    <Stack component="section" aria-labelledby="deleted-organizations" gap="sm" mt="md">
      <div>
        <Title order={2} fz="md" id="deleted-organizations">
          {text.deletedOrganizations}
        </Title>
        <Text size="sm" c="dimmed">
          {text.restorable}
        </Text>
      </div>
      {deleted.map((org) => (
        <DeletedOrg key={org.id} org={org} />
      ))}
    </Stack>
  );
}

function DeletedOrg({ org }: { org: Schemas['Organization'] }) {
  const { name, slug, purge_at } = org;
  const queries = useQueryClient();
  const refresh = useRefreshUser();
  const restore = useAction({
    mutationFn: () => api.post('/orgs/{slug}/restore', { params: { path: { slug } } }),
    onSuccess: async () => {
      showSuccess(text.restored(name));
      await Promise.all([refresh(), queries.invalidateQueries({ queryKey: deletedQuery.queryKey })]);
    },
  });
  return (
    <Card withBorder padding="md">
      <Group justify="space-between" gap="sm">
        <div style={{ minWidth: 0 }}>
          <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
            <bdi>{name}</bdi>
          </Text>
          <Text size="sm" c="dimmed">
            {slug}
          </Text>
          {purge_at !== undefined && <Text size="sm">{text.removedOn(dateTime(purge_at))}</Text>}
        </div>
        <Button
          variant="default"
          size="sm"
          aria-label={text.restoreThis(name)}
          loading={restore.isPending}
          onClick={() => restore.mutate()}
        >
          {text.restore}
        </Button>
      </Group>
    </Card>
  );
}
