/**
 * A fair semaphore: a fixed number of things, such as connections, each used by one request at a time. Requests wait in a queue per key,
 * such as an organization, and the queues are served round-robin.
 */
export interface Semaphore<Thing> {
  /**
   * Calls `begin` when there is a thing: at once, or later. The `leave` it is given is to be called when done. Calls
   * `refuse` instead when it takes too long.
   * @returns withdraws the request while it waits; has no effect afterwards
   */
  enter(begin: Begin<Thing>, refuse: (error: Error) => void, request?: AcquireRequest): () => void;
  /** Refuses all that wait. */
  refuseAll(error: Error): void;
  /** How many are in. */
  inside(): number;
  /** How many wait. */
  waiting(): number;
}

/** @param disown keeps the thing, which no longer counts against its key */
export type Begin<Thing> = (thing: Thing, leave: () => void, disown: () => void) => void;

export interface AcquireRequest {
  /** Whose share it counts against; unset: nobody's, without a limit of its own. */
  key?: string | undefined;
  /** By `performance.now()`: the request had a thing already that was of no use, so it goes first and has waited so long. */
  since?: number | undefined;
  /** Instead of that of all. */
  patienceMs?: number | undefined;
}

export interface SemaphoreOptions {
  /** How long a request may wait. */
  patienceMs: number;
  /** How many things one key may have at a time; unset: all of them. */
  perKey?: number;
}

interface Waiting<Thing> {
  begin: Begin<Thing>;
  refuse: (error: Error) => void;
  since: number;
  deadline: number;
}

interface Line<Thing> {
  inside: number;
  waiting: Waiting<Thing>[];
}

/** How long a query waits for a connection. */
export const PATIENCE_MS = 10_000;

/** Code of the error of a request that waited too long. */
export const BUSY = 'TOO_BUSY';
/** The same, where its own key has all that it may have. */
export const OVER_SHARE = 'OVER_SHARE';

/** @param things those that are free; the one that came back last, at the end, is given first */
export function createSemaphore<Thing>(
  things: Thing[],
  { patienceMs, perKey = things.length }: SemaphoreOptions,
): Semaphore<Thing> {
  const share = Math.min(perKey, things.length);
  /** By key; the first is served first, and goes to the end when it has been served. */
  const lines = new Map<string | undefined, Line<Thing>>();
  let inside = 0;
  let waiting = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let timerAt = Number.POSITIVE_INFINITY;

  function lineOf(key: string | undefined): Line<Thing> {
    let line = lines.get(key);
    if (!line) {
      line = { inside: 0, waiting: [] };
      lines.set(key, line);
    }
    return line;
  }

  const isFull = (key: string | undefined, line: Line<Thing>) => key !== undefined && line.inside >= share;

  function forget(key: string | undefined, line: Line<Thing>): void {
    if (line.inside === 0 && line.waiting.length === 0 && lines.get(key) === line) lines.delete(key);
  }

  function start(thing: Thing, key: string | undefined, line: Line<Thing>, begin: Begin<Thing>): void {
    let left = false;
    let owned = true;
    inside++;
    line.inside++;
    const disown = () => {
      if (owned) line.inside--;
      owned = false;
      serve();
      forget(key, line);
    };
    const leave = () => {
      if (left) return;
      left = true;
      inside--;
      things.push(thing);
      disown();
    };
    begin(thing, leave, disown);
  }

  /** Gives what is free to those that wait, one key after the other. */
  function serve(): void {
    while (waiting > 0 && things.length > 0) {
      const next = nextLine();
      if (!next) return;
      const [key, line] = next;
      const { begin } = line.waiting.shift() as Waiting<Thing>;
      waiting--;
      lines.delete(key);
      lines.set(key, line);
      start(things.pop() as Thing, key, line, begin);
    }
  }

  function nextLine() {
    for (const entry of lines) {
      const [key, line] = entry;
      if (line.waiting.length > 0 && !isFull(key, line)) return entry;
    }
    return undefined;
  }

  function refuseLate(): void {
    timer = undefined;
    timerAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (const [key, line] of [...lines]) {
      const late = line.waiting.filter(({ deadline }) => deadline <= now);
      if (late.length === 0) continue;
      line.waiting = line.waiting.filter(({ deadline }) => deadline > now);
      waiting -= late.length;
      const code = isFull(key, line) ? OVER_SHARE : BUSY;
      for (const { refuse, since, deadline } of late)
        refuse(Object.assign(new Error(`no place within ${Math.round(deadline - since)} ms`), { code }));
      forget(key, line);
    }
    watch();
  }

  function watch(): void {
    let first = Number.POSITIVE_INFINITY;
    for (const line of lines.values())
      for (const { deadline } of line.waiting) first = Math.min(first, deadline);
    wakeAt(first);
  }

  function wakeAt(deadline: number): void {
    if (deadline >= timerAt) return;
    clearTimeout(timer);
    timerAt = deadline;
    timer = setTimeout(refuseLate, Math.max(1, deadline - performance.now()));
    timer.unref?.();
  }

  return {
    enter(begin, refuse, { key, since, patienceMs: own = patienceMs } = {}) {
      const line = lineOf(key);
      if (things.length > 0 && line.waiting.length === 0 && !isFull(key, line)) {
        start(things.pop() as Thing, key, line, begin);
        return () => {};
      }
      const came = since ?? performance.now();
      const entry = { begin, refuse, since: came, deadline: came + own };
      if (since === undefined) line.waiting.push(entry);
      else line.waiting.unshift(entry);
      waiting++;
      wakeAt(entry.deadline);
      return () => {
        const at = line.waiting.indexOf(entry);
        if (at < 0) return;
        line.waiting.splice(at, 1);
        waiting--;
        forget(key, line);
      };
    },
    refuseAll(error) {
      const refused = [...lines.values()].flatMap((line) => line.waiting.splice(0));
      waiting = 0;
      for (const { refuse } of refused) refuse(error);
    },
    inside: () => inside,
    waiting: () => waiting,
  };
}

/** Code of the error of a request that was withdrawn. */
export const WITHDRAWN = 'WITHDRAWN';

/**
 * Resolves when a place is free, with the function that releases it.
 * @param request.signal withdraws the request while it waits
 */
export function acquire<Thing>(
  semaphore: Semaphore<Thing>,
  { signal, ...request }: AcquireRequest & { signal?: AbortSignal | undefined },
): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const withdraw = semaphore.enter(
      (_, leave) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(leave);
      },
      (error) => {
        signal?.removeEventListener('abort', onAbort);
        reject(error);
      },
      request,
    );
    function onAbort(): void {
      withdraw();
      reject(Object.assign(new Error('nobody waits any more'), { code: WITHDRAWN }));
    }
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort, { once: true });
  });
}
