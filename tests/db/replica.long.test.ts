import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { orgMigrations, sharedMigrations } from '../../drizzle/migrations.ts';
import type { Check } from '../../lib/admin/doctor/checks.ts';
import { runAdmin } from '../../lib/admin/run.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import {
  addFindings,
  type Replicated,
  replicaBecomes,
  replicaOf,
  routesDuring,
  startReplicated,
} from '../support/database/replicated.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let pair: Replicated;
let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  pair = await startReplicated();
  // Patient, because a busy machine may need seconds to replay.
  t = await pair.appWith(pair.standby.url, { SVC_REPLICA_MAX_LAG: '30' });
  await replicaBecomes(t, undefined);
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
  await push(t.api, org, scanId, { title: 'No. 0' });
  await addFindings(pair, org, 999);
});

const titles = async (app: TestApp, query: string, by = org) =>
  must(await app.api.get(`/findings?${query}`, by.asOwner)).map(({ title }: { title: string }) => title);

describe('the replica answers', () => {
  it.each([
    '/findings',
    '/findings?severity=high',
    '/findings?sort=cvss_score',
    '/findings?format=csv',
    '/findings?format=sarif',
    '/findings?q=No.&page=1',
    '/findings?source=sast&page=1&per_page=200',
    '/findings?group_by=rule&page=1',
    '/scans',
    '/dashboard/metrics',
    '/dashboard/projects?from=2026-01-01',
  ])('GET %s', async (path) => {
    // A busy machine may not answer in time.
    await vi.waitFor(async () => {
      const routes = await routesDuring(t, async () => {
        expect((await t.api.get(path, org.asOwner)).status).toBe(200);
      });
      expect(routes).toEqual({ current: 1 });
    });
  });

  it('with the same responses as the primary', async () => {
    const plain = await startApp({ databaseUrl: pair.primary.url });
    for (const query of ['', 'format=csv', 'q=No.&page=2&per_page=50']) {
      const [one, other] = await Promise.all(
        [t, plain].map(({ api }) => api.get(`/findings?${query}`, org.asOwner)),
      );
      expect(one?.result ?? one?.text).toEqual(other?.result ?? other?.text);
    }
  });

  it.each([
    '/findings?page=1',
    '/findings?severity=high&page=3&per_page=500',
    '/scans?page=1',
    '/dashboard/stats',
    '/dashboard/projects',
    '/revision',
    '/members',
  ])('not GET %s, which is cheap or decides who may do what', async (path) => {
    const routes = await routesDuring(t, async () => {
      expect((await t.api.get(path, org.asOwner)).status).toBe(200);
    });
    expect(routes).toEqual({});
  });

  it('and not the selection of a bulk change', async () => {
    const body = { filter: { q: 'No. 999' }, status: 'confirmed' };
    const routes = await routesDuring(t, () => t.api.post('/findings/bulk', { ...org.asOwner, body }));
    expect(routes).toEqual({});
  });

  it('with everything that was written before, by anybody', async () => {
    const routes = await routesDuring(t, async () => {
      for (let i = 0; i < 20; i++) {
        const title = `Written ${randomUUID()}`;
        const { id } = await push(t.api, org, scanId, { title });
        expect(await titles(t, `q=${title.slice(-12)}&page=1`)).toEqual([title]);
        must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'confirmed' } }));
        expect(await titles(t, 'status=confirmed')).toContain(title);
      }
    });
    expect(routes.current).toBeGreaterThan(20);
  });
});

