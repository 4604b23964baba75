import { join, resolve } from 'node:path';
import type { Folder } from './folder.ts';
import { type Journal, openJournal, openScans } from './journal.ts';
import { isPending, readLines, stateOf } from './journal-lines.ts';
import { lock, unlock } from './lock.ts';
import { forget, keyOf } from './trust/journals.ts';
import type { State } from './trust/state.ts';

/** What a workspace still has to deliver. */
export interface Unfinished {
  /** Oldest first. */
  journals: Journal[];
  /** Files that another process is working on. */
  busy: string[];
  /** Files that are no journals, or cannot be read. */
  unreadable: string[];
  /** Journals that this user has not written on this machine, such as those that a repository brings. */
  foreign: { path: string; findings: number }[];
  /** Journals of this user with lines that somebody else has added or changed. */
  altered: { path: string; lines: number }[];
}

/**
 * Opens the journals of a workspace that have something to deliver.
 * @param accepts whether to take a journal that is not this user's
 */
export function openUnfinished(
  workspace: string,
  state: State,
  accepts: (path: string) => boolean = () => false,
): Unfinished {
  const found: Unfinished = { journals: [], busy: [], unreadable: [], foreign: [], altered: [] };
  const names = openScans(workspace, false);
  if (names === undefined) return found;
  try {
    for (const name of names.names().filter((name) => name.endsWith('.jsonl'))) {
      const path = join(names.path, name);
      const folder = openScans(workspace, false);
      if (folder === undefined) break;
      let isKept = false;
      try {
        isKept = openOne(folder, name, path);
      } catch {
        found.unreadable.push(path);
      } finally {
        if (!isKept) folder.close();
      }
    }
  } finally {
    names.close();
  }
  return found;

  /** @returns whether the journal is opened, and with it the folder */
  function openOne(folder: Folder, name: string, path: string): boolean {
    // The record before the text: another process writes the end of a journal and then removes its record.
    const key = keyOf(state, workspace, name);
    const isAccepted = accepts(path);
    const reads = (text = '') => readLines(text, isAccepted ? undefined : key);
    const text = folder.read(name);
    const everything = readLines(text ?? '', undefined).lines;
    if (everything[0]?.type !== 'scan') {
      found.unreadable.push(path);
      return false;
    }
    const { lines, unsealed } = reads(text);
    if (!isAccepted && (key === undefined || lines[0]?.type !== 'scan')) {
      const { entries, finished } = stateOf(everything);
      if (!finished) found.foreign.push({ path, findings: entries.filter(isPending).length });
      return false;
    }
    if (unsealed > 0) found.altered.push({ path, lines: unsealed });
    if (stateOf(lines).finished) {
      // The process that delivered it died before it removed the record.
      forget(state, name);
      return false;
    }
    if (!lock(folder, name)) {
      found.busy.push(path);
      return false;
    }
    // Read again: the process that held it may just have finished.
    const now = reads(folder.read(name)).lines;
    const [scan] = now;
    if (scan?.type !== 'scan') {
      unlock(folder, name);
      found.unreadable.push(path);
      return false;
    }
    const journal = openJournal(folder, name, scan.scan, now, key, () => forget(state, name));
    if (journal.finished) journal.close();
    else found.journals.push(journal);
    return true;
  }
}

/** The journals that `--accept-journal` names: files, or `all`. */
export function acceptedJournals(given: readonly string[]) {
  const unused = new Set(given.filter((path) => path !== 'all').map((path) => resolve(path)));
  const paths = new Set(unused);
  return {
    accepts(path: string): boolean {
      unused.delete(path);
      return given.includes('all') || paths.has(path);
    },
    /** Paths that nobody asked about. */
    unused: () => [...unused],
  };
}
