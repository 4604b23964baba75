import { setTimeout as sleep } from 'node:timers/promises';
import { hasArrived, readArrival } from '../../../db/moves/arrival.ts';
import { checksumsOf } from '../../../db/moves/checksums.ts';
import { type SharedRow, takeOut } from '../../../db/moves/leave.ts';
import type { Move, MovingOrg } from '../../../db/moves/moves.ts';
import { type Pause, pauseWrites, resumeWrites } from '../../../db/moves/pause.ts';
import { readSubscription } from '../../../db/moves/replication.ts';
import { atOneInstant } from '../../../db/moves/snapshots.ts';
import { AdminError } from '../error.ts';
import type { MoveCall } from './call.ts';
import { catchUp, watchSubscription } from './copy.ts';
import type { MatchedMembers } from './members.ts';
import { OBSTACLES, requireMembers, requireRoom } from './requirements.ts';

/*
 * All rows are compared before the pause, at one instant of both databases. During the pause, it is enough that the last version of policies
 * has arrived. The subscription applies whole transactions in the order in which they were committed here, and stops at the first one
 * that fails, so what has happened to equal rows since leaves equal rows. Triggers keep everybody else from writing to the copy. An
 * operator can make a subscription skip a transaction after an error: rows are compared again if there was one since.
 */

const POLL_MS = 10;
const MAX_PAUSES = 5;
const MAX_COMPARISONS = 10;
/** Left of a pause for taking the organization out of service. */
const MARGIN_MS = 1_000;

/**
 * Compares the copy, pauses writes until it has everything, and takes the organization out of service.
 * @returns when the pause began
 */
export async function leaveHere(
  call: MoveCall,
  org: MovingOrg,
  move: Move,
  maxPauseMs: number,
): Promise<number> {
  const { source, progress } = call;
  // A process that died may have left a pause.
  await resumeWrites(source, org);
  let comparedAfter: number | undefined;
  for (let pauses = 1; pauses <= MAX_PAUSES; pauses++) {
    const errors = await errorsOf(call, org);
    if (errors !== comparedAfter) await compareRows(call, org);
    comparedAfter = errors;
    await catchUp(call, org);
    // Since the slug was reserved there, an organization may have got it that was created at the same instant.
    await requireRoom(call.target, { id: org.id, slug: move.slug });
    // Strangers may have registered there with addresses of members.
    const members = await requireMembers(call, org.id);
    await requireSameAccounts(call, org.id, members);
    const began = performance.now();
    const pause = await pauseWrites(source, org, maxPauseMs);
    try {
      const end = began + maxPauseMs - MARGIN_MS;
      const isOut = await leaveWithin(call, org, move, { ...pause, began, end, comparedAfter, members });
      if (isOut) return began;
    } catch (error) {
      await resumeWrites(source, org).catch(() => {});
      throw error;
    }
    await resumeWrites(source, org);
    progress(
      `writes go on after ${Math.round(performance.now() - began)} ms, because the copy was late or members have changed`,
    );
  }
  throw new AdminError(
    'the copy does not catch up within the pause, or members change: repeat the command, or allow a longer pause with --max-pause',
  );
}

/**
 * Ids of accounts are replaced in rows as they arrive, by the accounts that members had when the copy began. Rows with the id of an account
 * that a member does not have there would name nobody, and be erased as those of a former member.
 * @throws AdminError if members have other accounts there now
 */
async function requireSameAccounts(
  { target }: MoveCall,
  orgId: string,
  { ids, copies, leftOut }: MatchedMembers,
): Promise<void> {
  const { accounts = {} } = (await readArrival(target, orgId)) ?? {};
  const without = [...copies.users.map(({ id }) => id), ...leftOut.map(({ user_id }) => user_id)];
  const isOther =
    Object.entries(ids).some(([here, there]) => accounts[here] !== there) ||
    without.some((id) => accounts[id] !== undefined);
  if (isOther)
    throw new AdminError(
      'members have other accounts in the other cell than when the copy began: cancel the move and begin anew',
    );
}

interface Attempt extends Pause {
  began: number;
  end: number;
  comparedAfter: number;
  members: MatchedMembers;
}

/** Whether all of these members were matched, and an owner among them has an account in the other cell. */
const areMatched = (rows: readonly SharedRow[], { known, served }: MatchedMembers): boolean =>
  rows.every(({ user_id }) => known.has(String(user_id))) &&
  rows.some(({ role, user_id }) => role === 'owner' && served.has(String(user_id)));

async function leaveWithin(
  call: MoveCall,
  org: MovingOrg,
  { cell, slug }: Move,
  { until, version, began, end, comparedAfter, members }: Attempt,
): Promise<boolean> {
  const { source, target, migrations, progress } = call;
  const since = () => Math.round(performance.now() - began);
  const paused = since();
  while (!(await hasArrived(target, org.id, version))) {
    if (performance.now() > end) return false;
    await sleep(POLL_MS);
  }
  const arrived = since();
  if ((await errorsOf(call, org)) !== comparedAfter) return false;
  const obstacle = await takeOut(source, org, {
    ...{ cell, slug, version: migrations.length, until },
    areMatched: (rows) => areMatched(rows, members),
  });
  if (obstacle === 'late' || obstacle === 'members') return false;
  if (obstacle) throw new AdminError(`${slug} ${OBSTACLES[obstacle]}`);
  progress(
    `paused: writes in progress ${paused} ms, last changes ${arrived - paused} ms, leaving ${since() - arrived} ms`,
  );
  return true;
}

const errorsOf = async ({ target }: MoveCall, { id }: MovingOrg): Promise<number> =>
  (await readSubscription(target, id))?.errors ?? 0;

/** @throws AdminError if the copy differs */
async function compareRows(call: MoveCall, org: MovingOrg): Promise<void> {
  const { target, progress } = call;
  const { accounts = {} } = (await readArrival(target, org.id)) ?? {};
  const began = performance.now();
  for (let tries = 1; tries <= MAX_COMPARISONS; tries++) {
    await catchUp(call, org);
    const watch = await watchSubscription(call, org);
    const compared = await atOneInstant(call, org, {
      watch: async () => void (await watch()),
      use: (here, there) => Promise.all([checksumsOf(here, org, accounts), checksumsOf(there, org)]),
    });
    if (!compared) continue;
    const [here, there] = compared;
    const wrong = org.tables.filter(
      (table) => here[table]?.rows !== there[table]?.rows || here[table]?.sum !== there[table]?.sum,
    );
    if (wrong.length > 0)
      throw new AdminError(`the copy differs in ${wrong.join(', ')}: cancel the move and begin anew`);
    const rows = org.tables.reduce((sum, table) => sum + (here[table]?.rows ?? 0), 0);
    progress(`compared ${rows} rows in ${Math.round(performance.now() - began)} ms, while servers write`);
    return;
  }
  throw new AdminError('policies change all the time: repeat the command');
}
