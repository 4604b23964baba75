import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Finding } from '../../lib/importers/finding.ts';
import type { ScanEnd, ScanSpec } from '../scan.ts';

/** The service's response to a push. */
export interface Receipt {
  id: string;
  deduplicated: boolean;
  /** The triage status of the finding. */
  status: string;
  /** Whether the finding is back after it was fixed or verified. */
  regressed?: boolean;
}

export type Line =
  | { type: 'scan'; scan: ScanSpec }
  | { type: 'registered'; scan_id: string; project_id: string }
  | { type: 'finding'; n: number; finding: Finding }
  | ({ type: 'delivered'; n: number } & Receipt)
  | { type: 'refused'; n: number; error: string }
  | { type: 'end'; end: ScanEnd }
  | { type: 'ended' };

/** A finding in a journal and its delivery state. */
export interface Entry {
  n: number;
  finding: Finding;
  receipt?: Receipt;
  /** Why the service refused the finding. */
  refused?: string;
}

export interface ParsedLines {
  lines: Line[];
  /** Number of skipped lines whose seal is missing or wrong. */
  unsealed: number;
}

/**
 * Parses the lines of a journal. Lines that a crash truncated are skipped.
 * @param key lines without a valid seal by this key are skipped and counted; undefined accepts every line
 */
export function parseLines(text: string, key: Buffer | undefined): ParsedLines {
  const result: ParsedLines = { lines: [], unsealed: 0 };
  for (const lineText of text.split('\n')) {
    const line = parseLine(lineText);
    if (line === undefined) continue;
    if (key !== undefined && !isSealed(lineText, key)) result.unsealed++;
    else result.lines.push(line);
  }
  return result;
}

function parseLine(text: string): Line | undefined {
  try {
    const line = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

const SEALED = /^(\{.*),"seal":"([\w-]{43})"\}$/;

const computeSeal = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest();

/** Formats a line of a journal. The seal, an HMAC, proves later that this agent wrote the line. */
export function formatLine(line: Line, key: Buffer | undefined): string {
  const text = JSON.stringify(line);
  if (key === undefined) return `${text}\n`;
  return `${text.slice(0, -1)},"seal":"${computeSeal(text, key).toString('base64url')}"}\n`;
}

function isSealed(text: string, key: Buffer): boolean {
  const [, start, seal = ''] = SEALED.exec(text) ?? [];
  if (start === undefined) return false;
  const actual = Buffer.from(seal, 'base64url');
  const expected = computeSeal(`${start}}`, key);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
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

/** Computes the state of a journal from its lines. */
export function replay(lines: readonly Line[]) {
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
        const { id, deduplicated, status, regressed } = line;
        const entry = entries.get(line.n);
        if (entry) entry.receipt = { id, deduplicated, status, ...(regressed && { regressed }) };
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
  const allEntries = [...entries.values()];
  const counts = { fresh: 0, seenAgain: 0, refused: 0 };
  for (const { receipt, refused } of allEntries) {
    if (receipt) counts[receipt.deduplicated ? 'seenAgain' : 'fresh']++;
    else if (refused !== undefined) counts.refused++;
  }
  return {
    entries: allEntries,
    counts,
    scanId,
    projectId,
    end,
    ended,
    finished: ended && !allEntries.some(isPending),
  };
}

/** Whether the service has neither accepted nor refused the finding. */
export const isPending = ({ receipt, refused }: Entry): boolean =>
  receipt === undefined && refused === undefined;
