import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import { createBatcher } from '../../db/batcher.ts';
import type { Database } from '../../db/client.ts';
import type { WithConnection } from '../../db/pool/pool.ts';
import type { Sql } from '../../db/pool/query.ts';
import { perOrg } from '../../db/schema/org-schema.ts';
import { arrayText, orgStatement } from '../../db/statements.ts';
import { ApiError } from '../http/errors.ts';
import type { Org } from '../orgs/directory.ts';

/** A token that was checked. */
export interface ApiToken {
  id: string;
  /** Null on an org-wide token. */
  projectId: string | null;
  /** It was not used yet, when it was looked up. */
  unused: boolean;
}

export interface ApiTokens {
  /**
   * Finds the token among the org's tokens.
   * @throws ApiError `token_error/invalid` when unknown or revoked, `token_error/expired`
   */
  check(org: Org, token: string): Promise<ApiToken>;
  /** Sets `last_used` of an unused token. @returns whether it was this call that did */
  claimFirstUse(org: Org, tokenId: string): Promise<boolean>;
  /** Sets `last_used` to now. */
  touch(org: Org, tokenId: string): Promise<void>;
}

/** The form of every token that was ever made. */
const TOKEN_FORMAT = /^svc_[0-9a-f]{32}$/;
const PREFIX_LENGTH = 12;

export const tokenPrefix = (token: string): string => token.slice(0, PREFIX_LENGTH);

const sha256 = (text: string) => hash('sha256', text, 'buffer');

/** A new token, and what is kept of it: 128 random bits need no slow hash. */
export function generateToken(): { token: string; prefix: string; hash: string } {
  const token = `svc_${randomBytes(16).toString('hex')}`;
  return { token, prefix: tokenPrefix(token), hash: sha256(token).toString('hex') };
}

/** The token in an Authorization header. */
export function parseBearer(header: string | undefined): string {
  if (header === undefined) throw new ApiError('auth_error/not_authenticated');
  const [scheme, token, ...rest] = header.trim().split(/ +/);
  if (scheme?.toLowerCase() !== 'bearer' || !token?.startsWith('svc_') || rest.length > 0) {
    throw new ApiError('token_error/invalid_format');
  }
  return token;
}

interface TokenRow {
  id: string;
  projectId: string | null;
  prefix: string;
  tokenHash: string;
  expiresAt: string | null;
  revoked: boolean;
  unused: boolean;
}

/** The tokens with these prefixes. */
const findTokens = orgStatement<{ prefixes: string }, TokenRow>(
  ({ apiTokens: t }, $) => sql`
select ${t.id} as id, ${t.projectId} as "projectId", ${t.prefix} as prefix, ${t.tokenHash} as "tokenHash",
  ${t.expiresAt} as "expiresAt", ${t.revoked} as revoked, ${t.lastUsed} is null as unused
from ${t} where ${t.prefix} = any (${$.prefixes}::text[])`,
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
        // Whoever finds the row locked leaves it: its holder is writing the same moment.
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
      if (!TOKEN_FORMAT.test(token)) throw new ApiError('token_error/invalid');
      const rows = await lookUp(org)(tokenPrefix(token));
      const given = sha256(token);
      const row = rows.find(({ tokenHash }) => timingSafeEqual(Buffer.from(tokenHash, 'hex'), given));
      if (!row || row.revoked) throw new ApiError('token_error/invalid');
      if (row.expiresAt && new Date(row.expiresAt) <= clock()) throw new ApiError('token_error/expired');
      return { id: row.id, projectId: row.projectId, unused: row.unused };
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
