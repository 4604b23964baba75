import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HttpBindings } from '@hono/node-server';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { startEmbedded } from '../../db/embedded/embedded.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { endpoints } from '../../handlers/index.ts';
import { createApp, refuseMalformed } from '../../lib/http/app.ts';
import { createHttpServer, type HttpServer } from '../../lib/node/http-server.ts';
import {
  type Answer,
  type Api,
  createApi,
  createOrg,
  createScan,
  finding,
  type TestOrg,
} from '../support/api/api.ts';
import { countBlocked, untilBlocked } from '../support/database/blocked.ts';
import { expectKeptCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';
import { startServer, stopServers } from '../support/server/server.ts';

let t: TestApp;
/** Beside the app's connections: one that holds locks, one that looks on. */
let locker: Database;
let watcher: Database;
/** The app as it is, which notes how many pushes have come to the batches. */
let api: Api;
let fetch: TestApp['app']['fetch'];
let batched = 0;

beforeAll(async () => {
  t = await startApp();
  locker = openDatabase({ url: t.databaseUrl, max: 2 });
  watcher = openDatabase({ url: t.databaseUrl, max: 1 });
  const ingest = ((...push: Parameters<typeof t.services.ingest>) => {
    batched++;
    return t.services.ingest(...push);
  }) as typeof t.services.ingest;
  ({ fetch } = createApp({ ...t.services, ingest }, endpoints));
  api = createApi((request) => fetch(request));
});
afterAll(async () => {
  await locker.close();
  await watcher.close();
});

interface Site {
  org: TestOrg;
  scanId: string;
}

async function createSite(on = api): Promise<Site> {
  const org = await createOrg(on);
  return { org, scanId: await createScan(on, org) };
}

const createSites = (count: number) => Promise.all(Array.from({ length: count }, () => createSite()));

const pushTo = ({ org, scanId }: Site, fields: Record<string, unknown> = {}, to = api) =>
  to.post('/agent/findings', { ...org.asAgent, body: finding(org, scanId, fields) });

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status);

/** Pushes to these sites wait from now on, until `during` is over. */
async function whileLocked<T>(sites: Site[], during: () => Promise<T>): Promise<T> {
  const [result] = await locker.sql.begin(async (tx) => {
    for (const { org } of sites) await tx.unsafe(`select from "${orgSchemaName(org.id)}".scans for update`);
    // Requests in progress when it returns are not waited for.
    return [{ result: await during() }] as const;
  });
  return result.result;
}

const untilBoarded = (count: number) =>
  vi.waitFor(() => expect(batched).toBe(count), { timeout: 20_000, interval: 5 });

/**
 * Makes these pushes as one batch: the first goes out alone and waits for a lock, the others gather behind it.
 * @returns their answers, and that of the first
 */
async function inOneBatch(site: Site, pushes: (() => Promise<Answer>)[], meanwhile = async () => {}) {
  const before = batched;
  const answers = await whileLocked([site], async () => {
    const first = pushTo(site);
    await untilBlocked(watcher.sql, 1);
    const others = pushes.map((push) => push());
    await untilBoarded(before + 1 + pushes.length);
    await meanwhile();
    return { first, others };
  });
  return { first: await answers.first, answers: await Promise.all(answers.others) };
}

/** The findings of a site's org by fingerprint, with the number of the transaction that wrote them last. */
async function stored({ org }: Site, database = watcher) {
  const rows = await database.sql.unsafe<{ fingerprint: string; id: string; seen: number; commit: string }[]>(
    `select fingerprint, id, seen_count as seen, xmin::text as commit from "${orgSchemaName(org.id)}".findings`,
  );
  return new Map(rows.map(({ fingerprint, ...row }) => [fingerprint, row]));
}

