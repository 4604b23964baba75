import {
  and,
  asc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lte,
  not,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm';
import type { Database, Tx } from '../../db/client.ts';
import { retried } from '../../db/errors.ts';
import { readProjectNames } from '../../db/events/details.ts';
import { isServed } from '../../db/events/served.ts';
import { readAssigned } from '../../db/projects/members.ts';
import { notificationSettings as s, userEmails, users } from '../../db/schema/accounts.ts';
import { destinations as d } from '../../db/schema/destinations.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { orgs } from '../../db/schema/orgs.ts';
import { personalTokens as t } from '../../db/schema/personal-tokens.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { MailQueue } from '../mail/queue.ts';
import { expiryText, groupOf, withTitle } from '../mail/templates/notifications.ts';
import { orgUrl } from '../members/invitations.ts';
import type { KnownOrgs } from '../orgs/directory.ts';
import { rankOf } from '../tokens/scopes.ts';
import type { PersonalNotice } from './notices.ts';
import {
  isReachable,
  type Recipient,
  readSubscribers,
  recipientFields,
  type Subscriber,
} from './subscribers.ts';
import { type WriteOptions, writeNotices } from './write.ts';

/** Mails come so long before the end of a token. Tokens that work for a shorter time are not worth one. */
const BEFORE_MS = 7 * 24 * 60 * 60 * 1_000;
/** Tokens of one transaction, and organizations that are read at once. */
const BATCH = 500;

export interface ExpiryOptions extends WriteOptions {
  config: Pick<Config, 'quotas' | 'publicUrl' | 'baseDomain' | 'pendingInvitations'>;
  database: Pick<Database, 'db' | 'sql'>;
  knownOrgs: KnownOrgs;
  orgMigrations: readonly unknown[];
  clock: () => Date;
  log: Logger;
  mail: MailQueue;
}

interface Token {
  name: string;
  prefix: string;
  expiresAt: Date;
}

const isExpiring = (
  { expiresAt, createdAt, toldAt }: { expiresAt: SQLWrapper; createdAt: SQLWrapper; toldAt: SQLWrapper },
  now: Date,
): SQL | undefined =>
  and(
    isNull(toldAt),
    gt(expiresAt, sql`${now.toISOString()}::timestamptz`),
    lte(expiresAt, sql`${new Date(now.getTime() + BEFORE_MS).toISOString()}::timestamptz`),
    sql`${createdAt} < ${expiresAt} - interval '7 days'`,
  );

function noticeOf(
  recipient: Recipient,
  token: Token,
  { group, url }: { group: string; url: string },
): PersonalNotice[] {
  const time = recipient.kinds.token_expiring ?? 'off';
  if (time === 'off') return [];
  const text = expiryText(token);
  const summary = {
    subject: withTitle('An access token expires soon', token.name),
    intro: [text, 'Create another one if it is still needed, and replace it where it is used.'],
    ...{ group, findings: [], total: 0, line: text },
    button: { label: 'Open the tokens', url },
  };
  return [{ recipient, time, kinds: ['token_expiring'], summary }];
}

/** Mails people whose tokens end soon, once for each token. Several processes may do it at the same time. */
export async function tellOfExpiringTokens(options: ExpiryOptions): Promise<void> {
  const { clock, database, log, orgMigrations } = options;
  const { db } = database;
  await tellOwners(options);
  const isMailed = and(eq(d.kind, 'mail'), isServed(d.orgId, orgMigrations.length));
  for (let last: string | undefined; ; ) {
    const page = await db
      .select({ id: orgs.id, slug: orgs.slug, name: orgs.name })
      .from(d)
      .innerJoin(orgs, eq(orgs.id, d.orgId))
      .where(and(isMailed, last === undefined ? undefined : gt(orgs.id, last)))
      .orderBy(asc(orgs.id))
      .limit(BATCH);
    for (const org of page)
      await tellCreators(options, org, clock()).catch((error) =>
        log.warn('nobody was told of the tokens of an organization that expire', { org: org.id, error }),
      );
    last = page.at(-1)?.id;
    if (page.length < BATCH) return;
  }
}

/** Tells the owners of personal access tokens. */
async function tellOwners(options: ExpiryOptions): Promise<void> {
  const { clock, config, database, mail } = options;
  const now = clock();
  const place = { group: 'Your account', url: `${config.publicUrl}/profile/tokens` };
  const columns = { expiresAt: t.expiresAt, createdAt: t.createdAt, toldAt: t.expiryToldAt };
  const tellBatch = async (tx: Tx): Promise<number> => {
    const rows = await tx
      .select({
        token: { id: t.id, name: t.name, prefix: t.prefix, expiresAt: t.expiresAt },
        to: recipientFields,
      })
      .from(t)
      .innerJoin(s, eq(s.userId, t.userId))
      .innerJoin(users, eq(users.id, t.userId))
      .innerJoin(userEmails, eq(userEmails.userId, t.userId))
      .where(and(isExpiring(columns, now), isReachable, sql`${s.kinds} ->> 'token_expiring' <> 'off'`))
      .orderBy(asc(t.id))
      .limit(BATCH);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ token }) => token.id);
    // Another process may be telling of some of them.
    const isUntold = and(inArray(t.id, ids), isNull(t.expiryToldAt));
    const told = await tx.update(t).set({ expiryToldAt: now }).where(isUntold).returning({ id: t.id });
    const own = new Set(told.map(({ id }) => id));
    const notices = rows.flatMap(({ token, to }) => (own.has(token.id) ? noticeOf(to, token, place) : []));
    await writeNotices(tx, options, notices, now);
    return rows.length;
  };
  while ((await retried(() => database.db.transaction(tellBatch))) === BATCH);
  mail.kick();
}

