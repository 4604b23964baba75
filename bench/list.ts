import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { asMember, download } from '../tests/support/http/requests.ts';
import type { Bench, Stage } from '../tests/support/scenario/figure.ts';
import type { BenchServer } from '../tests/support/server/bench-server.ts';
import { findPsql, psqlEnvironment } from './support/psql.ts';
import { figureOf, inTurns } from './support/rounds.ts';

const ROWS = 100_000;
const ROW_BYTES = 1_000;

/** A whole list: as fast as the database makes it, in flat memory. */
export const list: Bench = {
  summary: 'GET /findings of 100,000 rows of 1 KB, against psql copying the same rows as JSON',

  async run(stage) {
    const server = await stage.server();
    const org = await stage.seed(server, { findings: ROWS, bytes: ROW_BYTES });
    const psql = await findPsql();
    const { url } = await stage.database();
    const ours = async () => {
      const answer = await download(server.origin, {
        ...{ method: 'GET', path: '/findings', headers: asMember(org) },
      });
      if (answer.status !== 200 || answer.bytes < ROWS * ROW_BYTES * 0.9)
        throw new Error(`status ${answer.status}, ${answer.bytes} bytes`);
      return answer;
    };
    const query = `select row_to_json(f) from (select * from ${org.schema}.findings order by id desc) f`;
    const limit = psql
      ? async () => ({ total: await copyByPsql(psql, url, query), firstByte: 0 })
      : undefined;
    const rounds = await inTurns<{ total: number; firstByte: number }>(
      stage,
      'list',
      { ours, limit },
      ({ total }) => `${Math.round(total)} ms`,
    );
    return [
      {
        name: 'whole list ms',
        ...figureOf(rounds, ({ total }) => total),
        ...{ limitedBy: 'psql, COPY … TO STDOUT', aim: { atMost: 2 } },
      },
      {
        name: 'first byte ms',
        ...figureOf({ ours: rounds.ours, limit: [] }, ({ firstByte }) => firstByte),
        aim: { atMost: 150 },
      },
      { name: 'RSS growth MiB', value: await growth(stage, server, ours), aim: { atMost: 64 } },
    ];
  },
};

/** How far the server's memory rises above where it stands while it answers. */
async function growth(
  { options }: Stage,
  server: BenchServer,
  read: () => Promise<unknown>,
): Promise<number> {
  const before = (await server.memory()) ?? Number.NaN;
  let highest = before;
  let reading = true;
  const watch = (async () => {
    while (reading) {
      highest = Math.max(highest, (await server.memory()) ?? 0);
      await sleep(10);
    }
  })();
  for (let round = 0; round < options.rounds; round++) await read();
  reading = false;
  await watch;
  return highest - before;
}

async function copyByPsql(command: string, url: string, query: string): Promise<number> {
  const began = performance.now();
  const child = spawn(command, ['-X', '-c', `copy (${query}) to stdout`], {
    env: psqlEnvironment(url),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`psql ended with ${code}`);
  return performance.now() - began;
}
