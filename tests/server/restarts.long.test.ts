import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createOrg, createUser } from '../support/api/api.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';
import { afterTest } from '../support/run/suite.ts';
import { type RunningServer, startServer, stopServers } from '../support/server/server.ts';

let database: TestDatabase;
let env: Record<string, string>;

beforeAll(async () => {
  database = await createDatabase('empty');
  env = { DATABASE_URL: database.url, JWT_SECRET: 'a secret for tests only' };
});
afterEach(stopServers);
afterAll(() => database.drop());

describe('starting', () => {
  it('works for two processes at once on an empty database', async () => {
    const fresh = await createDatabase('empty');
    const both = { ...env, DATABASE_URL: fresh.url };
    const servers = await Promise.all([startServer(both), startServer(both)]);
    const org = await createOrg((servers[0] as RunningServer).api);
    for (const { api } of servers) expect((await api.get('/projects', org.asOwner)).result).toHaveLength(1);
    await stopServers();
    await fresh.drop();
  });

  it.each([
    ['2', 1],
    ['1', 0],
  ])('warns about the removed SVC_WORKERS=%s %i times', async (SVC_WORKERS, times) => {
    const { log } = await startServer({ ...env, SVC_WORKERS });
    const said = log().match(/^\S+ warn +SVC_WORKERS is no longer supported: .* several servers .*$/gm) ?? [];
    expect(said).toHaveLength(times);
  });
});

describe('several servers on one machine', () => {
  it('share an embedded database and sessions, and go on without the one that stopped', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'svc-several-'));
    afterTest(() => rm(dataDir, { recursive: true }));
    const shared = { JWT_SECRET: env.JWT_SECRET as string, SVC_DATA_DIR: dataDir };
    const [first, second] = await Promise.all([startServer(shared), startServer(shared)]);
    const { cookie } = await createUser(first.api);
    expect((await second.api.get('/auth/me', { cookie })).status).toBe(200);
    expect(await first.stop('SIGTERM')).toBe(0);
    expect((await second.api.get('/auth/me', { cookie })).status).toBe(200);
    const starts = [first, second].map(({ log }) => log().split('database server started').length - 1);
    expect(starts.sort()).toEqual([0, 1]);
    expect(await second.stop('SIGTERM')).toBe(0);
    expect(second.log()).toContain('database server stopped');
  });
});

describe('sessions', () => {
  const restart = async (given: Record<string, string>) => {
    const first = await startServer(given);
    const { cookie } = await createUser(first.api);
    expect((await first.api.get('/auth/me', { cookie })).status).toBe(200);
    await first.stop('SIGTERM');
    const second = await startServer(given);
    return { cookie, second };
  };

  it('end with the server when JWT_SECRET is unset', async () => {
    const { JWT_SECRET: _, ...unset } = env;
    const { cookie, second } = await restart(unset);
    const answer = await second.api.get('/auth/me', { cookie });
    expect([answer.status, answer.error]).toEqual([401, 'auth_error/not_authenticated']);
    expect(second.log()).toContain('JWT_SECRET is not set');
  });

  it('outlast the server when it is set', async () => {
    const { cookie, second } = await restart(env);
    expect((await second.api.get('/auth/me', { cookie })).status).toBe(200);
  });
});
