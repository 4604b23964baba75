import { and, asc, eq, getTableColumns, notExists } from 'drizzle-orm';
import type { Db } from '../../db/client.ts';
import { userEmails } from '../../db/schema/accounts.ts';
import { identities } from '../../db/schema/identities.ts';
import { memberships, orgDeletions, orgs, ssoConnections as t } from '../../db/schema/orgs.ts';
import type { Config } from '../config/config.ts';
import { hasAccess } from '../members/fields.ts';
import { id, shown, timestamp, z } from '../schema.ts';
import { deploymentConnection } from './connections.ts';

/** An account at a provider that signs in. */
export const Identity = z
  .object({
    id: id(),
    issuer: shown('https://login.acme.example/realms/acme'),
    organization: shown('Acme').optional().openapi({ description: 'Absent: of the whole service.' }),
    subject: shown('248289761001', 'Identifies the person at the issuer.'),
    email: shown('ada@acme.example', 'The address that the provider sent last.'),
    created_at: timestamp(),
    last_used_at: timestamp(),
  })
  .openapi('SsoIdentity');

/** The accounts at providers of a user, the oldest first. */
export async function listIdentities(db: Db, userId: string): Promise<z.output<typeof Identity>[]> {
  const rows = await db
    .select({ ...getTableColumns(identities), organization: orgs.name })
    .from(identities)
    .leftJoin(orgs, eq(orgs.id, identities.orgId))
    .where(eq(identities.userId, userId))
    .orderBy(asc(identities.createdAt), asc(identities.id));
  return rows.map((row) => ({
    id: row.id,
    issuer: row.issuer,
    ...(row.organization !== null && { organization: row.organization }),
    subject: row.subject,
    email: row.email,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt.toISOString(),
  }));
}

/** A connection whose accounts a user can connect to the own account. */
export const Connectable = z
  .object({
    id: id(),
    name: shown('Acme Keycloak'),
    issuer: shown('https://login.acme.example/realms/acme'),
    organization: shown('Acme').optional().openapi({ description: 'Absent: of the whole service.' }),
  })
  .openapi('SsoConnectable');

/**
 * The connections of the deployment and of the user's organizations. No others, because a provider that is connected can sign in as the
 * user.
 */
export async function listConnectable(
  db: Db,
  config: Pick<Config, 'sso' | 'pendingInvitations'>,
  userId: string,
): Promise<z.output<typeof Connectable>[]> {
  const deleted = db.select().from(orgDeletions).where(eq(orgDeletions.orgId, t.orgId));
  const found = await db
    .select({ id: t.id, name: t.name, issuer: t.issuer, organization: orgs.name })
    .from(t)
    .innerJoin(orgs, eq(orgs.id, t.orgId))
    .innerJoin(memberships, and(eq(memberships.orgId, t.orgId), eq(memberships.userId, userId)))
    .innerJoin(userEmails, and(eq(userEmails.userId, userId), eq(userEmails.isPrimary, true)))
    .where(and(t.enabled, hasAccess(config), notExists(deleted)))
    .orderBy(asc(orgs.name), asc(t.name), asc(t.id));
  const deployment = deploymentConnection(config);
  if (!deployment) return found;
  const { id, name, issuer } = deployment;
  return [{ id, name, issuer }, ...found];
}