describe('a batch', () => {
  it('is one commit', async () => {
    const site = await createSite();
    const prints = times(50, (i) => `together-${i}`);
    const { answers } = await inOneBatch(
      site,
      prints.map((fingerprint) => () => pushTo(site, { fingerprint })),
    );
    expect(statusesOf(answers)).toEqual(prints.map(() => 201));
    const rows = await stored(site);
    expect(new Set(prints.map((print) => rows.get(print)?.commit)).size).toBe(1);
    await expectKeptCounts(watcher, site.org);
  });

  it('holds a fingerprint once: its twins are counted one by one, the others do not wait for them', async () => {
    const site = await createSite();
    const prints = times(40, (i) => (i % 2 ? `single-${i}` : 'twin'));
    const { answers } = await inOneBatch(
      site,
      prints.map((fingerprint) => () => pushTo(site, { fingerprint })),
    );
    const twins = answers.filter(({ result }) => result.fingerprint === 'twin');
    expect(statusesOf(twins).sort()).toEqual([...times(19, () => 200), 201]);
    expect(twins.map(({ result }) => result.seen_count).sort((a, b) => a - b)).toEqual(
      times(20, (i) => i + 1),
    );
    const rows = await stored(site);
    expect(new Set(twins.map(({ result }) => result.id))).toEqual(new Set([rows.get('twin')?.id]));
    expect(rows.get('twin')?.seen).toBe(20);

    const singles = prints.filter((print) => print !== 'twin');
    expect(singles.map((print) => rows.get(print)?.seen)).toEqual(singles.map(() => 1));
    expect(new Set(singles.map((print) => rows.get(print)?.commit)).size).toBe(1);
    await expectKeptCounts(watcher, site.org);
  });
});

describe('a client that goes away', () => {
  let server: HttpServer;
  let origin: string;
  /** Requests that were given up before their answer. */
  let gone = 0;

  beforeAll(async () => {
    server = createHttpServer({
      fetch(request, env) {
        const { outgoing } = env as HttpBindings;
        outgoing.once('close', () => {
          if (!outgoing.writableFinished) gone++;
        });
        return fetch(request, env);
      },
      malformed: refuseMalformed,
    });
    origin = `http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`;
  });
  afterAll(() => server.stop(1_000));

  it('takes nothing from the others of its batch, and finds its own push there or not', async () => {
    const site = await createSite();
    await pushTo(site, { fingerprint: 'held' });
    const leave = new AbortController();
    const patient = createApi((request) => globalThis.fetch(request), origin);
    const leaver = createApi((request) => globalThis.fetch(request, { signal: leave.signal }), origin);
    const left = times(5, (i) => `left-${i}`);
    const stayed = times(10, (i) => `stayed-${i}`);

    const before = batched;
    const { staying, leaving } = await locker.sql.begin(async (tx) => {
      await tx.unsafe(`select from "${orgSchemaName(site.org.id)}".findings for update`);
      const batch = await whileLocked([site], async () => {
        const first = pushTo(site, { fingerprint: 'first' }, patient);
        await untilBlocked(watcher.sql, 1);
        const staying = ['held', ...stayed].map((fingerprint) => pushTo(site, { fingerprint }, patient));
        await untilBoarded(before + 2 + stayed.length);
        // The second `held` waits for the next batch.
        const leaving = [...left, 'held'].map((fingerprint) => pushTo(site, { fingerprint }, leaver));
        await untilBoarded(before + 3 + stayed.length + left.length);
        return { first, staying, leaving: Promise.allSettled(leaving) };
      });
      expect((await batch.first).status).toBe(201);
      // By now it is the whole batch that waits, for the finding that we hold.
      await untilBlocked(watcher.sql, 1);
      leave.abort();
      expect((await batch.leaving).map(({ status }) => status)).toEqual(times(6, () => 'rejected'));
      await vi.waitFor(() => expect(gone).toBe(6), { timeout: 20_000 });
      return batch;
    });

    expect(statusesOf(await Promise.all(staying))).toEqual([200, ...stayed.map(() => 201)]);
    await leaving;
    const rows = await stored(site);
    expect(stayed.map((print) => rows.get(print)?.seen)).toEqual(stayed.map(() => 1));
    // As the agent would: the same again, not knowing what became of it.
    for (const fingerprint of left) {
      const there = rows.get(fingerprint);
      const { status, result } = await pushTo(site, { fingerprint }, patient);
      expect([status, result.seen_count]).toEqual(there ? [200, 2] : [201, 1]);
      if (there) expect([there.seen, there.id]).toEqual([1, result.id]);
    }
    await expectKeptCounts(watcher, site.org);
  });
});

