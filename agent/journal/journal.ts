import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fdatasyncSync,
  mkdirSync,
  realpathSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import type { Finding } from '../../lib/importers/finding.ts';
import { UsageError } from '../errors.ts';
import type { ScanEnd, ScanSpec } from '../scan.ts';
import { createRecord, removeRecord } from '../trust/journals.ts';
import type { State } from '../trust/state.ts';
import { errorCode, type Folder, openFolder } from './folder.ts';
import { type Entry, formatLine, type Line, type Receipt, replay } from './lines.ts';
import { lock, unlock } from './lock.ts';

/**
 * The append-only file `<workspace>/.svc/scans/<scan_id>.jsonl`. Findings are on disk before they are sent, so a crash
 * loses no finding.
 */
export interface Journal {
  readonly path: string;
  readonly scan: ScanSpec;
  readonly entries: readonly Entry[];
  /** Delivered findings that are new (`fresh`) or known (`seenAgain`), and refused findings. */
  readonly counts: { readonly fresh: number; readonly seenAgain: number; readonly refused: number };
  /** Set once the scan is registered. */
  readonly projectId: string | undefined;
  /** Set once the outcome of the scan is known. */
  readonly end: ScanEnd | undefined;
  /** Whether every finding is delivered or refused and the scan has ended at the service. */
  readonly finished: boolean;
  markRegistered(scanId: string, projectId: string): void;
  /** Appends findings and flushes them to disk. */
  add(findings: readonly Finding[]): Entry[];
  markDelivered(entry: Entry, receipt: Receipt): void;
  markRefused(entry: Entry, reason: string): void;
  setEnd(end: ScanEnd): void;
  markEnded(): void;
  close(): void;
}

const FOLDER = '.svc';

const SCANS = 'scans';

/** Opens `<workspace>/.svc/scans`; undefined if it does not exist and `create` is false. */
export function openScans(workspace: string, create: boolean): Folder | undefined {
  const folder = openFolder(workspace, FOLDER, { create });
  if (folder === undefined) return undefined;
  try {
    if (create) writeGitignore(folder);
    return folder.openFolder(SCANS, { create });
  } finally {
    folder.close();
  }
}

/** Keeps journals out of version control. */
function writeGitignore(folder: Folder): void {
  try {
    // `wx` fails if the path exists, also as a link.
    writeFileSync(folder.pathOf('.gitignore'), `${SCANS}/\n`, { flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * The directories that can contain the journals of a workspace: the workspace and, for a workspace that is read-only, one in
 * the state directory.
 */
export function journalHomes(workspace: string, { directory }: State): string[] {
  if (directory === undefined) return [workspace];
  const id = createHash('sha256').update(realPathOf(workspace)).digest('hex').slice(0, 32);
  return [workspace, join(directory, 'workspaces', id)];
}

function realPathOf(workspace: string): string {
  try {
    return realpathSync(workspace);
  } catch {
    return resolve(workspace);
  }
}

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
    let key: Buffer | undefined;
    try {
      key = createRecord(state, workspace, name);
    } catch (error) {
      onWarning(
        `The state directory ${state.directory ?? ''} is not usable (${(error as Error).message}). \`svc-agent sync\` will skip findings that this run does not deliver. Set XDG_STATE_HOME to a directory that you own.`,
      );
    }
    const journal = openJournal(folder, name, scan, [], key, () => removeRecord(state, name));
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
 * @param key seals the lines; undefined writes them unsealed
 * @param onFinished called when a finished journal is closed
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
  const state = replay(lines);
  const { counts } = state;
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  // Only this user may read findings.
  const file = folder.open(name, O_APPEND | O_CREAT | O_WRONLY, 0o600);
  let isOpen = true;
  // A crash or a full disk may have truncated the last line. A new line must not be appended to it.
  let needsNewline = lines.length > 0;
  let nextNumber = state.entries.reduce((most, { n }) => Math.max(most, n + 1), 0);

  function isFinished(): boolean {
    const { fresh, seenAgain, refused } = counts;
    return state.ended && fresh + seenAgain + refused === state.entries.length;
  }

  function write(added: readonly Line[]): void {
    // The descriptor of a closed file may already refer to another file.
    if (!isOpen) throw new Error(`${path} is closed`);
    const text = added.map((line) => formatLine(line, key)).join('');
    const bytes = Buffer.from(needsNewline ? `\n${text}` : text);
    needsNewline = true;
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
    needsNewline = false;
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
    markRegistered(scanId, projectId) {
      state.scanId = scanId;
      state.projectId = projectId;
      write([{ type: 'registered', scan_id: scanId, project_id: projectId }]);
    },
    add(findings) {
      const added = findings.map((finding) => ({ n: nextNumber++, finding }));
      write(added.map(({ n, finding }) => ({ type: 'finding' as const, n, finding })));
      fdatasyncSync(file);
      for (const entry of added) state.entries.push(entry);
      return added;
    },
    markDelivered(entry, receipt) {
      entry.receipt = receipt;
      counts[receipt.deduplicated ? 'seenAgain' : 'fresh']++;
      write([{ type: 'delivered', n: entry.n, ...receipt }]);
    },
    markRefused(entry, reason) {
      entry.refused = reason;
      counts.refused++;
      write([{ type: 'refused', n: entry.n, error: reason }]);
    },
    setEnd(end) {
      state.end = end;
      write([{ type: 'end', end }]);
    },
    markEnded() {
      // First on disk: a finished journal loses its record, and `sync` no longer delivers it.
      write([{ type: 'ended' }]);
      state.ended = true;
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
