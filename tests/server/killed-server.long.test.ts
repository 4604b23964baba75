import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOrg, createScan, must, push } from '../support/api/api.ts';
import { startServer, stopServers } from '../support/server/server.ts';

afterEach(stopServers);

describe('an acknowledged push', () => {
  let dataDir: string;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'svc-server-'));
  });
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  it('survives kill -9 of the server and of PostgreSQL right after the answer', async () => {
    const embedded = { JWT_SECRET: 'a secret for tests only', SVC_DATA_DIR: dataDir };
    let server = await startServer(embedded);
    const org = await createOrg(server.api);
    const scan = await createScan(server.api, org);
    for (const victim of ['server', 'server and database']) {
      const acknowledged: string[] = [];
      const pushUntilItIsGone = async () => {
        for (;;) acknowledged.push((await push(server.api, org, scan)).id);
      };
      const pushing = Promise.allSettled(Array.from({ length: 8 }, pushUntilItIsGone));
      while (acknowledged.length < 50) await new Promise((done) => setImmediate(done));
      const postmaster = Number(
        readFileSync(join(dataDir, 'postgres/18/postmaster.pid'), 'utf8').split('\n')[0],
      );
      if (victim !== 'server') process.kill(postmaster, 'SIGKILL');
      await server.stop('SIGKILL');
      await pushing;

      server = await startServer(embedded);
      const all: { id: string }[] = must(await server.api.get('/findings', org.asOwner));
      const kept = new Set(all.map(({ id }) => id));
      expect(acknowledged.filter((id) => !kept.has(id))).toEqual([]);
    }
  });
});
