import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { ScanSpec } from '../scan.ts';
import { createRecord, removeRecord } from '../trust/journals.ts';
import type { State } from '../trust/state.ts';
import { createDirectory, errorCode, type Folder } from './folder.ts';
import { journalHomes, openScans } from './homes.ts';
import { type Journal, openJournal } from './journal.ts';
import { lock, unlock } from './lock.ts';

/**
 * Starts the journal of a new scan: in the workspace, else in the state directory, else in a directory for temporary files.
 * @param destination the service that the findings are for
 * @param onWarning called if `sync` will not find the journal or not recognize it as this user's
 * @throws UsageError if none of them can be written
 */
export function createJournal(
  workspace: string,
  scan: ScanSpec,
  state: State,
  destination: string,
  onWarning: (message: string) => void,
): Journal {
  let reason = '';
  for (const home of journalHomes(workspace, state)) {
    try {
      // The user chose the workspace, so it may not exist yet and its path may contain links.
      createDirectory(home, home === workspace ? undefined : 0o700);
      return createIn(home, scan, state, destination, onWarning);
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      reason ||= (error as Error).message;
    }
  }
  return createTemporary(scan, state, destination, onWarning, reason);
}

/** Starts a journal that is removed once it is delivered. */
function createTemporary(
  scan: ScanSpec,
  state: State,
  destination: string,
  onWarning: (message: string) => void,
  reason: string,
): Journal {
  let home: string | undefined;
  try {
    home = mkdtempSync(join(tmpdir(), 'svc-agent-'));
    const remove = () => rmSync(home as string, { recursive: true, force: true });
    const journal = createIn(home, scan, state, destination, () => {}, remove);
    onWarning(
      `Neither the workspace nor the state directory can be written (${reason}). Findings are queued in ${home}: deliver those that this run does not deliver with \`svc-agent sync --workspace ${home} --accept-journal all\`. ${ADVICE}`,
    );
    return journal;
  } catch (error) {
    if (home !== undefined) rmSync(home, { recursive: true, force: true });
    throw new UsageError(`Findings cannot be queued on disk (${(error as Error).message}). ${ADVICE}`);
  }
}

const ADVICE = 'Set XDG_STATE_HOME to a directory that you own.';

function createIn(
  home: string,
  scan: ScanSpec,
  state: State,
  destination: string,
  onWarning: (message: string) => void,
  onFinished = () => {},
): Journal {
  const folder = openScans(home, true) as Folder;
  const name = `${scan.scan_id}.jsonl`;
  let isLocked = false;
  try {
    isLocked = lock(folder, name);
    if (!isLocked) throw new UsageError(`${join(folder.path, name)} is in use by another process`);
    let key: Uint8Array | undefined;
    try {
      key = createRecord(state, home, name, destination);
    } catch (error) {
      onWarning(
        `The state directory ${state.directory ?? ''} is not usable (${(error as Error).message}). \`svc-agent sync\` will skip findings that this run does not deliver. ${ADVICE}`,
      );
    }
    const journal = openJournal(folder, name, scan, { key }, () => {
      removeRecord(state, name);
      onFinished();
    });
    journal.write([{ type: 'scan', scan }]);
    return journal;
  } catch (error) {
    if (isLocked) {
      rmSync(folder.pathOf(name), { force: true });
      removeRecord(state, name);
      unlock(folder, name);
    }
    folder.close();
    throw error;
  }
}
