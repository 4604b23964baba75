import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endPurge, LEASE_MS, markDeleted, takePurge } from '../../db/projects/deletion.ts';
import { purgeBatch } from '../../db/projects/purge.ts';
import { defineOrgTables, type OrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { purgeOrgs } from '../../lib/maintenance/purge-orgs.ts';
import { purgeInRequest, purgeProjects } from '../../lib/projects/purge.ts';
import { createOrg, createScan, finding, must, type TestOrg } from '../support/api/api.ts';
import { expectKeptCounts, expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* DELETE /projects/{slug}, and what removes the rows of deleted projects. */

let t: TestApp;
let org: TestOrg;
let tables: OrgTables;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  tables = defineOrgTables(orgSchemaName(org.id));
});

const sql = (text: string) =>
  t.services.database.sql.unsafe(text.replaceAll('@', `"${orgSchemaName(org.id)}"`));
const get = (path: string) => t.api.get(path, org.asOwner);
const remove = (project = 'web-shop', body: unknown = { confirm: 'web-shop' }, as: object = org.asOwner) =>
  t.api.delete(`/projects/${project}`, { ...as, body });
const create = async (name: string) =>
  must(await t.api.post('/projects', { ...org.asOwner, body: { name } }));

/** The rows of the organization that name a project. */
async function rowsOf(projectId: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  const columns: Record<string, string> = { projects: 'id' };
  for (const table of [
    'projects',
    'findings',
    'scans',
    'api_tokens',
    'due_dates',
    'finding_counts',
    'scan_counts',
    'project_members',
  ]) {
    const [row] = await sql(
      `select count(*)::int as n from @.${table} where ${columns[table] ?? 'project_id'} = '${projectId}'`,
    );
    if (row?.n) found[table] = row.n as number;
  }
  for (const table of ['sightings', 'finding_events', 'exploits', 'rule_changes']) {
    const [row] = await sql(
      `select count(*)::int as n from @.${table} where finding_id not in (select id from @.findings)`,
    );
    if (row?.n) found[table] = row.n as number;
  }
  return found;
}

/** Two scans of `count` findings, which the second one saw again. */
async function fill(count: number) {
  const [first, second] = [await createScan(t.api, org), await createScan(t.api, org)];
  const pushAll = async (scan: string) => {
    const findings = Array.from({ length: count }, (_, i) => finding(org, scan, { fingerprint: `fp-${i}` }));
    for (let i = 0; i < count; i += 500)
      must(
        await t.api.post('/agent/findings/batch', {
          ...org.asAgent,
          body: { findings: findings.slice(i, i + 500) },
        }),
      );
  };
  await pushAll(first);
  must(await t.api.patch(`/agent/scans/${first}`, { ...org.asAgent, body: { status: 'completed' } }));
  await pushAll(second);
}

