import { resolve } from 'node:path';
import type { Command } from 'commander';
import { openDatabase } from '../../../db/client.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { requireCell, syncCell, writeMap } from '../cells/cells.ts';
import { AdminError, EXIT, oneLine } from '../error.ts';
import type { Choose, ChooseWithoutDatabase, Context } from './choose.ts';

/** `cells sync`, `map` */
export function addCells(program: Command, choose: Choose, chooseAlone: ChooseWithoutDatabase): void {
  const cells = program.command('cells').description('the directory of several cells (SVC_CELLS_URL)');
  cells
    .command('sync')
    .description(
      'write the slugs and custom domains of this cell (SVC_CELL) into the directory; exits with 1 if another cell has one of them',
    )
    .action((_, command) =>
      choose(command, async ({ database, config, ...context }) => {
        const cell = requireCell(config.cell, 'SVC_CELL is the name of this cell');
        const json = await inDirectory({ ...context, config }, (directory) =>
          syncCell(database, directory, cell),
        );
        const text = [
          `${cell}: ${json.names} names, ${json.added} added, ${json.removed} removed`,
          ...json.conflicts.map(
            (one) => `  ${oneLine(one.name)} belongs to ${one.orgId} in ${oneLine(one.cell)}: rename it here`,
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
        const { baseDomain } = context.config;
        if (baseDomain === undefined) throw new AdminError('set SVC_BASE_DOMAIN');
        const fallback =
          options.default === undefined ? undefined : requireCell(options.default, '--default takes a cell');
        const json = await inDirectory(context, (directory) =>
          writeMap(directory, resolve(file), { baseDomain, fallback }),
        );
        const leftOut = json.left_out > 0 ? `, ${json.left_out} unusable names left out` : '';
        return { json, text: `${oneLine(json.file)}: ${json.hosts} hosts${leftOut}` };
      }),
    );
}

/** Calls `use` with a session of the directory. */
export async function inDirectory<T>(
  { config: { cellsUrl } }: Pick<Context, 'config'>,
  use: (directory: Sql) => Promise<T>,
): Promise<T> {
  if (cellsUrl === undefined) throw new AdminError('set SVC_CELLS_URL to the database of the directory');
  const database = openDatabase({ url: cellsUrl, max: 1, applicationName: 'svc-findings-admin' });
  try {
    return await use(database.sql);
  } finally {
    await database.close(1_000);
  }
}
