import { Group } from '@mantine/core';
import { IconBug, IconFilterOff } from '@tabler/icons-react';
import { useOrg } from '../../app/session.ts';
import { Empty } from '../../components/Empty.tsx';
import { LinkButton } from '../../components/links.tsx';
import type { FindingFilter } from '../list-queries.ts';
import { isFiltered } from './filters/filters.ts';

/** Nothing was found yet, or nothing that matches. */
export function NoFindings({ filter }: { filter: FindingFilter }) {
  const { slug } = useOrg();
  if (isFiltered(filter)) {
    return (
      <Empty icon={<IconFilterOff />} title="No finding matches">
        Take a filter away, or look at all of them.
        <Group justify="center" mt="md">
          <LinkButton to="/o/$org/findings" params={{ org: slug }} search={{}} variant="default">
            Clear the filters
          </LinkButton>
        </Group>
      </Empty>
    );
  }
  return (
    <Empty icon={<IconBug />} title="No findings yet">
      They appear here as soon as an agent reports them.
      <Group justify="center" mt="md">
        <LinkButton to="/o/$org" params={{ org: slug }}>
          See the first steps
        </LinkButton>
      </Group>
    </Empty>
  );
}
