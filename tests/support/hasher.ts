import type { PasswordHasher } from '../../lib/auth/passwords.ts';

/** Keeps passwords as they are, for suites that check thousands of them; how they are kept is tried elsewhere. */
export const plainHasher: PasswordHasher = {
  hash: async (password) => `plain ${password}`,
  verify: async (hash, password) => hash === `plain ${password}`,
};
