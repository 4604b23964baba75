import type { PasswordHasher } from '../../../lib/accounts/passwords/passwords.ts';

/** Stores passwords unhashed, for suites that do not test hashing: hashes are slow by design. */
export const plainHasher: PasswordHasher = {
  hash: async (password) => `plain ${password}`,
  verify: async (hash, password) => hash === `plain ${password}`,
};