/** An organization-wide token. */
async function wideToken() {
  must(await t.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
  const { token } = must(await t.api.post('/tokens', { ...org.asOwner, body: { name: 'wide' } }));
  return { token, org: org.slug };
}

const mark = (confirmed = 'web-shop') =>
  t.services.database.db.transaction((tx) =>
    markDeleted(tx, tables, { orgId: org.id, projectId: org.projectId, confirmed, now: new Date() }),
  );

/** As if the process that holds the leases had died. */
const expireLeases = () =>
  sql(`update shared.project_purges set lease_until = now() - interval '1 s' where org_id = '${org.id}'`);
const purges = async () =>
  (await sql(`select * from shared.project_purges where org_id = '${org.id}'`)).length;

describe('a project', () => {
  it('is deleted even if another project has its id as its slug', async () => {
    const { id } = await create('Squatter');
    // An older version allowed it.
    await t.services.database.sql.unsafe(
      `update "${orgSchemaName(org.id)}".projects set slug = '${org.projectId}' where id = '${id}'`,
    );
    expect((await remove()).status).toBe(204);
    expect(must(await get(`/projects/${org.projectId}`)).name).toBe('Squatter');
    expect((await get('/projects/web-shop')).status).toBe(404);
  });

  it('is deleted with everything it had, and other projects stay', async () => {
    const wide = await wideToken();
    const other = await create('Other');
    must(
      await t.api.post('/agent/scans', {
        ...wide,
        body: { scan_id: 'other', project_id: other.id, persona: 'senku' },
      }),
    );
    const kept = { ...finding(org, 'other'), project_id: other.id };
    must(await t.api.post('/agent/findings', { ...wide, body: kept }));
    must(await t.api.put(`/projects/${org.projectId}/due-dates`, { ...org.asOwner, body: { critical: 3 } }));
    await sql(
      `insert into @.project_members values ('${org.owner.id}', '${org.projectId}', 'viewer', now())`,
    );
    await fill(20);
    const [{ id }] = must(await get(`/findings?project_id=${org.projectId}`));
    must(await t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body: { body: 'Why?' } }));
    const scan = await createScan(t.api, org);

    expect((await remove()).status).toBe(204);
    for (const path of [
      '/projects/web-shop',
      `/projects/${org.projectId}`,
      `/projects/${org.projectId}/tokens`,
      `/projects/${org.projectId}/due-dates`,
      `/scans/${scan}`,
      `/findings/${id}`,
    ])
      expect((await get(path)).error, path).toBe('resource_error/not_found');
    expect(must(await get('/projects'))).toMatchObject([{ slug: 'other' }]);
    expect(must(await get('/dashboard/projects'))).toMatchObject([{ project: { slug: 'other' }, total: 1 }]);
    expect(must(await get('/scans'))).toHaveLength(1);
    expect(must(await get('/findings'))).toHaveLength(1);
    expect(await rowsOf(org.projectId)).toEqual({});
    expect(await purges()).toBe(0);
    await expectRightCounts(t.services.database, t.api, org);
    expect((await remove()).error).toBe('resource_error/not_found');
    // Its slug is free.
    expect(await create('Web shop')).toMatchObject({ slug: 'web-shop' });
  });

  it.each<[string, unknown, string]>([
    ['without `confirm`', {}, 'validation_error/field_required'],
    ['without a body', undefined, 'validation_error/invalid_body'],
    ['with another slug', { confirm: 'other' }, 'validation_error/field_invalid'],
    ['with its id', { confirm: 'id' }, 'validation_error/field_invalid'],
  ])('is not deleted %s', async (_, body, error) => {
    const given = JSON.stringify(body)?.replace('"id"', `"${org.projectId}"`);
    const answer = await t.api.delete('/projects/web-shop', {
      ...org.asOwner,
      ...(given !== undefined && { body: given }),
    });
    expect([answer.status, answer.error]).toEqual([400, error]);
    expect((await get('/projects/web-shop')).status).toBe(200);
  });

  it('stays if its slug has changed since it was confirmed', async () => {
    must(await t.api.patch('/projects/web-shop', { ...org.asOwner, body: { slug: 'store' } }));
    expect(await mark('web-shop')).toBeUndefined();
    expect(must(await get('/projects/store')).id).toBe(org.projectId);
    expect(await purges()).toBe(0);
  });

  it('is deleted once by two requests at the same time', async () => {
    const statuses = (await Promise.all([remove(), remove(), remove()])).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([204, 404, 404]);
    expect(await rowsOf(org.projectId)).toEqual({});
  });

  it('takes no pushes as soon as it is marked, by whatever token', async () => {
    const wide = await wideToken();
    const scan = await createScan(t.api, org);
    await mark();
    const own = await t.api.post('/agent/findings', { ...org.asAgent, body: finding(org, scan) });
    expect([own.status, own.error]).toEqual([401, 'token_error/invalid']);
    const pushed = await t.api.post('/agent/findings', { ...wide, body: finding(org, scan) });
    expect([pushed.status, pushed.error]).toEqual([404, 'resource_error/not_found']);
    const body = { scan_id: 'late', project_id: org.projectId, persona: 'senku' };
    expect((await t.api.post('/agent/scans', { ...wide, body })).error).toBe('resource_error/not_found');
    expect((await remove(org.projectId)).error).toBe('resource_error/not_found');
    const upload = { ...org.asOwner, body: '{"findings":[]}' };
    expect((await t.api.post(`/projects/${org.projectId}/reports`, upload)).error).toBe(
      'resource_error/not_found',
    );
  });

  it('leaves nothing behind when it is deleted during pushes', async () => {
    const wide = await wideToken();
    const scan = await createScan(t.api, org);
    const pushes = Array.from({ length: 60 }, (_, i) =>
      t.api.post('/agent/findings', { ...wide, body: finding(org, scan, { fingerprint: `fp-${i % 20}` }) }),
    );
    const deletion = remove();
    const statuses = new Set((await Promise.all(pushes)).map(({ status }) => status));
    expect([...statuses].filter((status) => ![200, 201, 404].includes(status))).toEqual([]);
    expect((await deletion).status).toBe(204);
    await purgeProjects(t.services);
    expect(await rowsOf(org.projectId)).toEqual({});
    await expectKeptCounts(t.services.database, org);
  });
});

