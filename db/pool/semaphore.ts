import QuickLRU from 'quick-lru';

/** The sender of a request: usually an organization. It uses the share of its account. */
export interface Sharer {
  id: string;
  /** Unset: the sender is an account of its own. */
  account?: string | undefined;
}

/** Returns units. @param rest units that stay in use; 0 by default. Further calls return what is left. */
export type Release = (rest?: number) => void;

export interface AcquireRequest {
  /** Unset: no share counts. */
  sharer?: Sharer | undefined;
  /** 1 by default. */
  units?: number;
  /** When a repeated request was first made, by `performance.now()`: its timeout began then, and it is served first. */
  since?: number | undefined;
  /** Replaces the semaphore's timeout; infinite: none. */
  timeoutMs?: number | undefined;
  /** Withdraws a waiting request. */
  signal?: AbortSignal | undefined;
}

export interface SemaphoreOptions {
  /** Most units in use at a time; unset: any number. */
  total?: number;
  /** Most units that one account uses at a time; unset: all. A number that changes applies from the next request or release. */
  perAccount?: number | (() => number);
  /** Unset: requests wait until they are served. */
  timeoutMs?: number | undefined;
  /**
   * Accounts are served in the order of the time for which they have held units lately, shortest first; half of that time is forgotten
   * after so many milliseconds. Then many accounts with requests of seconds do not delay one with a short request. Unset: round-robin.
   */
  halfLifeMs?: number;
}

interface Waiter {
  units: number;
  since: number;
  grant(release: Release): void;
  reject(error: Error): void;
}

interface Account {
  inUse: number;
  /** The waiting requests of each sender. A sender moves to the end when one of its requests is served. */
  lines: Map<string, Waiter[]>;
}

/** Default timeout for acquiring a connection or a permit. */
export const ACQUIRE_TIMEOUT_MS = 10_000;

/** Error codes of `acquire`: timeout; timeout while the account uses its whole share; aborted by the signal. */
export const TOO_BUSY = 'TOO_BUSY';
export const OVER_SHARE = 'OVER_SHARE';
export const ABORTED = 'ABORTED';

export type Semaphore = ReturnType<typeof createSemaphore>;

/**
 * A fair weighted semaphore: requests use units of something limited, such as connections or bytes. Accounts that wait are served
 * round-robin (or by `halfLifeMs`), and so are the senders within an account. The next request in line waits for enough units, so that
 * small requests do not starve large ones.
 */
