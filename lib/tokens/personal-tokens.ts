import { and, eq, isNull, lt, or, sql } from 'drizzle-orm';
import { createBatcher } from '../../db/batcher.ts';
import type { Database, DatabaseClient } from '../../db/client.ts';
import type { Sql } from '../../db/pool/query.ts';
import { parseScopes } from '../../db/resources.ts';
import { perOrg } from '../../db/schema/org-schema.ts';
import { personalTokens as t } from '../../db/schema/personal-tokens.ts';
import type { TokenScope } from '../../db/schema/values.ts';
import { arrayText, orgStatement, statement } from '../../db/statements.ts';
import {
  type FoundMembership,
  membershipFields,
  membershipJoin,
  noMembershipFields,
  type SessionUser,
  toUserAndMembership,
  type UserRow,
  userFields,
  userJoin,
} from '../accounts/sessions/look-up.ts';
import { ApiError } from '../errors.ts';
import type { Org } from '../orgs/directory.ts';
import { hashToken, isTokenOf } from './format.ts';

/** A personal access token that was checked. */
export interface PersonalToken {
  id: string;
  name: string;
  scopes: TokenScope[];
  /** The only organization where it works; null: all organizations of its owner. */
  orgId: string | null;
  /** When it was looked up. Null: not used yet. */
  lastUsed: Date | null;
}

/** A personal access token with its owner and the owner's membership in an organization. */
export interface FoundPersonalToken {
  token: PersonalToken;
  user: SessionUser;
  membership: FoundMembership;
}

/** Finds personal access tokens. @throws ApiError `token_error/invalid` or `token_error/expired` */
export interface PersonalTokens {
  check(token: string): Promise<FoundPersonalToken>;
  /** Reads token, owner, membership and the organization's `require_mfa` in one statement. */
  checkInOrg(org: Org, token: string): Promise<FoundPersonalToken>;
  /** Sets `last_used` to `now`, unless it is later than `before`. @returns whether it was set */
  touch(tokenId: string, now: Date, before: Date): Promise<boolean>;
}

interface Row extends UserRow {
  tokenHash: string;
  tokenId: string;
  tokenName: string;
  scopes: string;
  orgId: string | null;
  lastUsed: string | null;
  expiresAt: string;
}

type Hashes = { hashes: string };

const fields = sql`${t.tokenHash} as "tokenHash", ${t.id} as "tokenId", ${t.name} as "tokenName", ${t.scopes} as scopes,
  ${t.orgId} as "orgId", ${t.lastUsed} as "lastUsed", ${t.expiresAt} as "expiresAt", ${userFields}`;

const findTokens = statement<Hashes, Row>(
  ($) => sql`
select ${fields}, ${noMembershipFields} from ${t} ${userJoin(t.userId)}
where ${t.tokenHash} = any (${$.hashes}::text[])`,
);

const findInOrg = orgStatement<Hashes & { org: string }, Row>(
  (tables, $) => sql`
select ${fields}, ${membershipFields(tables, t.ssoConnectionId)} from ${t} ${userJoin(t.userId)}
${membershipJoin($.org)}
where ${t.tokenHash} = any (${$.hashes}::text[])`,
);

const MAX_GROUP = 1_000;

/** Lookups that arrive while a statement runs share the next one, as those of sessions do. */
export function createPersonalTokens(database: Database, clock: () => Date): PersonalTokens {
  const group = ({ withConnection }: DatabaseClient, find: (client: Sql, hashes: string) => Promise<Row[]>) =>
    createBatcher<string, Row | undefined, Sql>({
      acquire: withConnection,
      maxConcurrent: 3,
      maxItems: MAX_GROUP,
      async run(hashes, client) {
        const rows = await find(client, arrayText(hashes));
        const found = new Map(rows.map((row) => [row.tokenHash, row]));
        return hashes.map((hash) => found.get(hash));
      },
    });

  const anywhere = group(database, (client, hashes) => findTokens.run(client, { hashes }));
  const inOrg = perOrg((org: Org) =>
    group(database.of(org), (client, hashes) => findInOrg(org.tables).run(client, { hashes, org: org.id })),
  );

  async function check(
    text: string,
    find: (hash: string) => Promise<Row | undefined>,
  ): Promise<FoundPersonalToken> {
    const row = isTokenOf('personal', text) ? await find(hashToken(text).toString('hex')) : undefined;
    if (!row) throw new ApiError('token_error/invalid');
    const { tokenHash: _, tokenId, tokenName, scopes, orgId, lastUsed, expiresAt, ...user } = row;
    if (new Date(expiresAt) <= clock()) throw new ApiError('token_error/expired');
    const token = { id: tokenId, name: tokenName, scopes: parseScopes(scopes), orgId };
    return {
      token: { ...token, lastUsed: lastUsed === null ? null : new Date(lastUsed) },
      ...toUserAndMembership(user),
    };
  }

  return {
    check: (text) => check(text, anywhere),
    checkInOrg: (org, text) => check(text, inOrg(org)),
    async touch(tokenId, now, before) {
      const isDue = or(isNull(t.lastUsed), lt(t.lastUsed, before));
      const touched = await database.db
        .update(t)
        .set({ lastUsed: now })
        .where(and(eq(t.id, tokenId), isDue))
        .returning({ id: t.id });
      return touched.length > 0;
    },
  };
}
