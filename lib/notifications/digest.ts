import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { readProjectNames } from '../../db/events/details.ts';
import { readAssigned } from '../../db/projects/members.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { orgDeletions, orgs } from '../../db/schema/orgs.ts';
import type { Config } from '../config/config.ts';
import type { Digest, DigestNotice } from '../mail/digests.ts';
import type { Mail } from '../mail/mailer.ts';
import { type DigestLine, digestMail } from '../mail/templates/digest.ts';
import { groupOf } from '../mail/templates/notifications.ts';
import { limitedOf } from './notices.ts';
import type { NotificationKind } from './settings.ts';
import { readRecipient, readSubscribers, sees } from './subscribers.ts';
import { type UnsubscribeTokens, unsubscribeLinks } from './unsubscribe.ts';

export interface DigestOptions {
  config: Pick<Config, 'publicUrl'>;
  database: Pick<Database, 'db' | 'sql'>;
  tablesOf: (org: { id: string }) => OrgTables;
  unsubscribeTokens: UnsubscribeTokens;
}

/**
 * Makes the mail of a digest when it is sent: to the address that the member has then, with the notices that the member still wants and
 * still reaches.
 * @returns undefined if none is left
 */
export async function renderDigest(
  options: DigestOptions,
  { userId, time, notices, hasMore = false }: Digest,
): Promise<Mail | undefined> {
  const { config, database, unsubscribeTokens: tokens } = options;
  const recipient = await readRecipient(database.db, userId);
  if (!recipient) return undefined;
  const isWanted = (kind: string) => (recipient.kinds[kind as NotificationKind] ?? 'off') !== 'off';
  const wanted = notices.filter(({ kinds }) => kinds.some(isWanted));
  const lines: DigestLine[] = [];
  for (const orgId of new Set(wanted.map((notice) => notice.orgId))) {
    const ofOrg = wanted.filter((notice) => notice.orgId === orgId);
    const groupFor =
      orgId === undefined ? () => 'Your account' : await groupsIn(options, orgId, userId, ofOrg);
    for (const notice of ofOrg) {
      const group = groupFor(notice);
      if (group !== undefined) lines.push({ group, text: notice.text, url: notice.url });
    }
  }
  if (lines.length === 0) return undefined;
  const { name, email } = recipient;
  const links = unsubscribeLinks({ publicUrl: config.publicUrl, tokens }, userId, time);
  return { recipient: email, ...digestMail({ time, name, lines, hasMore }, links) };
}

type GroupFor = (notice: DigestNotice) => string | undefined;

/** The groups of notices about an organization; undefined for those that the member does not reach any more. */
async function groupsIn(
  { database: { db, sql }, tablesOf }: DigestOptions,
  orgId: string,
  userId: string,
  notices: readonly DigestNotice[],
): Promise<GroupFor> {
  const [org] = await db
    .select({ id: orgs.id, slug: orgs.slug, name: orgs.name })
    .from(orgs)
    .leftJoin(orgDeletions, eq(orgDeletions.orgId, orgs.id))
    .where(and(eq(orgs.id, orgId), isNull(orgDeletions.orgId)));
  if (!org) return () => undefined;
  const tables = tablesOf(org);
  const [member] = await readSubscribers(db, { id: org.id, tables }, userId);
  if (!member) return () => undefined;
  const ids = [...new Set(notices.flatMap(({ projectId }) => projectId ?? []))];
  const names = await readProjectNames(sql, tables, ids);
  const assigned = await readAssigned(sql, tables, ids, limitedOf([member]));
  return ({ projectId }) => {
    if (!sees(member, projectId, assigned)) return undefined;
    if (projectId === undefined) return groupOf(org, undefined);
    const name = names.get(projectId);
    return name === undefined ? undefined : groupOf(org, name);
  };
}
