import type { Database, Tx } from '../../db/client.ts';
import { retried } from '../../db/errors.ts';
import { prepareEmptyTables } from '../../db/migrations/empty-tables.ts';
import type { Migration } from '../../db/migrations/migrate.ts';
import { markOrgDeleted, SETTLED_MS, unmarkOrgDeleted, WARNING_MS } from '../../db/orgs/deletion.ts';
import {
  hasUse,
  isStillRemovable,
  keepOthers,
  settleUnverified,
  takeUnverifiedToRemove,
  takeUnverifiedToWarn,
  type Unverified,
} from '../../db/orgs/unverified.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { MailQueue } from '../mail/queue.ts';
import { orgUnverified } from '../mail/templates/organizations.ts';
import { logOperatorEvent } from '../security-events.ts';
import { mailOwners, readOrgName, type WriteMail } from './notices.ts';

/*
 * In strict mode an account that does not verify its address cannot use its organization, which would keep a slug from others for
 * ever. It is removed after 7 days, 3 days after a mail. It stays if it has another confirmed member, findings or a token that was used.
 */

/** How long the creator of an organization has to verify the address. */
export const VERIFY_MS = 7 * 24 * 60 * 60 * 1000;

interface UnverifiedServices {
  config: Pick<Config, 'strict' | 'requireVerifiedEmail' | 'publicUrl'>;
  database: Database;
  orgMigrations: readonly Migration[];
  clock: () => Date;
  log: Logger;
  mail: MailQueue;
}

/** Mails the owners of organizations that are removed soon, and deletes those whose time has come. The purge follows. */
export async function removeUnverifiedOrgs(services: UnverifiedServices): Promise<void> {
  const { config, clock, database } = services;
  if (!config.strict || !config.requireVerifiedEmail) return;
  await keepOthers(database.sql, new Date(clock().getTime() + WARNING_MS));
  while (await warnNext(services));
  while (await removeNext(services));
}

async function warnNext(services: UnverifiedServices): Promise<boolean> {
  const { clock, config, database, mail } = services;
  const taken = await database.db.transaction(async (tx) => {
    const now = clock();
    const org = await takeUnverifiedToWarn(tx, { now, due: new Date(now.getTime() + WARNING_MS) });
    if (!org) return false;
    if (await isUsed(tx, org)) await settleUnverified(tx, org.id);
    else {
      const named = await readOrgName(tx, org.id);
      const writeMail: WriteMail = (to, { email }, content) => mail.enqueue(to, email, content);
      const about = { at: new Date(org.verify_by), publicUrl: config.publicUrl };
      if (named)
        await mailOwners(tx, { now, writeMail }, org.id, ({ name }) =>
          orgUnverified({ name, org: named, ...about }),
        );
    }
    return true;
  });
  if (taken) mail.kick();
  return taken;
}

/** @returns whether there was an organization whose time had come */
async function removeNext(services: UnverifiedServices): Promise<boolean> {
  const { clock, database, log, orgMigrations } = services;
  // Before the transaction, which has its connection.
  const empty = await prepareEmptyTables(database.sql, orgMigrations);
  const tablesOf = (org: Unverified) =>
    org.schema_version > 0 ? defineOrgTables(orgSchemaName(org.id)) : empty;
  const taken = await retried(() =>
    database.db.transaction(async (tx) => {
      const now = clock();
      const org = await takeUnverifiedToRemove(tx, now);
      if (!org) return undefined;
      await settleUnverified(tx, org.id);
      if (!(await isStillRemovable(tx, org.id))) return { org, deleted: false };
      const marked = { id: org.id, tables: tablesOf(org) };
      const purgeAt = new Date(now.getTime() + SETTLED_MS);
      await markOrgDeleted(tx, marked, now, { purgeAt, warnedAt: now });
      // From here on no token of it can be used.
      const isKept = await isUsed(tx, org);
      if (isKept) await unmarkOrgDeleted(tx, marked);
      return { org, deleted: !isKept };
    }),
  );
  if (taken?.deleted)
    logOperatorEvent(log, 'org_deleted', {
      org: taken.org.slug,
      org_id: taken.org.id,
      reason: 'the address of the creator was not verified',
    });
  return taken !== undefined;
}

const isUsed = async (tx: Tx, { id, schema_version }: Unverified): Promise<boolean> =>
  schema_version > 0 && (await hasUse(tx, defineOrgTables(orgSchemaName(id))));
