import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { migrateShared } from '../../db/migrations/migrate.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { memberships } from '../../db/schema/orgs.ts';
import { sharedMigrations } from '../../drizzle/migrations.ts';
import { endpoints } from '../../handlers/index.ts';
import type { Config } from '../../lib/config/config.ts';
import { createGate, REQUESTS_AT_ONCE } from '../../lib/fair-share/gate.ts';
import { countPermits } from '../../lib/fair-share/permits.ts';
import {
  type Answer,
  createOrg,
  createScan,
  createUser,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { createDatabase } from '../support/database/database.ts';
import { afterTest } from '../support/run/suite.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let noisy: TestOrg;
let quiet: TestOrg;
let viewer: { cookie: string; org: string };

const FINDINGS = 300;
const repeat = <T>(times: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, i) => make(i)));

beforeAll(async () => {
  t = await startApp();
  noisy = await createOrg(t.api);
  quiet = await createOrg(t.api);
  for (const org of [noisy, quiet]) {
    const scan = await createScan(t.api, org);
    await repeat(FINDINGS, (i) => push(t.api, org, scan, { title: `Finding ${i}`, file: `src/${i}.ts` }));
  }
  const user = await createUser(t.api);
  const membership = { orgId: noisy.id, userId: user.id, role: 'viewer', createdAt: new Date() } as const;
  await t.services.database.db.insert(memberships).values(membership);
  viewer = { cookie: user.cookie, org: noisy.slug };
});

/** Another process over the same database, with time limits of its own. */
const another = (config: Partial<Config>) => startApp({ databaseUrl: t.databaseUrl, config });

/** Whatever reads or writes an organization's findings takes long: until this is called, or the test ends. */
async function lockFindings({ id }: TestOrg): Promise<() => Promise<void>> {
  const locker = openDatabase({ url: t.databaseUrl, max: 1 });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let ended: Promise<unknown> = Promise.resolve();
  await new Promise<void>((locked, failed) => {
    ended = locker.sql
      .begin(async (tx) => {
        await tx.unsafe(`lock table ${orgSchemaName(id)}.findings in access exclusive mode`);
        locked();
        await released;
      })
      .catch(failed);
  });
  const end = async () => {
    release();
    await ended;
    await locker.close();
  };
  afterTest(end);
  return end;
}

const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();

