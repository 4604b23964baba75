import type { Command } from 'commander';
import { type CellName, findElsewhere, giveNames, hasCell } from '../../../db/cells/names.ts';
import { openDatabase } from '../../../db/client.ts';
import { type Move, readMoves } from '../../../db/moves/moves.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { OWN_CELL, requireCell } from '../cells/cells.ts';
import { AdminError, EXIT, oneLine, reasonOf } from '../error.ts';
import type { MoveCall } from '../move/call.ts';
import { runHook } from '../move/hook.ts';
import { cancelMove, purgeMoved } from '../move/manage.ts';
import { type MoveResult, moveOrg } from '../move/move.ts';
import { table } from '../output.ts';
import { inDirectory } from './cells.ts';
import { type Call, type Choose, ORG } from './choose.ts';

/** `orgs move`, `moves`, `purge-moved` */
export function addOrgMove(orgs: Command, choose: Choose): void {
  orgs
    .command('move')
    .description(
      'move an organization from the database of this cell (DATABASE_URL) to that of another one (SVC_MOVE_TARGET_URL) while servers run; it takes no changes for the last seconds; repeat the command if it fails or dies',
    )
    .argument('<org>', ORG)
    .option('--to <cell>', 'name of the other cell: letters, digits and hyphens')
    .option('--max-pause <seconds>', 'how long it may take no changes, from 3 to 60 (default: 10)')
    .option(
      '--on-served <command>',
      'a command line to run as soon as the other cell serves it, such as one that lets the proxy follow',
    )
    .option(
      '--leave-out',
      'leave members out, who lose their access, if another account there has an address of theirs',
    )
    .option('--cancel', 'cancel the move: the organization stays')
    .action((org, options, command) =>
      choose(command, async (call) => {
        if (options.cancel) {
          const json = await withCells(call, (move) => cancelMove(move, org));
          return { json, text: `the move of ${json.slug} to ${oneLine(json.cell)} is cancelled` };
        }
        const to = requireCell(options.to, 'name the other cell with --to <cell>');
        const seconds = Number(options.maxPause ?? 10);
        if (!(seconds >= 3 && seconds <= 60))
          throw new AdminError('--max-pause takes a number from 3 to 60', EXIT.usage);
        let hasFollowed: boolean | undefined;
        const directory = directoryOf(call, to);
        const onServed: MoveCall['onServed'] = async (names) => {
          await directory?.give(names);
          if (options.onServed) hasFollowed = await runHook(options.onServed);
        };
        const json = await withCells(call, (move) =>
          moveOrg({ ...move, leaveOut: options.leaveOut, onBegin: directory?.check, onServed }, org, {
            to,
            maxPauseMs: seconds * 1_000,
          }),
        );
        const exitCode = hasFollowed === false ? EXIT.failed : EXIT.ok;
        return { json, text: movedText(json, hasFollowed), exitCode };
      }),
    );
  orgs
    .command('moves')
    .description('list the organizations that are being moved to other cells, or have moved')
    .action((_, command) =>
      choose(command, async ({ database }) => {
        const json = await readMoves(database.sql);
        const rows = json.map((move) => [
          ...[move.slug, move.orgId, move.cell, stateOf(move)],
          move.movedAt?.toISOString() ?? '',
        ]);
        return { json, text: table(['SLUG', 'ID', 'TO', 'STATE', 'MOVED'], rows) };
      }),
    );
  orgs
    .command('purge-moved')
    .description('remove the data of an organization that has moved to another cell; cannot be undone')
    .argument('<org>', ORG)
    .option('--confirm <slug>', 'the slug that it had when it moved')
    .action((org, options, command) =>
      choose(command, async ({ database, log }) => {
        const json = await purgeMoved({ source: database.sql, log }, org, options.confirm);
        const text = json.purged
          ? `the data of ${json.slug} is removed`
          : `${json.slug} has left no data here`;
        return { json, text };
      }),
    );
}

