/** Things that one user at a time may have; others wait in the order they came. */
export interface Turns<Thing> {
  /**
   * Calls `begin` when there is a thing: at once, or later. The `leave` it is given is to be called when done. Calls
   * `refuse` instead when it takes too long.
   * @param since by `performance.now()`: who had a turn already, of which nothing came, goes first and has waited so long
   */
  enter(begin: Begin<Thing>, refuse: (error: Error) => void, since?: number): void;
  /** Refuses all who wait. */
  refuseAll(error: Error): void;
  /** How many are in. */
  inside(): number;
  /** How many wait. */
  waiting(): number;
}

export type Begin<Thing> = (thing: Thing, leave: () => void) => void;

export interface TurnsOptions {
  /** How long somebody may wait. */
  patienceMs: number;
}

interface Waiting<Thing> {
  begin: Begin<Thing>;
  refuse: (error: Error) => void;
  since: number;
}

/** How long a query waits for a connection. */
export const PATIENCE_MS = 10_000;

/** Thrown to who has waited too long. */
export const BUSY = 'TOO_BUSY';

/** @param things those that are free; the one that came back last, at the end, is given first */
export function createTurns<Thing>(things: Thing[], { patienceMs }: TurnsOptions): Turns<Thing> {
  let waiting: Waiting<Thing>[] = [];
  let inside = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function start(thing: Thing, begin: Begin<Thing>): void {
    let left = false;
    inside++;
    begin(thing, () => {
      if (left) return;
      left = true;
      inside--;
      const next = waiting.shift();
      if (next) start(thing, next.begin);
      else things.push(thing);
    });
  }

  function refuseLate(): void {
    timer = undefined;
    const oldest = performance.now() - patienceMs;
    // In the order they came, but for the few that were put first.
    while (waiting[0] && waiting[0].since <= oldest) {
      const error = Object.assign(new Error(`no turn within ${patienceMs} ms`), { code: BUSY });
      waiting.shift()?.refuse(error);
    }
    watch();
  }

  function watch(): void {
    const [next] = waiting;
    if (!next || timer) return;
    timer = setTimeout(refuseLate, Math.max(1, next.since + patienceMs - performance.now()));
    timer.unref?.();
  }

  return {
    enter(begin, refuse, since) {
      const thing = things.pop();
      if (thing !== undefined) {
        start(thing, begin);
        return;
      }
      if (since === undefined) waiting.push({ begin, refuse, since: performance.now() });
      else waiting.unshift({ begin, refuse, since });
      watch();
    },
    refuseAll(error) {
      const refused = waiting;
      waiting = [];
      for (const { refuse } of refused) refuse(error);
    },
    inside: () => inside,
    waiting: () => waiting.length,
  };
}
