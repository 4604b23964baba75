import { index, type PgSchema, primaryKey, uuid, varchar } from 'drizzle-orm/pg-core';
import { time } from './columns.ts';

/** Longer texts are refused. With these, the tables need no TOAST table. */
export const MAX_ISSUER = 150;
export const MAX_CLAIMS = 300;

/**
 * CI systems that sign in without a key. A trust is an API token of a project, the row of `api_tokens` with the same id. It has no secret
 * of its own: each run gets one for an hour. So whatever ends the API token ends the trust and its secrets, and findings keep its name.
 */
export function ciTables(schema: PgSchema) {
  const ciTrusts = schema.table(
    'ci_trusts',
    {
      projectId: uuid('project_id').notNull(),
      /** The id of the API token. */
      id: uuid('id').notNull(),
      /** Without a slash at its end. */
      issuer: varchar('issuer', { length: MAX_ISSUER }).notNull(),
      /** The claims that a token of the issuer must have, and their values as text: JSON. */
      claims: varchar('claims', { length: MAX_CLAIMS }).notNull(),
    },
    (t) => [primaryKey({ name: 'ci_trusts_pk', columns: [t.projectId, t.id] })],
  );

  const ciTokens = schema.table(
    'ci_tokens',
    {
      prefix: varchar('prefix', { length: 12 }).notNull(),
      /** SHA-256 of the whole token, hex. */
      tokenHash: varchar('token_hash', { length: 64 }).notNull(),
      trustId: uuid('trust_id').notNull(),
      expiresAt: time('expires_at').notNull(),
    },
    (t) => [
      primaryKey({ name: 'ci_tokens_pk', columns: [t.prefix, t.tokenHash] }),
      index('ci_tokens_trust').on(t.trustId, t.expiresAt),
    ],
  );

  return { ciTrusts, ciTokens };
}
