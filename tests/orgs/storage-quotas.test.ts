import { beforeAll, describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { readUsage } from '../../db/storage/usage.ts';
import { setSetting } from '../../lib/admin/settings.ts';
import { createStorageQuotas, createStorageState, type StorageOptions } from '../../lib/storage/quotas.ts';
import { admin } from '../support/admin/command.ts';
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
import { verify } from '../support/api/mailed.ts';
import { holdOpen } from '../support/database/hold.ts';
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

/** Quotas of another process. */
function quotasOf(options: Partial<StorageOptions>) {
  const { knownOrgs, database, engineOf, log, config } = t.services;
  const state = createStorageState();
  const quotas = createStorageQuotas({
    ...{ sql: database.sql, engineOf, tablesOf: knownOrgs.tablesOf, log, onRefused() {} },
    ...{ quota: config.storage, state, ...options },
  });
  return { quotas, state };
}

const stored = async ({ id }: TestOrg) =>
  (await readUsage(t.services.database.sql, [id])).find((org) => org.id === id);

/** Makes it impossible to measure an organization. */
const breakTables = ({ id }: TestOrg) =>
  t.services.database.sql.unsafe(
    `alter table "${orgSchemaName(id)}".finding_counts rename column count to gone`,
  );

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
    restarted.services.storage.written(org);
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
      message: expect.stringContaining('the account that this one belongs to use all of their 12 findings'),
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

  it('keeps the share of one that it leaves until another owner has come, who cannot be hindered by it then', async () => {
    const [heir, org] = [await createUser(t.api), await createOrg(t.api)];
    await verify(t, heir.email);
    const account = async () => {
      t.services.orgs.forget(org.id);
      return (await t.services.orgs.named(org.slug))?.account;
    };
    must(await t.api.post('/members/invite', { ...org.asOwner, body: { email: heir.email, role: 'owner' } }));
    must(await t.api.post('/members/leave', org.asOwner));
    expect(await account()).toBe(org.owner.id);
    t.advance(1_000);
    must(await t.api.get('/projects', { cookie: heir.cookie, org: org.slug }));
    expect(await account()).toBe(heir.id);
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

describe('a measurement', () => {
  it('that fails neither frees nor hides another organization', async () => {
    const [broken, org] = [await createOrg(t.api), await createOrg(t.api)];
    await createScan(t.api, broken);
    await breakTables(broken);
    const scanId = await createScan(t.api, org);
    for (let i = 1; i < MAX_ROWS; i++) must(await push(t.api, org, scanId, { fingerprint: `${i}` }));
    for (const one of [broken, org]) t.services.storage.written(one);
    await check();
    expect(told(await push(t.api, org, scanId))).toBe(EXCEEDED);
    must(await t.api.get('/projects', broken.asOwner));
  });

  it('is rare below half of the quota', async () => {
    const org = await createOrg(t.api);
    const scanId = await createScan(t.api, org);
    const measuredAfterWrite = async (rows: number) => {
      const tasks: Promise<unknown>[] = [];
      const background = (task: Promise<unknown>) => void tasks.push(task);
      const { quotas } = quotasOf({ quota: { bytes: 1e12, rows }, background });
      quotas.written(org);
      await Promise.all(tasks);
      return (await stored(org))?.rows;
    };
    await t.services.database.sql.unsafe(`delete from shared.org_usage where org_id = '${org.id}'`);
    expect(await measuredAfterWrite(10)).toBe(1);
    must(await push(t.api, org, scanId));
    expect(await measuredAfterWrite(10)).toBe(1);
    expect(await measuredAfterWrite(2)).toBe(2);
    must(await push(t.api, org, scanId, { fingerprint: 'more' }));
    const old = `update shared.org_usage set measured_at = now() - interval '5 minutes' where org_id = '${org.id}'`;
    await t.services.database.sql.unsafe(old);
    expect(await measuredAfterWrite(10)).toBe(3);
  });

  it('is made for requests that show the use, at most every ten seconds', async () => {
    const org = await createOrg(t.api);
    const scanId = await createScan(t.api, org);
    must(await push(t.api, org, scanId));
    await check();
    must(await push(t.api, org, scanId, { fingerprint: 'more' }));
    const shown = async () => must(await t.api.get('/settings/storage', org.asOwner));
    const first = await shown();
    expect(first.rows).toBe(3);
    must(await push(t.api, org, scanId, { fingerprint: 'another' }));
    expect(await shown()).toEqual(first);
    const { code, out } = await admin(t.databaseUrl, ['orgs', 'show', org.slug, '--json']);
    expect([code, JSON.parse(out).storage.rows]).toEqual([0, 4]);
    await breakTables(org);
    t.services.storageState.shown.clear();
    expect((await shown()).rows).toBe(4);
  });
});

describe('a change', () => {
  it('may be undone until 10 % above the quota', async () => {
    const org = await createOrg(t.api);
    const { ids } = await fill(org);
    const change = async (status: string) =>
      must(await t.api.patch('/findings', { ...org.asOwner, body: { ids: [ids[0]], status } }))
        .change_id as string;
    const undo = (id: string) => t.api.post(`/changes/${id}/undo`, org.asOwner);
    must(await undo(await change('confirmed')));
    const second = await change('fixed');
    await setSetting(t.services.database, `quota.rows.${org.slug}`, '5');
    t.services.storage.written(org);
    await check();
    expect(told(await undo(second))).toBe(EXCEEDED);
  });
});

describe('a transfer', () => {
  it('takes a project out of a full organization, but into none', async () => {
    const org = await createOrg(t.api);
    const target = await addOrg(org);
    const { scanId } = await fill(org);
    const transfer = async (from: TestOrg, slug: string) => {
      const path = `/projects/${from.projectId}`;
      const { slug: confirm } = must(await t.api.get(path, from.asOwner));
      const body = { organization: target.slug, confirm, slug };
      return await t.api.post(`${path}/transfer`, { ...from.asOwner, body });
    };
    expect(told(await push(t.api, org, scanId))).toBe(EXCEEDED);
    expect(must(await transfer(org, 'moved')).state).toBe('done');
    await check();
    const refused = await transfer(await addOrg(org), 'more');
    expect(told(refused)).toBe(EXCEEDED);
    expect(refused.text).toContain('of its 6 findings');
    must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'New' } }));
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
      const { quotas } = quotasOf({ quota: { bytes, rows: 1_000 } });
      return (await quotas.usageOf(org.id))?.bytes as number;
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
    const { quotas } = quotasOf({ state: t.services.storageState, isDiskFull: async () => true });
    await quotas.check();
    expect(told(await push(t.api, org, scanId))).toBe(EXCEEDED);
    expect(told(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }))).toBe(
      EXCEEDED,
    );
    must(await t.api.get('/findings', org.asOwner));
    expect((await t.api.delete(`/findings/${id}`, org.asOwner)).status).toBe(204);
    await check();
    must(await push(t.api, org, scanId));
  });

  it('is noticed while an organization is being measured', async () => {
    const org = await createOrg(t.api);
    await createScan(t.api, org);
    let isFull = false;
    const { quotas, state } = quotasOf({ isDiskFull: async () => isFull });
    const lock = `lock table "${orgSchemaName(org.id)}".findings in access exclusive mode`;
    const unlock = await holdOpen(t.services.database.sql, (tx) => tx.unsafe(lock));
    quotas.written(org);
    isFull = true;
    state.diskCheckedAt = Number.NEGATIVE_INFINITY;
    quotas.written(org);
    await expect.poll(() => state.diskRefusal).toBeDefined();
    await unlock();
    // Waits until the measurement has ended.
    await quotas.check();
  });
});
