import { dropCopy } from '../../../db/moves/arrival.ts';
import { purgeFormer } from '../../../db/moves/leave.ts';
import { forgetMove, lockMove, type Move, readMoves } from '../../../db/moves/moves.ts';
import { removePause, resumeWrites } from '../../../db/moves/pause.ts';
import { unpublish } from '../../../db/moves/replication.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { logOperatorEvent } from '../../security-events.ts';
import { requireConfirmed } from '../confirm.ts';
import { AdminError, oneLine } from '../error.ts';
import { operator } from '../operator.ts';
import type { MoveCall } from './call.ts';

type Moved = Pick<Move, 'orgId' | 'slug' | 'cell'>;

/** Cancels a move until the organization has left. It stays here as it is. */
export async function cancelMove({ source, target, log }: MoveCall, name: string): Promise<Moved> {
  const { orgId, slug, cell } = await moveOf(source, name);
  if (!(await lockMove(source, orgId)))
    throw new AdminError(`another process is moving ${slug}: end it first`);
  const current = await moveOf(source, orgId);
  if (current.movedAt) throw new AdminError(`${slug} has left this cell: ${next(current)}`);
  await resumeWrites(source, { id: orgId });
  await unpublish(source, orgId);
  await dropCopy(target, orgId);
  // Last, because long exports can keep it from happening. Nothing of the move does anything any more.
  if (!(await removePause(source, { id: orgId })))
    throw new AdminError(
      `${slug} takes changes again and its copy is removed, but exports that run keep triggers of the move here: repeat the command later`,
    );
  await forgetMove(source, orgId);
  logOperatorEvent(log, 'org_move_cancelled', { org: slug, org_id: orgId, cell, operator: operator() });
  return { orgId, slug, cell };
}

/** Removes the data of an organization that has moved. Requests that still arrive here are told to try again. */
export async function purgeMoved(
  { source, log }: Pick<MoveCall, 'source' | 'log'>,
  name: string,
  confirm: string | undefined,
): Promise<Moved & { purged: boolean }> {
  const move = await moveOf(source, name);
  const { orgId, slug, cell } = move;
  if (!move.movedAt || move.pending) throw new AdminError(`${slug} is still being moved: ${next(move)}`);
  requireConfirmed(confirm, slug, `this removes what ${slug} has left here for good`);
  const purged = await purgeFormer(source, orgId);
  if (purged)
    logOperatorEvent(log, 'org_move_purged', { org: slug, org_id: orgId, cell, operator: operator() });
  return { orgId, slug, cell, purged };
}

const next = ({ slug, cell }: Moved) => `run "orgs move ${slug} --to ${oneLine(cell)}" to complete the move`;

async function moveOf(client: Sql, name: string): Promise<Move> {
  const [move] = await readMoves(client, name);
  if (!move) throw new AdminError(`no organization "${oneLine(name)}" is being moved or has moved`);
  return move;
}
