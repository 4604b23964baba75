import { setTimeout as sleep } from 'node:timers/promises';
import type { PasswordHasher } from '../../../lib/accounts/passwords/passwords.ts';

/** Stores passwords unhashed, for suites that do not test hashing: hashes are slow by design. */
export const plainHasher: PasswordHasher = {
  hash: async (password) => `plain ${password}`,
  verify: async (hash, password) => hash === `plain ${password}`,
};

/** Another request may come between the reading of a hash and the use of it, as while a password is hashed. */
const someMs = () => sleep(Math.random() * 10);

/** Stores passwords unhashed after some milliseconds, for suites that test requests at the same time. */
export const waitingHasher: PasswordHasher = {
  hash: async (password) => {
    await someMs();
    return plainHasher.hash(password);
  },
  verify: async (hash, password) => {
    await someMs();
    return plainHasher.verify(hash, password);
  },
};