/** What a move does in the directory, if there is one. */
function directoryOf(call: Call, to: string) {
  if (call.config.cellsUrl === undefined) return undefined;
  const from = requireCell(call.config.cell, OWN_CELL);
  return {
    /** @throws AdminError if the directory does not know the other cell, or has a name for another organization */
    async check(names: readonly CellName[]) {
      const { exists, elsewhere } = await inDirectory(call, async (directory) => ({
        exists: await hasCell(directory, to),
        elsewhere: await findElsewhere(directory, from, names),
      }));
      if (!exists) throw new AdminError(`the directory has no cell ${to}: see "cells grant"`);
      const others = elsewhere.filter(({ same }) => !same);
      if (others.length > 0)
        throw new AdminError(
          `the directory has names of this organization for others: ${others.map(({ name, cell }) => `${oneLine(name)} (${oneLine(cell)})`).join(', ')}`,
        );
    },
    async give(names: readonly CellName[]) {
      const left = await inDirectory(call, (directory) => giveNames(directory, { from, to }, names));
      for (const name of left)
        call.progress(`${oneLine(name)} does not lead to ${to}: another cell has it in the directory`);
    },
  };
}

function stateOf({ movedAt, pending, purged }: Move): string {
  if (movedAt === null) return 'copying';
  if (pending) return 'out of service';
  return purged ? 'moved, purged' : 'moved';
}

/** @param hasFollowed whether the command of `--on-served` has succeeded */
function movedText(
  { org, cell, custom_domain, members, members_left_out, members_other_sign_in, pause_ms }: MoveResult,
  hasFollowed: boolean | undefined,
): string {
  const hosts = [`${org}.<base domain>`, ...(custom_domain ? [oneLine(custom_domain)] : [])].join(' and ');
  return [
    `${org} has moved to ${oneLine(cell)}, with ${members} ${members === 1 ? 'member' : 'members'}${pause_ms === null ? '' : `; it took no changes for ${pause_ms} ms`}`,
    ...members_left_out.map(
      (email) =>
        `  not a member there, because another account has an address of theirs: ${oneLine(email ?? '-')}`,
    ),
    ...members_other_sign_in.map(
      (email) =>
        `  has another password, second factor or lock there, which counts from now on: ${oneLine(email ?? '-')}`,
    ),
    ...(hasFollowed ? [] : [`let the proxy send ${hosts} there`]),
    ...(hasFollowed === false ? ['the command of --on-served has failed'] : []),
    `later, remove what it has left here: orgs purge-moved ${org} --confirm ${org}`,
  ].join('\n');
}

/** Calls `use` with sessions of each cell. A session has no time limit, and its locks end with it. */
async function withCells<T>(
  { config, log, tracks, progress }: Call,
  use: (call: MoveCall) => Promise<T>,
): Promise<T> {
  const { databaseUrl, moveTargetUrl, moveSourceUrl } = config;
  if (databaseUrl === undefined)
    throw new AdminError('set DATABASE_URL to the database of this cell: see docs/scaling.md');
  if (moveTargetUrl === undefined)
    throw new AdminError('set SVC_MOVE_TARGET_URL to the database of the other cell: see docs/scaling.md');
  return await inSessions(databaseUrl, 'this cell', (source, here) =>
    inSessions(moveTargetUrl, 'the other cell', (target, there) => {
      const sessions = { source, target, readers: { source: here, target: there } };
      return use({
        ...{ ...sessions, sourceUrl: moveSourceUrl ?? databaseUrl },
        ...{ log, migrations: tracks.org, progress },
      });
    }),
  );
}

async function inSessions<T>(
  url: string,
  name: string,
  use: (session: Sql, reader: Sql) => Promise<T>,
): Promise<T> {
  const own = openDatabase({ url, max: 2, statementMs: 0, applicationName: 'svc-findings-admin' });
  try {
    await own.ping(5_000).catch((error) => {
      throw new AdminError(`the database of ${name} cannot be used: ${reasonOf(error)}`);
    });
    return await own.withConnection((session) => use(session, own.sql));
  } finally {
    await own.close(1_000);
  }
}
