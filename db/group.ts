/** What a {@link createGroup} runs; each item gets its own answer or its own error. */
export interface GroupOptions<Item, Result, Vessel = void> {
  /**
   * Calls `fly` when there is what a flight needs, such as a connection. Until then items can still board; when it
   * throws, all who wait are rejected.
   */
  takeOff?(fly: (vessel: Vessel) => Promise<void>): Promise<void>;
  /** Runs the items of one flight; its results stand in the order of the items. Rejects all of them by throwing. */
  run(items: Item[], vessel: Vessel): Promise<(Result | Error)[]>;
  /** Items per flight at the most. */
  maxItems: number;
  /** Flights at the same time at the most: a late one is not waited for when there may be others. Unset: 1. */
  maxAway?: number;
  /** Items with the same key never share a flight; the later one takes the next. */
  keyOf?(item: Item): string;
  /** Sum of {@link weigh} over the items of a flight at the most (one item always goes). */
  maxWeight?: number;
  weigh?(item: Item): number;
}

/** Adds an item; resolves when its flight has landed. */
export type Group<Item, Result> = (item: Item) => Promise<Result>;

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Who is away for longer may never come back: its connection may be dead without knowing. */
const LATE_MS = 1_000;

/** Resolves when a flight has landed, or is late. */
async function landedOrLate(landed: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LATE_MS);
  });
  await Promise.race([landed, late]).finally(() => clearTimeout(timer));
}

/**
 * Group commit: what arrives while a flight is under way, or waits to take off, leaves together. There is no timer, so
 * an idle group runs an item at once, and a flight starts only after all of its items have arrived.
 */
export function createGroup<Item, Result, Vessel = void>(
  options: GroupOptions<Item, Result, Vessel>,
): Group<Item, Result> {
  const {
    takeOff = (fly) => fly(undefined as Vessel),
    run,
    maxItems,
    maxAway = 1,
    keyOf,
    maxWeight = Number.POSITIVE_INFINITY,
    weigh,
  } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let flying = false;
  let away = 0;

  function board(): Waiting<Item, Result>[] {
    if (!keyOf && !weigh && waiting.length <= maxItems) {
      const all = waiting;
      waiting = [];
      return all;
    }
    const boarded: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const keys = new Set<string>();
    let weight = 0;
    for (const entry of waiting) {
      const key = keyOf?.(entry.item);
      const heavier = weight + (weigh?.(entry.item) ?? 0);
      const full = boarded.length >= maxItems || (boarded.length > 0 && heavier > maxWeight);
      if (full || (key !== undefined && keys.has(key))) {
        left.push(entry);
        continue;
      }
      if (key !== undefined) keys.add(key);
      weight = heavier;
      boarded.push(entry);
    }
    waiting = left;
    return boarded;
  }

  async function flyAll(): Promise<void> {
    flying = true;
    while (waiting.length > 0) {
      // What has arrived in this turn of the event loop comes along.
      await new Promise((turn) => setImmediate(turn));
      away++;
      const landed = takeOff(fly)
        .catch((error) => {
          // It is not going: nobody has boarded.
          for (const { reject } of waiting.splice(0)) reject(error);
        })
        .finally(() => {
          away--;
        });
      if (away < maxAway) await landedOrLate(landed);
      else await landed;
    }
    flying = false;
  }

  async function fly(vessel: Vessel): Promise<void> {
    const boarded = board();
    if (boarded.length === 0) return;
    try {
      const results = await run(
        boarded.map((entry) => entry.item),
        vessel,
      );
      boarded.forEach((entry, i) => {
        const result = results[i] as Result | Error;
        if (result instanceof Error) entry.reject(result);
        else entry.resolve(result);
      });
    } catch (error) {
      for (const entry of boarded) entry.reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!flying) void flyAll();
    });
}
