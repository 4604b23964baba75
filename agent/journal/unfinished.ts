import { closeSync, constants } from 'node:fs';
import { join, resolve } from 'node:path';
import { readJournal, removeRecord } from '../trust/journals.ts';
import { isMissing, type State } from '../trust/state.ts';
import { errorCode, type Folder } from './folder.ts';
import { journalHomes, openScans } from './homes.ts';
import { type Journal, openJournal } from './journal.ts';
import { type Entry, type Line, type PlacedLine, readLines } from './lines.ts';
import { lock, unlock } from './lock.ts';
import { replay } from './replay.ts';

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
  /** Journals of this user for another service or organization. */
  elsewhere: { path: string; findings: number; destination: string }[];
  /** Journals of this user with lines that someone else added or changed. */
  altered: { path: string; lines: number }[];
}

/**
 * Opens and locks the unfinished journals of a workspace.
 * @param destination the service that they are delivered to
 * @param accepts whether to accept a journal that is not this user's, or is for another service
 */
export function openUnfinished(
  workspace: string,
  state: State,
  destination: string,
  accepts: (path: string) => boolean = () => false,
): Unfinished {
  const result: Unfinished = {
    ...{ journals: [], busy: [], unreadable: [], failed: [] },
    ...{ foreign: [], elsewhere: [], altered: [] },
  };
  for (const home of journalHomes(workspace, state)) {
    try {
      openHome(home);
    } catch (error) {
      if (errorCode(error) === undefined || home === workspace) throw error;
      if (!isMissing(error)) result.failed.push({ path: home, reason: (error as Error).message });
    }
  }
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
    const record = readJournal(state, home, name);
    const key = record?.key;
    const isAccepted = accepts(path);
    const all = survey(folder, name, undefined);
    if (all.first?.type !== 'scan') {
      const isDamaged = key !== undefined && all.total > 0;
      if (isDamaged) result.failed.push({ path, reason: 'its first line is damaged' });
      else result.unreadable.push(path);
      return false;
    }
    const own = isAccepted ? all : survey(folder, name, key);
    if (!isAccepted && (key === undefined || own.first?.type !== 'scan')) {
      if (!all.finished) result.foreign.push({ path, findings: all.pending });
      return false;
    }
    if (!isAccepted && !own.finished && (record?.destination ?? destination) !== destination) {
      result.elsewhere.push({ path, findings: own.pending, destination: record?.destination ?? '' });
      return false;
    }
    if (own.unsealed > 0) result.altered.push({ path, lines: own.unsealed });
    if (own.finished) {
      // The process that delivered the journal died before it removed the record.
      removeRecord(state, name);
      return false;
    }
    if (!lock(folder, name)) {
      result.busy.push(path);
      return false;
    }
    // Read again: the previous lock owner may have finished the journal.
    const { first } = survey(folder, name, isAccepted ? undefined : key);
    if (first?.type !== 'scan') {
      unlock(folder, name);
      result.unreadable.push(path);
      return false;
    }
    const journal = openJournal(folder, name, first.scan, { key, acceptsAll: isAccepted }, () =>
      removeRecord(state, name),
    );
    if (journal.finished) journal.close();
    else result.journals.push(journal);
    return true;
  }
}

/** Reads a journal of any size. @param key as for `readLines` */
function survey(folder: Folder, name: string, key: Uint8Array | undefined) {
  let first: Line | undefined;
  let unsealed = 0;
  const file = folder.open(name, constants.O_RDONLY);
  function* lines(): Iterable<PlacedLine> {
    for (const placed of readLines(file, key, () => unsealed++)) {
      first ??= placed.line;
      yield placed;
    }
  }
  try {
    const { total, finished, entries } = replay(lines(), (n) => ({ n }) as Entry);
    return { first, unsealed, total, finished, pending: entries.size };
  } finally {
    closeSync(file);
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
