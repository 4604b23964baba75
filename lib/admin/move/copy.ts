import { setTimeout as sleep } from 'node:timers/promises';
import { sqlState } from '../../../db/errors.ts';
import { completeCopy, createCopy, dropCopy, hasArrived, readArrival } from '../../../db/moves/arrival.ts';
import type { Move, MovingOrg } from '../../../db/moves/moves.ts';
import { markVersion } from '../../../db/moves/pause.ts';
import {
  ForeignTables,
  isPublished,
  publish,
  readSubscription,
  reconnect,
  subscribe,
  unpublish,
} from '../../../db/moves/replication.ts';
import { AdminError, reasonOf } from '../error.ts';
import type { MoveCall } from './call.ts';
import { noRoom, requireMembers } from './requirements.ts';

const POLL_MS = 100;
const REPORT_MS = 10_000;
/** PostgreSQL tries again every 5 seconds. */
const MAX_ERRORS = 3;
/** The pause begins when the copy is not further behind. */
const BEHIND_MS = 1_000;

/** Copies all rows, and lets PostgreSQL follow the changes. */
export async function copyRows(call: MoveCall, org: MovingOrg, move: Move): Promise<void> {
  const { source, target, sourceUrl, migrations, progress } = call;
  const arrival = await readArrival(target, org.id);
  const goesOn =
    arrival?.copyId === move.copyId &&
    arrival.schemaVersion === migrations.length &&
    (await isPublished(source, org.id)) &&
    (await readSubscription(target, org.id)) !== undefined;
  if (goesOn) {
    progress('the copy of an earlier run goes on');
    await connecting(reconnect(target, org.id, sourceUrl));
  } else await beginCopy(call, org, move);
  const watch = await watchSubscription(call, org);
  let reported = performance.now();
  for (;;) {
    const { pending } = await watch();
    if (pending === 0) break;
    if (performance.now() - reported > REPORT_MS) {
      reported = performance.now();
      progress(`copying rows: ${org.tables.length - pending} of ${org.tables.length} tables are complete`);
    }
    await sleep(POLL_MS);
  }
  if (!(await readArrival(target, org.id))?.ready) await completeCopy(target, org, migrations);
  progress('all rows are copied');
}

async function beginCopy(call: MoveCall, org: MovingOrg, move: Move): Promise<void> {
  const { source, target, sourceUrl, migrations, progress } = call;
  await dropCopy(target, org.id);
  await unpublish(source, org.id);
  const { ids, copies } = await requireMembers(call, org.id);
  progress(`accounts: ${copies.users.length} to copy, ${Object.keys(ids).length} with another id`);
  const obstacle = await createCopy(target, org, { ...move, accounts: ids, migrations });
  if (obstacle) throw noRoom(move.slug, obstacle);
  await publish(source, org);
  await connecting(subscribe(target, org, sourceUrl));
}

/** @throws AdminError if the other PostgreSQL cannot connect to this one, or this one publishes tables of others */
const connecting = (work: Promise<void>): Promise<void> =>
  work.catch((error) => {
    if (error instanceof ForeignTables)
      throw new AdminError(`this database cannot be trusted: ${error.message}`);
    if (!sqlState(error)?.startsWith('08')) throw error;
    throw new AdminError(
      `the PostgreSQL of the other cell cannot connect to this one: ${reasonOf(error)}; see SVC_MOVE_SOURCE_URL, and pg_hba.conf here`,
    );
  });

/** Waits until the copy is not far behind. */
export async function catchUp(call: MoveCall, org: MovingOrg): Promise<void> {
  const { source, target, progress } = call;
  for (let first = true; ; first = false) {
    const began = performance.now();
    const version = await markVersion(source, org.id);
    const watch = await watchSubscription(call, org);
    while (!(await hasArrived(target, org.id, version))) {
      await watch();
      await sleep(POLL_MS / 10);
    }
    const behind = performance.now() - began;
    if (behind < BEHIND_MS) return;
    if (first) progress('the copy catches up');
  }
}

/** @returns reads the state of the subscription, and throws an AdminError if it fails again and again from now on */
export async function watchSubscription({ target }: Pick<MoveCall, 'target'>, { id }: MovingOrg) {
  const before = (await readSubscription(target, id))?.errors ?? 0;
  return async () => {
    const state = await readSubscription(target, id);
    if (!state) throw new AdminError('the copy was removed meanwhile');
    if (state.errors >= before + MAX_ERRORS)
      throw new AdminError(
        'the subscription fails: see the log of PostgreSQL in the other cell, then repeat the command',
      );
    return state;
  };
}
