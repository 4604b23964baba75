import { beforeAll, describe, expect, it, vi } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { createDatabase } from '../support/database/database.ts';
import { type DatabaseProxy, startProxy } from '../support/database/proxy.ts';
import {
  addFindings,
  type Replicated,
  replicaBecomes,
  replicaOf,
  routesDuring,
  startReplicated,
} from '../support/database/replicated.ts';
import { withDatabase } from '../support/database/scratch.ts';
import { PRIMARY_SETTINGS, startStandby } from '../support/database/standby.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/** More than the parts of an export that are read ahead. */
const ROWS = 1_500;

let pair: Replicated;
let proxy: DatabaseProxy;
let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  pair = await startReplicated({ max_standby_streaming_delay: '100ms' });
  proxy = await startProxy(pair.standby.url);
  pair.site.onClose(() => proxy.close());
  t = await pair.appWith(proxy.url);
  await replicaBecomes(t, undefined);
  org = await createOrg(t.api);
  await push(t.api, org, await createScan(t.api, org));
  await addFindings(pair, org, ROWS - 1);
});

const list = async (app = t, query = '', by = org) =>
  must(await app.api.get(`/findings?${query}`, by.asOwner));

/** Sends reads of all kinds, which must succeed. @returns how long the slowest took */
async function readAll(app = t): Promise<number> {
  let slowest = 0;
  for (const query of ['', 'q=No.&page=1', 'format=csv']) {
    const began = performance.now();
    expect((await app.api.get(`/findings?${query}`, org.asOwner)).status).toBe(200);
    slowest = Math.max(slowest, performance.now() - began);
  }
  return slowest;
}

/** An export of which the first part was read. */
async function beginExport(app = t) {
  const headers = { cookie: `svc_token=${org.owner.cookie}`, 'x-org-slug': org.slug };
  const response = await app.app.request('http://localhost/api/v1/findings?format=csv', { headers });
  const reader = response.body?.getReader();
  await reader?.read();
  return {
    async rest(): Promise<void> {
      while (!(await reader?.read())?.done);
    },
    cancel: () => reader?.cancel(),
  };
}

const transactionsOnStandby = async () => {
  const [row] = await pair.standby.sql.unsafe<{ n: number }[]>(
    'select count(*)::int as n from pg_stat_activity where xact_start is not null and pid <> pg_backend_pid()',
  );
  return row?.n;
};

/** The same, read from the standby: a busy machine may have it read from the primary. */
const beginExportOnStandby = () =>
  vi.waitFor(async () => {
    const exports: Awaited<ReturnType<typeof beginExport>>[] = [];
    const routes = await routesDuring(t, async () => exports.push(await beginExport()));
    const [begun] = exports;
    if (begun && routes.current === 1) return begun;
    await begun?.cancel();
    throw new Error('the primary answers');
  }, 20_000);

describe('a replica that is away', () => {
  it('does not keep a server from starting, and fails no request', async () => {
    const app = await pair.appWith('postgres://nobody@127.0.0.1:1/postgres');
    expect(await routesDuring(app, () => readAll(app))).toEqual({ down: 3 });
    expect((await app.api.get('//readyz')).status).toBe(200);
  });

  it('fails no request when it is stopped, and is used again when it is back', async () => {
    const told = pair.logged.length;
    await pair.standby.stop('SIGINT');
    for (let i = 0; i < 5; i++) await readAll();
    await replicaBecomes(t, 'down');
    expect(await routesDuring(t, () => readAll())).toEqual({ down: 3 });
    expect((await t.api.get('//readyz')).status).toBe(200);
    await pair.standby.start();
    await replicaBecomes(t, undefined);
    await vi.waitFor(async () => expect(await routesDuring(t, () => list())).toEqual({ current: 1 }));
    const changes = pair.logged
      .slice(told)
      .filter(({ message }) => message.startsWith('the replica is'))
      .map(({ level, message }) => `${level} ${message}`);
    // A busy machine may answer a check late, so there may be more changes.
    expect(changes[0]).toBe('warn the replica is not used');
    expect(changes).toContain('info the replica is used for expensive reads');
  });

  it('fails no request when it says nothing any more, and is not asked for long', async () => {
    proxy.silence();
    expect(await readAll()).toBeLessThan(limit(4_000));
    await replicaBecomes(t, 'down');
    expect(await routesDuring(t, () => readAll())).toEqual({ down: 3 });
    proxy.resume();
    await replicaBecomes(t, undefined);
  });

  it('breaks an export off that it has begun: the file does not look complete', async () => {
    const begun = await beginExportOnStandby();
    await pair.standby.stop('SIGKILL');
    await expect(begun.rest()).rejects.toThrow();
    await readAll();
    await pair.standby.start();
    await replicaBecomes(t, undefined);
  });
});

