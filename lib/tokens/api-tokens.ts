import { timingSafeEqual } from 'node:crypto';
import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import { createBatcher } from '../../db/batcher.ts';
import type { Database } from '../../db/client.ts';
import { networksIn, networksOf } from '../../db/orgs/networks.ts';
import type { WithConnection } from '../../db/pool/pool.ts';
import type { Sql } from '../../db/pool/query.ts';
import { parseScopes } from '../../db/resources.ts';
import { perOrg } from '../../db/schema/org-schema.ts';
import type { TokenScope } from '../../db/schema/values.ts';
import { arrayText, orgStatement } from '../../db/statements.ts';
import { ApiError } from '../errors.ts';
import type { Org } from '../orgs/directory.ts';
import { hashToken, isTokenOf, tokenPrefix } from './format.ts';

/** A token that was checked. */
export interface ApiToken {
  id: string;
  /** Null on an org-wide token. */
  projectId: string | null;
  name: string;
  scopes: TokenScope[];
  /** The id of a user, who may be gone. */
  createdBy: string;
  /** When it was looked up. Null: not used yet. */
  lastUsed: Date | null;
  /** The networks from which the organization may be used, as CIDR blocks. None: all. */
  networks: readonly string[];
}

export interface ApiTokens {
  /**
   * Finds the token among the org's tokens.
   * @throws ApiError `token_error/invalid` when unknown or revoked, `token_error/expired`, `tenant_error/deleted` when the
   *   organization is deleted
   */
  check(org: Org, token: string): Promise<ApiToken>;
  /** Sets `last_used` of an unused token. @returns whether it was this call that did */
  claimFirstUse(org: Org, tokenId: string): Promise<boolean>;
  /** Sets `last_used` to now. */
  touch(org: Org, tokenId: string): Promise<void>;
}

interface TokenRow {
  id: string;
  projectId: string | null;
  name: string;
  scopes: string;
  createdBy: string;
  prefix: string;
  tokenHash: string;
  expiresAt: string | null;
  revoked: boolean;
  suspended: boolean;
  lastUsed: string | null;
  networks: string | null;
}

/** The tokens with these prefixes, also those that CI systems got for a trust. */
const findTokens = orgStatement<{ prefixes: string }, TokenRow>(
  ({ apiTokens: t, ciTokens: c, allowedNetworks }, $) => sql`
select found.*, ${networksOf({ allowedNetworks })} as networks from (
  select ${t.id} as id, ${t.projectId} as "projectId", ${t.name} as name, ${t.scopes} as scopes, ${t.createdBy} as "createdBy",
    ${t.prefix} as prefix, ${t.tokenHash} as "tokenHash", ${t.expiresAt} as "expiresAt",
    ${t.revoked} as revoked, ${t.suspended} as suspended, ${t.lastUsed} as "lastUsed"
  from ${t} where ${t.prefix} = any (${$.prefixes}::text[])
  union all
  select ${t.id}, ${t.projectId}, ${t.name}, ${t.scopes}, ${t.createdBy}, ${c.prefix}, ${c.tokenHash}, ${c.expiresAt},
    ${t.revoked}, ${t.suspended}, ${t.lastUsed}
  from ${c} join ${t} on ${t.id} = ${c.trustId} where ${c.prefix} = any (${$.prefixes}::text[])
) found`,
);

/** Requests of one org that arrive together share a look-up and a touch. */
const MAX_GROUP = 1_000;

export function createApiTokens(
  database: Database,
  withConnection: WithConnection,
  clock: () => Date,
): ApiTokens {
  const lookUp = perOrg((org: Org) => {
    return createBatcher<string, TokenRow[], Sql>({
      acquire: (runBatch) => withConnection(runBatch, org),
      maxConcurrent: 3,
      maxItems: MAX_GROUP,
      async run(prefixes, client) {
        const rows = await findTokens(org.tables).run(client, { prefixes: arrayText(prefixes) });
        return prefixes.map((prefix) => rows.filter((row) => row.prefix === prefix));
      },
    });
  });

  const touch = perOrg((org: Org) => {
    const { apiTokens: t } = org.tables;
    return createBatcher<string, void>({
      maxItems: MAX_GROUP,
      async run(ids) {
        const { db } = database.of(org);
        // Locked rows are skipped: the transaction that holds the lock is writing the same moment.
        const free = db
          .select({ id: t.id })
          .from(t)
          .where(inArray(t.id, [...new Set(ids)]))
          .for('no key update', { skipLocked: true });
        await db.update(t).set({ lastUsed: clock() }).where(inArray(t.id, free));
        return ids.map(() => undefined);
      },
    });
  });

  return {
    async check(org, token) {
      if (!isTokenOf('organization', token)) throw new ApiError('token_error/invalid');
      const rows = await lookUp(org)(tokenPrefix(token));
      const given = hashToken(token);
      const row = rows.find(({ tokenHash }) => timingSafeEqual(Buffer.from(tokenHash, 'hex'), given));
      if (!row || row.revoked) throw new ApiError('token_error/invalid');
      if (row.expiresAt && new Date(row.expiresAt) <= clock()) throw new ApiError('token_error/expired');
      if (row.suspended) throw new ApiError('tenant_error/deleted');
      const { id, projectId, name, scopes, createdBy, lastUsed, networks } = row;
      return {
        id,
        projectId,
        name,
        scopes: parseScopes(scopes),
        createdBy,
        lastUsed: lastUsed === null ? null : new Date(lastUsed),
        networks: networksIn(networks),
      };
    },
    async claimFirstUse(org, tokenId) {
      const { apiTokens: t } = org.tables;
      const claimed = await database
        .of(org)
        .db.update(t)
        .set({ lastUsed: clock() })
        .where(and(eq(t.id, tokenId), isNull(t.lastUsed)))
        .returning({ id: t.id });
      return claimed.length > 0;
    },
    touch: (org, tokenId) => touch(org)(tokenId),
  };
}
