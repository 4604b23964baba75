import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { openDatabase } from '../../db/client.ts';
import { migrateShared } from '../../db/migrations/migrate.ts';
import { sharedMigrations } from '../../drizzle/migrations.ts';
import { spawnAdmin } from '../../tests/support/admin/command.ts';
import { LOGICAL } from '../../tests/support/admin/logical.ts';
import { startOwnPostgres } from '../../tests/support/database/own-postgres.ts';
import { withDatabase } from '../../tests/support/database/scratch.ts';
import type { Scene } from '../../tests/support/scenario/scene.ts';
import { freePort } from '../../tests/support/server/proc.ts';

/** A complete deployment of the service. */
export interface Cell {
  name: string;
  databaseUrl: string;
  /** Its server, without the proxy. */
  url: string;
  /** The directory as its role. */
  cellsUrl: string;
}

/** Two cells behind HAProxy with the configuration of `deploy/cells`. */
export interface CellsSite {
  cells: [Cell, Cell];
  /** The proxy. */
  url: string;
  /** Lets the proxy send a host to a cell. */
  route(host: string, cell: string): Promise<void>;
}

export const BASE_DOMAIN = 'cells.localhost';

/** Whether HAProxy is installed. */
export async function hasHaproxy(): Promise<boolean> {
  const child = spawn('haproxy', ['-v'], { stdio: 'ignore', env: PATH });
  return await new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}

const PATH = { PATH: `${process.env.PATH}:/usr/sbin` };

/** Starts two PostgreSQLs, a server for each, and HAProxy. All of them stop when the scenario ends. */
export async function startCells(scene: Scene): Promise<CellsSite> {
  const { site } = scene;
  const start = async (name: string): Promise<Cell> => {
    const own = await startOwnPostgres(site, LOGICAL, { name });
    const admin = openDatabase({ url: own.url, max: 1 });
    await admin.sql.unsafe('create database findings');
    await admin.close();
    const databaseUrl = withDatabase(own.url, 'findings');
    const database = openDatabase({ url: databaseUrl, max: 1 });
    await migrateShared(database.sql, sharedMigrations);
    await database.close();
    const env = { SVC_BASE_DOMAIN: BASE_DOMAIN, SVC_TRUST_PROXY: 'on' };
    const { url } = await scene.server({ databaseUrl, env });
    return { name, databaseUrl, url, cellsUrl: '' };
  };
  const [one, two] = [await start('one'), await start('two')];
  const admin = openDatabase({ url: one.databaseUrl, max: 1 });
  await admin.sql.unsafe('create database cells');
  await admin.close();
  const ownerUrl = withDatabase(one.databaseUrl, 'cells');
  for (const cell of [one, two]) {
    const args = ['cells', 'grant', cell.name, '--json'];
    const { code, out, err } = await spawnAdmin(cell.databaseUrl, args, { SVC_CELLS_URL: ownerUrl }).ended;
    if (code !== 0) throw new Error(`the directory was not made: ${err}`);
    cell.cellsUrl = JSON.parse(out).url;
  }

  const dir = join(site.workDir, 'haproxy');
  await mkdir(dir);
  const port = await freePort();
  const given = await readFile(join(site.root, 'deploy/cells/haproxy.cfg'), 'utf8');
  const config = given
    .replace('127.0.0.1:8000', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:8081', new URL(one.url).host)
    .replaceAll('127.0.0.1:8082', new URL(two.url).host);
  await writeFile(join(dir, 'haproxy.cfg'), config);
  await writeFile(join(dir, 'cells.map'), '');
  const log = openSync(join(dir, 'haproxy.log'), 'a');
  const child = spawn('haproxy', ['-db', '-f', 'haproxy.cfg'], {
    cwd: dir,
    stdio: ['ignore', log, log],
    env: PATH,
  });
  const exited = once(child, 'exit');
  site.onClose(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const url = `http://127.0.0.1:${port}`;
  const socket = join(dir, 'haproxy.sock');
  for (let tries = 0; ; tries++) {
    if (
      await fetch(`${url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      break;
    if (tries === 100 || child.exitCode !== null)
      throw new Error(`HAProxy does not start:\n${await readFile(join(dir, 'haproxy.log'), 'utf8')}`);
    await new Promise((later) => setTimeout(later, 100));
  }
  return {
    ...{ cells: [one, two], url },
    async route(host, cell) {
      await command(socket, `del map cells.map ${host}`);
      await command(socket, `add map cells.map ${host} ${cell}`);
    },
  };
}

const connections = new Agent({ keepAlive: true });

/** Sends a request that names the organization by its host, as behind the proxy of a deployment. `fetch` cannot set the host. */
export async function byHost(given: Request): Promise<Response> {
  const slug = given.headers.get('x-org-slug');
  const headers = {
    ...Object.fromEntries(given.headers),
    host: slug ? `${slug}.${BASE_DOMAIN}` : BASE_DOMAIN,
  };
  const body = Buffer.from(await given.arrayBuffer());
  const sent = request(given.url, { method: given.method, headers, agent: connections });
  sent.end(body);
  const [answer]: [IncomingMessage] = (await once(sent, 'response')) as never;
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const fields = Object.entries(answer.headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one) => [name, one] as [string, string]),
  );
  const status = answer.statusCode ?? 0;
  return new Response(status === 204 ? null : Buffer.concat(chunks), { status, headers: fields });
}

/** A command of HAProxy's runtime API. */
async function command(socket: string, text: string): Promise<string> {
  const client = connect(socket);
  client.write(`${text}\n`);
  let answer = '';
  for await (const data of client) answer += data;
  return answer;
}
