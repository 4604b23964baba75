import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { orgTableNames } from '../../../db/backup/sections.ts';
import { createOrgTables } from '../../../db/migrations/create-tables.ts';
import { completeCopy, createCopy, dropCopy, hasArrived, readArrival } from '../../../db/moves/arrival.ts';
import { checksumsOf } from '../../../db/moves/checksums.ts';
import { completeMove, findObstacle, readLeft, takeOut } from '../../../db/moves/leave.ts';
import {
  holdMove,
  lockMove,
  type Move,
  type MovingOrg,
  noteMove,
  readMoves,
} from '../../../db/moves/moves.ts';
import { markVersion, pauseWrites, resumeWrites } from '../../../db/moves/pause.ts';
import {
  ForeignTables,
  isPublished,
  publish,
  readSubscription,
  reconnect,
  subscribe,
  unpublish,
} from '../../../db/moves/replication.ts';
import { logOperatorEvent } from '../../security-events.ts';
import { namesOf } from '../cells/cells.ts';
import { AdminError, oneLine } from '../error.ts';
import { operator } from '../operator.ts';
import { arrive } from './arrive.ts';
import type { MoveCall } from './call.ts';
import { findOrgOf, OBSTACLES, requireCells, requireMembers } from './requirements.ts';

export interface MoveResult {
  org_id: string;
  org: string;
  cell: string;
  custom_domain: string | null;
  members: number;
  /** Addresses of members without an account in the other cell. */
  members_left_out: (string | null)[];
  /** How long the organization took no writes. Null if an earlier run has paused them. */
  pause_ms: number | null;
}

const POLL_MS = 100;
/** PostgreSQL tries again every 5 seconds. */
const MAX_ERRORS = 3;
const MAX_PAUSES = 5;
/** The pause begins when the copy is not further behind. */
const BEHIND_MS = 1_000;
/** Left of a pause for taking the organization out of service. */
const MARGIN_MS = 1_000;

/**
 * Moves an organization to the database of another cell. It can be run again after it has failed or died at any point, and goes on.
 * @throws AdminError if it cannot be moved; until the last step, the organization is served here
 */
export async function moveOrg(
  call: MoveCall,
  name: string,
  { to, maxPauseMs }: { to: string; maxPauseMs: number },
): Promise<MoveResult> {
  const { source, log, migrations } = call;
  const move = await beginMove(call, name, to);
  const org = { id: move.orgId, tables: orgTableNames(migrations) };
  let pausedAt: number | undefined;
  if (move.movedAt === null) {
    await copyRows(call, org, move);
    pausedAt = await leaveHere(call, org, move, maxPauseMs);
  }
  const left = await readLeft(source, org.id);
  if (!left) throw new AdminError(`${move.slug} has moved to ${oneLine(move.cell)} already`);
  const arrived = await arrive(call, move, left);
  const pause = pausedAt === undefined ? null : Math.round(performance.now() - pausedAt);
  await call.onServed?.(await namesOf(call.target, org.id));
  // First, because a slot that nobody reads keeps the write-ahead log.
  await unpublish(source, org.id);
  await arrived.erase();
  await completeMove(source, org.id);
  const { slug, domain, members, leftOut } = arrived;
  logOperatorEvent(log, 'org_moved', { org: slug, org_id: org.id, cell: move.cell, operator: operator() });
  return {
    ...{ org_id: org.id, org: slug, cell: move.cell, custom_domain: domain, members },
    ...{ members_left_out: leftOut, pause_ms: pause },
  };
}

/** Notes the move, or finds the one that was begun. */
async function beginMove(call: MoveCall, name: string, to: string): Promise<Move> {
  const { source, migrations, log } = call;
  const org = await findOrgOf(source, name);
  if (!(await lockMove(source, org.id))) throw new AdminError(`another process is moving ${org.slug}`);
  await requireCells(call);
  // Another process may have ended it before the lock.
  const [begun] = await readMoves(source, org.id);
  if (begun?.movedAt && !begun.pending)
    throw new AdminError(`${begun.slug} has moved to ${oneLine(begun.cell)} already`);
  if (begun && begun.cell !== to)
    throw new AdminError(`${begun.slug} is being moved to ${oneLine(begun.cell)}: cancel that with --cancel`);
  if (begun) return begun;
  // An organization that nobody has written to has none: they move like those of all others.
  await source.begin((tx) => createOrgTables(tx, org.id, migrations));
  const obstacle = await findObstacle(source, org, migrations.length);
  if (obstacle) throw new AdminError(`${org.slug} ${OBSTACLES[obstacle]}`);
  await source.begin(async (tx) => {
    await holdMove(tx, org.id);
    await noteMove(tx, { orgId: org.id, slug: org.slug, cell: to, copyId: randomUUID() });
  });
  logOperatorEvent(log, 'org_move_started', {
    org: org.slug,
    org_id: org.id,
    cell: to,
    operator: operator(),
  });
  const [noted] = await readMoves(source, org.id);
  if (!noted) throw new AdminError(`the move of ${org.slug} was cancelled`);
  return noted;
}

