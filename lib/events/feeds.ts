import type { Database } from '../../db/client.ts';
import { readEvents } from '../../db/events/read.ts';
import { hasTables } from '../../db/orgs/tables.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { Org, OrgDirectory } from '../orgs/directory.ts';
import { type LoadedEvent, loadEvents } from './render.ts';

/** The published events of organizations, for the streams of this process. */
export interface EventFeeds {
  /**
   * Follows an organization until `close`. Streams that begin at the same time wait for the same look for new events.
   * @param after a position that the caller knows
   */
  follow(org: Org, after?: number): Promise<EventFeed>;
  /** Looks for new events of an organization now, if anybody follows it. */
  wake(orgId: string): void;
  /** Ends all streams. */
  stop(): void;
}

/** The events of an organization. It holds no database connection while there are none. */
export interface EventFeed {
  /** The position of the latest event. */
  readonly latest: number;
  /** Whether it was closed, or the process stops. */
  readonly isOver: boolean;
  /** Resolves when there are events behind a position, it is over, or after a time. @returns whether there are events */
  wait(after: number, ms: number): Promise<boolean>;
  /** Reads the next events behind a position. Streams that have the same one share what was read. */
  read(after: number): Promise<EventPage>;
  /** Can be repeated. */
  close(): void;
}

/** Events that follow each other. */
export interface EventPage {
  events: readonly Pick<LoadedEvent, 'event' | 'bodyFor'>[];
  /** The position behind which the next ones are. Without events all up to it were removed. */
  end: number;
}

export interface FeedOptions {
  database: Database;
  orgs: Pick<OrgDirectory, 'named'>;
  config: Pick<Config, 'publicUrl' | 'baseDomain'>;
  log: Logger;
  /** Publishes the events of an organization. @returns the position of the latest one */
  publish(orgId: string): Promise<number>;
  /** Keeps the runtime alive until a stream ends (`waitUntil`). */
  background?: ((task: Promise<unknown>) => void) | undefined;
}

/** How often a process looks for events of an organization that others cause. */
const POLL_MS = 2_000;
/** Events that are read at once. That of a scan has a read of its own, of up to 20,000 findings. */
const PAGE = { events: 100, findings: 1_000, scans: 10 };
/** Streams share what one of them has read for this time. A later read has what was changed and lacks what was deleted meanwhile. */
const SHARED_MS = 1_000;

interface Followed {
  org: Org;
  latest: number;
  /** Called when there are new events, or the process stops. */
  listeners: Set<() => void>;
  feeds: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** The look for new events in progress, and whether another one has to follow. */
  looking: Promise<void> | undefined;
  again: boolean;
  hasFailed: boolean;
  page: { after: number; at: number; read: Promise<EventPage> } | undefined;
}

/** Waits until there are events, or it is over. @returns whether there are events */
function wait(
  { listeners }: Followed,
  hasEvents: () => boolean,
  { isOver, ms }: { isOver: () => boolean; ms: number },
): Promise<boolean> {
  if (hasEvents() || isOver()) return Promise.resolve(hasEvents());
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      listeners.delete(check);
      resolve(hasEvents());
    };
    const check = () => {
      if (hasEvents() || isOver()) end();
    };
    const timer = setTimeout(end, ms);
    listeners.add(check);
  });
}

/** Creates the feeds of a process: one for each organization that has open streams. */
export function createEventFeeds(options: FeedOptions): EventFeeds {
  const { database, orgs, config, log, publish, background } = options;
  const followed = new Map<string, Followed>();
  let isStopped = false;

  const notify = ({ listeners }: Followed) => {
    for (const listener of listeners) listener();
  };

  async function look(one: Followed): Promise<void> {
    if (one.page && performance.now() - one.page.at >= SHARED_MS) one.page = undefined;
    // An organization gets its tables with its first write.
    one.org = (await orgs.named(one.org.slug)) ?? one.org;
    const latest = hasTables(one.org) ? await publish(one.org.id) : 0;
    if (latest <= one.latest) return;
    one.latest = latest;
    notify(one);
  }

  /** Waits for the look in progress, or looks now, and again after a while. */
  function shareLook(one: Followed): Promise<void> {
    if (one.looking) return one.looking;
    clearTimeout(one.timer);
    one.timer = undefined;
    one.looking = look(one).finally(() => {
      one.looking = undefined;
      if (one.feeds === 0 || isStopped) return;
      const { again } = one;
      one.again = false;
      one.timer = setTimeout(poll, again ? 0 : POLL_MS, one);
    });
    return one.looking;
  }

  /** Looks once more after the look in progress. A failure is logged once until the next success. */
  async function poll(one: Followed): Promise<void> {
    if (one.looking) {
      one.again = true;
      return;
    }
    try {
      await shareLook(one);
      one.hasFailed = false;
    } catch (error) {
      if (!one.hasFailed) log.warn('events are not published for streams', { org: one.org.id, error });
      one.hasFailed = true;
    }
  }

  async function load({ org, latest }: Followed, after: number): Promise<EventPage> {
    const { sql } = database.of(org);
    const stored = await readEvents(sql, org.tables, { after, ...PAGE });
    const events = await loadEvents({ sql, org, config }, stored);
    return { events, end: stored.at(-1)?.seq ?? Math.max(after, latest) };
  }

  function read(one: Followed, after: number): Promise<EventPage> {
    const { page } = one;
    if (page && page.after === after && performance.now() - page.at < SHARED_MS) return page.read;
    const loaded = load(one, after);
    one.page = { after, at: performance.now(), read: loaded };
    return loaded;
  }

  function enter(org: Org): Followed {
    const one = followed.get(org.id) ?? {
      ...{ org, latest: 0, listeners: new Set(), feeds: 0, timer: undefined },
      ...{ looking: undefined, again: false, hasFailed: false, page: undefined },
    };
    followed.set(org.id, one);
    one.feeds++;
    return one;
  }

  function leave(one: Followed): void {
    if (--one.feeds > 0) return;
    clearTimeout(one.timer);
    followed.delete(one.org.id);
  }

  return {
    async follow(org, after = 0) {
      const one = enter(org);
      try {
        // Later events are those that are not published yet.
        await shareLook(one);
        // Another process may have published an event after that look had begun.
        if (after > one.latest) await shareLook(one);
      } catch (error) {
        leave(one);
        throw error;
      }
      let isClosed = false;
      let onClosed = () => {};
      background?.(
        new Promise<void>((resolve) => {
          onClosed = resolve;
        }),
      );
      return {
        get latest() {
          return one.latest;
        },
        get isOver() {
          return isStopped || isClosed;
        },
        wait: (after, ms) => wait(one, () => one.latest > after, { isOver: () => isStopped || isClosed, ms }),
        read: (after) => read(one, after),
        close() {
          if (isClosed) return;
          isClosed = true;
          notify(one);
          leave(one);
          onClosed();
        },
      };
    },
    wake(orgId) {
      const one = followed.get(orgId);
      if (one) void poll(one);
    },
    stop() {
      isStopped = true;
      for (const one of followed.values()) {
        clearTimeout(one.timer);
        notify(one);
      }
    },
  };
}
