import { closeSync, constants, fdatasync, fdatasyncSync, fstatSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Finding } from '../../lib/importers/finding.ts';
import type { ScanEnd, ScanSpec } from '../scan.ts';
import type { Folder } from './folder.ts';
import {
  type Entry,
  formatLine,
  isPending,
  type Line,
  type Outcome,
  type Place,
  readLines,
  type SentBatch,
} from './lines.ts';
import { unlock } from './lock.ts';
import { replay } from './replay.ts';
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
  /** Batches that were sent, in this run or an earlier one, and that have not ended. */
  readonly batches: Iterable<SentBatch>;
  /** Records that a batch is about to be sent, and flushes the journal to disk. */
  addBatch(batch: SentBatch): Promise<void>;
  /** Ends a batch of which every finding was delivered or refused, or that the service did not accept. */
  endBatch(key: string): void;
  /** Records what became of findings. */
  mark(outcomes: readonly Outcome[]): void;
  setEnd(end: ScanEnd): void;
  markEnded(): void;
  close(): void;
}

/** The findings that are formatted at once, which bounds the memory. */
const LINES_AT_ONCE = 1_000;
const flush = promisify(fdatasync);

interface Keys {
  /** Seals the lines; undefined writes them unsealed. */
  key: Uint8Array | undefined;
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

  /** @returns where the lines are in the file, if findings are kept on disk only */
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
    if (!stored) return [];
    return texts.map((text) => {
      const place = { offset, length: Buffer.byteLength(text) };
      offset += place.length;
      return place;
    });
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
      const added: Entry[] = [];
      for (let at = 0; at < findings.length; at += LINES_AT_ONCE) {
        const lines = findings
          .slice(at, at + LINES_AT_ONCE)
          .map((finding) => ({ type: 'finding' as const, n: nextNumber++, finding }));
        const places = write(lines);
        for (const [index, { n, finding }] of lines.entries())
          added.push(stored ? new StoredEntry(n, file, places[index] as Place, finding) : { n, finding });
      }
      fdatasyncSync(file);
      total += added.length;
      for (const entry of added) {
        if (stored) stored.set(entry.n, entry);
        else entries.push(entry);
      }
      return added;
    },
    keepOnDisk() {
      stored ??= new Map(entries.filter(isPending).map((entry) => [entry.n, entry]));
    },
    get batches() {
      return state.batches.values();
    },
    async addBatch(batch) {
      write([{ type: 'batch', key: batch.key, ns: batch.entries.map(({ n }) => n) }]);
      state.batches.set(batch.key, batch);
      await flush(file);
    },
    endBatch(key) {
      const isOpen = state.batches.get(key)?.entries.some(isPending);
      state.batches.delete(key);
      if (isOpen) write([{ type: 'batch', key, ns: [] }]);
    },
    mark(outcomes) {
      const lines: Line[] = [];
      const delivered = [];
      for (const outcome of outcomes) {
        const { entry } = outcome;
        if ('refused' in outcome) {
          entry.refused = outcome.refused;
          counts.refused++;
          lines.push({ type: 'refused', n: entry.n, error: outcome.refused });
        } else {
          entry.receipt = outcome.receipt;
          counts[outcome.receipt.deduplicated ? 'seenAgain' : 'fresh']++;
          delivered.push({ n: entry.n, ...outcome.receipt });
        }
      }
      // A line takes more time to seal than to format.
      if (delivered.length > 0) lines.push({ type: 'results', delivered });
      write(lines);
      for (const { entry } of outcomes) stored?.delete(entry.n);
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
