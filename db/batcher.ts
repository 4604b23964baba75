/** The options of {@link createBatcher}. Each item gets its own result or its own error. */
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

interface Batch {
  /** How many items it has taken from those that wait; undefined until then. */
  taken: number | undefined;
  /** Whether it takes so long that the next batch does not wait for it: its connection may be dead. */
  isSlow: boolean;
}

const SLOW_MS = 1_000;
const NO_KEYS: readonly string[] = [];

/**
 * Group commit: items that arrive while a batch runs, or waits for its resource, form the next batch. An idle batcher runs
 * an item at once, and a batch starts only after all of its items have arrived.
 */
export function createBatcher<Item, Result, Resource = void>(
  options: BatcherOptions<Item, Result, Resource>,
): Batcher<Item, Result> {
  const {
    acquire = (runBatch) => runBatch(undefined as Resource),
    run,
    maxItems,
    maxConcurrent = 1,
    keysOf = () => NO_KEYS,
    maxWeight = Number.POSITIVE_INFINITY,
    weigh = () => 0,
  } = options;
  let waiting: Waiting<Item, Result>[] = [];
  let waitingWeight = 0;
  let flushing = false;
  const running = new Set<Batch>();
  /** Keys of the batches that are running. No two of them have a key in common. */
  const runningKeys = new Set<string>();
  /** Whether all waiting items have a key of a running batch. */
  let blocked = false;
  /** Called when {@link mustWait} may have changed. */
  let onChange = () => {};

  const isFull = () => waiting.length >= maxItems || waitingWeight >= maxWeight;

  /** Whether the next batch has to wait for one of those that are running. */
  function mustWait(): boolean {
    if (running.size === 0) return false;
    if (running.size >= maxConcurrent || blocked) return true;
    for (const { taken, isSlow } of running) if (!isSlow && (taken === undefined || !isFull())) return true;
    return false;
  }

  async function flush(): Promise<void> {
    flushing = true;
    while (waiting.length > 0) {
      // Items that arrive in the same turn of the event loop join the batch.
      await new Promise((turn) => setImmediate(turn));
      void start();
      while (mustWait()) {
        await new Promise<void>((resolve) => {
          onChange = resolve;
        });
      }
    }
    flushing = false;
  }

  async function start(): Promise<void> {
    const batch: Batch = { taken: undefined, isSlow: false };
    running.add(batch);
    const timer =
      maxConcurrent > 1
        ? setTimeout(() => {
            batch.isSlow = true;
            onChange();
          }, SLOW_MS)
        : undefined;
    try {
      await acquire(async (resource) => {
        const items = takeBatch();
        batch.taken = items.length;
        blocked = items.length === 0 && waiting.length > 0;
        if (items.length > 0) await runBatch(items, resource);
      });
    } catch (error) {
      for (const { reject } of waiting.splice(0)) reject(error);
      waitingWeight = 0;
    }
    clearTimeout(timer);
    running.delete(batch);
    if (batch.taken) blocked = false;
    onChange();
  }

  /** Takes the items of the next batch from those that wait. */
  function takeBatch(): Waiting<Item, Result>[] {
    const batch: Waiting<Item, Result>[] = [];
    const left: Waiting<Item, Result>[] = [];
    const keys = new Set(runningKeys);
    let weight = 0;
    for (const entry of waiting) {
      const heavier = weight + entry.weight;
      const isTooMuch = batch.length >= maxItems || (batch.length > 0 && heavier > maxWeight);
      const isLater = isTooMuch || entry.keys.some((key) => keys.has(key));
      // Also keys of items that are left, so that later items do not overtake them.
      for (const key of entry.keys) keys.add(key);
      if (isLater) {
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

  async function runBatch(batch: readonly Waiting<Item, Result>[], resource: Resource): Promise<void> {
    for (const { keys } of batch) for (const key of keys) runningKeys.add(key);
    try {
      const results = await run(
        batch.map(({ item }) => item),
        resource,
      );
      for (const [i, { resolve, reject }] of batch.entries()) {
        const result = results[i] as Result | Error;
        if (result instanceof Error) reject(result);
        else resolve(result);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    for (const { keys } of batch) for (const key of keys) runningKeys.delete(key);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const weight = weigh(item);
      waiting.push({ item, weight, keys: keysOf(item), resolve, reject });
      waitingWeight += weight;
      if (!flushing) void flush();
      else if (isFull()) onChange();
    });
}