describe('a blocked org', () => {
  it('keeps one connection, and one more after a second; pushes of others pass by', async () => {
    const [blocked, ...others] = (await createSites(3)) as [Site, ...Site[]];
    const waiting = await whileLocked([blocked], async () => {
      const waiting = times(20, () => pushTo(blocked));
      await untilBlocked(watcher.sql, 1);
      const passing = await Promise.all(times(40, (i) => pushTo(others[i % 2] as Site)));
      expect(statusesOf(passing)).toEqual(passing.map(() => 201));
      expect(await countBlocked(watcher.sql)).toBeLessThanOrEqual(2);
      return waiting;
    });
    expect(statusesOf(await Promise.all(waiting))).toEqual(waiting.map(() => 201));
    expect((await stored(blocked)).size).toBe(20);
  });

  it('and two more leave a connection of the share for all others', async () => {
    const sites = await createSites(6);
    const blocked = sites.slice(0, 3);
    const waiting = await whileLocked(blocked, async () => {
      const waiting = blocked.flatMap((site) => times(5, () => pushTo(site)));
      await untilBlocked(watcher.sql, 3);
      const passing = await Promise.all(times(30, (i) => pushTo(sites[3 + (i % 3)] as Site)));
      expect(statusesOf(passing)).toEqual(passing.map(() => 201));
      return waiting;
    });
    expect(statusesOf(await Promise.all(waiting))).toEqual(waiting.map(() => 201));
  });

  it('and many more take no connection from requests of users', async () => {
    const blocked = await createSites(8);
    const waiting = await whileLocked(blocked, async () => {
      const waiting = blocked.flatMap((site) => times(2, () => pushTo(site)));
      await untilBlocked(watcher.sql, AGENTS_SHARE);
      const reads = blocked.map(({ org }) => api.get('/findings', org.asOwner));
      expect(statusesOf(await Promise.all(reads))).toEqual(blocked.map(() => 200));
      return waiting;
    });
    expect(statusesOf(await Promise.all(waiting))).toEqual(waiting.map(() => 201));
  });
});

/** The number of connections for agents, of the ten of the pool. */
const AGENTS_SHARE = 4;

describe('a pool without a free connection', () => {
  it('answers every push when the connections are free again, and writes each once', async () => {
    const sites = await createSites(6);
    const { dbPoolMax } = t.services.config;
    const pushes = await locker.sql.begin(async (tx) => {
      await tx.unsafe('select pg_advisory_xact_lock(1)');
      const busy = times(dbPoolMax, () =>
        t.services.database.sql.unsafe('select pg_advisory_xact_lock_shared(1)').execute(),
      );
      await untilBlocked(watcher.sql, dbPoolMax);
      const pushes = times(120, (i) => pushTo(sites[i % 6] as Site, { fingerprint: `print-${i % 60}` }));
      return { busy, pushes };
    });
    await Promise.all(pushes.busy);
    const answers = await Promise.all(pushes.pushes);
    expect(statusesOf(answers).sort()).toEqual([...times(60, () => 200), ...times(60, () => 201)]);
    for (const site of sites) {
      expect([...(await stored(site)).values()].map(({ seen }) => seen)).toEqual(times(10, () => 2));
      await expectKeptCounts(watcher, site.org);
    }
  });
});

