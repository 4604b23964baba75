import { SimpleGrid, Text, TextInput } from '@mantine/core';
import { IconBuilding, IconPlus, IconSearch } from '@tabler/icons-react';
import { useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import { useMe } from '../app/session.ts';
import { Empty } from '../components/Empty.tsx';
import { LinkButton } from '../components/links.tsx';
import { counted } from '../components/numbers.ts';
import { Page } from '../components/Page.tsx';
import { OrgCard } from './OrgCard.tsx';

/** The number of organizations from which on the page has a search field. */
const MANY = 9;

/** The organizations of the user. */
export function Orgs() {
  const { orgs } = useMe();
  const site = useRouteContext({ from: '__root__', select: ({ site }) => site });
  const [text, setText] = useState('');
  const last = localStorage.getItem('org');
  const words = text.toLowerCase().split(/\s+/);
  const shown = orgs
    .filter(({ name, slug }) => words.every((word) => `${name} ${slug}`.toLowerCase().includes(word)))
    .sort((a, b) => Number(b.slug === last) - Number(a.slug === last) || a.name.localeCompare(b.name));

  return (
    <Page
      title="Your organizations"
      description="Each has its own projects, findings and members."
      actions={
        <LinkButton to="/orgs/new" leftSection={<IconPlus size={16} aria-hidden />}>
          New organization
        </LinkButton>
      }
    >
      {orgs.length >= MANY && (
        <TextInput
          type="search"
          aria-label="Find an organization"
          placeholder="Name or slug"
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          maw={360}
        />
      )}
      {orgs.length === 0 ? (
        <Empty icon={<IconBuilding />} title="You are not a member of any organization">
          Create an organization, or ask an admin to invite you.
        </Empty>
      ) : (
        <>
          <Text role="status" size="sm" c="dimmed">
            {shown.length === orgs.length
              ? counted(orgs.length, 'organization')
              : `${shown.length} of ${orgs.length}`}
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
    </Page>
  );
}
