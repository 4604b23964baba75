import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, Stage } from '../tests/support/scenario/figure.ts';
import { figureOf, inTurns } from './support/rounds.ts';

const IDLE_MS = 3_000;
const MAX_START_MS = 30_000;

/** From nothing to an answer, and what the server then keeps of the machine's memory. */
export const start: Bench = {
  summary: '`npm start` until /healthz answers 200, against Node starting and connecting to the database',

  async run(stage) {
    const { checkout } = stage.options;
    const server = await stage.server();
    await sleep(IDLE_MS);
    const idle = await server.memory();
    await server.stop();
    const built = await inTurns(
      stage,
      'start, built',
      {
        ours: () => startOnce(stage, [process.execPath, join(checkout, 'dist/server.js')]),
        limit: () => connectOnce(stage),
      },
      (ms) => `${Math.round(ms)} ms`,
    );
    const npm = await inTurns(
      stage,
      'start, npm',
      { ours: () => startOnce(stage, ['npm', 'start']) },
      (ms) => `${Math.round(ms)} ms`,
    );
    return [
      { name: 'npm start (builds) ms', ...figureOf(npm, (ms) => ms) },
      { name: 'node dist/server.js ms', ...figureOf(built, (ms) => ms), limitedBy: 'node, and connecting' },
      { name: 'RSS idle MiB', value: idle ?? Number.NaN, aim: { atMost: 120 } },
    ];
  },
};

/** Milliseconds until the server answers that it and its database are well. */
async function startOnce(
  { site, options, database }: Stage,
  [command = '', ...args]: string[],
): Promise<number> {
  const { url } = await database();
  const port = await freePort();
  const began = performance.now();
  const child = spawn(command, args, {
    cwd: options.checkout,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      DATABASE_URL: url,
      SVC_HOST: '127.0.0.1',
      SVC_PORT: `${port}`,
      SVC_DATA_DIR: site.workDir,
    },
    stdio: 'ignore',
    // npm has children of its own.
    detached: true,
  });
  const exited = once(child, 'exit');
  try {
    while (!(await isHealthy(port))) {
      if (child.exitCode !== null || performance.now() - began > MAX_START_MS)
        throw new Error(`${command} does not start`);
      await sleep(5);
    }
    return performance.now() - began;
  } finally {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await exited;
  }
}

const isHealthy = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/healthz`).then(
    async (answer) => {
      await answer.body?.cancel();
      return answer.status === 200;
    },
    () => false,
  );

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const CONNECT = `
  import postgres from 'postgres';
  const sql = postgres(process.env.DATABASE_URL, { max: 1 });
  await sql\`select 1\`;
  await sql.end();
`;

async function connectOnce({ options, database }: Stage): Promise<number> {
  const { url } = await database();
  const began = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '-e', CONNECT], {
    cwd: options.checkout,
    env: { PATH: process.env.PATH, DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('cannot connect');
  return performance.now() - began;
}
