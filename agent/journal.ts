import { closeSync, constants, fdatasyncSync, mkdirSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../lib/importers/finding.ts';
import { UsageError } from './errors.ts';
import { type Folder, openFolder } from './folder.ts';
import { type Entry, type Line, type Receipt, stateOf, writeLine } from './journal-lines.ts';
import { lock, unlock } from './lock.ts';
import type { ScanEnd, ScanSpec } from './scan.ts';
import { forget, startRecord } from './trust/journals.ts';
import type { State } from './trust/state.ts';

/**
 * What one scan has to deliver, on disk before it is sent: `<workspace>/.svc/scans/<scan_id>.jsonl`, lines that are only
 * ever added. Whatever moment the process dies at, what was not acknowledged is still there.
 */
export interface Journal {
  readonly path: string;
  readonly scan: ScanSpec;
  readonly entries: readonly Entry[];
  /** How many were delivered, for the first time or not, and refused. */
  readonly counts: { readonly fresh: number; readonly seenAgain: number; readonly refused: number };
  /** The project's id, once the scan is registered. */
  readonly projectId: string | undefined;
  /** How the scan is to end, once that is known. */
  readonly end: ScanEnd | undefined;
  /** Everything is delivered or refused, and the service knows the end. */
  readonly finished: boolean;
  registered(scanId: string, projectId: string): void;
  /** Writes findings down, for good when it returns. */
  add(findings: readonly Finding[]): Entry[];
  delivered(entry: Entry, receipt: Receipt): void;
  refused(entry: Entry, why: string): void;
  setEnd(end: ScanEnd): void;
  ended(): void;
  close(): void;
}

const FOLDER = '.svc';

const SCANS = 'scans';

/** Opens `<workspace>/.svc/scans`; undefined when it does not exist and is not to be created. */
export function openScans(workspace: string, create: boolean): Folder | undefined {
  const folder = openFolder(workspace, FOLDER, { create });
  if (folder === undefined) return undefined;
  try {
    if (create) ignoreScans(folder);
    return folder.folder(SCANS, { create });
  } finally {
    folder.close();
  }
}

/** Keeps journals out of version control. */
function ignoreScans(folder: Folder): void {
  try {
    // `wx` creates the file or fails; it follows no link.
    writeFileSync(folder.at('.gitignore'), `${SCANS}/\n`, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * Starts the journal of a new scan.
 * @param onWarning told when the state cannot be written: `sync` will then not know the journal as this user's
 */
export function createJournal(
  workspace: string,
  scan: ScanSpec,
  state: State,
  onWarning: (message: string) => void,
): Journal {
  // The workspace is the user's word, so it may be new, and its path may hold links.
  mkdirSync(workspace, { recursive: true });
  const folder = openScans(workspace, true) as Folder;
  const name = `${scan.scan_id}.jsonl`;
  try {
    if (!lock(folder, name)) {
      throw new UsageError(`${join(folder.path, name)} is being worked on by another process`);
    }
    let key: Buffer | undefined;
    try {
      key = startRecord(state, workspace, name);
    } catch (error) {
      onWarning(
        `The state directory ${state.directory ?? ''} cannot be used (${(error as Error).message}). If findings of this scan are left over, \`svc-agent sync\` will not know that they are yours. Set XDG_STATE_HOME to a directory of your own.`,
      );
    }
    const journal = openJournal(folder, name, scan, [], key, () => forget(state, name));
    journal.write([{ type: 'scan', scan }]);
    return journal;
  } catch (error) {
    unlock(folder, name);
    folder.close();
    throw error;
  }
}

/**
 * Opens a journal that this process has locked.
 * @param key seals what is written
 * @param onFinished called when it is closed with nothing left to deliver
 */
export function openJournal(
  folder: Folder,
  name: string,
  scan: ScanSpec,
  lines: readonly Line[],
  key: Buffer | undefined,
  onFinished: () => void,
): Journal & { write(lines: readonly Line[]): void } {
  const path = join(folder.path, name);
  const state = stateOf(lines);
  const { counts } = state;
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  // Findings are for nobody else.
  const file = folder.open(name, O_APPEND | O_CREAT | O_WRONLY, 0o600);
  let isOpen = true;
  // A line that was cut off, by a crash or a full disk, must not swallow the next one.
  let isCut = lines.length > 0;
  let next = state.entries.reduce((most, { n }) => Math.max(most, n + 1), 0);

  function isFinished(): boolean {
    const { fresh, seenAgain, refused } = counts;
    return state.ended && fresh + seenAgain + refused === state.entries.length;
  }

  function write(added: readonly Line[]): void {
    // The number of a closed file is soon another file's.
    if (!isOpen) throw new Error(`${path} is closed`);
    const text = added.map((line) => writeLine(line, key)).join('');
    const bytes = Buffer.from(isCut ? `\n${text}` : text);
    isCut = true;
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    isCut = false;
  }
  return {
    path,
    get scan() {
      return state.scanId === undefined ? scan : { ...scan, scan_id: state.scanId };
    },
    get entries() {
      return state.entries;
    },
    counts,
    get projectId() {
      return state.projectId;
    },
    get end() {
      return state.end;
    },
    get finished() {
      return isFinished();
    },
    write,
    registered(scanId, projectId) {
      state.scanId = scanId;
      state.projectId = projectId;
      write([{ type: 'registered', scan_id: scanId, project_id: projectId }]);
    },
    add(findings) {
      const added = findings.map((finding) => ({ n: next++, finding }));
      write(added.map(({ n, finding }) => ({ type: 'finding' as const, n, finding })));
      fdatasyncSync(file);
      for (const entry of added) state.entries.push(entry);
      return added;
    },
    delivered(entry, receipt) {
      entry.receipt = receipt;
      counts[receipt.deduplicated ? 'seenAgain' : 'fresh']++;
      write([{ type: 'delivered', n: entry.n, ...receipt }]);
    },
    refused(entry, why) {
      entry.refused = why;
      counts.refused++;
      write([{ type: 'refused', n: entry.n, error: why }]);
    },
    setEnd(end) {
      state.end = end;
      write([{ type: 'end', end }]);
    },
    ended() {
      state.ended = true;
      write([{ type: 'ended' }]);
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      closeSync(file);
      unlock(folder, name);
      folder.close();
      if (isFinished()) onFinished();
    },
  };
}