describe('doctor', () => {
  async function replicaChecks(replicaUrl: string, env: Record<string, string> = {}) {
    let out = '';
    await runAdmin(['doctor', '--json'], {
      env: { DATABASE_URL: pair.primary.url, DATABASE_REPLICA_URL: replicaUrl, ...env },
      out: (text) => {
        out += text;
      },
      err: (text) => {
        throw new Error(text);
      },
      tracks: { shared: sharedMigrations, org: orgMigrations },
    });
    const { checks } = JSON.parse(out) as { checks: Check[] };
    return checks
      .filter(({ area }) => area === 'replica')
      .map(({ status, message }) => `${status}: ${message.replace(/127\.0\.0\.1:\d+/, 'host')}`);
  }

  it('tells the state of the replica', async () => {
    const settings = [
      'warning: hot_standby_feedback is off: vacuum on the primary ends long exports',
      'ok: the role may read the timeline that the replica follows',
    ];
    expect(await replicaChecks(pair.standby.url)).toEqual([
      'ok: host is a standby of the database, and current',
      ...settings,
    ]);
    expect(await replicaChecks(pair.primary.url)).toEqual([
      'warning: host is not used: it is no standby: it takes writes of its own',
    ]);
    expect(await replicaChecks('postgres://nobody@127.0.0.1:1/postgres')).toEqual([
      expect.stringMatching(/^warning: host is not used: .*ECONNREFUSED/),
    ]);
    await pair.standby.pauseReplay();
    try {
      await push(t.api, org, scanId);
      expect(await replicaChecks(pair.standby.url, { SVC_REPLICA_MAX_LAG: '0.5' })).toEqual([
        'warning: host lags by more than 0.5 s (SVC_REPLICA_MAX_LAG)',
        ...settings,
      ]);
    } finally {
      await pair.standby.resumeReplay();
    }
  });
});

describe('while the replica does not replay', () => {
  let one: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    [one, other] = await Promise.all([
      pair.appWith(pair.standby.url, { SVC_REPLICA_MAX_LAG: '0.5' }),
      pair.appWith(pair.standby.url, { SVC_REPLICA_MAX_LAG: '0.5' }),
    ]);
    for (const app of [one, other]) await replicaBecomes(app, undefined);
    await pair.standby.caughtUp();
    await pair.standby.pauseReplay();
  });
  afterAll(() => pair.standby.resumeReplay());

  it('every read shows all acknowledged writes, of any client and from any process', async () => {
    const routes = await routesDuring(other, async () => {
      for (let i = 0; i < 6; i++) {
        const [writer, reader] = i % 2 === 0 ? [one, other] : [other, one];
        const title = `Paused ${randomUUID()}`;
        const { id } = await push(writer.api, org, scanId, { title });
        expect(await titles(reader, 'status=open')).toContain(title);
        must(await reader.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
        expect(await titles(writer, `status=fixed&q=${title.slice(-12)}&page=1`)).toEqual([title]);
        const [before] = must(await reader.api.get(`/findings?q=${title.slice(-12)}`, org.asOwner));
        // A push that only counts the finding again, which no revision tells.
        await push(writer.api, org, scanId, { title, fingerprint: before.fingerprint });
        const [after] = must(await reader.api.get(`/findings?q=${title.slice(-12)}`, org.asOwner));
        expect(after.id).toBe(before.id);
        expect(Date.parse(after.last_seen_at)).toBeGreaterThan(Date.parse(before.last_seen_at));
      }
    });
    expect(routes.current).toBeUndefined();
    expect(routes.lagging).toBeGreaterThan(8);
  });

  it('the lag is measured, and reads do not wait for it any more', async () => {
    await vi.waitFor(() => expect(replicaOf(one)?.lagMs).toBeGreaterThan(500));
    const began = performance.now();
    expect(await routesDuring(one, () => titles(one, 'q=Paused&page=1'))).toEqual({ lagging: 1 });
    expect(performance.now() - began).toBeLessThan(limit(500));
    expect(await one.services.metrics.render()).toMatch(/^svc_db_replica_lag_seconds [\d.]+$/m);
  });

  it('a revoked session and a revoked token are refused at once', async () => {
    const left = await createOrg(one.api);
    must(await one.api.delete(`/tokens/${left.tokenId}`, left.asOwner));
    expect((await one.api.get('/findings', left.asAgent)).error).toBe('token_error/invalid');
    must(await one.api.post('/auth/logout', { cookie: left.owner.cookie }));
    expect((await one.api.get('/findings', left.asOwner)).error).toBe('auth_error/session_revoked');
  });

  it('an organization is read whose schema the replica does not have', async () => {
    const young = await createOrg(one.api);
    expect(must(await one.api.get('/findings', young.asOwner))).toEqual([]);
    expect(must(await one.api.get('/findings?q=word&page=1', young.asOwner))).toEqual([]);
  });

  it('it is used again when it has caught up', async () => {
    await pair.standby.resumeReplay();
    await vi.waitFor(async () => {
      expect(await routesDuring(one, () => titles(one, 'q=Paused&page=1'))).toEqual({ current: 1 });
    });
  });
});
