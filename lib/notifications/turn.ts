import type { Database } from '../../db/client.ts';
import { retried } from '../../db/errors.ts';
import {
  claimDeliveries,
  type DueDelivery,
  nextDelivery,
  readDueDeliveries,
} from '../../db/events/deliveries.ts';
import { type LeasedDestination, settleDestination } from '../../db/events/destinations.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { Config } from '../config/config.ts';
import { type LoadedEvent, loadEvents } from '../events/render.ts';
import type { OwnType } from '../events/types.ts';
import type { Logger } from '../logger.ts';
import type { MailQueue } from '../mail/queue.ts';
import { orgUrl } from '../members/invitations.ts';
import { endMails } from './following.ts';
import { KINDS_OF } from './kinds.ts';
import { type NoticeContext, noticesOf, type PersonalNotice, readProjectsOf } from './notices.ts';
import { readSubscribers, type Subscriber } from './subscribers.ts';
import { type WriteOptions, writeNotices } from './write.ts';

export interface MailTurnOptions extends WriteOptions {
  config: Pick<Config, 'quotas' | 'publicUrl' | 'baseDomain' | 'pendingInvitations'>;
  database: Database;
  tablesOf: (org: { id: string }) => OrgTables;
  clock: () => Date;
  log: Logger;
  mail: MailQueue;
}

/** Deliveries of one turn. */
const TURN_DELIVERIES = 100;
/** A transaction writes the notices of one event, and of further ones up to this number. */
const MAX_NOTICES = 1_000;

/** The notices about a delivery; none if nobody has to hear of its event. */
interface Told {
  id: string;
  notices: readonly PersonalNotice[];
}

/**
 * Writes the mails about due deliveries of an organization, and deletes the deliveries in the same transaction, so that a process that
 * dies loses and repeats nothing. Sets when the next one is due.
 */
export async function takeMailTurn(options: MailTurnOptions, destination: LeasedDestination): Promise<void> {
  const { clock, config, database, log, mail, tablesOf } = options;
  const { sql, db } = database;
  const { id, org } = destination;
  const tables = tablesOf(org);
  const due = await readDueDeliveries(sql, tables, { id, failures: 0 }, clock(), TURN_DELIVERIES);
  const subscribers = due.length > 0 ? await readSubscribers(db, config, org.id) : [];
  const told = await tell(due, subscribers);
  if (told.length > 0) {
    await retried(() =>
      db.transaction(async (tx) => {
        const ids = told.map((one) => one.id);
        const claimed = await claimDeliveries(tx, tables, id, ids);
        const notices = told.filter((one) => claimed.has(one.id)).flatMap((one) => one.notices);
        await writeNotices(tx, options, notices, clock());
        if (subscribers.length === 0) await endMails(tx, org.id);
      }),
    );
    mail.kick();
  }
  const now = clock();
  const next = await nextDelivery(sql, tables, id);
  const dueAt = next && next < now ? now : next;
  await settleDestination(sql, destination, { failures: 0, failingSince: null, next: dueAt, ifWoken: now });

  /** The notices about the first deliveries, up to {@link MAX_NOTICES}. */
  async function tell(
    deliveries: readonly DueDelivery[],
    subscribers: readonly Subscriber[],
  ): Promise<Told[]> {
    const context = { sql, org: { ...org, tables }, config };
    const stored = deliveries.flatMap(({ event }) =>
      event && isChosen(event.type, subscribers) ? event : [],
    );
    const loaded = new Map((await loadEvents(context, stored)).map((one) => [one.event.id, one]));
    const projects = await readProjectsOf(sql, tables, [...loaded.values()]);
    const about = { org, base: orgUrl(config, org.slug), subscribers, ...projects };
    const told: Told[] = [];
    let count = 0;
    for (const { id, event } of deliveries) {
      if (count >= MAX_NOTICES) break;
      const notices = noticesAbout(about, loaded.get(event?.id ?? ''));
      told.push({ id, notices });
      count += notices.length;
    }
    return told;
  }

  /** An event that cannot be rendered does not keep the others from being sent. */
  function noticesAbout(about: NoticeContext, event: LoadedEvent | undefined): PersonalNotice[] {
    try {
      return event ? noticesOf(about, event) : [];
    } catch (error) {
      log.error('no mail is written about an event', { org: org.id, event: event?.event.id, error });
      return [];
    }
  }
}

/** Whether a member has chosen mails about events of a type. The content of others is not read. */
const isChosen = (type: string, subscribers: readonly Subscriber[]): boolean =>
  (KINDS_OF[type as OwnType] ?? []).some((kind) =>
    subscribers.some(({ kinds }) => (kinds[kind] ?? 'off') !== 'off'),
  );
