import { isMissingTable, isUnavailable } from '../../db/errors.ts';
import type { StoredEvent } from '../../db/events/read.ts';
import type { Logger } from '../logger.ts';
import type { LoadedEvent } from './render.ts';
import { isOfScan } from './types.ts';

/** The most that is read at once, so that a process with many destinations needs little memory. */
const FINDINGS = 1_000;
const SCANS = 10;

/** Reads the content of events, in their order. */
export type LoadEvents = (events: readonly StoredEvent[]) => Promise<readonly LoadedEvent[]>;

/** Reads the content of an event. @returns undefined if there is nothing to tell, an error if it cannot be read */
export type ReadContent<Content> = (event: StoredEvent) => Promise<Content | Error | undefined>;

/** The first events that are read at once. */
function firstOf(events: readonly StoredEvent[]): readonly StoredEvent[] {
  let findings = 0;
  let scans = 0;
  const end = events.findIndex(({ type, finding_ids }, i) => {
    findings += finding_ids?.length ?? 0;
    if (isOfScan(type)) scans++;
    return i > 0 && (findings > FINDINGS || scans > SCANS);
  });
  return end < 0 ? events : events.slice(0, end);
}

/**
 * Reads the contents of events, such as their bodies for an audience. They are asked for in their order, and many are read with one call
 * of `load`. If it fails, they are read one by one, so that one that cannot be read keeps no other waiting.
 * @throws Error if the database is out of reach
 */
export function readInOrder<Content>(
  load: LoadEvents,
  events: readonly StoredEvent[],
  contentOf: (event: LoadedEvent) => Content | undefined,
  log: Logger,
): ReadContent<Content> {
  const read = new Map<string, Content | Error | undefined>();

  async function readAll(some: readonly StoredEvent[]): Promise<void> {
    try {
      for (const loaded of await load(some)) read.set(loaded.event.id, contentOf(loaded));
    } catch (error) {
      if (isUnavailable(error) || isMissingTable(error)) throw error;
      const [first] = some;
      if (first && some.length === 1) {
        log.error('an event cannot be read', { event: first.id, error });
        read.set(first.id, error as Error);
      } else {
        for (const event of some) await readAll([event]);
      }
    }
  }

  return async (event) => {
    if (!read.has(event.id)) await readAll(firstOf(events.slice(events.indexOf(event))));
    return read.get(event.id);
  };
}

/** Destinations of an organization share what one of them has read for this time. */
const SHARED_MS = 1_000;

/** Reads contents for several destinations of an organization once, if they ask for the same events at about the same time. */
export interface SharedContents<Org extends { id: string }> {
  load(org: Org, events: readonly StoredEvent[]): Promise<readonly LoadedEvent[]>;
  /** Keeps nothing of an organization any more, whose destinations have nothing to send. */
  forget(orgId: string): void;
}

export function shareContents<Org extends { id: string }>(
  load: SharedContents<Org>['load'],
): SharedContents<Org> {
  const latest = new Map<string, { key: string; at: number; read: ReturnType<typeof load> }>();
  return {
    load(org, events) {
      const key = events.map(({ id }) => id).join();
      const at = performance.now();
      const last = latest.get(org.id);
      if (last?.key === key && at - last.at < SHARED_MS) return last.read;
      const read = load(org, events);
      const entry = { key, at, read };
      latest.set(org.id, entry);
      // Each destination tries what could not be read itself.
      read.catch(() => latest.get(org.id) === entry && latest.delete(org.id));
      return read;
    },
    forget: (orgId) => void latest.delete(orgId),
  };
}