export function createSemaphore(options: SemaphoreOptions) {
  const { total = Number.POSITIVE_INFINITY, perAccount = total } = options;
  const share = typeof perAccount === 'number' ? () => perAccount : perAccount;
  /** An account moves to the end when one of its requests is served. */
  const accounts = new Map<string | undefined, Account>();
  const usage = createUsage(options.halfLifeMs);
  let inUse = 0;
  let waiting = 0;

  function entryOf(key: string | undefined): Account {
    let account = accounts.get(key);
    if (!account) {
      account = { inUse: 0, lines: new Map() };
      accounts.set(key, account);
    }
    return account;
  }

  function deleteUnused(key: string | undefined, { inUse, lines }: Account): void {
    if (inUse === 0 && lines.size === 0) accounts.delete(key);
  }

  const fitsShare = (key: string | undefined, { inUse }: Account, units: number) =>
    key === undefined || inUse + units <= share();

  function use(key: string | undefined, account: Account, units: number): Release {
    const start = performance.now();
    let left = units;
    inUse += units;
    account.inUse += units;
    return (rest = 0) => {
      const freed = left - rest;
      if (freed <= 0) return;
      left = rest;
      usage?.add(key, freed * (performance.now() - start));
      inUse -= freed;
      account.inUse -= freed;
      serve();
      deleteUnused(key, account);
    };
  }

  /** The next request of the first account whose share allows it. */
  function nextInLine() {
    const inOrder = usage ? [...accounts].sort(([a], [b]) => usage.of(a) - usage.of(b)) : accounts;
    for (const [key, account] of inOrder)
      for (const [sender, [waiter]] of account.lines) {
        if (waiter && fitsShare(key, account, waiter.units)) return { key, account, sender, waiter };
        break;
      }
    return undefined;
  }

  function serve(): void {
    while (waiting > 0) {
      const next = nextInLine();
      if (!next || inUse + next.waiter.units > total) return;
      const { key, account, sender, waiter } = next;
      moveToEnd(accounts, key);
      moveToEnd(account.lines, sender);
      waiter.grant(use(key, account, waiter.units));
    }
  }

  function wait(key: string | undefined, account: Account, request: AcquireRequest): Promise<Release> {
    const { sharer, units = 1, since, signal } = request;
    const { timeoutMs = options.timeoutMs } = request;
    const sender = sharer?.id ?? '';
    const line = account.lines.get(sender) ?? [];
    account.lines.set(sender, line);
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.splice(line.indexOf(waiter), 1);
        if (line.length === 0) account.lines.delete(sender);
        waiting--;
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
      };
      const waiter: Waiter = {
        ...{ units, since: since ?? performance.now() },
        grant(release) {
          leave();
          resolve(release);
        },
        reject(error) {
          leave();
          deleteUnused(key, account);
          reject(error);
        },
      };
      const fail = (message: string, code: string) => {
        waiter.reject(Object.assign(new Error(message), { code }));
        // Requests behind it may need fewer units.
        serve();
      };
      const onAbort = () => fail('the request was aborted', ABORTED);
      const onTimeout = () =>
        fail(`no permit within ${timeoutMs} ms`, fitsShare(key, account, units) ? TOO_BUSY : OVER_SHARE);
      const isLimited = timeoutMs !== undefined && timeoutMs < Number.POSITIVE_INFINITY;
      const timer = isLimited
        ? setTimeout(onTimeout, timeoutMs + waiter.since - performance.now())
        : undefined;
      if (since === undefined) line.push(waiter);
      else line.unshift(waiter);
      waiting++;
      signal?.addEventListener('abort', onAbort);
      if (signal?.aborted) onAbort();
    });
  }

  const keyOf = ({ sharer }: AcquireRequest) => sharer && (sharer.account ?? sharer.id);

  /** Acquires units if nobody has to wait for it. */
  function tryAcquire(request: AcquireRequest = {}): Release | undefined {
    if (waiting > 0) serve();
    const { units = 1 } = request;
    const key = keyOf(request);
    const account = entryOf(key);
    const isFree =
      account.lines.size === 0 &&
      inUse + units <= total &&
      fitsShare(key, account, units) &&
      (waiting === 0 || !nextInLine());
    if (isFree) return use(key, account, units);
    deleteUnused(key, account);
    return undefined;
  }

  return {
    tryAcquire,
    /** @throws an error with one of the codes above */
    async acquire(request: AcquireRequest = {}): Promise<Release> {
      const release = tryAcquire(request);
      if (release) return release;
      const key = keyOf(request);
      return wait(key, entryOf(key), request);
    },
    rejectWaiting(error: Error): void {
      for (const { lines } of [...accounts.values()])
        for (const line of [...lines.values()]) for (const waiter of [...line]) waiter.reject(error);
    },
    /** Whether a request has waited for `ms` milliseconds for units that this sender may use. */
    isBlocking({ sharer }: Pick<AcquireRequest, 'sharer'>, ms: number): boolean {
      const isLate = ({ since }: Waiter) => performance.now() - since >= ms;
      const next = nextInLine();
      if (next && isLate(next.waiter)) return true;
      const lines = accounts.get(keyOf({ sharer }))?.lines.values() ?? [];
      return [...lines].some(([waiter]) => waiter !== undefined && isLate(waiter));
    },
    inUse: () => inUse,
    waiting: () => waiting,
  };
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

/** The time for which accounts have held units, of which half is forgotten after `halfLifeMs`. */
function createUsage(halfLifeMs: number | undefined) {
  if (halfLifeMs === undefined) return undefined;
  const accounts = new QuickLRU<string | undefined, { ms: number; at: number }>({ maxSize: 10_000 });
  const usedBy = (key: string | undefined): number => {
    const used = accounts.get(key);
    return used ? used.ms * 2 ** ((used.at - performance.now()) / halfLifeMs) : 0;
  };
  return {
    of: usedBy,
    add(key: string | undefined, ms: number): void {
      accounts.set(key, { ms: usedBy(key) + ms, at: performance.now() });
    },
  };
}
