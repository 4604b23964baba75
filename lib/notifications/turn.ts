import type { Database } from '../../db/client.ts';
import { removeDeliveries } from '../../db/destinations/deliveries.ts';
import { retried } from '../../db/errors.ts';
import {
  claimDeliveries,
  type DueDelivery,
  nextDelivery,
  readDueDeliveries,
} from '../../db/events/deliveries.ts';
import { type LeasedDestination, settleDestination } from '../../db/events/destinations.ts';
import type { StoredEvent } from '../../db/events/read.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { OwnEventType } from '../../db/schema/values.ts';
import type { Config } from '../config/config.ts';
import { readInOrder } from '../events/contents.ts';
import { GIVE_UP_MS } from '../events/deliver.ts';
import { type LoadedEvent, loadEvents } from '../events/render.ts';
import type { Logger } from '../logger.ts';
import type { MailQueue } from '../mail/queue.ts';
import { orgUrl } from '../members/invitations.ts';
import { endMails } from './following.ts';
import { KINDS_OF } from './kinds.ts';
import { type NoticeContext, noticesOf, type PersonalNotice, readProjectsOf } from './notices.ts';
import { readSubscribers, type Subscriber } from './subscribers.ts';
import { type WriteOptions, writeNotices } from './write.ts';

export interface MailTurnOptions extends WriteOptions {
  config: Pick<Config, 'quotas' | 'publicUrl' | 'baseDomain'>;
  database: Database;
  tablesOf: (org: { id: string }) => OrgTables;
  clock: () => Date;
  log: Logger;
  mail: MailQueue;
}

/** Deliveries of one turn, as for webhooks. */
const TURN_DELIVERIES = 20;
/** A transaction writes the notices of one event, and of further ones up to about this number. */
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
  const subscribers = await readSubscribers(db, { id: org.id, tables });
  const limit = Math.min(TURN_DELIVERIES, Math.max(1, Math.floor(MAX_NOTICES / subscribers.length)));
  const due = await readDueDeliveries(sql, tables, { id, failures: 0 }, clock(), limit);
  const told = await tell(due);
  let hasEnded = false;
  if (told.length > 0) {
    await retried(() =>
      db.transaction(async (tx) => {
        const ids = told.map((one) => one.id);
        const claimed = await claimDeliveries(tx, tables, id, ids);
        const notices = told.filter((one) => claimed.has(one.id)).flatMap((one) => one.notices);
        await writeNotices(tx, options, notices, clock());
        hasEnded = subscribers.length === 0 && (await endMails(tx, org.id));
      }),
    );
    mail.kick();
  }
  // Nothing reads them any more, so a failure does no harm.
  if (hasEnded) await removeDeliveries(sql, tables, id).catch(onLeft);
  const now = clock();
  const next = await nextDelivery(sql, tables, id);
  const dueAt = next && next < now ? now : next;
  await settleDestination(sql, destination, { failures: 0, failingSince: null, next: dueAt, ifWoken: now });

  function onLeft(error: unknown): void {
    log.warn('the deliveries of a deleted destination were not removed', { destination: id, error });
  }

  async function tell(deliveries: readonly DueDelivery[]): Promise<Told[]> {
    const context = { sql, org: { ...org, tables }, config };
    const oldest = clock().getTime() - GIVE_UP_MS;
    const isTold = ({ at, type }: StoredEvent) =>
      new Date(at).getTime() > oldest && isChosen(type, subscribers);
    const stored = deliveries.flatMap(({ event }) => (event && isTold(event) ? event : []));
    const read = readInOrder(
      (some) => loadEvents(context, some),
      stored,
      (loaded) => loaded,
      log,
    );
    const loaded = new Map<string, LoadedEvent>();
    for (const event of stored) {
      const content = await read(event);
      // An event that cannot be read is in the log. Its delivery is deleted like the others.
      if (content && !(content instanceof Error)) loaded.set(event.id, content);
    }
    const projects = await readProjectsOf(sql, tables, [...loaded.values()], subscribers);
    const about = { org, base: orgUrl(config, org.slug), subscribers, ...projects };
    return deliveries.map(({ id, event }) => ({
      id,
      notices: noticesAbout(about, loaded.get(event?.id ?? '')),
    }));
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
  (KINDS_OF[type as OwnEventType] ?? []).some((kind) =>
    subscribers.some(({ kinds }) => (kinds[kind] ?? 'off') !== 'off'),
  );
