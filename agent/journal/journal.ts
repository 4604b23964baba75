import { closeSync, constants, fdatasyncSync, fstatSync, mkdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from '../../lib/importers/finding.ts';
import { UsageError } from '../errors.ts';
import type { ScanEnd, ScanSpec } from '../scan.ts';
import { createRecord, removeRecord } from '../trust/journals.ts';
import type { State } from '../trust/state.ts';
import { errorCode, type Folder } from './folder.ts';
import { journalHomes, openScans } from './homes.ts';
import {
  type Entry,
  formatLine,
  isPending,
  type Line,
  type Place,
  type Receipt,
  readLines,
  replay,
} from './lines.ts';
import { lock, unlock } from './lock.ts';
import { StoredEntry } from './stored-entry.ts';

/**
 * The append-only file `<workspace>/.svc/scans/<scan_id>.jsonl`. Findings are on disk before they are sent, so a crash
 * loses no finding.
 */
export interface Journal {
  readonly path: string;
  readonly scan: ScanSpec;
  readonly entries: readonly Entry[];
  /** The number of findings. */
  readonly total: number;
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
  /** Keeps the findings that are added from now on only on disk, and `entries` contains only those that are pending. */
  keepOnDisk(): void;
  markDelivered(entry: Entry, receipt: Receipt): void;
  markRefused(entry: Entry, reason: string): void;
  setEnd(end: ScanEnd): void;
  markEnded(): void;
  close(): void;
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
    const journal = openJournal(folder, name, scan, { key }, () => removeRecord(state, name));
    journal.write([{ type: 'scan', scan }]);
    return journal;
  } catch (error) {
    unlock(folder, name);
    folder.close();
    throw error;
  }
}

interface Keys {
  /** Seals the lines; undefined writes them unsealed. */
  key: Buffer | undefined;
  /** Whether to read lines without a valid seal too. */
  acceptsAll?: boolean;
}

/**
 * Opens a journal that this process has locked. Findings that it contains already stay on disk.
 * @param onFinished called when a finished journal is closed
 */
export function openJournal(
  folder: Folder,
  name: string,
  scan: ScanSpec,
  { key, acceptsAll = false }: Keys,
  onFinished: () => void,
): Journal & { write(lines: readonly Line[]): unknown } {
  const path = join(folder.path, name);
  const { O_APPEND, O_CREAT, O_RDWR } = constants;
  // Only this user may read findings.
  const file = folder.open(name, O_APPEND | O_CREAT | O_RDWR, 0o600);
  let size = fstatSync(file).size;
  const state = replay(
    readLines(file, acceptsAll ? undefined : key),
    (n, place) => new StoredEntry(n, file, place),
  );
  const { counts } = state;
  /** All entries, unless they are kept on disk. */
  const entries: Entry[] = [];
  /** The pending entries on disk. */
  let stored = size > 0 ? state.entries : undefined;
  let { total, nextNumber } = state;
  let isOpen = true;
  // A crash or a full disk may have truncated the last line. A new line must not be appended to it.
  let needsNewline = size > 0;

  function isFinished(): boolean {
    const { fresh, seenAgain, refused } = counts;
    return state.ended && fresh + seenAgain + refused === total;
  }

  /** @returns where the lines are in the file */
  function write(added: readonly Line[]): Place[] {
    // The descriptor of a closed file may already refer to another file.
    if (!isOpen) throw new Error(`${path} is closed`);
    const texts = added.map((line) => formatLine(line, key));
    const bytes = Buffer.from(`${needsNewline ? '\n' : ''}${texts.join('')}`);
    let offset = size + (needsNewline ? 1 : 0);
    needsNewline = true;
    for (let written = 0; written < bytes.length; ) {
      const count = writeSync(file, bytes, written);
      written += count;
      size += count;
    }
    needsNewline = false;
    return texts.map((text) => {
      const place = { offset, length: Buffer.byteLength(text) };
      offset += place.length;
      return place;
    });
  }

  function settle(entry: Entry): void {
    stored?.delete(entry.n);
  }
  return {
    path,
    get scan() {
      return state.scanId === undefined ? scan : { ...scan, scan_id: state.scanId };
    },
    get entries() {
      return stored ? [...stored.values()] : entries;
    },
    get total() {
      return total;
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
      const added: Entry[] = findings.map((finding) => ({ n: nextNumber++, finding }));
      const places = write(added.map(({ n, finding }) => ({ type: 'finding' as const, n, finding })));
      fdatasyncSync(file);
      total += added.length;
      if (!stored) {
        entries.push(...added);
        return added;
      }
      return added.map(({ n, finding }, index) => {
        const entry = new StoredEntry(n, file, places[index] as Place, finding);
        stored?.set(n, entry);
        return entry;
      });
    },
    keepOnDisk() {
      stored ??= new Map(entries.filter(isPending).map((entry) => [entry.n, entry]));
    },
    markDelivered(entry, receipt) {
      entry.receipt = receipt;
      counts[receipt.deduplicated ? 'seenAgain' : 'fresh']++;
      write([{ type: 'delivered', n: entry.n, ...receipt }]);
      settle(entry);
    },
    markRefused(entry, reason) {
      entry.refused = reason;
      counts.refused++;
      write([{ type: 'refused', n: entry.n, error: reason }]);
      settle(entry);
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
