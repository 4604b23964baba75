import { Group } from '@mantine/core';
import * as text from '#strings/findings/list.tsx';
import { Empty } from '../../components/Empty.tsx';
import { OrgButton } from '../../components/links.tsx';
import { IconBug, IconFilterOff, IconMoodCheck } from '../../icons/icons.ts';
import { filtersBeside, type ListState, searchOf, withoutFilters } from '../list-state.ts';
import { unknownKeys } from '../query/query.ts';
import { ALL } from '../views.ts';

interface Props {
  list: ListState;
  /** Whether the organization has no findings; undefined while this is not known. */
  isEmpty: boolean | undefined;
}

/** The empty state: no findings yet, nothing to do, or no matching findings. */
export function NoFindings({ list, isEmpty }: Props) {
  const { filter, view } = list;
  if (Object.keys(filtersBeside(list)).length > 0) {
    const keys = unknownKeys(filter.q ?? '');
    return (
      <Empty icon={<IconFilterOff />} title={text.noMatching}>
        {keys.length > 0 ? text.notFilters(keys) : text.removeFilter}
        <Group justify="center" mt="md">
          <OrgButton to="/o/$org/findings" search={searchOf(withoutFilters(list))} variant="default">
            {text.clearFilters}
          </OrgButton>
        </Group>
      </Empty>
    );
  }
  if (isEmpty === undefined && view.id !== 'all') return null;
  if (!isEmpty && view.id !== 'all') {
    return (
      <Empty
        icon={<IconMoodCheck />}
        title={view.id === 'attention' ? text.nothingNeedsAttention : text.noneInView}
      >
        {text.whatAppears[view.id] ?? text.whatFits}
        <Group justify="center" mt="md">
          <OrgButton to="/o/$org/findings" search={ALL} variant="default">
            {text.showAll}
          </OrgButton>
        </Group>
      </Empty>
    );
  }
  return (
    <Empty icon={<IconBug />} title={text.noFindings}>
      {text.whereFindingsComeFrom}
      <Group justify="center" mt="md">
        <OrgButton to="/o/$org">{text.openFirstSteps}</OrgButton>
      </Group>
    </Empty>
  );
}
