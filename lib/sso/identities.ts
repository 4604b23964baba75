import type { identities } from '../../db/schema/accounts.ts';
import { id, shown, timestamp, z } from '../schema.ts';

/** An account at a provider that signs in. */
export const Identity = z
  .object({
    id: id(),
    issuer: shown('https://login.acme.example/realms/acme'),
    email: shown('ada@acme.example', 'The address that the provider sent last.'),
    created_at: timestamp(),
    last_used_at: timestamp(),
  })
  .openapi('SsoIdentity');

export const toIdentity = (row: typeof identities.$inferSelect) => ({
  id: row.id,
  issuer: row.issuer,
  email: row.email,
  created_at: row.createdAt.toISOString(),
  last_used_at: row.lastUsedAt.toISOString(),
});