/** Copies all rows, and lets PostgreSQL follow the changes. */
async function copyRows(call: MoveCall, org: MovingOrg, move: Move): Promise<void> {
  const { source, target, sourceUrl, migrations, progress } = call;
  const arrival = await readArrival(target, org.id);
  const goesOn =
    arrival?.copyId === move.copyId &&
    (await isPublished(source, org.id)) &&
    (await readSubscription(target, org.id)) !== undefined;
  if (goesOn) await reconnect(target, org.id, sourceUrl);
  else {
    await dropCopy(target, org.id);
    await unpublish(source, org.id);
    const { ids, copies } = await requireMembers(call, org.id);
    progress(`accounts: ${copies.users.length} to copy, ${Object.keys(ids).length} with another id`);
    const obstacle = await createCopy(target, org, { ...move, accounts: ids, migrations });
    if (obstacle) throw new AdminError(`the other cell cannot take ${move.slug}: ${obstacle}`);
    await publish(source, org);
    await subscribe(target, org, sourceUrl).catch((error) => {
      throw error instanceof ForeignTables
        ? new AdminError(`this database cannot be trusted: ${error.message}`)
        : error;
    });
  }
  const before = (await readSubscription(target, org.id))?.errors ?? 0;
  for (;;) {
    const state = await readSubscription(target, org.id);
    if (!state) throw new AdminError('the copy was removed meanwhile');
    if (state.pending === 0) break;
    if (state.errors >= before + MAX_ERRORS)
      throw new AdminError(
        'the subscription fails: see the log of PostgreSQL in the other cell, then repeat the command',
      );
    await sleep(POLL_MS);
  }
  if (!(await readArrival(target, org.id))?.ready) await completeCopy(target, org.id, migrations);
  progress('all rows are copied');
}

/** Pauses writes until the copy has everything, compares it, and takes the organization out of service. @returns when the pause began */
async function leaveHere(call: MoveCall, org: MovingOrg, move: Move, maxPauseMs: number): Promise<number> {
  const { source, target, migrations, progress } = call;
  const { accounts = {} } = (await readArrival(target, org.id)) ?? {};
  // A process that died may have left a pause.
  await resumeWrites(source, org);
  for (let pauses = 1; pauses <= MAX_PAUSES; pauses++) {
    await catchUp(call, org);
    // Strangers may have registered there with addresses of members.
    await requireMembers(call, org.id);
    const began = performance.now();
    const { until, version } = await pauseWrites(source, org, maxPauseMs);
    const took = timer(began);
    const waited = took();
    try {
      const end = began + maxPauseMs - MARGIN_MS;
      while (!(await hasArrived(target, org.id, version))) {
        if (performance.now() > end) break;
        await sleep(POLL_MS / 10);
      }
      const arrived = took();
      if (await hasArrived(target, org.id, version)) {
        const [there, here] = await Promise.all([
          checksumsOf(target, org),
          checksumsOf(source, org, accounts),
        ]);
        const wrong = org.tables.filter((table) => here[table] !== there[table]);
        if (wrong.length > 0)
          throw new AdminError(`the copy differs in ${wrong.join(', ')}: cancel the move and begin anew`);
        const compared = took();
        const { cell, slug } = move;
        const obstacle = await takeOut(source, org, { cell, slug, version: migrations.length, until });
        progress(
          `writes in progress ${waited} ms, last changes ${arrived} ms, comparison ${compared} ms, leaving ${took()} ms`,
        );
        if (obstacle === undefined) return began;
        if (obstacle !== 'late') throw new AdminError(`${move.slug} ${OBSTACLES[obstacle]}`);
      }
    } catch (error) {
      await resumeWrites(source, org).catch(() => {});
      throw error;
    }
    await resumeWrites(source, org);
    progress(`the pause was too short: ${Math.round(performance.now() - began)} ms`);
  }
  throw new AdminError('the copy does not catch up within the pause: allow a longer one with --max-pause');
}

/** Waits until the copy is not far behind. */
async function catchUp({ source, target, progress }: MoveCall, org: MovingOrg): Promise<void> {
  for (let first = true; ; first = false) {
    const began = performance.now();
    const version = await markVersion(source, org.id);
    const errors = (await readSubscription(target, org.id))?.errors ?? 0;
    while (!(await hasArrived(target, org.id, version))) {
      const state = await readSubscription(target, org.id);
      if (!state || state.errors >= errors + MAX_ERRORS)
        throw new AdminError(
          'the subscription fails: see the log of PostgreSQL in the other cell, then repeat the command',
        );
      await sleep(POLL_MS / 10);
    }
    const behind = performance.now() - began;
    if (behind < BEHIND_MS) return;
    if (first) progress('the copy catches up');
  }
}

/** A function that returns the milliseconds since its last call. */
function timer(began: number): () => number {
  let last = began;
  return () => {
    const before = last;
    last = performance.now();
    return Math.round(last - before);
  };
}
