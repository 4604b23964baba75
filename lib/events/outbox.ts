import type { Database } from '../../db/client.ts';
import {
  type LeasedDestination,
  renewLeases,
  settleDestination,
  takeDestinations,
} from '../../db/events/destinations.ts';
import { hasDue, writeDue } from '../../db/events/overdue.ts';
import {
  type ClaimedOrg,
  claimOrgs,
  followedOrgs,
  hasUnpublished,
  publishEvents,
  readPosition,
} from '../../db/events/publish.ts';
import { createDispatcher, LEASE_MS, settles } from '../deliveries/dispatcher.ts';
import { forEachOrg } from '../orgs/for-each-org.ts';
import { shareContents } from './contents.ts';
import { type DisableOptions, disableAndMail } from './disabled.ts';
import type { FollowedOrgs } from './followed.ts';
import { type TurnOptions, takeTurn } from './turn.ts';

/** Publishes events and sends them to those who follow an organization. */
export interface Outbox {
  /** Publishes the new events of an organization in the background, and sends what is due. Free while nobody follows it. */
  kick(orgId: string): void;
  /** Notes that the organization has destinations or not (any more), after a change of them. */
  followed(orgId: string): void;
  /** Publishes the new events of one organization now. @returns the position of the latest one */
  publish(orgId: string): Promise<number>;
  /** Publishes events that no process has published, and sends all due deliveries. @returns how many were delivered */
  run(): Promise<number>;
  /** Takes no more deliveries and waits a few seconds for those being sent. */
  stop(): Promise<void>;
}

export interface OutboxOptions extends Omit<TurnOptions, 'disable' | 'database' | 'config'>, DisableOptions {
  database: Database;
  config: TurnOptions['config'] & DisableOptions['config'];
  /** The version of an organization's schema that is up to date. */
  version: number;
  followed: FollowedOrgs;
  /** Writes the mails of an organization's members. */
  takeMailTurn(destination: LeasedDestination): Promise<void>;
  /** Destinations that a process sends to at the same time. */
  slots?: number | undefined;
  /** Keeps the runtime alive until the task is done (`waitUntil`). */
  background?: ((task: Promise<unknown>) => void) | undefined;
  /** Timeout of `stop`. */
  stopMs?: number | undefined;
}

const SLOTS = 32;
/** Destinations of one account, in all its organizations, that a process sends to at the same time. */
const PER_ACCOUNT = 4;
/** Organizations that a sweep claims at once, and those that it works on at the same time. */
const CLAIM = 100;
const AT_ONCE = 4;
/** How long the known organizations are used while no sweep reads them, as on the edge. */
const KNOWN_MS = 60_000;
/** How long `stop` waits for events that are being published. */
const STOP_MS = 1_000;
/** A destination that cannot be worked on, because the database fails, is tried again after this time. */
const RETRY_MS = 30_000;

/** A task in the background. `next`: what was asked for since it began. */
interface Kick {
  next: ((orgId: string) => Promise<unknown>) | undefined;
  task: Promise<void>;
}