describe("a viewer's 40 searches and 9 exports at a time, all of which take long", () => {
  it('do not make the requests of another organization fail or wait', async () => {
    const app = await another({ searchMs: 2_000 });
    const unlock = await lockFindings(noisy);
    const searches = repeat(40, (i) => app.api.get(`/findings?page=1&q=finding+${i}`, viewer));
    const exports = repeat(9, () => app.api.get('/findings?format=csv', viewer));
    const reads = repeat(20, (i) => app.api.get(`/findings?page=1&severity=high&status=open&n=${i}`, viewer));
    // After a failure below, nobody waits for them.
    for (const answers of [searches, exports, reads]) answers.catch(() => {});
    await sleep(100);
    const began = performance.now();
    const scanId = await createScan(app.api, quiet);
    await push(app.api, quiet, scanId);
    must(await app.api.get(`/findings?page=1&q=finding`, quiet.asOwner));
    expect(must(await app.api.get('/findings', quiet.asOwner)).length).toBeGreaterThanOrEqual(FINDINGS);
    for (let i = 0; i < 8; i++) must(await app.api.get('/scans', quiet.asOwner));
    const took = performance.now() - began;
    await unlock();
    const answers = await searches;
    expect(statuses(answers)).not.toContain(500);
    expect(statuses([...(await exports), ...(await reads)])).toEqual([200]);
    // Far below the ten seconds that a query waits for a connection.
    expect(took).toBeLessThan(8_000);
  });

  it('are answered 429 with the time to wait, where they are too many or too slow', async () => {
    const app = await another({ searchMs: 1_000 });
    await lockFindings(noisy);
    const answers = await repeat(12, () => app.api.get('/findings?page=1&q=finding', viewer));
    for (const { status, error, headers, json } of answers) {
      expect([status, error]).toEqual([429, 'rate_limit_error/exceeded']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(json.errors[0].message).toMatch(/took longer than 1 s\. Narrow it|searches too much at a time/);
    }
    const metrics = (await app.api.get('//metrics')).text;
    expect(metrics).toMatch(/svc_org_work_total\{kind="search",outcome="refused"\} [1-9]/);
    expect(metrics).toMatch(/svc_auth_failures_total\{kind="rate_limit_error\/exceeded"\} 0/);
  });

  it('and lists sorted by what no index has end in time, too', async () => {
    const app = await another({ searchMs: 1_000 });
    await lockFindings(noisy);
    for (const query of ['q=finding', 'sort=cvss_score', 'page=1&sort=last_seen_at', 'q=x&format=sarif'])
      expect((await app.api.get(`/findings?${query}`, viewer)).error).toBe('rate_limit_error/exceeded');
  });
});

describe('whole lists that no index has in order', () => {
  it('are looked for one at a time, like searches, so that a processor is left for others', async () => {
    const app = await another({});
    const release = await lockFindings(noisy);
    const lists = repeat(4, () => app.api.get('/findings?sort=cvss_score', viewer));
    await vi.waitFor(() => expect(app.services.searchPermits.inUse()).toBe(1), { interval: 5 });
    await sleep(100);
    expect(app.services.searchPermits.inUse()).toBe(1);
    await release();
    expect(statuses(await lists)).toEqual([200]);
    expect(app.services.searchPermits.inUse()).toBe(0);
  });
});

describe('a client that goes away', () => {
  const underWay = async () => {
    const [row] = await t.services.database.sql.unsafe(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%found as materialized%'`,
    );
    return row?.n;
  };
  const search = (app: TestApp, signal: AbortSignal) =>
    app.app.request(
      new Request('http://localhost/api/v1/findings?page=1&q=finding', {
        headers: { cookie: `svc_token=${viewer.cookie}`, 'x-org-slug': viewer.org },
        signal,
      }),
    );

  it('ends its search and gives its permit to the next at once', async () => {
    const app = await another({ searchMs: 25_000 });
    const unlock = await lockFindings(noisy);
    const controller = new AbortController();
    const searches = [search(app, controller.signal), search(app, controller.signal)];
    await expect.poll(underWay).toBe(1);
    controller.abort();
    await Promise.all(searches);
    await expect.poll(underWay).toBe(0);
    const next = app.api.get('/findings?page=1&q=finding', viewer);
    await expect.poll(underWay).toBe(1);
    await unlock();
    expect((await next).json.result_info.total).toBe(FINDINGS);
    expect(app.services.searchPermits.inUse()).toBe(0);
  });

  it('leaves the line for a list', async () => {
    const app = await another({ dbPoolMax: 1 });
    const { listPermits } = app.services;
    const reader = { taken: () => 0, waited: () => 0, breakOff: () => {} };
    const leave = await listPermits.enter(reader, { org: noisy });
    const controller = new AbortController();
    const waiting = listPermits.enter(reader, { org: noisy, signal: controller.signal });
    const next = listPermits.enter(reader, { org: quiet });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'ABORTED' });
    leave();
    (await next)();
  });
});

describe('readers of whole lists that keep all permits', () => {
  it('delay no short list of another organization, and take no permit from it for ever', async () => {
    const app = await another({});
    const { listPermits } = app.services;
    const reader = { taken: () => 0, waited: () => 0, breakOff: () => {} };
    const permits = countPermits(app.services.config.dbPoolMax).list;
    const leaves = await repeat(permits, (i) => listPermits.enter(reader, { org: { id: `noisy ${i}` } }));
    const began = performance.now();
    expect(must(await app.api.get('/scans', quiet.asOwner)).length).toBeGreaterThan(0);
    expect(must(await app.api.get('/findings?severity=low', quiet.asOwner))).toEqual([]);
    const csv = await app.api.get('/findings?format=csv&severity=low', quiet.asOwner);
    expect([csv.status, csv.text.trim().split('\n').length]).toEqual([200, 1]);
    // Far below the 30 seconds that a whole list waits.
    expect(performance.now() - began).toBeLessThan(10_000);
    const long = app.api.get('/findings', quiet.asOwner);
    await sleep(100);
    for (const leave of leaves) leave();
    expect(must(await long).length).toBeGreaterThanOrEqual(FINDINGS);
    await expect(
      repeat(permits, (i) => listPermits.enter(reader, { org: { id: `next ${i}` } })),
    ).resolves.toBeDefined();
  });
});

