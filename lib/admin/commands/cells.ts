import { resolve } from 'node:path';
import type { Command } from 'commander';
import { openDatabase } from '../../../db/client.ts';
import { sqlState } from '../../../db/errors.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { OWN_CELL, requireCell, syncCell, writeMap } from '../cells/cells.ts';
import { grantRole, revokeRole } from '../cells/grant.ts';
import { AdminError, EXIT, oneLine, reasonOf } from '../error.ts';
import type { Choose, ChooseWithoutDatabase, Context } from './choose.ts';

/** SQLSTATE of a right, schema, table or function that is missing, and of a role that cannot sign in. */
const NOT_GRANTED = new Set(['42501', '3F000', '42P01', '42883', '28000', '28P01']);

/** `cells grant`, `revoke`, `sync`, `map` */
export function addCells(program: Command, choose: Choose, chooseAlone: ChooseWithoutDatabase): void {
  const cells = program.command('cells').description('the directory of several cells (SVC_CELLS_URL)');
  addGrant(cells, chooseAlone);
  addRevoke(cells, chooseAlone);
  cells
    .command('sync')
    .description(
      'write the slugs and custom domains of this cell (SVC_CELL) into the directory; exits with 1 if another cell has one of them',
    )
    .action((_, command) =>
      choose(command, async ({ database, config }) => {
        const cell = requireCell(config.cell, OWN_CELL);
        const json = await syncCell(database, cell, (use) => inDirectory({ config }, use));
        const text = [
          `${cell}: ${json.names} names, ${json.added} added, ${json.removed} removed`,
          ...json.conflicts.map((one) =>
            one.same
              ? `  ${oneLine(one.name)} still leads to ${oneLine(one.cell)}: if the organization has moved here, repeat "orgs move" there`
              : `  ${oneLine(one.name)} belongs to an organization in ${oneLine(one.cell)}: rename it here`,
          ),
        ].join('\n');
        return { json, text, exitCode: json.conflicts.length > 0 ? EXIT.failed : EXIT.ok };
      }),
    );
  cells
    .command('map')
    .description('write the map of HAProxy from hosts to cells')
    .argument('<file>', 'is replaced as a whole')
    .option('--default <cell>', 'the cell of hosts that are not in the map')
    .action((file, options, command) =>
      chooseAlone(command, async (context) => {
        const { baseDomain, publicUrl } = context.config;
        if (baseDomain === undefined) throw new AdminError('set SVC_BASE_DOMAIN');
        const fallback =
          options.default === undefined ? undefined : requireCell(options.default, '--default takes a cell');
        const json = await inDirectory(context, (directory) =>
          writeMap(directory, resolve(file), { baseDomain, fallback, own: [new URL(publicUrl).hostname] }),
        );
        const leftOut = json.left_out > 0 ? `, ${json.left_out} unusable names left out` : '';
        return { json, text: `${oneLine(json.file)}: ${json.hosts} hosts${leftOut}` };
      }),
    );
}

function addGrant(cells: Command, chooseAlone: ChooseWithoutDatabase): void {
  cells
    .command('grant')
    .description(
      'create or upgrade the directory, and a role that may change the names of one cell only; as the owner of the directory, which needs CREATEROLE; prints the URL of the role, and a new password once; can be repeated',
    )
    .argument('[cell]', 'name of the cell')
    .option('--map', 'instead of a cell: a role for "cells map", which reads the hosts of all cells')
    .option('--role <role>', 'a role that exists, instead of cell_<cell> or cells_map')
    .option('--new-password', 'give the role a new password, also if it exists')
    .action((given, options, command) =>
      chooseAlone(command, async (context) => {
        if ((given === undefined) !== (options.map === true))
          throw new AdminError('name a cell, or use --map', EXIT.usage);
        const cell = given === undefined ? undefined : requireCell(given, 'the name of a cell has');
        const { log } = context;
        const json = await inDirectory(context, (directory, url) =>
          grantRole(
            { directory, url, log },
            { cell, role: options.role, newPassword: options.newPassword === true },
          ),
        );
        const role = oneLine(json.role);
        const what = cell === undefined ? 'reads the hosts of all cells' : `acts for the cell ${cell}`;
        const password = json.new_password ? '' : ' with the password that it has';
        return { json, text: `# ${role} ${what}${password}\nSVC_CELLS_URL=${json.url}` };
      }),
    );
}

function addRevoke(cells: Command, chooseAlone: ChooseWithoutDatabase): void {
  cells
    .command('revoke')
    .description(
      'lock a cell out of the directory, as its owner: its role may change nothing from now on; its names still lead to it',
    )
    .argument('<cell>', 'name of the cell')
    .action((given, _, command) =>
      chooseAlone(command, async (context) => {
        const cell = requireCell(given, 'the name of a cell has');
        const { log } = context;
        const json = await inDirectory(context, (directory) => revokeRole({ directory, log }, cell));
        return { json, text: `${oneLine(json.role)} no longer acts for the cell ${cell}` };
      }),
    );
}

/** Calls `use` with a session of the directory. */
export async function inDirectory<T>(
  { config: { cellsUrl } }: Pick<Context, 'config'>,
  use: (directory: Sql, url: string) => Promise<T>,
): Promise<T> {
  if (cellsUrl === undefined) throw new AdminError('set SVC_CELLS_URL to the database of the directory');
  const database = openDatabase({ url: cellsUrl, max: 1, applicationName: 'svc-findings-admin' });
  try {
    return await use(database.sql, cellsUrl);
  } catch (error) {
    if (!NOT_GRANTED.has(sqlState(error) ?? '')) throw error;
    throw new AdminError(`the directory refuses: ${reasonOf(error)}; see "cells grant"`);
  } finally {
    await database.close(1_000);
  }
}
