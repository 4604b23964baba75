import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { ReactNode } from 'react';
import { problemOf } from '../components/errors/problem.ts';
import { counted } from '../components/numbers.ts';
import { STATUS_NAMES } from '../findings/Severity.tsx';
import type { Change } from './change-statuses.ts';
import type { Messages } from './engine.ts';

/** Messages as toasts. A new toast replaces the previous one. */
export function createMessages(): Messages {
  let shown: string | undefined;
  const show = (data: Parameters<typeof notifications.show>[0]) => {
    if (shown) notifications.hide(shown);
    shown = notifications.show({ autoClose: 8_000, ...data });
  };
  return {
    changed: (changes, undo) =>
      show({
        color: 'teal',
        message: (
          <Group justify="space-between" wrap="nowrap" gap="xs">
            <Text size="sm" lineClamp={2}>
              {/* The status comes first, because long titles are cut off. */}
              {`Set to ${statusOf(changes)}: `}
              {named(changes)}
            </Text>
            <Button size="compact-sm" variant="light" onClick={undo} flex="none">
              Undo
            </Button>
          </Group>
        ),
      }),
    undone: (changes) =>
      show({
        color: 'teal',
        message: (
          <Text size="sm" lineClamp={2}>
            {changes.length === 1 ? (
              <>
                Undone. Set to {statusOf(changes)}: {named(changes)}
              </>
            ) : (
              <>Undone for {named(changes)}.</>
            )}
          </Text>
        ),
      }),
    failed({ reason }, error) {
      const { title, advice } = error ? problemOf(error) : { title: '', advice: reason };
      show({
        color: 'red',
        title: title ? `Not changed: ${title}` : 'Not changed',
        message: advice,
        autoClose: 12_000,
      });
    },
    notRestored: (count) =>
      void notifications.show({
        color: 'yellow',
        title: `${counted(count, 'finding')} not restored`,
        message: 'Only agents can set the status to verified.',
        autoClose: 12_000,
      }),
    explain: (error) => problemOf(error).title,
    nothingToUndo: () => show({ color: 'gray', message: 'Nothing to undo.' }),
    busy: () =>
      show({ color: 'gray', message: 'Another change is still running. Try again when it is complete.' }),
  };
}

function named(changes: readonly Change[]): ReactNode {
  const [first] = changes;
  if (changes.length !== 1) return counted(changes.length, 'finding');
  return (
    <>
      “<bdi>{first?.title}</bdi>”
    </>
  );
}

const statusOf = ([first]: readonly Change[]): string => (first ? STATUS_NAMES[first.status] : '');
