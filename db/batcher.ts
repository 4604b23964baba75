/** What a {@link createBatcher} runs. Each item gets its own result or its own error. */
export interface BatcherOptions<Item, Result, Resource = void> {
  /**
   * Acquires what a batch needs, such as a connection, and calls `runBatch` with it. Items can join the batch until then. When
   * it throws, all waiting items are rejected.
   */
  acquire?(runBatch: (resource: Resource) => Promise<void>): Promise<void>;
  /** Runs the items of one batch; the results are in the order of the items. Throwing rejects all of them. */
  run(items: Item[], resource: Resource): Promise<(Result | Error)[]>;
  /** Most items per batch. */
  maxItems: number;
  /** Most batches at the same time: the next one does not wait for a slow one as long as more are allowed. 1 when unset. */
  maxConcurrent?: number;
  /** Items that share a key never share a batch; the later item joins the next one. */
  keysOf?(item: Item): readonly string[];
  /** Most weight of a batch, the sum of {@link weigh} over its items. A single item always fits. */
  maxWeight?: number;
  weigh?(item: Item): number;
}

/** Adds an item; resolves with its result when its batch is done. */
export type Batcher<Item, Result> = (item: Item) => Promise<Result>;

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** A batch that takes longer may never finish: its connection may be dead without anybody knowing. */
const SLOW_MS = 1_000;

/** Resolves when a batch is done or slow. */
async function doneOrSlow(done: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const slow = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, SLOW_MS);
  });
  await Promise.race([done, slow]).finally(() => clearTimeout(timer));
}

/**
 * Group commit: items that arrive while a batch runs, or waits for its resource, form the next batch. There is no timer, so an
 * idle batcher runs an item at once, and a batch starts only after all of its items have arrived.
 */
export function createBatcher<Item, Result, Resource = void>(
  options: BatcherOptions<Item, Result, Resource>,
): Batcher<Item, Result> {
  const {
    acquire = (runBatch) => runBatch(undefined as Resource),
    run,
    maxItems,
    maxConcurrent = 1,
    keysOf,
    maxWeight = Number.POSITIVE_INFINITY,
    weigh,
  } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let flushing = false;
  let running = 0;

  /** Takes the items of the next batch from those that wait. */
  function takeBatch(): Waiting<Item, Result>[] {
    if (!keysOf && !weigh && waiting.length <= maxItems) {
      const all = waiting;
      waiting = [];
      return all;
    }
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const keys = new Set<string>();
    let weight = 0;
    for (const entry of waiting) {
      const itsKeys = keysOf?.(entry.item) ?? [];
      const heavier = weight + (weigh?.(entry.item) ?? 0);
      const full = batch.length >= maxItems || (batch.length > 0 && heavier > maxWeight);
      if (full || itsKeys.some((key) => keys.has(key))) {
        left.push(entry);
        continue;
      }
      for (const key of itsKeys) keys.add(key);
      weight = heavier;
      batch.push(entry);
    }
    waiting = left;
    return batch;
  }

  async function flush(): Promise<void> {
    flushing = true;
    while (waiting.length > 0) {
      // Items that arrive in the same turn of the event loop join the batch.
      await new Promise((turn) => setImmediate(turn));
      running++;
      const done = acquire(runBatch)
        .catch((error) => {
          // No batch was taken: every item still waits.
          for (const { reject } of waiting.splice(0)) reject(error);
        })
        .finally(() => {
          running--;
        });
      if (running < maxConcurrent) await doneOrSlow(done);
      else await done;
    }
    flushing = false;
  }

  async function runBatch(resource: Resource): Promise<void> {
    const batch = takeBatch();
    if (batch.length === 0) return;
    try {
      const results = await run(
        batch.map((entry) => entry.item),
        resource,
      );
      batch.forEach((entry, i) => {
        const result = results[i] as Result | Error;
        if (result instanceof Error) entry.reject(result);
        else entry.resolve(result);
      });
    } catch (error) {
      for (const entry of batch) entry.reject(error);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!flushing) void flush();
    });
}
