import type { PasswordHasher } from '../../../lib/accounts/passwords/passwords.ts';

/** Keeps passwords as they are, for suites that are not about them: hashes are made to be slow. */
export const plainHasher: PasswordHasher = {
  hash: async (password) => `plain ${password}`,
  verify: async (hash, password) => hash === `plain ${password}`,
};
