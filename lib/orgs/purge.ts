import { eq } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import { releaseOrgPurge, takeOrgPurge, takeWarning } from '../../db/orgs/deletion.ts';
import { purgeOrg } from '../../db/orgs/purge.ts';
import { orgs } from '../../db/schema/orgs.ts';
import type { Logger } from '../logger.ts';
import type { MailQueue } from '../mail/queue.ts';
import { orgPurgeNear } from '../mail/templates/organizations.ts';
import { logOperatorEvent } from '../security-events.ts';
import { mailOwners, type WriteMail } from './notices.ts';

interface PurgeServices {
  database: Database;
  clock: () => Date;
  log: Logger;
  mail: MailQueue;
}

const RETRY_MS = 10 * 60_000;

/** Tells the owners of organizations that are purged soon, and purges those whose grace period is over. */
export async function purgeDeletedOrgs(services: PurgeServices): Promise<void> {
  const { database, clock, log } = services;
  while (await warnNext(services));
  for (;;) {
    const orgId = await takeOrgPurge(database.sql, clock());
    if (orgId === undefined) return;
    try {
      const slug = await purgeOrg(database.sql, orgId, clock());
      if (slug !== undefined) logOperatorEvent(log, 'org_purged', { org: slug, org_id: orgId });
    } catch (error) {
      log.error('a deleted organization is not purged yet', { org_id: orgId, error });
      await releaseOrgPurge(database.sql, orgId, RETRY_MS);
    }
  }
}

/** @returns whether there was an organization to warn of */
async function warnNext({ database: { db }, clock, mail }: PurgeServices): Promise<boolean> {
  const warned = await db.transaction(async (tx) => {
    const deletion = await takeWarning(tx, clock());
    if (!deletion) return false;
    const { orgId, deletedAt: at, purgeAt } = deletion;
    const [org] = await tx.select({ name: orgs.name, slug: orgs.slug }).from(orgs).where(eq(orgs.id, orgId));
    const writeMail: WriteMail = (to, { email }, content) => mail.enqueue(to, email, content);
    const actor = { now: clock(), writeMail };
    if (org) await mailOwners(tx, actor, orgId, ({ name }) => orgPurgeNear({ name, org, at, purgeAt }));
    return true;
  });
  if (warned) mail.kick();
  return warned;
}