describe('ordinary use', () => {
  it.each([1, 2, 3, 4, 10])('notices nothing with %i connections', async (dbPoolMax) => {
    const app = await another({ dbPoolMax });
    const scans = [await createScan(app.api, noisy), await createScan(app.api, quiet)] as const;
    const answers = await repeat(24, async (i) => {
      const [org, scan] = i % 2 ? ([noisy, scans[0]] as const) : ([quiet, scans[1]] as const);
      switch (i % 6) {
        case 0:
        case 1:
          return app.api.get('/findings', org.asOwner);
        case 2:
          return app.api.get('/findings?page=1&q=finding', org.asOwner);
        case 3:
          return app.api.get('/findings?format=sarif', org.asOwner);
        case 4:
          return app.api.get('/scans', org.asOwner);
        default:
          await push(app.api, org, scan);
          return app.api.get('/dashboard/stats', org.asOwner);
      }
    });
    expect(statuses(answers)).toEqual([200]);
    expect(app.services.database.pool().waiting).toBe(0);
  });

  it('may read a dozen whole lists at a time', async () => {
    const lists = await repeat(12, () => t.api.get('/findings', noisy.asOwner));
    expect(statuses(lists)).toEqual([200]);
  });
});

describe('requests of one organization at a time', () => {
  it.each(
    Object.entries(endpoints)
      .filter(([, { access }]) => access.kind === 'cookieOrg' || access.kind === 'bearer')
      .map(([name, endpoint]) => [name, endpoint] as const),
  )('that wait for too long are answered 429: %s', async (_, { method, path, access }) => {
    const app = await full();
    const filled = path.replace(/\{\w+\}/g, crypto.randomUUID());
    const who = access.kind === 'bearer' ? noisy.asAgent : noisy.asOwner;
    const answer = await app.api.call(method, `/${filled}`, who);
    expect([answer.status, answer.error]).toEqual([429, 'rate_limit_error/exceeded']);
    expect(answer.headers.get('retry-after')).toBe('2');
  });

  let shared: Promise<TestApp> | undefined;

  /** An app for which the organization has as many requests under way as it may, and another one asks, too. */
  async function full(): Promise<TestApp> {
    shared ??= another({});
    const app = await shared;
    const gate = createGate({ timeoutMs: 20 });
    app.services.gate = gate;
    const { account } = await app.services.orgs.resolve('', noisy.slug);
    for (let i = 0; i < REQUESTS_AT_ONCE; i++) await gate.enter({ id: noisy.id, account });
    await gate.enter(quiet);
    return app;
  }
});

