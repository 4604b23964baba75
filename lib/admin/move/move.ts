import { randomUUID } from 'node:crypto';
import { orgTableNames } from '../../../db/backup/sections.ts';
import { createOrgTables } from '../../../db/migrations/create-tables.ts';
import { completeMove, findObstacle, readLeft, type SharedRows } from '../../../db/moves/leave.ts';
import { holdMove, lockMove, type Move, noteMove, readMoves } from '../../../db/moves/moves.ts';
import { unpublish } from '../../../db/moves/replication.ts';
import { logOperatorEvent } from '../../security-events.ts';
import { namesOf } from '../cells/cells.ts';
import { AdminError, oneLine } from '../error.ts';
import { operator } from '../operator.ts';
import { arrive } from './arrive.ts';
import type { MoveCall } from './call.ts';
import { copyRows } from './copy.ts';
import { leaveHere } from './leave.ts';
import { findOrgOf, OBSTACLES, requireCells, requireNames, requireRoom } from './requirements.ts';

export interface MoveResult {
  org_id: string;
  org: string;
  cell: string;
  custom_domain: string | null;
  members: number;
  /** Addresses of members without an account in the other cell. */
  members_left_out: (string | null)[];
  /** Addresses of members who have another password, second factor or lock there, which counts from now on. */
  members_other_sign_in: (string | null)[];
  /** How long the organization took no writes. Null if an earlier run has paused them. */
  pause_ms: number | null;
}

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
  call.progress(`${move.slug} is served by ${oneLine(move.cell)}`);
  // The other database may say that the organization has names of others of this cell.
  const kept = new Set(namesIn(left));
  await call.onServed?.((await namesOf(call.target, org.id)).filter(({ name }) => kept.has(name)));
  // First, because a slot that nobody reads keeps the write-ahead log.
  await unpublish(source, org.id);
  await arrived.erase();
  await completeMove(source, org.id);
  const { slug, domain, members, leftOut, otherSignIns } = arrived;
  logOperatorEvent(log, 'org_moved', { org: slug, org_id: org.id, cell: move.cell, operator: operator() });
  return {
    ...{ org_id: org.id, org: slug, cell: move.cell, custom_domain: domain, members },
    ...{ members_left_out: leftOut, members_other_sign_in: otherSignIns, pause_ms: pause },
  };
}

/** The slug, former slugs and custom domain that an organization had when it left. */
const namesIn = ({ tables: { orgs, reserved_slugs: former } }: SharedRows): unknown[] => [
  ...orgs.flatMap(({ slug, custom_domain }) => [slug, custom_domain]),
  ...former.map(({ slug }) => slug),
];

/** Notes the move, or finds the one that was begun. */
async function beginMove(call: MoveCall, name: string, to: string): Promise<Move> {
  const { source, migrations, log } = call;
  const org = await findOrgOf(source, name);
  if (!(await lockMove(source, org.id))) throw new AdminError(`another process is moving ${org.slug}`);
  await requireCells(call);
  // Another process may have ended it before the lock.
  const [begun] = await readMoves(source, org.id);
  if (!begun?.movedAt) {
    await requireNames(call, to);
    await call.onBegin?.(await namesOf(source, org.id));
  } else if (begun.pending) await requireNames(call, to);
  if (begun?.movedAt && !begun.pending)
    throw new AdminError(`${begun.slug} has moved to ${oneLine(begun.cell)} already`);
  if (begun && begun.cell !== to)
    throw new AdminError(`${begun.slug} is being moved to ${oneLine(begun.cell)}: cancel that with --cancel`);
  if (begun?.movedAt) return begun;
  // An organization that nobody has written to has none: they move like those of all others.
  await source.begin((tx) => createOrgTables(tx, org.id, migrations));
  const obstacle = await findObstacle(source, org, migrations.length);
  if (obstacle) throw new AdminError(`${org.slug} ${OBSTACLES[obstacle]}`);
  if (begun) return begun;
  await requireRoom(call.target, org);
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
