import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Finding } from '../lib/importers/finding.ts';
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

/** What a journal's text holds. */
export interface Lines {
  lines: Line[];
  /** How many more lines there are whose seal is missing or wrong. */
  unsealed: number;
}

/**
 * Reads the lines of a journal. A line that a crash has cut off is skipped.
 * @param key lines without its seal are left out and counted; undefined takes every line
 */
export function readLines(text: string, key: Buffer | undefined): Lines {
  const found: Lines = { lines: [], unsealed: 0 };
  for (const each of text.split('\n')) {
    const line = parseLine(each);
    if (line === undefined) continue;
    if (key !== undefined && !isSealed(each, key)) found.unsealed++;
    else found.lines.push(line);
  }
  return found;
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

const sealOf = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest();

/** A line as a journal holds it. The seal, an HMAC, shows later that this agent has written the line. */
export function writeLine(line: Line, key: Buffer | undefined): string {
  const text = JSON.stringify(line);
  if (key === undefined) return `${text}\n`;
  return `${text.slice(0, -1)},"seal":"${sealOf(text, key).toString('base64url')}"}\n`;
}

function isSealed(text: string, key: Buffer): boolean {
  const [, start, seal = ''] = SEALED.exec(text) ?? [];
  if (start === undefined) return false;
  const given = Buffer.from(seal, 'base64url');
  const expected = sealOf(`${start}}`, key);
  return given.length === expected.length && timingSafeEqual(given, expected);
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
