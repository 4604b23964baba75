import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { normalizeBaseUrl } from '../settings.ts';
import type { State } from './state.ts';

/*
 * The unfinished journals of this user's agents, one record each in `<state>/journals/<name>.json`: the path of the
 * journal, the service that it is for, and the random key that seals its lines. A journal from a repository has no record with its path and key. A
 * record is removed when its journal is delivered, so an old journal cannot be delivered again.
 */

interface JournalRecord {
  path: string;
  key: string;
  /** Unset in records of older versions. */
  destination?: string | undefined;
}

/** The service and organization that a journal is for, as it is shown. */
export const destinationOf = ({
  baseUrl,
  orgSlug,
}: {
  baseUrl: string;
  orgSlug?: string | undefined;
}): string => `${normalizeBaseUrl(new URL(baseUrl))}${orgSlug ? ` (organization ${orgSlug})` : ''}`;

const journalPath = (workspace: string, name: string) => join(realpathSync(workspace), '.svc/scans', name);

/** Records a new journal. @returns the key that seals its lines @throws a system error */
export function createRecord(state: State, workspace: string, name: string, destination: string): Uint8Array {
  const key = randomBytes(32);
  const path = journalPath(workspace, name);
  const record: JournalRecord = { path, key: key.toString('base64url'), destination };
  state.write(record, 'journals', `${name}.json`);
  if (readJournal(state, workspace, name) === undefined) throw new Error('other users can read it');
  removeStaleRecords(state);
  return key;
}

export function removeRecord(state: State, name: string): void {
  try {
    state.remove('journals', `${name}.json`);
  } catch {
    // The next sync removes the record, or removeStaleRecords does after a month.
  }
}

/** The key and the destination of a journal; undefined if it is not this user's or is not at its original path. */
export function readJournal(state: State, workspace: string, name: string) {
  const { path, key = '', destination } = readRecord(state, `${name}.json`) ?? {};
  if (path === undefined || path !== journalPath(workspace, name)) return undefined;
  return { key: Buffer.from(key, 'base64url'), destination };
}

function readRecord(state: State, file: string): JournalRecord | undefined {
  try {
    const record = state.readPrivate('journals', file) as Partial<JournalRecord> | undefined;
    const { path, key, destination } = record ?? {};
    if (typeof path !== 'string' || typeof key !== 'string') return undefined;
    return Buffer.from(key, 'base64url').length === 32 ? { path, key, destination } : undefined;
  } catch {
    // An unreadable record counts as missing.
    return undefined;
  }
}

const RETENTION_MS = 30 * 86_400_000;

/** Removes records that are older than a month and whose journal no longer exists. */
function removeStaleRecords(state: State): void {
  for (const file of state.list('journals')) {
    // A name starts with a UUID v7, whose first 48 bits are the time in ms. Only old records are read.
    const startedAt = Number.parseInt(file.slice(0, 13).replace('-', ''), 16);
    if (!(Date.now() - startedAt > RETENTION_MS)) continue;
    const record = readRecord(state, file);
    if (record !== undefined && !existsSync(record.path)) removeRecord(state, file.replace(/\.json$/, ''));
  }
}
