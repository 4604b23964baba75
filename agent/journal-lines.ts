import { readFileSync } from 'node:fs';
import type { Finding } from './finding.ts';
import type { ScanEnd, ScanSpec } from './scan.ts';

/** What the service said to a finding. */
export interface Receipt {
  id: string;
  deduplicated: boolean;
  /** The finding's, which a user may have triaged long ago. */
  status: string;
}

/** A line of a journal. */
export type Line =
  | { type: 'scan'; scan: ScanSpec }
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

/** The lines of a journal. One that was cut off by a crash is none. */
export function readLines(path: string): Line[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((text) => {
      try {
        const line = JSON.parse(text);
        return isLine(line) ? [line] : [];
      } catch {
        return [];
      }
    });
}

function isLine(value: Partial<Line> | null): value is Line {
  switch (value?.type) {
    case 'scan':
      return typeof value.scan?.scan_id === 'string';
    case 'finding':
      return typeof value.n === 'number' && typeof value.finding?.fingerprint === 'string';
    case 'registered':
      return typeof value.scan_id === 'string' && typeof value.project_id === 'string';
    case 'delivered':
      return typeof value.n === 'number' && typeof value.id === 'string';
    case 'refused':
      return typeof value.n === 'number' && typeof value.error === 'string';
    case 'end':
      return typeof value.end?.status === 'string';
    default:
      return value?.type === 'ended';
  }
}

/** What lines add up to. */
export function stateOf(lines: readonly Line[]) {
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
  const counts = { fresh: 0, seenAgain: 0, refused: 0 };
  for (const { receipt, refused } of all) {
    if (receipt) counts[receipt.deduplicated ? 'seenAgain' : 'fresh']++;
    else if (refused !== undefined) counts.refused++;
  }
  return { entries: all, counts, scanId, projectId, end, ended, finished: ended && !all.some(isPending) };
}

/** Whether a finding has still to be delivered. */
export const isPending = ({ receipt, refused }: Entry): boolean =>
  receipt === undefined && refused === undefined;