describe('strangers who send requests to an organization', () => {
  /** An app whose gate shows who enters. */
  async function watched(): Promise<{ app: TestApp; entered: string[]; bytes: number[] }> {
    const app = await another({});
    const entered: string[] = [];
    const bytes: number[] = [];
    const { gate } = app.services;
    app.services.gate = {
      ...gate,
      tryEnter(org, bodyBytes = 0) {
        entered.push(org.id);
        bytes.push(bodyBytes);
        return gate.tryEnter(org, bodyBytes);
      },
    };
    return { app, entered, bytes };
  }

  it('the gate counts the length of a body, and one without a length as the longest', async () => {
    const { app, bytes } = await watched();
    const { token, org } = noisy.asAgent;
    const headers = {
      authorization: `Bearer ${token}`,
      'x-org-slug': org,
      'content-type': 'application/json',
    };
    const url = 'http://localhost/api/v1/agent/findings';
    const send = (more: Record<string, string>) =>
      app.app.request(
        new Request(url, { method: 'POST', headers: { ...headers, ...more }, body: '{"a":1}' }),
      );
    await send({ 'content-length': '7' });
    await send({ 'transfer-encoding': 'chunked' });
    await app.api.get('/findings?page=1', viewer);
    expect(bytes).toEqual([7, Number.POSITIVE_INFINITY, 0]);
  });

  const unknownToken = () => `svc_${crypto.randomUUID().replaceAll('-', '')}`;

  it('use nothing of its share with tokens that are well-formed but unknown', async () => {
    const { app, entered } = await watched();
    const calls = Array.from({ length: 20 }, () =>
      app.api.post('/agent/findings', { token: unknownToken(), org: noisy.slug, body: {} }),
    );
    for (const { status, error } of await Promise.all(calls))
      expect([status, error]).toEqual([401, 'token_error/invalid']);
    expect(entered).toEqual([]);
    expect((await app.api.post('/agent/findings', { ...noisy.asAgent, body: {} })).status).toBe(400);
    expect(entered).toEqual([noisy.id]);
  });

  it('take none with sessions that have ended, or of users who are no members', async () => {
    const { app, entered } = await watched();
    const stranger = await createUser(app.api);
    const ended = await createUser(app.api);
    must(await app.api.post('/auth/logout', { cookie: ended.cookie }));
    const ask = (cookie: string) => app.api.get('/scans', { cookie, org: noisy.slug });
    expect((await ask(stranger.cookie)).error).toBe('tenant_error/not_member');
    expect((await ask(ended.cookie)).error).toBe('auth_error/session_revoked');
    const invite = { ...viewer, body: { email: 'a@example.com', role: 'viewer' } };
    expect((await app.api.post('/members/invite', invite)).error).toBe('permission_error/denied');
    expect(entered).toEqual([]);
    must(await app.api.get('/scans', viewer));
    expect(entered).toEqual([noisy.id]);
  });

  it('look tokens up in few statements at a time, which leave the connections to others', async () => {
    const app = await another({});
    const locker = openDatabase({ url: t.databaseUrl, max: 1 });
    afterTest(() => locker.close());
    const table = `${orgSchemaName(noisy.id)}.api_tokens`;
    const { calls } = await locker.sql.begin(async (tx) => {
      await tx.unsafe(`lock table ${table} in access exclusive mode`);
      const calls = Array.from({ length: 200 }, () =>
        app.api.post('/agent/findings', { token: unknownToken(), org: noisy.slug, body: {} }),
      );
      const lookUps = async () => {
        const [row] = await t.services.database.sql.unsafe(
          `select count(*)::int as n from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock' and query like '%api_tokens%'`,
        );
        return row?.n;
      };
      await expect.poll(lookUps).toBeGreaterThan(0);
      // Members of the same organization and agents of others are answered while they wait.
      must(await app.api.get('/scans', noisy.asOwner));
      await push(app.api, quiet, await createScan(app.api, quiet));
      expect(await lookUps()).toBeLessThanOrEqual(3);
      return { calls };
    });
    expect(statuses(await Promise.all(calls))).toEqual([401]);
  });

  it.each([
    ['token', 'api_tokens', 'revoked = true', 'token_error/invalid'],
    ['session', 'sessions', 'revoked_at = now()', 'auth_error/session_revoked'],
  ])('cannot use a %s that is revoked while they wait', async (kind, table, change, error) => {
    const app = await another({});
    const { gate } = app.services;
    const { asOwner, asAgent, owner, tokenId } = await createOrg(app.api);
    const { id } = await app.services.orgs.resolve('', asOwner.org);
    let asks = 0;
    app.services.gate = {
      ...gate,
      tryEnter: () => undefined,
      async enter() {
        asks++;
        const schema = kind === 'token' ? orgSchemaName(id) : 'shared';
        const where = kind === 'token' ? `id = '${tokenId}'` : `user_id = '${owner.id}'`;
        await app.services.database.sql.unsafe(`update ${schema}.${table} set ${change} where ${where}`);
        return () => {};
      },
    };
    const answer =
      kind === 'token'
        ? await app.api.post('/agent/findings', { ...asAgent, body: {} })
        : await app.api.get('/scans', asOwner);
    expect([answer.error, asks]).toEqual([error, 1]);
  });
});

