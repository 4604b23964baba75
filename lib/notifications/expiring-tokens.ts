import { and, asc, eq, gt, isNull, lte, not, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database, Tx } from '../../db/client.ts';
import { retried } from '../../db/errors.ts';
import { readProjectNames } from '../../db/events/details.ts';
import { isServed } from '../../db/events/served.ts';
import { readAssigned } from '../../db/projects/members.ts';
import { notificationSettings as s, userEmails, users } from '../../db/schema/accounts.ts';
import { expiryOf, type OrgTables } from '../../db/schema/org.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { personalTokens as t } from '../../db/schema/personal-tokens.ts';
import { arrayText } from '../../db/statements.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { MailQueue } from '../mail/queue.ts';
import { expiryText, groupOf, withTitle } from '../mail/templates/notifications.ts';
import { orgUrl } from '../members/invitations.ts';
import type { KnownOrgs } from '../orgs/directory.ts';
import { limitedOf, type PersonalNotice } from './notices.ts';
import {
  hasJoined,
  isReachable,
  type Recipient,
  readSubscribers,
  recipientFields,
  sees,
} from './subscribers.ts';
import { type WriteOptions, writeNotices } from './write.ts';

/** Mails come so long before the end of a token. Tokens that work for a shorter time are not worth one. */
const BEFORE_MS = 7 * 24 * 60 * 60 * 1_000;
/** Tokens of one transaction, and organizations that are read at once. */
const BATCH = 500;

const isChosen = sql`${s.kinds} ->> 'token_expiring' <> 'off'`;

export interface ExpiryOptions extends WriteOptions {
  config: Pick<Config, 'quotas' | 'publicUrl' | 'baseDomain'>;
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

/** @param expiresAt as an index has it */
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
  { group, url, ...about }: { group: string; url: string; orgId?: string; projectId?: string | undefined },
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
  return [{ recipient, time, kinds: ['token_expiring'], ...about, summary }];
}

/** Mails people whose tokens end soon, once for each token. Several processes may do it at the same time. */
export async function tellOfExpiringTokens(options: ExpiryOptions): Promise<void> {
  const { clock, database, log, orgMigrations } = options;
  const { db } = database;
  await tellOwners(options);
  const isMailed = and(isChosen, hasJoined, isServed(orgs.id, orgMigrations.length));
  for (let last: string | undefined; ; ) {
    const page = await db
      .selectDistinct({ id: orgs.id, slug: orgs.slug, name: orgs.name })
      .from(memberships)
      .innerJoin(s, eq(s.userId, memberships.userId))
      .innerJoin(orgs, eq(orgs.id, memberships.orgId))
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
      .where(and(isExpiring(columns, now), isReachable, isChosen))
      .orderBy(asc(t.id))
      .limit(BATCH);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ token }) => token.id);
    // Another process may be telling of some of them.
    const isUntold = and(sql`${t.id} = any (${arrayText(ids)}::uuid[])`, isNull(t.expiryToldAt));
    const told = await tx.update(t).set({ expiryToldAt: now }).where(isUntold).returning({ id: t.id });
    const own = new Set(told.map(({ id }) => id));
    const notices = rows.flatMap(({ token, to }) => (own.has(token.id) ? noticeOf(to, token, place) : []));
    await writeNotices(tx, options, notices, now);
    return rows.length;
  };
  while ((await retried(() => database.db.transaction(tellBatch))) === BATCH);
  mail.kick();
}

/**
 * Tells the creators of an organization's API tokens who are still members with the right to see them. If very many tokens expire, the next
 * run tells of the others.
 */
async function tellCreators(
  options: ExpiryOptions,
  org: { id: string; slug: string; name: string },
  now: Date,
): Promise<void> {
  const { config, database, knownOrgs, mail } = options;
  const { db, sql: client } = database;
  const tables: OrgTables = knownOrgs.tablesOf(org);
  const subscribers = await readSubscribers(db, { id: org.id, tables });
  const members = subscribers.filter(({ kinds }) => (kinds.token_expiring ?? 'off') !== 'off');
  const byId = new Map(members.map((member) => [member.id, member]));
  const { apiTokens: a } = tables;
  const columns = { expiresAt: expiryOf(a), createdAt: a.createdAt, toldAt: a.expiryToldAt };
  const isOfMember = sql`${a.createdBy} = any (${arrayText([...byId.keys()])}::uuid[])`;
  const found = await db
    .select({ id: a.id, creator: a.createdBy, projectId: a.projectId })
    .from(a)
    .where(and(isExpiring(columns, now), not(a.revoked), not(a.suspended), isOfMember))
    .orderBy(asc(a.expiresAt))
    .limit(BATCH);
  if (found.length === 0) return;
  const projects = [...new Set(found.flatMap(({ projectId }) => projectId ?? []))];
  const assigned = await readAssigned(client, tables, projects, limitedOf(members));
  const names = await readProjectNames(client, tables, projects);
  const ids = found.flatMap(({ id, creator, projectId }) => {
    const member = byId.get(creator);
    return member && sees(member, projectId ?? undefined, assigned) ? [id] : [];
  });
  if (ids.length === 0) return;
  const url = `${orgUrl(config, org.slug)}/tokens`;
  await retried(() =>
    db.transaction(async (tx) => {
      // Another process may be telling of some of them.
      const told = await tx
        .update(a)
        .set({ expiryToldAt: now })
        .where(and(sql`${a.id} = any (${arrayText(ids)}::uuid[])`, isNull(a.expiryToldAt)))
        .returning({
          ...{ creator: a.createdBy, projectId: a.projectId },
          ...{ name: a.name, prefix: a.prefix, expiresAt: a.expiresAt },
        });
      const notices = told.flatMap(({ creator, projectId, expiresAt, ...token }) => {
        const recipient = byId.get(creator);
        if (!recipient || !expiresAt) return [];
        const group = groupOf(org, projectId === null ? undefined : names.get(projectId));
        const about = { orgId: org.id, projectId: projectId ?? undefined };
        return noticeOf(recipient, { ...token, expiresAt }, { group, url, ...about });
      });
      await writeNotices(tx, options, notices, now);
    }),
  );
  mail.kick();
}