describe('a database that restarts', () => {
  let dataDir: string;
  let port: number;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'svc-restart-'));
    const free = net.createServer();
    await new Promise<void>((listening) => free.listen(0, '127.0.0.1', listening));
    ({ port } = free.address() as AddressInfo);
    await new Promise((closed) => free.close(closed));
  });
  afterEach(stopServers);
  afterAll(() => rm(dataDir, { recursive: true, force: true }));

  // The same port each time, as servers have.
  const startDatabase = () => startEmbedded({ dataDir, log: silentLog, settings: { port: `${port}` } });

  it('loses nothing that was acknowledged; the server goes on as it is', async () => {
    let postgres = await startDatabase();
    const server = await startServer({
      DATABASE_URL: postgres.url,
      JWT_SECRET: 'a secret for tests only',
      SVC_DB_POOL_MAX: '6',
    });
    const site = await createSite(server.api);
    const attempts = new Map<string, number>();
    const acknowledged = new Map<string, Answer[]>();
    let pushed = 0;
    let refused = 0;
    let over = false;

    const retryLater = async ({ error, text }: Answer) => {
      if (error !== 'server_error/unavailable') throw new Error(text);
      refused++;
      await new Promise((later) => setTimeout(later, 20));
    };
    // Half of them push what all push, half of them what nobody else does.
    const pusher = async (who: number) => {
      for (let i = 0; !over; i++) {
        const fingerprint = who % 2 ? `own-${who}-${i}` : `shared-${i % 7}`;
        attempts.set(fingerprint, (attempts.get(fingerprint) ?? 0) + 1);
        const answer = await pushTo(site, { fingerprint }, server.api);
        if (answer.status >= 300) {
          await retryLater(answer);
          continue;
        }
        pushed++;
        acknowledged.set(fingerprint, [...(acknowledged.get(fingerprint) ?? []), answer]);
      }
    };
    // More queries at a time than there are connections.
    const reader = async () => {
      while (!over) {
        const answer = await server.api.get('/scans', site.org.asOwner);
        if (answer.status >= 300) await retryLater(answer);
        else expect(answer.result).toHaveLength(1);
      }
    };
    // `npm run soak -- postgres` has more of them, for longer.
    const clients = Promise.all([...times(8, pusher), ...times(4, reader)]);
    const untilMore = async (count: number) => {
      const enough = pushed + count;
      await Promise.race([
        clients,
        vi.waitFor(() => expect(pushed).toBeGreaterThan(enough), { timeout: 20_000, interval: 1 }),
      ]);
    };

    for (const how of ['stopped', 'killed']) {
      await untilMore(50);
      if (how === 'killed') process.kill(await postmasterOf(dataDir), 'SIGKILL');
      await postgres.stop();
      postgres = await startDatabase();
    }
    await untilMore(100);
    over = true;
    await clients;
    expect(refused).toBeGreaterThan(0);

    const database = openDatabase({ url: postgres.url, max: 1 });
    const rows = await stored(site, database);
    for (const [print, answers] of acknowledged) {
      const row = rows.get(print);
      expect(new Set(answers.map(({ result }) => result.id))).toEqual(new Set([row?.id]));
      expect(new Set(answers.map(({ result }) => result.seen_count)).size).toBe(answers.length);
      expect(row?.seen).toBeGreaterThanOrEqual(answers.length);
    }
    for (const [print, { seen }] of rows) expect(seen).toBeLessThanOrEqual(attempts.get(print) ?? 0);
    await expectKeptCounts(database, site.org);
    await database.close();
    // This is the error for a connection that is open and never answers.
    expect(server.log().match(/CONNECT_TIMEOUT/g)).toBe(null);
    expect(await server.stop('SIGTERM')).toBe(0);
    await postgres.stop();
  });
});

const postmasterOf = async (dataDir: string) =>
  Number((await readFile(join(dataDir, 'postgres/18/postmaster.pid'), 'utf8')).split('\n')[0]);
