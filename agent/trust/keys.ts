import { createHash } from 'node:crypto';
import { UsageError } from '../errors.ts';
import type { State } from './state.ts';

/*
 * The origins that accepted a key, in `<state>/keys/<SHA-256 of the key>/<digest of the origin>.json`. A key has 128
 * random bits, so it cannot be recovered from its hash. Each pair of key and origin has its own file, so concurrent
 * agents do not overwrite each other's records.
 */

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const hashOf = (apiKey: string) => sha256(apiKey);

interface Binding {
  key_sha256: string;
  origin: string;
  recorded_at: string;
}

/** The origins that a key belongs to. @throws UsageError if a record is damaged: it must not count as missing */
export function keyOrigins(state: State, apiKey: string): string[] {
  const hash = hashOf(apiKey);
  try {
    return state
      .list('keys', hash)
      .map((name) => {
        const { key_sha256, origin } = state.read('keys', hash, name) as Binding;
        if (key_sha256 !== hash || typeof origin !== 'string')
          throw new Error(`${name} is not a valid record`);
        return origin;
      })
      .sort();
  } catch (error) {
    throw new UsageError(
      `The records in ${state.directory}/keys cannot be read (${(error as Error).message}). They store which service the API key belongs to. Delete the directory to reset them, or set XDG_STATE_HOME to a directory that you own.`,
    );
  }
}

/** Records that the service at an origin accepted a key. @throws a system error */
export function bindKey(state: State, apiKey: string, origin: string): void {
  const hash = hashOf(apiKey);
  const name = `${sha256(origin).slice(0, 32)}.json`;
  if (state.list('keys', hash).includes(name)) return;
  const binding: Binding = { key_sha256: hash, origin, recorded_at: new Date().toISOString() };
  state.write(binding, 'keys', hash, name);
}
