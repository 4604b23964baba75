import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { QueryClient } from '@tanstack/react-query';
import * as text from '#strings/deletion.tsx';
import type { OrgSession } from '../app/session.ts';
import { showError, showSuccess } from '../components/errors/toasts.ts';
import { scanName } from '../scans/scan-name.ts';
import { type Deletion, isInProgress, POLL_MS } from './queries.ts';

/** How long “Undo” is shown. The page of deletions has it for 30 days. */
const UNDO_MS = 60_000;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** All data of the organization may show what was deleted or restored. */
const refresh = (queries: QueryClient, { slug }: OrgSession) =>
  queries.invalidateQueries({ queryKey: ['org', slug] });

/** Reads a deletion until it is complete. */
async function completed({ api }: OrgSession, deletion: Deletion): Promise<Deletion> {
  let now = deletion;
  while (isInProgress(now)) {
    await sleep(POLL_MS);
    now = (await api.get('/deletions/{id}', { params: { path: { id: now.id } } })).result;
  }
  return now;
}

/** Undoes deletions, and says what was restored. */
export async function undoDeletions(
  org: OrgSession,
  queries: QueryClient,
  ids: readonly string[],
): Promise<void> {
  let restored = 0;
  let leftOut = 0;
  try {
    for (const id of ids) {
      const { result } = await org.api.post('/deletions/{id}/undo', { params: { path: { id } } });
      const done = await completed(org, result);
      restored += done.restored;
      leftOut += done.findings - done.restored;
    }
    showSuccess(text.restored(restored, leftOut));
  } catch (error) {
    showError(error);
  } finally {
    await refresh(queries, org);
  }
}

/** Shows deletions that have started, with a button that undoes them, until they are complete. */
export async function announceDeletions(
  org: OrgSession,
  queries: QueryClient,
  deletions: readonly Deletion[],
): Promise<void> {
  const ids = deletions.map(({ id }) => id);
  let isUndone = false;
  const undo = () => {
    isUndone = true;
    notifications.hide(toast);
    void undoDeletions(org, queries, ids);
  };
  const message = (now: readonly Deletion[]) => (
    <Group justify="space-between" wrap="nowrap" gap="xs">
      <Text size="sm" lineClamp={4} style={{ overflowWrap: 'anywhere' }}>
        {text.progressOf(sumOf(now))}
      </Text>
      <Button size="compact-sm" variant="light" onClick={undo} flex="none">
        {text.undo}
      </Button>
    </Group>
  );
  const toast = notifications.show({ color: 'teal', autoClose: UNDO_MS, message: message(deletions) });
  await refresh(queries, org);
  if (!deletions.some(isInProgress)) return;
  try {
    const done = await Promise.all(deletions.map((one) => completed(org, one)));
    if (isUndone) return;
    notifications.update({ id: toast, color: 'teal', autoClose: UNDO_MS, message: message(done) });
    await refresh(queries, org);
  } catch (error) {
    showError(error);
  }
}

/** The numbers of several deletions together. */
function sumOf(deletions: readonly Deletion[]) {
  const scan = deletions.find((one) => one.scan)?.scan;
  return {
    scan: scan && <bdi>{scanName(scan)}</bdi>,
    selected: deletions.reduce((sum, { selected }) => sum + selected, 0),
    findings: deletions.reduce((sum, { findings }) => sum + findings, 0),
    isComplete: !deletions.some(isInProgress),
  };
}
