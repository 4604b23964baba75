import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createHttpServer, type HttpServer } from '../../lib/node/http-server.ts';
import { createCertificate } from '../support/hostile/certificate.ts';

/* The configuration of nginx in docs/deployment.md, in front of two HTTP servers of the service. */

const nginx = spawnSync('nginx', ['-v']).error ? undefined : 'nginx';

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const documented = async () => {
  const page = await readFile(new URL('../../docs/deployment.md', import.meta.url), 'utf8');
  return /```nginx\n(.*?)```/s.exec(page)?.[1] ?? '';
};

it('the documented configuration never leaves a server out after a failed connection', async () => {
  const servers = (await documented()).match(/^ *server [\d.]+:\d+.*$/gm) ?? [];
  expect(servers.length).toBeGreaterThan(1);
  for (const line of servers) expect(line).toContain(' max_fails=0;');
});

describe.skipIf(!nginx)('nginx', () => {
  let dir: string;
  let port: number;
  let proxy: ChildProcess;
  const ports: number[] = [];
  const servers: HttpServer[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false });

  async function start(i: number): Promise<void> {
    const fetch = async () => {
      await sleep(5);
      return new Response('served');
    };
    servers[i] = createHttpServer({ fetch, malformed: () => new Response('', { status: 400 }) });
    await servers[i].listen(ports[i] as number, '127.0.0.1');
  }

  const ask = (path: string, method = 'GET'): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { host: 'findings.example.com' };
      const sent = request({ host: '127.0.0.1', port, path, method, agent, headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode));
      });
      sent.on('error', reject).end(method === 'POST' ? '{}' : undefined);
    });

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'nginx-'));
    const { key, cert } = createCertificate();
    await writeFile(join(dir, 'key.pem'), key, { mode: 0o600 });
    await writeFile(join(dir, 'cert.pem'), cert);
    port = await freePort();
    const plain = await freePort();
    let config = await documented();
    for (const [written] of [...config.matchAll(/127\.0\.0\.1:\d+/g)]) {
      const own = await freePort();
      ports.push(own);
      config = config.replace(written, `127.0.0.1:${own}`);
    }
    config = config
      .replace('listen 443', `listen 127.0.0.1:${port}`)
      .replace('listen 80;', `listen 127.0.0.1:${plain};`)
      .replace(/ssl_certificate .*/, `ssl_certificate ${dir}/cert.pem;`)
      .replace(/ssl_certificate_key .*/, `ssl_certificate_key ${dir}/key.pem;`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${dir}/${kind};`)
      .join('\n');
    await writeFile(
      join(dir, 'nginx.conf'),
      `daemon off;\npid ${dir}/pid;\nerror_log ${dir}/error.log;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${config}}\n`,
    );
    for (const i of ports.keys()) await start(i);
    proxy = spawn('nginx', ['-p', dir, '-c', join(dir, 'nginx.conf')], { stdio: 'ignore' });
    await vi.waitFor(async () => expect(await ask('/')).toBe(200));
  });

  afterAll(async () => {
    agent.destroy();
    if (proxy?.exitCode === null) {
      proxy.kill('SIGTERM');
      await once(proxy, 'exit');
    }
    await Promise.all(servers.map((server) => server.stop(1_000)));
    await rm(dir, { recursive: true });
  });

  it('serves every request during rolling restarts of its servers', async () => {
    let isOver = false;
    const statuses = new Map<number | undefined, number>();
    const clients = Array.from({ length: 8 }, async (_, i) => {
      while (!isOver) {
        const status = await ask('/api/v1/config/auth', i % 2 ? 'POST' : 'GET');
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    });
    for (let round = 0; round < 2; round++)
      for (const i of ports.keys()) {
        await servers[i]?.stop(2_000);
        await sleep(300);
        await start(i);
        await sleep(300);
      }
    isOver = true;
    await Promise.all(clients);
    expect([...statuses.keys()]).toEqual([200]);
    expect(statuses.get(200)).toBeGreaterThan(50);
  });

  it('keeps probes and metrics from outside', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) expect(await ask(path)).toBe(404);
  });
});
