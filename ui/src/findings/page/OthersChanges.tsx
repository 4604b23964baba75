import { Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import * as text from '#strings/findings/page.tsx';
import type { Schemas } from '../../app/api.ts';
import type { Severity } from '../../app/search.ts';
import { type OrgSession, useMe, useOrg } from '../../app/session.ts';
import { findingKey } from '../finding-queries.ts';
import { SEVERITY_NAMES, statusName } from '../Severity.tsx';

type Entry = Schemas['ActivityEntry'];

/** The latest entries of the activity that are compared. */
const LATEST = 10;

const latestQuery = (org: OrgSession, id: string) =>
  queryOptions({
    queryKey: [...findingKey(org, id), 'latest-activity'],
    queryFn: async ({ signal }): Promise<Entry[]> => {
      const params = { path: { id }, query: { page: 1, per_page: LATEST } };
      return (await org.api.get('/findings/{id}/activity', { params, signal })).result;
    },
  });

/** Tells what others change in a finding while its page is open. The page itself shows the new content. */
export function OthersChanges({ id }: { id: string }) {
  const org = useOrg();
  const { user } = useMe();
  const { data } = useQuery(latestQuery(org, id));
  const seen = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    if (!data) return;
    const before = seen.current;
    seen.current = new Set(data.map((entry) => entry.id));
    const others = data.filter((entry) => before && !before.has(entry.id) && entry.actor.id !== user.id);
    if (others.length === 0) return;
    const names = [...new Set(others.map(({ actor }) => actor.name ?? text.theService))];
    // A message with the same id would not be shown again.
    notifications.hide(`changed-${id}`);
    notifications.show({
      id: `changed-${id}`,
      color: 'blue',
      autoClose: false,
      title: text.changedThis(names.join(', ')),
      message: <Text size="sm">{text.currentContent([...new Set(others.map(wordsOf))].reverse())}</Text>,
    });
  }, [data, id, user.id]);
  useEffect(
    () => () => {
      notifications.hide(`changed-${id}`);
    },
    [id],
  );
  return null;
}

const WORDS: Partial<Record<Entry['kind'], string>> = text.otherChanges;

function wordsOf({ kind, to = '' }: Entry): string {
  if (kind === 'status') return text.newStatus(statusName(to));
  if (kind === 'severity') return text.newSeverity(SEVERITY_NAMES[to as Severity] ?? to);
  return WORDS[kind] ?? text.anotherChange;
}
