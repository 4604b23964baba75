import { findElsewhere } from '../../../db/cells/names.ts';
import { readCellName } from '../../../db/cells/own-name.ts';
import { ownsDirectory } from '../../../db/cells/roles.ts';
import { type Database, openDatabase } from '../../../db/client.ts';
import type { Config } from '../../config/config.ts';
import { oneLine, reasonOf } from '../error.ts';
import { type Check, checksOf } from './checks.ts';

export const DIRECTORY_DOCS = 'docs/scaling.md#rights-in-the-directory';

const directory = checksOf('cells', DIRECTORY_DOCS);

/** Whether servers can take slugs in the directory, and no more than that; no checks without one. */
export async function checkDirectory(
  { sql }: Database,
  { cell, cellsUrl }: Pick<Config, 'cell' | 'cellsUrl'>,
): Promise<Check[]> {
  const noted = await readCellName(sql);
  if (cell === undefined && cellsUrl === undefined && noted !== undefined)
    return [
      directory.warning(
        `the database is that of the cell ${oneLine(noted)}, but SVC_CELL is unset: such a server takes slugs that other cells have`,
      ),
    ];
  if (cellsUrl === undefined) return [];
  if (cell === undefined) return [directory.failed('SVC_CELLS_URL is set without SVC_CELL')];
  if (noted !== undefined && noted !== cell)
    return [directory.failed(`SVC_CELL is ${cell}, but the database is that of the cell ${noted}`)];
  const own = openDatabase({ url: cellsUrl, max: 1, applicationName: 'svc-findings-admin' });
  try {
    await findElsewhere(own.sql, cell, []);
    return [
      (await ownsDirectory(own.sql))
        ? directory.warning('the role of SVC_CELLS_URL may change the names of all cells: see "cells grant"')
        : directory.ok(`the role of SVC_CELLS_URL changes names of the cell ${cell} only`),
    ];
  } catch (error) {
    return [directory.failed(`the directory cannot be used, so nobody gets a new slug: ${reasonOf(error)}`)];
  } finally {
    await own.close();
  }
}