describe('a large project', () => {
  it('is removed by a request with the connections of its organization only', async () => {
    await fill(10);
    expect(await mark()).toBe(1);
    const { database, knownOrgs, log } = t.services;
    const outside = () => {
      throw new Error('a connection outside of the share');
    };
    const shared = { ...database, sql: Object.assign(outside, { begin: outside, unsafe: outside }) };
    const services = { knownOrgs, log, database: shared as unknown as typeof database };
    await purgeInRequest(services, org, org.projectId);
    expect([await rowsOf(org.projectId), await purges()]).toEqual([{}, 0]);
  });

  it('is removed in batches, with right counts after each, and the rest by another process', async () => {
    await fill(1_200);
    await mark();
    expect(await takePurge(t.services.database.sql)).toEqual({ orgId: org.id, projectId: org.projectId });
    for (let batches = 1; batches <= 4; batches++) {
      expect(await purgeBatch(t.services.database.sql, tables, org.projectId)).toBe(true);
      await expectKeptCounts(t.services.database, org);
    }
    expect((await rowsOf(org.projectId)).findings).toBeLessThan(1_200);
    // Another process does not touch it while the first one may be alive.
    await purgeProjects(t.services);
    expect((await rowsOf(org.projectId)).findings).toBeGreaterThan(0);
    await expireLeases();
    await purgeProjects(t.services);
    expect(await rowsOf(org.projectId)).toEqual({});
    expect(await purges()).toBe(0);
    expect(LEASE_MS).toBeGreaterThan(30_000);
  });

  it('is removed by two processes at once that both believe in their lease', async () => {
    await fill(600);
    await mark();
    const all = async () => {
      while (await purgeBatch(t.services.database.sql, tables, org.projectId));
    };
    await Promise.all([all(), all(), all()]);
    expect(await rowsOf(org.projectId)).toEqual({});
    await endPurge(t.services.database.sql, { orgId: org.id, projectId: org.projectId });
    await expectKeptCounts(t.services.database, org);
  });

  it('is removed also if its note is missing, as after a restore from a backup', async () => {
    await mark();
    await sql(`delete from shared.project_purges where org_id = '${org.id}'`);
    await purgeProjects(t.services);
    expect(await rowsOf(org.projectId)).toMatchObject({ projects: 1 });
    await purgeOrgs(t.services);
    await purgeOrgs(t.services);
    expect(await purges()).toBe(1);
    await purgeProjects(t.services);
    expect(await rowsOf(org.projectId)).toEqual({});
  });

  it('is forgotten if the process died between the last row and the note', async () => {
    await mark();
    while (await purgeBatch(t.services.database.sql, tables, org.projectId));
    expect(await purges()).toBe(1);
    await purgeProjects(t.services);
    expect(await purges()).toBe(0);
  });
});

describe('a slug', () => {
  const rename = (project: string, slug: string) =>
    t.api.patch(`/projects/${project}`, { ...org.asOwner, body: { slug } });

  it('can be changed, and the former one leads to the project until another has it', async () => {
    const wide = await wideToken();
    expect(must(await rename('web-shop', 'shop'))).toMatchObject({ id: org.projectId, slug: 'shop' });
    for (const name of ['shop', 'web-shop', org.projectId])
      expect(must(await get(`/projects/${name}`)).slug).toBe('shop');
    const body = { scan_id: 'by-slug', project: 'web-shop', persona: 'senku' };
    expect(must(await t.api.post('/agent/scans', { ...wide, body })).project_id).toBe(org.projectId);
    const other = await create('Web shop');
    expect(must(await get('/projects/web-shop')).id).toBe(other.id);
    expect(must(await get('/projects/shop')).id).toBe(org.projectId);
  });

  it('that several projects had leads to the one that had it last', async () => {
    const wide = await wideToken();
    must(await rename('web-shop', 'shop'));
    const second = await create('Web shop');
    expect(second.slug).toBe('web-shop');
    must(await rename('web-shop', 'second'));
    const lead = async () => {
      const body = { scan_id: crypto.randomUUID(), project: 'web-shop', persona: 'senku' };
      const scan = must(await t.api.post('/agent/scans', { ...wide, body }));
      return [must(await get('/projects/web-shop')).id, scan.project_id];
    };
    expect(await lead()).toEqual([second.id, second.id]);
    // It does not go back to the first one.
    must(await rename('second', 'third'));
    expect((await get('/projects/web-shop')).error).toBe('resource_error/not_found');
    expect(must(await get('/projects/second')).id).toBe(second.id);
    const formers = await t.services.database.sql.unsafe(
      `select former_slug from "${orgSchemaName(org.id)}".projects where former_slug is not null`,
    );
    expect(formers.map(({ former_slug }) => former_slug)).toEqual(['second']);
  });

  it('that another project has got does not go back when that one is deleted', async () => {
    const wide = await wideToken();
    must(await rename('web-shop', 'shop'));
    await create('Web shop');
    must(await remove('web-shop', { confirm: 'web-shop' }));
    expect((await get('/projects/web-shop')).error).toBe('resource_error/not_found');
    // Pushes of an agent of the deleted project do not reach the other one.
    const body = { scan_id: 'by-slug', project: 'web-shop', persona: 'senku' };
    expect((await t.api.post('/agent/scans', { ...wide, body })).error).toBe('resource_error/not_found');
  });

  it('is unique, and of the form of slugs', async () => {
    await create('Other');
    const taken = await rename('web-shop', 'other');
    expect([taken.status, taken.error]).toEqual([409, 'resource_error/already_exists']);
    for (const slug of ['A', 'a', '-a-', 'a b', null]) {
      const answer = await rename('web-shop', slug as string);
      expect([answer.status, answer.badFields], `${slug}`).toEqual([400, ['slug']]);
    }
    expect(must(await rename('web-shop', 'web-shop')).slug).toBe('web-shop');
  });

  it('is not the former one of a deleted project', async () => {
    must(await rename('web-shop', 'shop'));
    must(await remove('shop', { confirm: 'shop' }));
    expect((await get('/projects/web-shop')).error).toBe('resource_error/not_found');
  });
});
