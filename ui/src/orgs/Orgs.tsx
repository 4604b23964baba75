import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import * as text from '#strings/orgs.ts';
import { useMe } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { LinkButton } from '../components/links.tsx';
import { Page } from '../components/Page.tsx';
import { IconBuilding, IconPlus, IconSearch } from '../icons/icons.ts';
import { DeletedOrgs } from './DeletedOrgs.tsx';
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
