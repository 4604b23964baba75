import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { UsageError } from './errors.ts';
import type { Finding } from './finding.ts';
import { lock, unlock } from './lock.ts';

/** A scan as it is registered. */
export interface ScanSpec {
  scan_id: string;
  /** One of both. */
  project_id?: string;
  project?: string;
  persona: 'sharingan' | 'senku' | 'killua';
  name?: string | undefined;
  target?: {
    type?: string | undefined;
    path?: string | undefined;
    url?: string | undefined;
    ref?: string | undefined;
  };
}

export type ScanEnd = { status: 'completed' } | { status: 'failed'; error_message: string };

/** What the service said to a finding. */
export interface Receipt {
  id: string;
  deduplicated: boolean;
  /** The finding's, which a user may have triaged long ago. */
  status: string;
}

/** A line of a journal. */
type Line =
  | { type: 'scan'; scan: ScanSpec; base_url?: string | undefined }
  | { type: 'registered'; scan_id: string; project_id: string }
  | { type: 'finding'; n: number; finding: Finding }
  | ({ type: 'delivered'; n: number } & Receipt)
  | { type: 'refused'; n: number; error: string }
  | { type: 'end'; end: ScanEnd }
  | { type: 'ended' };

/** A finding of a journal, and what became of it. */
export interface Entry {
  n: number;
  finding: Finding;
  receipt?: Receipt;
  /** Why the service does not want it. */
  refused?: string;
}

/**
 * What one scan has to deliver, on disk before it is sent: `<workspace>/.svc/scans/<scan_id>.jsonl`, lines that are only
 * ever added. Whatever moment the process dies at, what was not acknowledged is still there.
 */
export interface Journal {
  readonly path: string;
  readonly scan: ScanSpec;
  readonly entries: readonly Entry[];
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
  journal.write({ type: 'scan', scan });
  return journal;
}

/** The journals of a workspace that have something to deliver, oldest first; those another process works on are left out. */
export function openUnfinished(workspace: string): Journal[] {
  const folder = folderOf(workspace);
  if (!existsSync(folder)) return [];
  const found: Journal[] = [];
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .sort()) {
    const path = join(folder, file);
    const lines = readLines(path);
    const [first] = lines;
    if (first?.type !== 'scan') continue;
    if (stateOf(lines).finished || !lock(path)) continue;
    // Read again: the process that held it may just have finished.
    const journal = open(path, first.scan, readLines(path));
    if (journal.finished) journal.close();
    else found.push(journal);
  }
  return found;
}

/** A line that was cut off by a crash is none. */
function readLines(path: string): Line[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text) => {
      try {
        return text === '' ? [] : [JSON.parse(text) as Line];
      } catch {
        return [];
      }
    });
}

function stateOf(lines: readonly Line[]) {
  const entries = new Map<number, Entry>();
  let projectId: string | undefined;
  let scanId: string | undefined;
  let end: ScanEnd | undefined;
  let ended = false;
  for (const line of lines) {
    switch (line.type) {
      case 'scan':
        break;
      case 'registered':
        scanId = line.scan_id;
        projectId = line.project_id;
        break;
      case 'finding':
        entries.set(line.n, { n: line.n, finding: line.finding });
        break;
      case 'delivered': {
        const { id, deduplicated, status } = line;
        const entry = entries.get(line.n);
        if (entry) entry.receipt = { id, deduplicated, status };
        break;
      }
      case 'refused': {
        const entry = entries.get(line.n);
        if (entry) entry.refused = line.error;
        break;
      }
      case 'end':
        end = line.end;
        break;
      case 'ended':
        ended = true;
        break;
    }
  }
  const all = [...entries.values()];
  return { entries: all, scanId, projectId, end, ended, finished: ended && !all.some(isPending) };
}

/** Whether a finding has still to be delivered. */
export const isPending = ({ receipt, refused }: Entry): boolean =>
  receipt === undefined && refused === undefined;

function open(
  path: string,
  scan: ScanSpec,
  lines: readonly Line[],
): Journal & { write(...lines: Line[]): void } {
  const state = stateOf(lines);
  if (lines.length === 0 && !lock(path))
    throw new UsageError(`${path} is being worked on by another process`);
  const file = openSync(path, 'a');
  // A line that a crash has cut off must not swallow the next one.
  if (lines.length > 0) writeSync(file, '\n');
  const write = (...added: Line[]) => {
    writeSync(file, added.map((line) => `${JSON.stringify(line)}\n`).join(''));
  };
  return {
    path,
    get scan() {
      return state.scanId === undefined ? scan : { ...scan, scan_id: state.scanId };
    },
    get entries() {
      return state.entries;
    },
    get projectId() {
      return state.projectId;
    },
    get end() {
      return state.end;
    },
    get finished() {
      return state.ended && !state.entries.some(isPending);
    },
    write,
    registered(scanId, projectId) {
      state.scanId = scanId;
      state.projectId = projectId;
      write({ type: 'registered', scan_id: scanId, project_id: projectId });
    },
    add(findings) {
      const first = state.entries.length;
      const added = findings.map((finding, i) => ({ n: first + i, finding }));
      write(...added.map(({ n, finding }) => ({ type: 'finding' as const, n, finding })));
      fdatasyncSync(file);
      state.entries.push(...added);
      return added;
    },
    delivered(entry, receipt) {
      entry.receipt = receipt;
      write({ type: 'delivered', n: entry.n, ...receipt });
    },
    refused(entry, why) {
      entry.refused = why;
      write({ type: 'refused', n: entry.n, error: why });
    },
    setEnd(end) {
      state.end = end;
      write({ type: 'end', end });
    },
    ended() {
      state.ended = true;
      write({ type: 'ended' });
    },
    close() {
      closeSync(file);
      unlock(path);
    },
  };
}
