import { pgSchema } from 'drizzle-orm/pg-core';

/** The schema that all organizations share: accounts, organizations, memberships, global flags and settings. */
export const shared = pgSchema('shared');
