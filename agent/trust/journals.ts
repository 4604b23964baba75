import { randomBytes } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { State } from './state.ts';

/*
 * Which journals this user's agents have started and not finished, in `<state>/journals/<name>.json`: where the journal
 * is, and the random key that seals its lines. A journal that a repository brings has no record, or not the path and
 * the key of one. A record is removed when its journal is delivered, so an old journal cannot be delivered again.
 */

interface JournalRecord {
  path: string;
  key: string;
}

const placeOf = (workspace: string, name: string) => join(realpathSync(workspace), '.svc/scans', name);

/** Records a journal that is about to be written. @returns the key for its lines @throws a system error */
export function startRecord(state: State, workspace: string, name: string): Buffer {
  const key = randomBytes(32);
  const record: JournalRecord = { path: placeOf(workspace, name), key: key.toString('base64url') };
  state.write(record, 'journals', `${name}.json`);
  if (keyOf(state, workspace, name) === undefined) throw new Error('other users can read it');
  removeOld(state);
  return key;
}

/** Removes the record of a journal that is delivered. */
export function forget(state: State, name: string): void {
  try {
    state.remove('journals', `${name}.json`);
  } catch {
    // A record that stays is removed by the next sync, or after a month.
  }
}

/** The key of a journal; undefined when it is not this user's, or not where it was written. */
export function keyOf(state: State, workspace: string, name: string): Buffer | undefined {
  const record = recordOf(state, `${name}.json`);
  return record?.path === placeOf(workspace, name) ? Buffer.from(record.key, 'base64url') : undefined;
}

function recordOf(state: State, file: string): JournalRecord | undefined {
  try {
    const record = state.readPrivate('journals', file) as Partial<JournalRecord> | undefined;
    const { path, key } = record ?? {};
    if (typeof path !== 'string' || typeof key !== 'string') return undefined;
    return Buffer.from(key, 'base64url').length === 32 ? { path, key } : undefined;
  } catch {
    // A record that cannot be read vouches for nothing.
    return undefined;
  }
}

const KEPT_MS = 30 * 86_400_000;

/** Removes records of journals that were deleted with their workspace more than a month ago. */
function removeOld(state: State): void {
  for (const file of state.names('journals')) {
    // A name begins with a UUID v7, which begins with its time. Only old records are read.
    const startedAt = Number.parseInt(file.slice(0, 13).replace('-', ''), 16);
    if (!(Date.now() - startedAt > KEPT_MS)) continue;
    const record = recordOf(state, file);
    if (record !== undefined && !existsSync(record.path)) forget(state, file.replace(/\.json$/, ''));
  }
}
