import { join, resolve } from 'node:path';
import { journalKey, removeRecord } from '../trust/journals.ts';
import type { State } from '../trust/state.ts';
import { errorCode, type Folder } from './folder.ts';
import { type Journal, journalHomes, openJournal, openScans } from './journal.ts';
import { isPending, parseLines, replay } from './lines.ts';
import { lock, unlock } from './lock.ts';

/** The journals of a workspace that are not delivered completely. */
export interface Unfinished {
  /** Oldest first. */
  journals: Journal[];
  /** Files that another process has locked. */
  busy: string[];
  /** Files that are not journals. */
  unreadable: string[];
  /** Journals that cannot be read or locked, for example because the disk is full. */
  failed: { path: string; reason: string }[];
  /** Journals that this user did not write on this machine, such as those that a repository contains. */
  foreign: { path: string; findings: number }[];
  /** Journals of this user with lines that someone else added or changed. */
  altered: { path: string; lines: number }[];
}

/**
 * Opens and locks the unfinished journals of a workspace.
 * @param accepts whether to accept a journal that is not this user's
 */
export function openUnfinished(
  workspace: string,
  state: State,
  accepts: (path: string) => boolean = () => false,
): Unfinished {
  const result: Unfinished = { journals: [], busy: [], unreadable: [], failed: [], foreign: [], altered: [] };
  for (const home of journalHomes(workspace, state)) openHome(home);
  return result;

  function openHome(home: string): void {
    const scans = openScans(home, false);
    if (scans === undefined) return;
    try {
      for (const name of scans.list().filter((name) => name.endsWith('.jsonl'))) {
        const path = join(scans.path, name);
        const folder = openScans(home, false);
        if (folder === undefined) break;
        let isOpened = false;
        try {
          isOpened = openFile(home, folder, name, path);
        } catch (error) {
          // A link or another kind of file is a UsageError.
          if (errorCode(error) === undefined) result.unreadable.push(path);
          else result.failed.push({ path, reason: (error as Error).message });
        } finally {
          if (!isOpened) folder.close();
        }
      }
    } finally {
      scans.close();
    }
  }

  /** @returns whether the journal was opened; it then owns the folder */
  function openFile(home: string, folder: Folder, name: string, path: string): boolean {
    // Read the record before the journal: another process writes the end of a journal before it removes the record.
    const key = journalKey(state, home, name);
    const isAccepted = accepts(path);
    const parse = (text = '') => parseLines(text, isAccepted ? undefined : key);
    const text = folder.read(name);
    const allLines = parseLines(text ?? '', undefined).lines;
    if (allLines[0]?.type !== 'scan') {
      const isDamaged = key !== undefined && allLines.some(({ type }) => type === 'finding');
      if (isDamaged) result.failed.push({ path, reason: 'its first line is damaged' });
      else result.unreadable.push(path);
      return false;
    }
    const { lines, unsealed } = parse(text);
    if (!isAccepted && (key === undefined || lines[0]?.type !== 'scan')) {
      const { entries, finished } = replay(allLines);
      if (!finished) result.foreign.push({ path, findings: entries.filter(isPending).length });
      return false;
    }
    if (unsealed > 0) result.altered.push({ path, lines: unsealed });
    if (replay(lines).finished) {
      // The process that delivered the journal died before it removed the record.
      removeRecord(state, name);
      return false;
    }
    if (!lock(folder, name)) {
      result.busy.push(path);
      return false;
    }
    // Read again: the previous lock owner may have finished the journal.
    const currentLines = parse(folder.read(name)).lines;
    const [scan] = currentLines;
    if (scan?.type !== 'scan') {
      unlock(folder, name);
      result.unreadable.push(path);
      return false;
    }
    const journal = openJournal(folder, name, scan.scan, currentLines, key, () => removeRecord(state, name));
    if (journal.finished) journal.close();
    else result.journals.push(journal);
    return true;
  }
}

/** The journals that `--accept-journal` names: paths or `all`. */
export function acceptedJournals(given: readonly string[]) {
  const unused = new Set(given.filter((path) => path !== 'all').map((path) => resolve(path)));
  const paths = new Set(unused);
  return {
    accepts(path: string): boolean {
      unused.delete(path);
      return given.includes('all') || paths.has(path);
    },
    /** Paths that `accepts` was not called with. */
    unused: () => [...unused],
  };
}
