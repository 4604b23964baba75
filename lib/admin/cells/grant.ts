import { randomBytes } from 'node:crypto';
import { prepareDirectory } from '../../../db/cells/directory.ts';
import {
  createRole,
  grantCell,
  grantMap,
  type RoleState,
  readRole,
  revokeCell,
  setPassword,
} from '../../../db/cells/roles.ts';
import type { Sql } from '../../../db/pool/query.ts';
import type { Logger } from '../../logger.ts';
import { logOperatorEvent } from '../../security-events.ts';
import { AdminError, oneLine } from '../error.ts';
import { operator } from '../operator.ts';

export interface Granted {
  /** Null for the role that reads the hosts of all cells. */
  cell: string | null;
  role: string;
  /** The directory as this role. It has a password only if this call has made one. */
  url: string;
  created: boolean;
  new_password: boolean;
}

/**
 * Creates the directory or upgrades it, and gives a role the rights of a cell, or that of reading all hosts. It can be repeated.
 * @param options.cell undefined for a role that reads all hosts
 * @param options.role one that exists; by default a role of its own, with a password that is returned once
 */
export async function grantRole(
  { directory, url, log }: { directory: Sql; url: string; log: Logger },
  { cell, role, newPassword }: { cell: string | undefined; role: string | undefined; newPassword: boolean },
): Promise<Granted> {
  const name = role ?? (cell === undefined ? 'cells_map' : `cell_${cell}`);
  const { created, password } = await directory.begin(async (tx) => {
    await prepareDirectory(tx);
    const state = await readRole(tx, name);
    requireUsable(state, { cell, name, isNamed: role !== undefined });
    const made = newPassword || !state.exists ? randomBytes(24).toString('base64url') : undefined;
    if (!state.exists) await createRole(tx, name);
    if (made !== undefined) await setPassword(tx, name, made);
    if (cell === undefined) await grantMap(tx, name);
    else await grantCell(tx, cell, name);
    return { created: !state.exists, password: made };
  });
  const result = { cell: cell ?? null, role: name, created, new_password: password !== undefined };
  logOperatorEvent(log, 'cell_granted', { ...result, operator: operator() });
  const own = Object.assign(new URL(url), { username: name, password: password ?? '' });
  return { ...result, url: own.href };
}

/** Takes the rights of a cell away from its role, also in sessions that are open. */
export async function revokeRole(
  { directory, log }: { directory: Sql; log: Logger },
  cell: string,
): Promise<{ cell: string; role: string }> {
  const role = await revokeCell(directory, cell);
  if (role === undefined) throw new AdminError(`no role acts for the cell ${cell}`);
  logOperatorEvent(log, 'cell_revoked', { cell, role, operator: operator() });
  return { cell, role };
}

/** @throws AdminError unless a role may get the rights */
function requireUsable(
  state: RoleState,
  { cell, name, isNamed }: { cell: string | undefined; name: string; isNamed: boolean },
): void {
  const shown = oneLine(name);
  if (!state.exists) {
    if (isNamed) throw new AdminError(`there is no role ${shown}: without --role, the command creates one`);
    return;
  }
  if (state.owns)
    throw new AdminError(`the role ${shown} owns the directory or is a superuser: it acts for every cell`);
  if (cell !== undefined && state.cell !== null && state.cell !== cell)
    throw new AdminError(`the role ${shown} acts for the cell ${oneLine(state.cell)}`);
  // Roles belong to the whole PostgreSQL. It may be that of another directory.
  if (!isNamed && !(cell === undefined ? state.reads : state.cell === cell))
    throw new AdminError(`there is a role ${shown} already: if it is for this, name it with --role ${shown}`);
}