describe('searches', () => {
  let org: TestOrg;
  const TEXTS = [
    { title: 'SQL injection in Search', file: 'src/search.ts', cve: 'CVE-2024-12345' },
    { title: '100% CPU in a_b', file: 'lib/ä ö.ts' },
    { title: 'Grüße an İstanbul', file: undefined },
    { title: 'line\nbreak', file: 'src/sql/break.ts', cve: 'CVE-2023-10001' },
    { title: 'back\\slash', file: 'C:\\temp' },
  ];
  const QUERIES = [
    'sql',
    'SQL SEARCH',
    'in',
    'a_b',
    '100%',
    'cve-2024',
    'ts',
    'grüße',
    'searchsrc',
    '\\slash',
  ];
  QUERIES.push('e break', 'ö', 'src/ cve', 'no such word', 'injection 12345 search.ts', '%', '_');

  beforeAll(async () => {
    org = await createOrg(t.api);
    const scan = await createScan(t.api, org);
    for (const texts of TEXTS) await push(t.api, org, scan, texts);
    for (let i = 0; i < 50; i++) await push(t.api, org, scan, { title: `Other ${i}`, file: `x/${i}.go` });
  });

  const titles = async (q: string, paging = 'page=1&per_page=100&') => {
    const answer = await t.api.get(`/findings?${paging}q=${encodeURIComponent(q)}`, org.asOwner);
    const found = must(answer).map(({ title }: { title: string }) => title) as string[];
    expect(answer.json.result_info?.total ?? found.length).toBe(found.length);
    return found.sort();
  };
  const expected = (q: string) =>
    TEXTS.filter(({ title, file = '', cve = '' }) =>
      q
        .split(' ')
        .every((word) => [title, file, cve].some((text) => text.toLowerCase().includes(word.toLowerCase()))),
    )
      .map(({ title }) => title)
      .concat(
        Array.from({ length: 50 }, (_, i) => [`Other ${i}`, `x/${i}.go`] as const)
          .filter((texts) =>
            q
              .split(' ')
              .every((word) => texts.some((text) => text.toLowerCase().includes(word.toLowerCase()))),
          )
          .map(([title]) => title),
      )
      .sort();

  it.each(QUERIES)('find what has each word somewhere: %s', async (q) => {
    expect(await titles(q)).toEqual(expected(q));
    expect(await titles(q, '')).toEqual(expected(q));
  });

  it('tell the total behind the last page', async () => {
    const { json } = await t.api.get('/findings?page=9&per_page=10&q=other', org.asOwner);
    expect([json.result, json.result_info.total]).toEqual([[], 50]);
  });

  const plan = async (word: string) => {
    const rows = await t.services.database.sql.begin(async (tx) => {
      await tx.unsafe('set local enable_seqscan = off');
      return tx.unsafe(
        `explain select id from ${orgSchemaName(org.id)}.findings
         where (title || E'\\n' || coalesce(file, '') || E'\\n' || coalesce(cve, '') || E'\\n' || coalesce(rule_id, '')) ilike '%${word}%'`,
      );
    });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  it('use the index', async () => {
    expect(await plan('injection')).toContain('findings_search');
  });

  it('work without pg_trgm, and are indexed once it is there, in whichever schema', async () => {
    const database = await createDatabase();
    afterTest(() => database.drop());
    const admin = openDatabase({ url: database.url, max: 1 });
    afterTest(() => admin.close());
    await admin.sql.unsafe('drop extension if exists pg_trgm cascade');
    const bare = await startApp({ databaseUrl: database.url });
    const one = await createOrg(bare.api);
    await push(bare.api, one, await createScan(bare.api, one), { title: 'Needle' });
    const found = () => bare.api.get('/findings?page=1&q=needle', one.asOwner).then(must);
    const indexed = async () => {
      const rows = await admin.sql.unsafe(
        "select schemaname from pg_indexes where indexname = 'findings_search'",
      );
      return rows.map(({ schemaname }) => schemaname);
    };
    expect([await found().then(({ length }) => length), await indexed()]).toEqual([1, []]);

    await admin.sql.unsafe('create schema "Some where"');
    await admin.sql.unsafe('create extension pg_trgm with schema "Some where"');
    const two = await createOrg(bare.api);
    expect(await indexed()).toContain(orgSchemaName(two.id));
    expect(await indexed()).not.toContain(orgSchemaName(one.id));
    await Promise.all([bare.services.orgs.migrateAll(), bare.services.orgs.migrateAll()]);
    expect(await indexed()).toContain(orgSchemaName(one.id));
    expect(await found()).toHaveLength(1);
  });

  it('go without an index where the role may not create the extension, which is told', async () => {
    const database = await createDatabase();
    const admin = openDatabase({ url: database.url, max: 1 });
    await admin.sql.unsafe('drop extension if exists pg_trgm cascade');
    const role = `plain_${Date.now().toString(36)}`;
    await admin.sql.unsafe(`create role ${role} login password 'plain'`);
    await admin.sql.unsafe(`grant usage on schema shared to ${role}`);
    await admin.sql.unsafe(`grant select on all tables in schema shared to ${role}`);
    const limited = openDatabase({
      url: Object.assign(new URL(database.url), { username: role, password: 'plain' }).href,
      max: 1,
    });
    expect(await migrateShared(limited.sql, sharedMigrations)).toMatch(/permission denied/);
    expect(await migrateShared(admin.sql, sharedMigrations)).toBeUndefined();
    expect(await migrateShared(limited.sql, sharedMigrations)).toBeUndefined();
    await limited.close();
    await admin.sql.unsafe(`drop owned by ${role}`);
    await admin.sql.unsafe(`drop role ${role}`);
    await admin.close();
    await database.drop();
  });
});
