import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Scene } from '../tests/support/scenario/scene.ts';
import { freePort } from '../tests/support/server/proc.ts';
import { bench, compare } from './support/rounds.ts';

const IDLE_MS = 3_000;
const MAX_START_MS = 30_000;

/** The time until the first response, and the memory of an idle server. */
export const start = bench({
  summary: '`npm start` until /healthz answers 200, against Node starting and connecting to the database',

  async run(scene, { rounds }) {
    const server = await scene.server();
    await sleep(IDLE_MS);
    const idle = await server.memory();
    await server.stop();
    const built = [process.execPath, join(scene.checkout, 'dist/server.js')];
    const measures = { ours: () => startOnce(scene, built), limit: () => connectOnce(scene) };
    const direct = await compare(scene, rounds, 'start, built', measures, ' ms');
    const byNpm = () => startOnce(scene, ['npm', 'start']);
    const npm = await compare(scene, rounds, 'start, npm', { ours: byNpm }, ' ms');
    return [
      { name: 'npm start (builds) ms', ...npm },
      { name: 'node dist/server.js ms', ...direct, limitedBy: 'node, and connecting' },
      { name: 'RSS idle MiB', value: idle, aim: { atMost: 120 } },
    ];
  },
});

/** Milliseconds until the server and its database are healthy. */
async function startOnce(
  { site, checkout, database }: Scene,
  [command = '', ...args]: string[],
): Promise<number> {
  const { url } = await database();
  const port = await freePort();
  const began = performance.now();
  const child = spawn(command, args, {
    cwd: checkout,
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

const CONNECT = `
  import postgres from 'postgres';
  const sql = postgres(process.env.DATABASE_URL, { max: 1 });
  await sql\`select 1\`;
  await sql.end();
`;

async function connectOnce({ checkout, database }: Scene): Promise<number> {
  const { url } = await database();
  const began = performance.now();
  const child = spawn(process.execPath, ['--input-type=module', '-e', CONNECT], {
    cwd: checkout,
    env: { PATH: process.env.PATH, DATABASE_URL: url },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error('cannot connect');
  return performance.now() - began;
}
