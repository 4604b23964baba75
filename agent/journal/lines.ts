import { createHmac, timingSafeEqual } from 'node:crypto';
import { readSync } from 'node:fs';
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
  /** The numbers of the findings of a batch that is about to be sent; none if the service did not accept it. */
  | { type: 'batch'; key: string; ns: number[] }
  /** The outcomes of findings of a batch. */
  | { type: 'results'; delivered: Delivered[] }
  | ({ type: 'delivered' } & Delivered)
  | { type: 'refused'; n: number; error: string }
  | { type: 'end'; end: ScanEnd }
  | { type: 'ended' };

export type Delivered = { n: number } & Receipt;

/** A finding in a journal and its delivery state. */
export interface Entry {
  readonly n: number;
  /** In a large scan, a getter that reads the finding from the journal. */
  readonly finding: Finding;
  receipt?: Receipt;
  /** Why the service refused the finding. */
  refused?: string;
}

/** Findings that were sent in one request. The same findings with the same key are never counted twice. */
export interface SentBatch {
  /** The idempotency key. */
  key: string;
  entries: readonly Entry[];
}

/** The outcome of a finding. */
export type Outcome = { entry: Entry; receipt: Receipt } | { entry: Entry; refused: string };

/** Where a line is in the file, in bytes. */
export interface Place {
  offset: number;
  length: number;
}

export interface PlacedLine {
  line: Line;
  place: Place;
}

const CHUNK_BYTES = 256 * 1024;
/** Longer lines are no lines of a journal. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

/**
 * Reads the lines of a journal one after the other. Lines that a crash truncated are skipped.
 * @param key lines without a valid seal by this key are skipped; undefined accepts every line
 * @param onUnsealed called for each line whose seal is missing or wrong
 */
export function* readLines(
  file: number,
  key: Uint8Array | undefined,
  onUnsealed: () => void = () => {},
): Iterable<PlacedLine> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  let rest: Buffer[] = [];
  let [restLength, position, offset] = [0, 0, 0];
  const take = (part: Buffer, length: number): PlacedLine | undefined => {
    const place = { offset, length };
    const text = length > MAX_LINE_BYTES ? '' : Buffer.concat([...rest, part]).toString();
    rest = [];
    restLength = 0;
    offset += length + 1;
    const line = parseLine(text);
    if (line === undefined) return undefined;
    if (key === undefined || isSealed(text, key)) return { line, place };
    onUnsealed();
    return undefined;
  };
  for (;;) {
    const read = readSync(file, chunk, 0, CHUNK_BYTES, position);
    position += read;
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0 && end < read; end = chunk.indexOf(LF, start)) {
      const part = chunk.subarray(start, end);
      const placed = take(part, restLength + part.length);
      if (placed) yield placed;
      start = end + 1;
    }
    if (read === 0) break;
    if (restLength <= MAX_LINE_BYTES) rest.push(Buffer.from(chunk.subarray(start, read)));
    restLength += read - start;
  }
  const last = restLength > 0 ? take(Buffer.alloc(0), restLength) : undefined;
  if (last) yield last;
}

const LF = 0x0a;

export function parseLine(text: string): Line | undefined {
  try {
    const line = JSON.parse(text);
    return isLine(line) ? line : undefined;
  } catch {
    return undefined;
  }
}

const SEALED = /^(\{.*),"seal":"([\w-]{43})"\}$/;

const computeSeal = (text: string, key: Uint8Array) => createHmac('sha256', key).update(text).digest();

/** Formats a line of a journal. The seal, an HMAC, proves later that this agent wrote the line. */
export function formatLine(line: Line, key: Uint8Array | undefined): string {
  const text = JSON.stringify(line);
  if (key === undefined) return `${text}\n`;
  return `${text.slice(0, -1)},"seal":"${computeSeal(text, key).toString('base64url')}"}\n`;
}

function isSealed(text: string, key: Uint8Array): boolean {
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
    case 'batch':
      return typeof value.key === 'string' && Array.isArray(value.ns);
    case 'results':
      return Array.isArray(value.delivered) && value.delivered.every(isDelivered);
    case 'delivered':
      return isDelivered(value);
    case 'refused':
      return typeof value.n === 'number' && typeof value.error === 'string';
    case 'end':
      return typeof value.end?.status === 'string';
    default:
      return value?.type === 'ended';
  }
}

const isDelivered = (value: Partial<Delivered> | null) =>
  typeof value?.n === 'number' && typeof value.id === 'string';

/** Whether the service has neither accepted nor refused the finding. */
export const isPending = ({ receipt, refused }: Entry): boolean =>
  receipt === undefined && refused === undefined;
