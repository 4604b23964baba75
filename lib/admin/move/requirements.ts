import { sql } from 'drizzle-orm';
import {
  findObstacle as findRoomObstacle,
  type Obstacle as RoomObstacle,
} from '../../../db/backup/restore.ts';
import { sharedSection } from '../../../db/backup/snapshot.ts';
import { readCellName } from '../../../db/cells/own-name.ts';
import type { Obstacle } from '../../../db/moves/leave.ts';
import { readMoves } from '../../../db/moves/moves.ts';
import { readRights } from '../../../db/moves/replication.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { orgs } from '../../../db/schema/orgs.ts';
import { migrations } from '../../../db/schema/platform.ts';
import { createEngineDetection } from '../../../db/server-facts.ts';
import { run } from '../../../db/statements.ts';
import type { MemberRow } from '../backup/verify.ts';
import { AdminError, oneLine } from '../error.ts';
import type { MoveCall } from './call.ts';
import { type MatchedMembers, matchMembers } from './members.ts';

/** Why an organization cannot be moved now. */
export const OBSTACLES: Record<Obstacle, string> = {
  changed:
    'has another slug or version of its schema than before, or lacks indexes: run "migrate", or cancel the move and begin anew',
  deleted: 'is deleted',
  transfers: 'has a project that is being transferred: see "projects transfers"',
  members: 'has other members than before: repeat the command',
  late: 'took too long',
};

/** The organization with a slug or id, also if it has left its database. */
export async function findOrgOf(client: Sql, name: string): Promise<{ id: string; slug: string }> {
  const rows = await run<{ id: string; slug: string }>(
    client,
    sql`select id, slug from ${orgs} where id::text = ${name.toLowerCase()} or slug = ${name}`,
  );
  const org = rows.find(({ id }) => id === name.toLowerCase()) ?? rows[0];
  if (org) return org;
  const [move] = await readMoves(client, name);
  if (!move) throw new AdminError(`there is no organization "${oneLine(name)}"`);
  return { id: move.orgId, slug: move.slug };
}

/** @throws AdminError if the other cell cannot take an organization. What an earlier move has left there is removed later */
export async function requireRoom(target: Sql, org: { id: string; slug: string }): Promise<void> {
  const found = await findRoomObstacle(target, {
    ...{ orgId: org.id, slug: org.slug },
    ...{ isOriginal: true, comesBack: true },
  });
  if (found !== undefined && found !== 'schema exists') throw noRoom(org.slug, found);
}

/** The error if the other cell cannot take an organization. */
export const noRoom = (slug: string, obstacle: RoomObstacle): AdminError =>
  new AdminError(
    obstacle === 'organization exists'
      ? `SVC_MOVE_TARGET_URL is the database of a cell that has ${slug} already`
      : `the other cell cannot take ${slug}: ${obstacle}`,
  );

/** The members of an organization with their primary addresses. */
async function membersOf(client: Sql, orgId: string): Promise<MemberRow[]> {
  return await client.begin(async (tx) => {
    const { columns, rows } = sharedSection(tx, 'memberships', orgId);
    const members: MemberRow[] = [];
    for await (const lines of rows())
      for (const line of lines) {
        const cells: unknown[] = JSON.parse(Buffer.from(line).toString());
        members.push(Object.fromEntries(columns.map((column, i) => [column, cells[i]])) as MemberRow);
      }
    return members;
  });
}

/** The organization would have no owner in the other cell. */
export const NO_OWNER =
  'other accounts of the cell have the addresses of all owners, or they are deleted or not owners there';

/** How many addresses a message names. */
const NAMED = 10;

/**
 * Matches the members with accounts of the other cell.
 * @throws AdminError if members have none there, because another account has one of their addresses: anybody can register with it
 */
export async function requireMembers(call: MoveCall, orgId: string): Promise<MatchedMembers> {
  const members = await membersOf(call.source, orgId);
  const matched = await matchMembers(call, members);
  const isLeftOut = new Set(matched.leftOut.map(({ user_id }) => user_id));
  if (!members.some(({ role, user_id }) => role === 'owner' && matched.served.has(user_id)))
    throw new AdminError(`${NO_OWNER}: see "users show" there`);
  if (isLeftOut.size > 0 && !call.leaveOut) {
    const named = matched.leftOut.slice(0, NAMED).map(({ email }) => oneLine(email ?? '-'));
    throw new AdminError(
      `other accounts of the cell have addresses of ${isLeftOut.size} members (${named.join(', ')}): see "users show" there, or leave these members out with --leave-out`,
    );
  }
  return matched;
}

/** @throws AdminError unless an organization can be moved between the databases */
export async function requireCells({ source, target, sourceUrl }: MoveCall): Promise<void> {
  const [here, there] = [await readRights(source), await readRights(target)];
  const problem = !here.logical
    ? 'wal_level of this PostgreSQL is not "logical"'
    : !here.publish
      ? 'the role here needs the attribute REPLICATION'
      : !there.subscribe
        ? 'the role of the other cell needs the role pg_create_subscription (PostgreSQL 16), or must be a superuser'
        : new URL(sourceUrl).password === ''
          ? 'the URL of this database has no password'
          : undefined;
  if (problem) throw new AdminError(problem);
  for (const client of [source, target])
    if ((await createEngineDetection()(client)) === 'citus')
      throw new AdminError('an organization on Citus moves by "orgs backup" and "orgs restore-backup"');
  const [ours, theirs] = [await stepsOf(source), await stepsOf(target)];
  if (ours !== theirs)
    throw new AdminError('the two cells have different versions of the service: migrate first');
}

/**
 * @throws AdminError unless the other database is that of the cell `to`. Without names, which servers with SVC_CELL note, nobody knows:
 * then the operator is right
 */
export async function requireNames({ source, target }: MoveCall, to: string): Promise<void> {
  const [here, there] = [await readCellName(source), await readCellName(target)];
  if (there === to && here !== to) return;
  if (there !== undefined)
    throw new AdminError(
      `SVC_MOVE_TARGET_URL is the database of the cell ${oneLine(there)}${there === to ? ', as this one' : `, not of ${to}`}`,
    );
  if (here !== undefined)
    throw new AdminError(
      'nobody has named the cell of SVC_MOVE_TARGET_URL: run "cells sync" there, or start a server with SVC_CELL',
    );
}

const stepsOf = async (client: Sql): Promise<string> => {
  const [row] = await run<{ steps: string }>(
    client,
    sql`select string_agg(hash, ',' order by name) as steps from ${migrations}`,
  );
  return row?.steps ?? '';
};
