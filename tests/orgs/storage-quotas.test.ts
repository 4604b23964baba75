import { beforeAll, describe, expect, it } from 'vitest';
import { setSetting } from '../../lib/admin/settings.ts';
import { createStorageQuotas, createStorageState } from '../../lib/storage/quotas.ts';
import {
  type Answer,
  addProject,
  createOrg,
  createScan,
  createUser,
  finding,
  must,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const MAX_ROWS = 6;
const env = { SVC_MAX_ROWS_PER_ORG: `${MAX_ROWS}` };
const EXCEEDED = '429 rate_limit_error/exceeded';

let t: TestApp;
beforeAll(async () => {
  t = await startApp({ env });
});

/** @returns the answer, which may be a refusal */
const push = (api: TestApp['api'], org: TestOrg, scanId: string, fields = {}) =>
  api.post('/agent/findings', { ...org.asAgent, body: finding(org, scanId, fields) });

const told = ({ status, error = '' }: Answer) => `${status} ${error}`.trim();
const check = (app: TestApp = t) => app.services.storage.check();

/** Fills an organization up to its quota of rows. @returns its scan and its findings */
async function fill(org: TestOrg, rows = MAX_ROWS) {
  const scanId = await createScan(t.api, org);
  const ids: string[] = [];
  for (let i = 1; i < rows; i++) ids.push(must(await push(t.api, org, scanId, { fingerprint: `${i}` })).id);
  await check();
  return { scanId, ids };
}

async function addOrg({ owner }: TestOrg): Promise<TestOrg> {
  const { cookie } = owner;
  const { id, slug } = must(await t.api.post('/orgs', { cookie, body: { name: 'Other' } }));
  return addProject(t.api, { id, slug, owner, asOwner: { cookie, org: slug } });
}

describe('an organization at its quota', () => {
  it('gets an error that says what and how much, for all that adds data', async () => {
    const org = await createOrg(t.api);
    const { scanId, ids } = await fill(org);
    const refused = await push(t.api, org, scanId, { fingerprint: 'one more' });
    expect(told(refused)).toBe(EXCEEDED);
    expect(refused.headers.get('retry-after')).toBe('300');
    expect(refused.json.errors[0]).toMatchObject({
      message: expect.stringContaining('has 6 of its 6 findings, scans, exploits and activity entries'),
      details: [{ field: 'rows', message: '6 of 6 rows' }],
    });
    const { asAgent, asOwner, projectId } = org;
    const exploit = { filename: 'a.py', language: 'python', code: 'a' };
    const others = await Promise.all([
      push(t.api, org, scanId, { fingerprint: 'x' }),
      push(t.api, org, scanId, { fingerprint: 'x' }),
      t.api.post('/agent/findings/batch', { ...asAgent, body: { findings: [finding(org, scanId)] } }),
      t.api.post(`/agent/findings/${ids[0]}/exploits`, { ...asAgent, body: exploit }),
      t.api.post('/agent/scans', {
        ...{ ...asAgent, body: { scan_id: 'more', project_id: projectId, persona: 'sharingan' } },
      }),
      t.api.post(`/agent/reports?project_id=${projectId}`, { ...asAgent, body: '{"findings":[]}' }),
      t.api.post(`/findings/${ids[0]}/comments`, { ...asOwner, body: { body: 'more' } }),
    ]);
    expect(others.map(told)).toEqual(others.map(() => EXCEEDED));
    expect(must(await t.api.get('/findings', asOwner))).toHaveLength(MAX_ROWS - 1);
    expect(must(await t.api.get('/settings/storage', asOwner))).toMatchObject({
      ...{ rows: MAX_ROWS, max_rows: MAX_ROWS, bytes: expect.any(Number), measured_at: expect.any(String) },
    });
    expect(await t.services.metrics.render()).toMatch(/svc_storage_refused_total\{limit="rows"\} [1-9]/);
    // Scans can end, and findings can be decided.
    must(await t.api.patch(`/agent/scans/${scanId}`, { ...asAgent, body: { status: 'completed' } }));
    must(await t.api.patch(`/findings/${ids[0]}`, { ...asOwner, body: { status: 'confirmed' } }));
  });

  it('reads and deletes, which frees its quota', async () => {
    const org = await createOrg(t.api);
    const { scanId, ids } = await fill(org);
    expect(told(await push(t.api, org, scanId))).toBe(EXCEEDED);
    expect((await t.api.delete(`/findings/${ids[0]}`, org.asOwner)).status).toBe(204);
    await check();
    must(await push(t.api, org, scanId));
  });

  it('stays refused after a restart, once anything was written', async () => {
    const org = await createOrg(t.api);
    const { scanId } = await fill(org);
    const restarted = await startApp({ env, databaseUrl: t.databaseUrl });
    restarted.services.storage.written({ ...org, tables: t.services.knownOrgs.tablesOf(org) });
    await check(restarted);
    expect(told(await push(restarted.api, org, scanId))).toBe(EXCEEDED);
  });

  it('has another quota if an operator sets one', async () => {
    const org = await createOrg(t.api);
    const { scanId } = await fill(org);
    await setSetting(t.services.database, `quota.rows.${org.slug}`, '7');
    await check();
    expect(told(await push(t.api, org, scanId, { fingerprint: 'now' }))).toBe(EXCEEDED);
    await check();
    must(await push(t.api, org, scanId, { fingerprint: 'later' }));
  });
});

describe('an account with many organizations', () => {
  it('has twice the quota of one for all of them, and others notice nothing', async () => {
    const first = await createOrg(t.api);
    const orgs = [first, await addOrg(first), await addOrg(first)] as const;
    // Nobody writes to this one.
    const fresh = await addOrg(first);
    const { ids } = await fill(orgs[0], MAX_ROWS - 1);
    await fill(orgs[1], MAX_ROWS - 1);
    const { scanId } = await fill(orgs[2], 2);
    const refused = await push(t.api, orgs[2], scanId, { fingerprint: 'more' });
    expect(told(refused)).toBe(EXCEEDED);
    expect(refused.json.errors[0]).toMatchObject({
      message: expect.stringContaining('the account that created this one use all of their 12 findings'),
    });
    expect(refused.text).not.toContain('details');
    const body = { scan_id: 'first', project_id: fresh.projectId, persona: 'sharingan' };
    expect(told(await t.api.post('/agent/scans', { ...fresh.asAgent, body }))).toBe(EXCEEDED);
    const other = await createOrg(t.api);
    must(await push(t.api, other, await createScan(t.api, other)));

    // A deletion in one frees the quota of all.
    expect((await t.api.delete(`/findings/${ids[0]}`, orgs[0].asOwner)).status).toBe(204);
    await check();
    must(await push(t.api, orgs[2], scanId, { fingerprint: 'more' }));
  });

  it('keeps its quota when it hands them over and is deleted', async () => {
    const heir = await createUser(t.api);
    const first = await createOrg(t.api);
    const orgs = [first, await addOrg(first)] as const;
    const { cookie, email } = first.owner;
    const all: { slug: string }[] = must(await t.api.get('/orgs', { cookie }));
    for (const { slug } of all)
      must(
        await t.api.post('/members/invite', {
          cookie,
          org: slug,
          body: { email: heir.email, role: 'owner' },
        }),
      );
    expect((await t.api.delete('/auth/me', { cookie, body: { confirm: email } })).status).toBe(204);
    for (const { id } of orgs) t.services.orgs.forget(id);
    const [one, two] = await Promise.all(
      orgs.map(({ slug }) => t.services.orgs.named(slug).then((org) => org?.account)),
    );
    expect(one).toBe(two);
    expect(one).toEqual(expect.any(String));
    expect(one).not.toBe(first.owner.id);
    const other = await createOrg(t.api);
    expect((await t.services.orgs.named(other.slug))?.account).toBe(other.owner.id);
  });
});

describe('bytes', () => {
  it('count without the space of deleted rows, which PostgreSQL keeps for new ones', async () => {
    const org = await createOrg(t.api);
    const scanId = await createScan(t.api, org);
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      const description = Array.from({ length: 4_000 }, () => Math.random().toString(36).slice(2, 14)).join(
        '',
      );
      ids.push(must(await push(t.api, org, scanId, { fingerprint: `${i}`, description })).id);
    }
    const usageWith = async (bytes: number) => {
      const { knownOrgs, database, engineOf, log } = t.services;
      const own = createStorageQuotas({
        ...{ sql: database.sql, engineOf, tablesOf: knownOrgs.tablesOf, log, onRefused() {} },
        ...{ quota: { bytes, rows: 1_000 }, state: createStorageState() },
      });
      own.written({ ...org, tables: knownOrgs.tablesOf(org) });
      await own.check();
      return must(await t.api.get('/settings/storage', org.asOwner)).bytes as number;
    };
    const allocated = await usageWith(1_000_000_000);
    const full = await usageWith(allocated - 1);
    expect(full).toBeGreaterThan(allocated * 0.7);
    for (const id of ids) await t.api.delete(`/findings/${id}`, org.asOwner);
    expect(await usageWith(1_000_000_000)).toBeGreaterThanOrEqual(allocated);
    expect(await usageWith(allocated - 1)).toBeLessThan(full - 100_000);
  });
});

describe('an almost full disk', () => {
  it('refuses what adds or changes data, but not what deletes it', async () => {
    const org = await createOrg(t.api);
    const scanId = await createScan(t.api, org);
    const { id } = must(await push(t.api, org, scanId));
    t.services.storageState.diskRefusal = undefined;
    const { knownOrgs, database, engineOf, log, storageState } = t.services;
    const full = createStorageQuotas({
      ...{ sql: database.sql, engineOf, tablesOf: knownOrgs.tablesOf, log, onRefused() {} },
      ...{ quota: t.services.config.storage, state: storageState, isDiskFull: async () => true },
    });
    await full.check();
    expect(told(await push(t.api, org, scanId))).toBe(EXCEEDED);
    expect(told(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }))).toBe(
      EXCEEDED,
    );
    must(await t.api.get('/findings', org.asOwner));
    expect((await t.api.delete(`/findings/${id}`, org.asOwner)).status).toBe(204);
    await check();
    must(await push(t.api, org, scanId));
  });
});
