import { sql } from 'drizzle-orm';
import type { Database } from '../../db/client.ts';
import {
  type DisabledReason,
  disableDestination,
  type LeasedDestination,
} from '../../db/events/destinations.ts';
import { isLimited, memberships } from '../../db/schema/orgs.ts';
import type { Config } from '../config/config.ts';
import { sha256Hex } from '../crypto/random.ts';
import type { Logger } from '../logger.ts';
import type { MailQueue } from '../mail/queue.ts';
import { countMail } from '../mail/quota.ts';
import { destinationDisabled } from '../mail/templates/destinations.ts';
import { isActive } from '../members/fields.ts';
import { mailOwners, type WriteMail } from '../orgs/notices.ts';
import type { FailureState } from './turn.ts';

export interface DisableOptions {
  config: Pick<Config, 'quotas'>;
  database: Pick<Database, 'db'>;
  clock: () => Date;
  log: Logger;
  mail: MailQueue;
}

/** Members who may see webhooks and integrations. */
const mayManage = sql`(${memberships.role} in ('owner', 'admin') and ${isActive} and not ${isLimited})`;

/** Switches a destination off that fails, and mails the owners and admins in the same transaction. */
export async function disableAndMail(
  { config, database, clock, log, mail }: DisableOptions,
  destination: LeasedDestination,
  state: FailureState,
  reason: DisabledReason,
): Promise<void> {
  const now = clock();
  const { org, kind, name: called, url } = destination;
  // Members can make a destination fail as often as they like. Mails beyond the quota are collected.
  const writeMail: WriteMail = async (tx, { email, orgId }, content) => {
    const wait = await countMail(tx, config.quotas.mailsPerHour, 'organization', `${email} ${orgId}`);
    if (wait === undefined) return await mail.enqueue(tx, email, content);
    const dueAt = new Date(now.getTime() + wait * 1_000);
    await mail.collect(tx, email, content, { key: sha256Hex(`${email} ${orgId}`), dueAt });
  };
  const isDisabled = await database.db.transaction(async (tx) => {
    if (!(await disableDestination(tx, destination, state, reason, now))) return false;
    // The rest of the address may have secrets.
    const about = {
      noun: kind === 'webhook' ? 'webhook' : 'integration',
      ...{ called, org, url: new URL(url).origin, reason, since: state.failingSince ?? now, at: now },
    } as const;
    const content = ({ name }: { name: string }) => destinationDisabled({ name, ...about });
    await mailOwners(tx, { now, writeMail }, org.id, content, mayManage);
    return true;
  });
  if (!isDisabled) return;
  log.info('a destination of events is switched off', { org: org.id, destination: destination.id, reason });
  mail.kick();
}
