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
  /**
   * Most batches at the same time, 1 when unset. As long as more are allowed, the next one does not wait for a slow one, and a
   * full one does not wait at all.
   */
  maxConcurrent?: number;
  /** Items that share a key are run one after the other, in the order in which they were added. */
  keysOf?(item: Item): readonly string[];
  /** Most weight of a batch, the sum of {@link weigh} over its items. A single item always fits. */
  maxWeight?: number;
  weigh?(item: Item): number;
}

/** Adds an item; resolves with its result when its batch is done. */
export type Batcher<Item, Result> = (item: Item) => Promise<Result>;

interface Waiting<Item, Result> {
  item: Item;
  weight: number;
  keys: readonly string[];
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** A batch that takes longer may never finish: its connection may be dead without anybody knowing. */
const SLOW_MS = 1_000;

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
  let waitingWeight = 0;
  let flushing = false;
  const running = new Set<Promise<void>>();
  /** Keys of the batches that are running. No two of them have a key in common. */
  const runningKeys = new Set<string>();
  /** Whether all waiting items have a key of a running batch. */
  let blocked = false;
  let onFull = () => {};

  /** Takes the items of the next batch from those that wait. */
  function takeBatch(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const keys = new Set(runningKeys);
    let weight = 0;
    for (const entry of waiting) {
      const heavier = weight + entry.weight;
      const isFull = batch.length >= maxItems || (batch.length > 0 && heavier > maxWeight);
      const mustWait = isFull || entry.keys.some((key) => keys.has(key));
      // Also keys of items that must wait, so that later items do not overtake them.
      for (const key of entry.keys) keys.add(key);
      if (mustWait) {
        left.push(entry);
        continue;
      }
      weight = heavier;
      batch.push(entry);
    }
    waiting = left;
    waitingWeight = left.length > 0 ? waitingWeight - weight : 0;
    return batch;
  }

  const isFull = () => waiting.length >= maxItems || waitingWeight >= maxWeight;

  async function flush(): Promise<void> {
    flushing = true;
    while (waiting.length > 0) {
      // Items that arrive in the same turn of the event loop join the batch.
      await new Promise((turn) => setImmediate(turn));
      const done = acquire(runBatch)
        .catch((error) => {
          // No batch was taken: every item still waits.
          for (const { reject } of waiting.splice(0)) reject(error);
          waitingWeight = 0;
        })
        .finally(() => running.delete(done));
      running.add(done);
      if (running.size < maxConcurrent && !isFull()) await oneDone(SLOW_MS);
      while (running.size >= maxConcurrent || (blocked && running.size > 0)) {
        await oneDone();
        blocked = false;
      }
    }
    flushing = false;
  }

  /** Resolves when a batch is done, and with a limit also when the time is over or the waiting items fill a batch. */
  async function oneDone(limitMs?: number): Promise<void> {
    if (limitMs === undefined) return Promise.race(running);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const early = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs);
      onFull = resolve;
    });
    await Promise.race([...running, early]).finally(() => clearTimeout(timer));
  }

  async function runBatch(resource: Resource): Promise<void> {
    const batch = takeBatch();
    if (batch.length === 0) {
      blocked = waiting.length > 0;
      return;
    }
    for (const { keys } of batch) for (const key of keys) runningKeys.add(key);
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
    } finally {
      for (const { keys } of batch) for (const key of keys) runningKeys.delete(key);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const weight = weigh?.(item) ?? 0;
      waiting.push({ item, weight, keys: keysOf?.(item) ?? [], resolve, reject });
      waitingWeight += weight;
      if (!flushing) void flush();
      else if (isFull()) onFull();
    });
}
