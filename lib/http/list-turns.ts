import { createTurns } from '../../db/turns.ts';

/** Whole lists have a connection each for as long as they are read: so many at a time. */
export interface ListTurns {
  /**
   * Resolves when there is room, with what is to be called when done.
   * @throws when it takes too long
   */
  enter(reader: ListReader): Promise<() => void>;
}

/** Who reads a list. */
export interface ListReader {
  /** How many milliseconds rows have waited for it, all in all; 0 while it waits for rows. */
  waited(): number;
  /** Breaks the list off. */
  breakOff(): void;
}

/** Who has let rows wait for so long gives way to others. Less than the others' patience. */
const SLOW_MS = 15_000;
const LOOK_MS = 1_000;

/** @param room how many lists at a time */
export function createListTurns(room: number, options: { patienceMs: number; slowMs?: number }): ListTurns {
  const { patienceMs, slowMs = SLOW_MS } = options;
  const turns = createTurns(Array<true>(room).fill(true), { patienceMs });
  const readers = new Set<ListReader>();
  let waiting = 0;
  let looking: ReturnType<typeof setInterval> | undefined;

  /** Breaks off the slowest, as long as somebody waits. */
  function look(): void {
    const [slowest] = [...readers].sort((a, b) => b.waited() - a.waited());
    if (slowest && slowest.waited() > slowMs) slowest.breakOff();
  }

  return {
    async enter(reader) {
      waiting++;
      looking ??= setInterval(look, LOOK_MS);
      try {
        const leave = await new Promise<() => void>((resolve, reject) => {
          turns.enter((_, done) => resolve(done), reject);
        });
        readers.add(reader);
        return () => {
          readers.delete(reader);
          leave();
        };
      } finally {
        if (--waiting === 0) {
          clearInterval(looking);
          looking = undefined;
        }
      }
    },
  };
}
