import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readBacklog } from '../../lib/maintenance/backlog.ts';
import { purgeDeletedOrgs } from '../../lib/orgs/purge.ts';
import { KEY } from '../support/admin/backup.ts';
import { admin } from '../support/admin/command.ts';
import { createOrg, createUser, must, PASSWORD, type TestUser } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/** Commands and periodic tasks with organizations that have no tables yet (`tests/orgs/own-tables.test.ts`). */

let t: TestApp;
let owner: TestUser;
let org: { id: string; slug: string };

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  owner = await createUser(t.api);
  [org] = must(await t.api.get('/orgs', { cookie: owner.cookie }));
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const run = async (...args: string[]) => {
  const ended = await admin(t.databaseUrl, ['--json', ...args]);
  expect(ended.code, ended.err).toBe(0);
  return JSON.parse(ended.out);
};
const versionOf = async (id = org.id) =>
  (await sql('select schema_version as version from shared.orgs where id = $1', [id]))[0]?.version;
const get = (path: string, slug = org.slug) => t.api.get(path, { cookie: owner.cookie, org: slug });

describe('commands leave an organization without tables', () => {
  it('when they show, migrate and recount it', async () => {
    expect(await run('orgs', 'show', org.slug)).toMatchObject({ schema_state: 'none', pending: [] });
    expect((await admin(t.databaseUrl, ['orgs', 'show', org.slug])).out).toContain(
      'none until the first write',
    );
    expect(await run('orgs', 'list', '--behind')).toEqual([]);
    expect(await run('migrate', org.slug)).toMatchObject({
      orgs: [{ status: 'current', applied: [] }],
      failed: 0,
    });
    expect(await run('migrate')).toMatchObject({ orgs: [], failed: 0 });
    expect(await run('orgs', 'recount', org.slug)).toMatchObject({ orgs: [{ status: 'right' }] });
    expect(await run('projects', 'list', org.slug)).toEqual([]);
    expect(await run('org-flags', 'list', org.slug)).toMatchObject([
      { provisioned: true },
      { provisioned: true },
    ]);
    expect(await run('org-flags', 'provision', org.slug, 'require_mfa')).toMatchObject({ changed: false });
    expect(await run('users', 'show', owner.email)).toMatchObject({
      memberships: [{ org: org.slug }],
      tokens: [],
    });
    expect(await versionOf()).toBe(0);
  });

  it('when they export an account', async () => {
    const exported = must({ ...(await t.api.get('/auth/me/export', { cookie: owner.cookie })) });
    const [{ id, slug, name, ...records }] = exported.organizations;
    expect([id, slug]).toEqual([org.id, org.slug]);
    expect(name).toBe("Ada Lovelace's Org");
    expect(Object.keys(records).length).toBeGreaterThan(5);
    expect(Object.values(records).flat()).toEqual([]);
    await run('users', 'export', owner.email);
    expect(await versionOf()).toBe(0);
  });

  it('when they delete and restore it', async () => {
    await run('orgs', 'delete', org.slug, '--confirm', org.slug);
    expect((await get('/projects')).error).toBe('tenant_error/deleted');
    await run('orgs', 'restore', org.slug);
    expect(must(await get('/projects'))).toEqual([]);
    expect(await versionOf()).toBe(0);
  });
});

it('withdrawing a flag creates the tables', async () => {
  expect(await run('org-flags', 'withdraw', org.slug, 'require_mfa')).toMatchObject({ changed: true });
  expect(must(await get('/org-features'))).toMatchObject([{}, { name: 'require_mfa', provisioned: false }]);
  expect(await versionOf()).toBe(t.services.orgMigrations.length);
});

it('a project can be transferred to it, by its owner and by an operator', async () => {
  const source = await createOrg(t.api);
  await run('projects', 'transfer', source.slug, 'web-shop', org.slug, '--confirm', 'web-shop');
  expect(await versionOf()).toBe(t.services.orgMigrations.length);

  const other = await createOrg(t.api);
  const target = must(await t.api.post('/orgs', { cookie: other.owner.cookie, body: { name: 'Labs' } }));
  const body = { organization: target.slug, confirm: 'web-shop' };
  must(await t.api.post('/projects/web-shop/transfer', { ...other.asOwner, body }));
  const moved = must(await t.api.get('/projects', { cookie: other.owner.cookie, org: target.slug }));
  expect(moved).toMatchObject([{ id: other.projectId }]);
});

it('a backup of it can be restored', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'backup-')), 'org.backup');
  await run('orgs', 'backup', ...KEY, org.slug, '--file', file);
  expect(await versionOf()).toBe(0);
  const restored = await run('orgs', 'restore-backup', ...KEY, file, '--as', `${org.slug}-copy`);
  expect(restored).toMatchObject({ migrated: [], members: { restored: 1 } });
  expect(must(await get('/projects', `${org.slug}-copy`))).toEqual([]);
  must(
    await t.api.post('/projects', {
      cookie: owner.cookie,
      org: `${org.slug}-copy`,
      body: { name: 'Web shop' },
    }),
  );
});

it('it does not count as behind, and does not keep deleted accounts from being forgotten', async () => {
  const { database, orgMigrations } = t.services;
  expect(await readBacklog(database.db, orgMigrations.length)).toMatchObject({ orgsBehind: 0 });
  await t.services.orgs.migrateAll();
  expect(await versionOf()).toBe(0);
  const leaving = await createUser(t.api);
  const [own] = must(await t.api.get('/orgs', { cookie: leaving.cookie }));
  await run('orgs', 'delete', own.slug, '--confirm', own.slug);
  must(await t.api.delete('/auth/me', { cookie: leaving.cookie, body: { confirm: leaving.email } }));
  expect(await versionOf(own.id)).toBe(0);
});

it('it is purged, with its row', async () => {
  must(await t.api.delete(`/orgs/${org.slug}`, { cookie: owner.cookie, body: { confirm: org.slug } }));
  await sql(
    `update shared.org_deletions set deleted_at = deleted_at - interval '31 days', warned_at = now(),
       purge_at = purge_at - interval '31 days' where org_id = $1`,
    [org.id],
  );
  await purgeDeletedOrgs(t.services);
  expect(await versionOf()).toBeUndefined();
  const again = await t.api.post('/auth/login', { body: { email: owner.email, password: PASSWORD } });
  expect(again.status).toBe(200);
});
