import type { Database } from '../client.ts';
import { isUnavailable } from '../errors.ts';
import { createLagMeter } from './lag.ts';
import { readPosition, readStandby, refusalOf } from './position.ts';

/** The result of the latest check of the replica. */
export interface ReplicaState {
  /** Why it cannot be used: it does not answer, or it is no standby of the primary. */
  problem: 'down' | 'refused' | undefined;
  /** Details of the problem. */
  reason: string | undefined;
  /** For how long it has not replayed what the primary has committed; undefined while that is not known. */
  lagMs: number | undefined;
}

export interface ReplicaMonitor {
  state(): ReplicaState;
  stop(): void;
}

export interface MonitorOptions {
  primary: Pick<Database, 'sql'>;
  replica: Pick<Database, 'sql'>;
  /** Called after the first check, and when the replica gets another problem, or none any more. */
  onChange(state: ReplicaState): void;
}

const CHECK_MS = 500;
/** A replica that has not answered a check for so long is down. Searches wait 2 s for those that ask it meanwhile. */
const SILENT_MS = 1_000;

const NOT_ASKED: ReplicaState = { problem: 'down', reason: 'it was not asked yet', lagMs: undefined };

/** Checks the replica twice a second. */
export function monitorReplica({ primary, replica, onChange }: MonitorOptions): ReplicaMonitor {
  const lag = createLagMeter();
  let state = NOT_ASKED;
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function note(next: ReplicaState): void {
    if (isStopped) return;
    const isNews =
      state === NOT_ASKED ||
      next.problem !== state.problem ||
      (next.problem === 'refused' && next.reason !== state.reason);
    state = next;
    if (isNews) onChange(next);
  }
  const down = (reason: string) => note({ problem: 'down', reason, lagMs: undefined });

  async function check(): Promise<void> {
    const at = performance.now();
    let position: Awaited<ReturnType<typeof readPosition>>;
    try {
      position = await readPosition(primary.sql);
    } catch (error) {
      // An unavailable primary does not change what is known of the replica.
      if (!isUnavailable(error)) down(`the primary does not tell its position: ${(error as Error).message}`);
      return;
    }
    const silent = setTimeout(down, SILENT_MS, `no answer within ${SILENT_MS} ms`);
    try {
      const standby = await readStandby(replica.sql);
      const reason = refusalOf(standby, position);
      const lagMs = lag.measure({ at, lsn: position.lsn }, standby.lsn);
      if (reason === undefined) note({ problem: undefined, reason, lagMs });
      else note({ problem: 'refused', reason, lagMs: undefined });
    } catch (error) {
      down((error as Error).message);
    } finally {
      clearTimeout(silent);
    }
  }

  async function repeat(): Promise<void> {
    await check();
    if (!isStopped) timer = setTimeout(repeat, CHECK_MS).unref();
  }
  void repeat();

  return {
    state: () => state,
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