/** Creates the outbox of a process. Any number of processes may share the database. */
export function createOutbox(options: OutboxOptions): Outbox {
  const { database, tablesOf, clock, log, followed, version, background, slots = SLOTS, stopMs } = options;
  const { sql } = database;
  const orgOf = (id: string) => ({ id, tables: tablesOf({ id }) });
  const stopping = new AbortController();
  const inTurn = new Set<LeasedDestination>();
  /** Destinations that other processes have taken over, or that were switched off. */
  const lost = new WeakSet<LeasedDestination>();
  /** Organizations whose events are published in the background. */
  const kicked = new Map<string, Kick>();
  let delivered = 0;
  let sweeping: Promise<void> | undefined;
  let stopped = false;

  const contents = shareContents(options.load);
  const turnOptions: TurnOptions = {
    ...options,
    load: contents.load,
    disable: (destination, state, reason) => disableAndMail(options, destination, state, reason),
    onOutcome(outcome) {
      if (outcome === 'delivered') delivered++;
      options.onOutcome(outcome);
    },
  };

  const leaseEnd = () => new Date(clock().getTime() + LEASE_MS);
  const onError = (error: unknown) => log.warn('destinations of events are out of reach', { error });

  const { dispatch, stop } = createDispatcher<LeasedDestination>({
    ...{ slots, stopMs },
    async take(limit) {
      const busy = new Map<string, number>();
      for (const { account } of inTurn) busy.set(account, (busy.get(account) ?? 0) + 1);
      const terms = { now: clock(), until: leaseEnd(), version, limit, perAccount: PER_ACCOUNT, busy };
      return await takeDestinations(sql, terms).catch((error) => {
        onError(error);
        return [];
      });
    },
    async renew(destinations) {
      try {
        const kept = await renewLeases(sql, destinations, leaseEnd());
        for (const destination of destinations) if (!kept.has(destination.id)) lost.add(destination);
      } catch (error) {
        onError(error);
      }
    },
    async work(destination) {
      inTurn.add(destination);
      try {
        const isOver = () => stopped || lost.has(destination);
        if (destination.kind === 'mail') await options.takeMailTurn(destination);
        else await takeTurn(turnOptions, destination, { isOver, signal: stopping.signal });
      } catch (error) {
        log.error('events are not delivered', {
          org: destination.org.id,
          destination: destination.id,
          error,
        });
        await postpone(destination).catch(onError);
      } finally {
        inTurn.delete(destination);
        const { id } = destination.org;
        if (![...inTurn].some(({ org }) => org.id === id)) contents.forget(id);
        // The destination may be due again, or others of its account may come now.
        void dispatch();
      }
    },
  });

  async function postpone(destination: LeasedDestination): Promise<void> {
    const later = new Date(clock().getTime() + RETRY_MS);
    await settleDestination(sql, destination, { ...destination, next: later, ifWoken: later });
  }

  /** @returns the position of the latest event; 0 if the organization is not served now */
  async function publishAll(orgId: string): Promise<number> {
    const published = await publishEvents(sql, orgOf(orgId), clock(), version);
    if (published?.isFollowed) followed.ids.add(orgId);
    else followed.ids.delete(orgId);
    return published?.seq ?? 0;
  }

  async function publishNew(orgId: string): Promise<void> {
    if (await hasUnpublished(sql, tablesOf({ id: orgId }))) await publishAll(orgId);
  }

  async function readFollowed(): Promise<void> {
    const found = await followedOrgs(sql, version);
    followed.ids = new Set(found.map(({ id }) => id));
    followed.readAt = clock().getTime();
    for (const { id, noted } of found) if (!noted) await safely(id, () => publishAll(id));
  }

  /** One organization whose tables are out of reach does not keep the others waiting. */
  async function safely(orgId: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      log.warn('events of an organization are not published yet', { org: orgId, error });
    }
  }

  async function look({ id, overdueUntil }: ClaimedOrg): Promise<void> {
    const org = orgOf(id);
    const now = clock();
    if (await hasDue(sql, org.tables, overdueUntil, now)) await writeDue(sql, org, now);
    await publishNew(id);
  }

  async function sweep(): Promise<void> {
    await readFollowed();
    // The next sweep looks at organizations that become due meanwhile.
    const now = clock();
    for (;;) {
      const claimed = await claimOrgs(sql, now, version, CLAIM);
      await forEachOrg(claimed, AT_ONCE, (org) => safely(org.id, () => look(org)));
      if (claimed.length < CLAIM || stopped) return;
    }
  }

  /** Publishes in the background, once for all calls about an organization that come meanwhile. */
  function inBackground(orgId: string, publish: (orgId: string) => Promise<unknown>): void {
    if (stopped) return;
    const running = kicked.get(orgId);
    if (running) {
      running.next = running.next === publishAll ? publishAll : publish;
      return;
    }
    const kick: Kick = { next: publish, task: Promise.resolve() };
    kicked.set(orgId, kick);
    const run = async () => {
      for (let next = kick.next; next; next = kick.next) {
        kick.next = undefined;
        await safely(orgId, () => next(orgId));
      }
      kicked.delete(orgId);
    };
    kick.task = run();
    const sent = kick.task.then(dispatch);
    background?.(sent);
  }

  async function publishIfFollowed(orgId: string): Promise<void> {
    if (!isCurrent()) await readFollowed();
    if (followed.ids.has(orgId)) await publishNew(orgId);
  }

  const isCurrent = () => clock().getTime() - followed.readAt < KNOWN_MS;

  return {
    kick(orgId) {
      if (followed.ids.has(orgId) || !isCurrent()) inBackground(orgId, publishIfFollowed);
    },
    followed: (orgId) => inBackground(orgId, publishAll),
    async publish(orgId) {
      if (await hasUnpublished(sql, tablesOf({ id: orgId }))) return await publishAll(orgId);
      return await readPosition(sql, orgOf(orgId));
    },
    async run() {
      const before = delivered;
      sweeping ??= sweep().finally(() => {
        sweeping = undefined;
      });
      // Due deliveries do not wait for organizations whose tables are out of reach.
      const sending = dispatch();
      await sweeping;
      await Promise.all([sending, dispatch()]);
      return delivered - before;
    },
    async stop() {
      stopped = true;
      const published = Promise.all([
        ...[...kicked.values()].map(({ task }) => task),
        sweeping?.catch(() => {}),
      ]);
      await stop(() => stopping.abort(new Error('the process is stopping')));
      await settles(published, STOP_MS);
    },
  };
}