/** Whether a creator still sees a token: an admin those of the organization, a member those of projects within reach. */
const sees = (
  { id, isLimited, role }: Subscriber,
  projectId: string | null,
  assigned: ReadonlyMap<string, readonly string[]>,
): boolean => {
  if (projectId === null) return !isLimited && rankOf(role) >= rankOf('admin');
  return !isLimited || (assigned.get(id)?.includes(projectId) ?? false);
};

/** Tells the creators of an organization's API tokens who are still members with the right to see them. */
async function tellCreators(
  options: ExpiryOptions,
  org: { id: string; slug: string; name: string },
  now: Date,
): Promise<void> {
  const { config, database, knownOrgs, mail } = options;
  const { db, sql: client } = database;
  const tables: OrgTables = knownOrgs.tablesOf(org);
  const members = await readSubscribers(db, config, org.id);
  const byId = new Map(
    members.flatMap((one) => ((one.kinds.token_expiring ?? 'off') === 'off' ? [] : [[one.id, one]])),
  );
  if (byId.size === 0) return;
  const { apiTokens: a } = tables;
  const columns = { expiresAt: a.expiresAt, createdAt: a.createdAt, toldAt: a.expiryToldAt };
  const found = await db
    .select({ id: a.id, creator: a.createdBy, projectId: a.projectId })
    .from(a)
    .where(
      and(isExpiring(columns, now), not(a.revoked), not(a.suspended), inArray(a.createdBy, [...byId.keys()])),
    );
  const projects = [...new Set(found.flatMap(({ projectId }) => projectId ?? []))];
  const assigned = await readAssigned(client, tables, projects);
  const names = await readProjectNames(client, tables, projects);
  const seen = found.filter(({ creator, projectId }) => {
    const member = byId.get(creator);
    return member && sees(member, projectId, assigned);
  });
  const url = `${orgUrl(config, org.slug)}/tokens`;
  for (let i = 0; i < seen.length; i += BATCH) {
    const ids = seen.slice(i, i + BATCH).map(({ id }) => id);
    await retried(() =>
      db.transaction(async (tx) => {
        const told = await tx
          .update(a)
          .set({ expiryToldAt: now })
          .where(and(inArray(a.id, ids), isNull(a.expiryToldAt), isNotNull(a.expiresAt)))
          .returning();
        const notices = told.flatMap(({ createdBy, projectId, name, prefix, expiresAt }) => {
          const creator = byId.get(createdBy);
          if (!creator || !expiresAt) return [];
          const group = groupOf(org, projectId === null ? undefined : names.get(projectId));
          return noticeOf(creator, { name, prefix, expiresAt }, { group, url });
        });
        await writeNotices(tx, options, notices, now);
      }),
    );
  }
  if (seen.length > 0) mail.kick();
}
