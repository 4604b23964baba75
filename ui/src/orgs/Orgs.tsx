import { Avatar, Badge, Button, Card, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
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
import { SectionHead } from '../components/SectionHead.tsx';
import { dateTime } from '../components/time/Time.tsx';
import { IconBuilding, IconClock, IconPlus, IconSearch } from '../icons/icons.ts';
import { useRefreshUser } from '../profile/queries.ts';
import classes from './Orgs.module.css';

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
      <SectionHead
        title={text.deletedOrganizations}
        description={text.restorable}
        id="deleted-organizations"
      />
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

interface Props {
  org: Schemas['Organization'];
  /** The organization was used last. */
  isLast: boolean;
  /** Omitted if the organization cannot be opened from this host. */
  href?: string;
}

/** An organization of the user, as a link. */
function OrgCard({ org, isLast, href }: Props) {
  const { name, slug, role, plan } = org;
  // Without a base domain, the service has a single operator, for whom plans mean nothing.
  const baseDomain = useRouteContext({ from: '__root__', select: ({ site }) => site.baseDomain });
  return (
    <Card
      component="li"
      withBorder
      padding="md"
      className={classes.card}
      {...(href === undefined && { 'data-closed': true })}
    >
      <Group wrap="nowrap" align="flex-start">
        <Avatar name={name} color="indigo" radius="md" alt="" aria-hidden />
        <div className={classes.text}>
          {href === undefined ? (
            <Text fw={600} className={classes.name}>
              <bdi>{name}</bdi>
            </Text>
          ) : (
            <a
              href={href}
              className={`${classes.name} ${classes.link}`}
              // The organization may be at another host, with its own storage.
              onClick={() => localStorage.setItem('org', slug)}
            >
              <bdi>{name}</bdi>
            </a>
          )}
          <Text size="sm" c="dimmed" truncate>
            {slug}
          </Text>
          <Group gap={6} mt="xs">
            <Badge variant="light" radius="sm" tt="capitalize" size="sm">
              {role}
            </Badge>
            {baseDomain !== '' && (
              <Badge variant="default" radius="sm" tt="capitalize" size="sm">
                {plan}
              </Badge>
            )}
            {isLast && (
              <Badge
                variant="default"
                radius="sm"
                tt="none"
                size="sm"
                leftSection={<IconClock size={12} aria-hidden />}
              >
                {text.lastUsed}
              </Badge>
            )}
          </Group>
          {href === undefined && (
            <Text size="xs" c="dimmed" mt="xs">
              {text.notAvailableHere}
            </Text>
          )}
        </div>
      </Group>
    </Card>
  );
}
