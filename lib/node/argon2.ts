import { type Algorithm, hash, verify } from '@node-rs/argon2';
import { ARGON2_PARAMETERS, type PasswordHasher } from '../auth/passwords.ts';

// A const enum of the package, which does not exist at run time.
const ARGON2ID: Algorithm.Argon2id = 2;

const OPTIONS = { algorithm: ARGON2ID, ...ARGON2_PARAMETERS };

/** Argon2id on libuv's thread pool. */
export function createNodeHasher(): PasswordHasher {
  let decoy: Promise<string> | undefined;
  return {
    hash: (password) => hash(password, OPTIONS),
    async verify(stored, password) {
      decoy ??= hash(crypto.randomUUID(), OPTIONS);
      const matches = await verify(stored ?? (await decoy), password);
      return matches && stored != null;
    },
  };
}
