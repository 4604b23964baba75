import { createHash } from 'node:crypto';
import { UsageError } from '../errors.ts';
import type { State } from './state.ts';

/*
 * Which origins a key has been used with, in `<state>/keys/<SHA-256 of the key>/<digest of the origin>.json`. The key is
 * 128 random bits, so its hash reveals nothing. A pair of key and origin is a file of its own: agents that run at the
 * same time write the same content, and none overwrites what another has recorded.
 */

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const hashOf = (apiKey: string) => sha256(apiKey);

interface Binding {
  key_sha256: string;
  origin: string;
  recorded_at: string;
}

/** The origins that a key belongs to. @throws UsageError when a record is damaged: it must not look like no record */
export function originsOf(state: State, apiKey: string): string[] {
  const hash = hashOf(apiKey);
  try {
    return state
      .names('keys', hash)
      .map((name) => {
        const { key_sha256, origin } = state.read('keys', hash, name) as Binding;
        if (key_sha256 !== hash || typeof origin !== 'string') throw new Error(`${name} is no record`);
        return origin;
      })
      .sort();
  } catch (error) {
    throw new UsageError(
      `The records in ${state.directory}/keys cannot be read (${(error as Error).message}). They say which service the API key belongs to. Delete the directory to start over.`,
    );
  }
}

/** Records that a service has accepted a key. @throws a system error */
export function bindKey(state: State, apiKey: string, origin: string): void {
  const hash = hashOf(apiKey);
  const name = `${sha256(origin).slice(0, 32)}.json`;
  if (state.names('keys', hash).includes(name)) return;
  const binding: Binding = { key_sha256: hash, origin, recorded_at: new Date().toISOString() };
  state.write(binding, 'keys', hash, name);
}