describe('a read on the replica', () => {
  it('is complete or broken off when its connection is ended at any moment, also while others are active', async () => {
    const busy = await createOrg(t.api);
    const read = await createOrg(t.api);
    await push(t.api, read, await createScan(t.api, read), { title: 'No. 0' });
    // More than one batch.
    await addFindings(pair, read, 299);
    let isOver = false;
    const ending = (async () => {
      while (!isOver) {
        await pair.standby.sql.unsafe(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where application_name = 'svc-findings' and state <> 'idle' and query ~ '^(declare|fetch|with)'`,
        );
        await t.api.get('/scans?page=1', busy.asOwner);
      }
    })();
    const seen = { complete: 0, broken: 0, short: 0 };
    const routes = await routesDuring(t, async () => {
      for (let i = 0; i < 10; i++) {
        const rows = await list(t, '', read).catch(() => undefined);
        seen[rows === undefined ? 'broken' : rows.length === 300 ? 'complete' : 'short']++;
        const found = await t.api.get('/findings?q=No.&page=1', read.asOwner);
        expect(found.json.result_info.total).toBe(300);
      }
    });
    isOver = true;
    await ending;
    expect(seen.short).toBe(0);
    expect(routes.failed).toBeGreaterThan(0);
  });

  it('frees its connection when its reader leaves', async () => {
    await replicaBecomes(t, undefined);
    const exports = [await beginExportOnStandby(), await beginExport()];
    // The recovery may have broken one off already.
    await Promise.allSettled(exports.map((one) => one.cancel()));
    await vi.waitFor(async () => expect(await transactionsOnStandby()).toBe(0));
  });

  it('is broken off when it conflicts with the recovery', async () => {
    const begun = await beginExportOnStandby();
    const table = `"${orgSchemaName(org.id)}".findings`;
    // Vacuum keeps rows that another transaction of the primary may still see: it is repeated until a conflict occurs.
    await vi.waitFor(async () => {
      await pair.admin.sql.unsafe(`update ${table} set title = title where fingerprint = 'n1'`);
      await pair.admin.sql.unsafe(`vacuum ${table}`);
      expect(await transactionsOnStandby()).toBe(0);
    });
    await expect(begun.rest()).rejects.toThrow();
    // PostgreSQL counts them with a delay.
    await vi.waitFor(async () => {
      const [row] = await pair.standby.sql.unsafe<{ n: number }[]>(
        'select sum(confl_snapshot + confl_lock + confl_bufferpin)::int as n from pg_stat_database_conflicts',
      );
      expect(row?.n).toBeGreaterThan(0);
    });
  });
});

describe('a server is not read as replica', () => {
  /** Waits until an app has refused its replica. @returns the reason it has logged */
  async function refusalBy(app: TestApp) {
    await replicaBecomes(app, 'refused');
    expect(await routesDuring(app, () => app.api.get('/findings', org.asOwner))).toEqual({ refused: 1 });
    return replicaOf(app)?.reason;
  }

  it('that is the primary itself', async () => {
    const app = await pair.appWith(pair.primary.url);
    await refusalBy(app);
    const reason = 'it is no standby: it takes writes of its own';
    expect(pair.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'the replica is not used', reason }),
    );
  });

  it('that is a standby, with another database', async () => {
    const app = await pair.appWith(withDatabase(pair.standby.url, 'template1'));
    expect(await refusalBy(app)).toBe('its database is template1, not postgres');
  });

  it('that is a standby of another PostgreSQL', async () => {
    const { url } = await createDatabase();
    const app = await startApp({
      databaseUrl: url,
      env: { DATABASE_URL: url, DATABASE_REPLICA_URL: pair.standby.url },
    });
    await replicaBecomes(app, 'refused');
    expect(replicaOf(app)?.reason).toBe('it is a standby of another PostgreSQL');
    const own = await createOrg(app.api);
    await push(app.api, own, await createScan(app.api, own));
    expect(must(await app.api.get('/findings', own.asOwner))).toHaveLength(1);
  });

  it('that was promoted by mistake, nor a standby that follows it', async () => {
    const stray = await startStandby(pair.site, pair.primary, { name: 'stray', settings: PRIMARY_SETTINGS });
    const follower = await startStandby(pair.site, stray, { name: 'follower' });
    const apps = await Promise.all([stray, follower].map(({ url }) => pair.appWith(url)));
    for (const app of apps) await replicaBecomes(app, undefined);
    await stray.promote();
    // Its log is longer than that of the primary now.
    await stray.sql.unsafe(`update "${orgSchemaName(org.id)}".findings set title = 'astray'`);
    await follower.caughtUp();
    for (const app of apps) {
      const rows = await list(app);
      expect(rows.filter(({ title }: { title: string }) => title === 'astray')).toEqual([]);
    }
    const [promoted, misled] = await Promise.all(apps.map(refusalBy));
    expect(promoted).toBe('it is no standby: it takes writes of its own');
    expect(misled).toBe('it is on timeline 2, the primary on 1');

    // After a failover to the same server, the standby that follows it is used.
    const moved = await startApp({
      databaseUrl: stray.url,
      env: {
        DATABASE_URL: stray.url,
        DATABASE_REPLICA_URL: follower.url,
        SVC_REPLICA_MAX_LAG: '30',
      },
    });
    await replicaBecomes(moved, undefined);
    await vi.waitFor(async () =>
      expect(await routesDuring(moved, () => list(moved))).toEqual({ current: 1 }),
    );
  });
});
