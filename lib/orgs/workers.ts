import type { Database } from '../../db/client.ts';
import { type DownWorker, findDownWorkers } from '../../db/orgs/workers.ts';
import type { EngineDetection } from '../../db/server-facts.ts';

/** Time between two checks. Each opens a connection to every worker, and anybody may ask for it. */
const PAUSE_MS = 5_000;

/** How many workers of a Citus cluster were down at the latest check; undefined on other databases. Starts the next check. */
export type WorkerCheck = () => number | undefined;

/** @param onChange gets the workers that are down, when they are others than before */
export function createWorkerCheck(
  { sql }: Pick<Database, 'sql'>,
  engineOf: EngineDetection,
  onChange: (down: readonly DownWorker[]) => void,
): WorkerCheck {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let known: DownWorker[] | undefined;
  const namesOf = (workers: readonly DownWorker[]) => workers.map(({ node }) => node).join();

  async function check(): Promise<void> {
    if ((await engineOf(sql)) !== 'citus') return;
    const down = await findDownWorkers(sql);
    if (namesOf(down) !== namesOf(known ?? [])) onChange(down);
    known = down;
  }

  return () => {
    if (performance.now() - checkedAt > PAUSE_MS) {
      checkedAt = performance.now();
      // The database itself is checked by others.
      check().catch(() => {});
    }
    return known?.length;
  };
}
