import { Group } from '@mantine/core';
import { IconBug, IconFilterOff } from '@tabler/icons-react';
import { useOrg } from '../../app/session.ts';
import { Empty } from '../../components/Empty.tsx';
import { LinkButton } from '../../components/links.tsx';
import type { FindingFilter } from '../list-queries.ts';
import { isFiltered } from './filters/filters.ts';

/** The empty state: no findings yet, or no matching findings. */
export function NoFindings({ filter }: { filter: FindingFilter }) {
  const { slug } = useOrg();
  if (isFiltered(filter)) {
    return (
      <Empty icon={<IconFilterOff />} title="No matching findings">
        Remove a filter or show all findings.
        <Group justify="center" mt="md">
          <LinkButton to="/o/$org/findings" params={{ org: slug }} search={{}} variant="default">
            Clear filters
          </LinkButton>
        </Group>
      </Empty>
    );
  }
  return (
    <Empty icon={<IconBug />} title="No findings yet">
      Findings appear here when an agent reports them.
      <Group justify="center" mt="md">
        <LinkButton to="/o/$org" params={{ org: slug }}>
          Open first steps
        </LinkButton>
      </Group>
    </Empty>
  );
}
