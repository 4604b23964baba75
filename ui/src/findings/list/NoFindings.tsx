import { Group } from '@mantine/core';
import { IconBug, IconFilterOff, IconMoodCheck } from '@tabler/icons-react';
import { useOrg } from '../../app/session.ts';
import { Empty } from '../../components/Empty.tsx';
import { LinkButton } from '../../components/links.tsx';
import type { FindingFilter } from '../list-queries.ts';
import { ALL, filtersBesideView, inView, viewOf } from '../views.ts';

interface Props {
  filter: FindingFilter;
  /** Whether the organization has no findings; undefined while this is not known. */
  isEmpty: boolean | undefined;
}

/** The empty state: no findings yet, nothing to do, or no matching findings. */
export function NoFindings({ filter, isEmpty }: Props) {
  const { slug } = useOrg();
  const params = { org: slug };
  const view = viewOf(filter);
  if (Object.keys(filtersBesideView(filter)).length > 0) {
    return (
      <Empty icon={<IconFilterOff />} title="No matching findings">
        Remove a filter or show all findings of this view.
        <Group justify="center" mt="md">
          <LinkButton to="/o/$org/findings" params={params} search={inView({}, view)} variant="default">
            Clear filters
          </LinkButton>
        </Group>
      </Empty>
    );
  }
  if (isEmpty === undefined && view?.id !== 'all') return null;
  if (!isEmpty && view?.id !== 'all') {
    return (
      <Empty
        icon={<IconMoodCheck />}
        title={view?.id === 'attention' ? 'Nothing needs attention' : 'No findings in this view'}
      >
        New and regressed findings appear here.
        <Group justify="center" mt="md">
          <LinkButton to="/o/$org/findings" params={params} search={ALL} variant="default">
            Show all findings
          </LinkButton>
        </Group>
      </Empty>
    );
  }
  return (
    <Empty icon={<IconBug />} title="No findings yet">
      Findings appear here when an agent reports them or a report is uploaded.
      <Group justify="center" mt="md">
        <LinkButton to="/o/$org" params={params}>
          Open first steps
        </LinkButton>
      </Group>
    </Empty>
  );
}
