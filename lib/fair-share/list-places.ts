import type { Places } from './places.ts';

/** Whole lists have a connection each for as long as they are read: so many at a time. */
export interface ListPlaces {
  /**
   * Resolves when there is room, with what is to be called when done.
   * @param request.org whose share it comes out of
   * @param request.signal aborted when nobody wants the list any more
   * @throws when it takes too long
   */
  enter(
    reader: ListReader,
    request?: { org?: string; signal?: AbortSignal | undefined },
  ): Promise<() => void>;
}

/** Who reads a list. Both numbers only grow. */
export interface ListReader {
  /** How many bytes it has been given. */
  taken(): number;
  /** How many milliseconds rows have waited for it, all in all. */
  waited(): number;
  /** Breaks the list off. */
  breakOff(): void;
}

export interface ListPlacesOptions {
  /** How long a request may wait for a place. */
  timeoutMs: number;
  /** A reader is judged by what it took in so much time. Less than `timeoutMs`. */
  slowMs?: number;
  /** A reader that has had its place for so long has to be faster. */
  longMs?: number;
}

const SLOW_MS = 15_000;
const LONG_MS = 60_000;
/**
 * A reader that lets rows wait and takes fewer bytes per second gives way to others. A faster one may finish, also when all
 * are slower than the database: else everybody would be broken off, and begin anew.
 */
const SLOW_RATE = 256 * 1024;
/** The same for a reader that has had its place for long: somebody who keeps all places on purpose needs that much for each. */
const LONG_SLOW_RATE = 2 * 1024 * 1024;
const LOOKS = 15;

/** What a reader had taken, and waited for, at some time. */
interface Mark {
  at: number;
  taken: number;
  waited: number;
}

/** @param places for lists; searches may share them */
export function createListPlaces(places: Pick<Places, 'acquire'>, options: ListPlacesOptions): ListPlaces {
  const { timeoutMs, slowMs = SLOW_MS, longMs = LONG_MS } = options;
  const readers = new Map<ListReader, { since: number; marks: Mark[] }>();
  let waiting = 0;
  let looking: ReturnType<typeof setInterval> | undefined;

  /** Breaks off the slowest, as long as somebody waits. */
  function look(): void {
    let slowest: { reader: ListReader; taken: number } | undefined;
    for (const [reader, { since, marks }] of readers) {
      const now = markOf(reader);
      marks.push(now);
      while (marks[1] && marks[1].at <= now.at - slowMs) marks.shift();
      const [then] = marks as [Mark];
      const ms = now.at - then.at;
      const taken = now.taken - then.taken;
      const rate = now.at - since >= longMs ? LONG_SLOW_RATE : SLOW_RATE;
      const isSlow = ms >= slowMs && now.waited - then.waited > ms / 2 && taken < (rate * ms) / 1_000;
      if (isSlow && taken < (slowest?.taken ?? Number.POSITIVE_INFINITY)) slowest = { reader, taken };
    }
    if (!slowest || waiting === 0) return;
    // Once: its connection may take a while to come back.
    readers.delete(slowest.reader);
    slowest.reader.breakOff();
  }

  return {
    async enter(reader, { org, signal } = {}) {
      waiting++;
      const place = await places.acquire({ key: org, timeoutMs, signal }).finally(() => waiting--);
      readers.set(reader, { since: performance.now(), marks: [markOf(reader)] });
      looking ??= setInterval(look, slowMs / LOOKS);
      return () => {
        place.release();
        readers.delete(reader);
        if (readers.size > 0) return;
        clearInterval(looking);
        looking = undefined;
      };
    },
  };
}

const markOf = (reader: ListReader): Mark => ({
  at: performance.now(),
  taken: reader.taken(),
  waited: reader.waited(),
});
