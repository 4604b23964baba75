import { List, Skeleton, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import * as text from '#strings/triage.tsx';
import type { OrgSession } from '../app/session.ts';
import { Ago } from '../components/time/Time.tsx';
import { activityQuery } from '../findings/finding-queries.ts';
import { STATUS_NAMES } from '../findings/Severity.tsx';
import { titleOf } from '../findings/title.ts';
import type { Conflict } from './engine/change-statuses.ts';

/** The number of findings shown. */
const SHOWN = 5;

interface Props {
  org: OrgSession;
  conflicts: readonly Conflict[];
}

/** Changes that others made to findings in the meantime. */
export function Conflicts({ org, conflicts }: Props) {
  const shown = conflicts.slice(0, SHOWN);
  const activities = useQueries({
    queries: shown.map(({ id }) => ({ ...activityQuery(org, id, 10), staleTime: 0 })),
  });
  return (
    <List spacing="xs" listStyleType="none">
      {shown.map(({ id, title, now, status }, i) => {
        const { data, error } = activities[i] ?? {};
        const last = data?.entries.find(({ kind }) => kind === 'status');
        return (
          <List.Item key={id}>
            <Text size="sm" fw={600} lineClamp={2}>
              <bdi>{titleOf(title)}</bdi>
            </Text>
            {data || error ? (
              <Text size="sm">
                {text.theyDecided({
                  name: last?.actor.name,
                  status: STATUS_NAMES[now],
                  reason: last?.reason,
                  time: last && <Ago time={last.at} />,
                  own: status && STATUS_NAMES[status],
                })}
              </Text>
            ) : (
              <Skeleton h={18} w="80%" />
            )}
            {last?.note && (
              <Text size="sm" c="dimmed" lineClamp={3}>
                <bdi>{last.note}</bdi>
              </Text>
            )}
          </List.Item>
        );
      })}
      {conflicts.length > SHOWN && <List.Item>{text.andMore(conflicts.length - SHOWN)}</List.Item>}
    </List>
  );
}
