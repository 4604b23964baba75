import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.ts';
import type { ScanSpec } from '../scan.ts';
import { createRecord, removeRecord } from '../trust/journals.ts';
import type { State } from '../trust/state.ts';
import { errorCode, type Folder } from './folder.ts';
import { journalHomes, openScans } from './homes.ts';
import { type Journal, openJournal } from './journal.ts';
import { lock, unlock } from './lock.ts';

const READ_ONLY = ['EROFS', 'EACCES', 'EPERM'];

/**
 * Starts the journal of a new scan.
 * @param onWarning called if the state cannot be written; `sync` then does not recognize the journal as this user's
 */
export function createJournal(
  workspace: string,
  scan: ScanSpec,
  state: State,
  onWarning: (message: string) => void,
): Journal {
  const [home, fallback] = journalHomes(workspace, state) as [string, string?];
  try {
    // The user chose the workspace, so it may not exist yet and its path may contain links.
    mkdirSync(home, { recursive: true });
    return createIn(home, scan, state, onWarning);
  } catch (error) {
    if (fallback === undefined || !READ_ONLY.includes(errorCode(error) ?? '')) throw error;
    mkdirSync(fallback, { recursive: true, mode: 0o700 });
    return createIn(fallback, scan, state, onWarning);
  }
}

function createIn(
  workspace: string,
  scan: ScanSpec,
  state: State,
  onWarning: (message: string) => void,
): Journal {
  const folder = openScans(workspace, true) as Folder;
  const name = `${scan.scan_id}.jsonl`;
  try {
    if (!lock(folder, name)) {
      throw new UsageError(`${join(folder.path, name)} is in use by another process`);
    }
    let key: Uint8Array | undefined;
    try {
      key = createRecord(state, workspace, name);
    } catch (error) {
      onWarning(
        `The state directory ${state.directory ?? ''} is not usable (${(error as Error).message}). \`svc-agent sync\` will skip findings that this run does not deliver. Set XDG_STATE_HOME to a directory that you own.`,
      );
    }
    const journal = openJournal(folder, name, scan, { key }, () => removeRecord(state, name));
    journal.write([{ type: 'scan', scan }]);
    return journal;
  } catch (error) {
    unlock(folder, name);
    folder.close();
    throw error;
  }
}
