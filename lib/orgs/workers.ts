import type { Database } from '../../db/client.ts';
import { type DownWorker, findDownWorkers, findOrgsOn } from '../../db/orgs/workers.ts';
import type { EngineDetection } from '../../db/server-facts.ts';
import type { SqlClient } from '../../db/statements.ts';

/** Time between two checks that a probe starts: each opens a connection to every worker, and anybody may ask for it. */
const PAUSE_MS = 5_000;
/** The workers are checked when a statement has waited for so long. Together with a check, this stays below 5 s. */
const SUSPICIOUS_MS = 1_000;
const WATCH_MS = 1_000;

/** Watches the workers of a Citus cluster. Does nothing on other databases. */
export interface WorkerWatch {
  /** How many workers were down at the latest check; undefined on other databases. Starts the next check. */
  down(): number | undefined;
  /**
   * Checks the workers now, and from then on whenever statements wait. While a worker does not respond, statements of its
   * organizations fail, because PostgreSQL waits for it as long as it has a connection.
   * @returns a function that ends it
   */
  start(): Promise<() => void>;
}

/** @param onChange gets the workers that are down, when they are others than before */
export function createWorkerWatch(
  database: Pick<Database, 'sql' | 'unlimited' | 'waitingOrgs' | 'breakOff'>,
  engineOf: EngineDetection,
  onChange: (down: readonly DownWorker[]) => void,
): WorkerWatch {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let known: DownWorker[] | undefined;
  let stuck: ReadonlyMap<string, Error> = new Map();
  let running: Promise<void> | undefined;
  const namesOf = (workers: readonly DownWorker[]) => workers.map(({ node }) => node).join();

  /** Over a connection of its own: those of the pool may all be waiting. */
  const check = () => database.unlimited((sql) => sql.begin(checkOver));

  async function checkOver(sql: SqlClient): Promise<void> {
    const down = await findDownWorkers(sql);
    if (namesOf(down) !== namesOf(known ?? [])) onChange(down);
    known = down;
    const orgs = new Set([...database.waitingOrgs(SUSPICIOUS_MS), ...stuck.keys()]);
    const waiting = down.length > 0 && orgs.size > 0 ? await findOrgsOn(sql, [...orgs], down) : [];
    const errors = new Map(waiting.map(({ org, node }) => [org, workerDown(node)]));
    // An organization that is being created is created on the coordinator now.
    stuck = new Map(
      [...errors].filter(([id]) => waiting.some(({ org, has_tables }) => org === id && has_tables)),
    );
    database.breakOff(errors, stuck);
  }

  function startCheck(): Promise<void> {
    checkedAt = performance.now();
    running ??= engineOf(database.sql)
      .then((engine) => (engine === 'citus' ? check() : undefined))
      // The database itself is checked by others.
      .catch(() => {})
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  return {
    down() {
      if (performance.now() - checkedAt > PAUSE_MS) void startCheck();
      return known?.length;
    },
    async start() {
      await startCheck();
      const timer = setInterval(() => {
        if (stuck.size > 0 || database.waitingOrgs(SUSPICIOUS_MS).length > 0) void startCheck();
      }, WATCH_MS);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

const workerDown = (node: string) =>
  Object.assign(new Error(`the worker ${node} of Citus does not respond`), { code: '08006' });
