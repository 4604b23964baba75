import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './errors.ts';
import type { Finding } from './finding.ts';
import { type Entry, type Line, type Receipt, readLines, stateOf } from './journal-lines.ts';
import { lock, unlock } from './lock.ts';
import type { ScanEnd, ScanSpec } from './scan.ts';

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

const folderOf = (workspace: string) => join(workspace, '.svc/scans');

/** Starts the journal of a new scan. */
export function createJournal(workspace: string, scan: ScanSpec): Journal {
  const folder = folderOf(workspace);
  mkdirSync(folder, { recursive: true });
  // What is delivered from here is nothing to commit.
  const ignore = join(workspace, '.svc/.gitignore');
  if (!existsSync(ignore)) writeFileSync(ignore, 'scans/\n');
  const path = join(folder, `${scan.scan_id}.jsonl`);
  const journal = open(path, scan, []);
  journal.write([{ type: 'scan', scan }]);
  return journal;
}

/** What a workspace still has to deliver. */
export interface Unfinished {
  /** Oldest first. */
  journals: Journal[];
  /** Files that another process is working on. */
  busy: string[];
  /** Files that are no journals, or cannot be read. */
  unreadable: string[];
}

/** Opens the journals of a workspace that have something to deliver. */
export function openUnfinished(workspace: string): Unfinished {
  const folder = folderOf(workspace);
  const found: Unfinished = { journals: [], busy: [], unreadable: [] };
  if (!existsSync(folder)) return found;
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  for (const path of files.sort().map((file) => join(folder, file))) {
    try {
      const lines = readLines(path);
      if (lines[0]?.type !== 'scan') found.unreadable.push(path);
      else if (stateOf(lines).finished) continue;
      else if (!lock(path)) found.busy.push(path);
      else {
        // Read again: the process that held it may just have finished.
        const journal = open(path, lines[0].scan, readLines(path));
        if (journal.finished) journal.close();
        else found.journals.push(journal);
      }
    } catch {
      found.unreadable.push(path);
    }
  }
  return found;
}

function open(
  path: string,
  scan: ScanSpec,
  lines: readonly Line[],
): Journal & { write(lines: readonly Line[]): void } {
  const state = stateOf(lines);
  const { counts } = state;
  if (lines.length === 0 && !lock(path))
    throw new UsageError(`${path} is being worked on by another process`);
  // What is in it is for nobody else.
  const file = openSync(path, 'a', 0o600);
  let isOpen = true;
  // A line that was cut off, by a crash or a full disk, must not swallow the next one.
  let isCut = lines.length > 0;
  let next = state.entries.reduce((most, { n }) => Math.max(most, n + 1), 0);

  function write(added: readonly Line[]): void {
    // The number of a closed file is soon another file's.
    if (!isOpen) throw new Error(`${path} is closed`);
    const text = added.map((line) => `${JSON.stringify(line)}\n`).join('');
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
      const { fresh, seenAgain, refused } = counts;
      return state.ended && fresh + seenAgain + refused === state.entries.length;
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
      unlock(path);
    },
  };
}
