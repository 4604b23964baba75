import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { eraseNames } from '../../db/audit/erase.ts';
import { expireEntries } from '../../db/audit/expire.ts';
import { verifyChain } from '../../db/audit/verify.ts';
import { timeOfId } from '../../db/ids.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { ROLES } from '../../db/schema/orgs.ts';
import { orgMigrations } from '../../drizzle/migrations.ts';
import { endpoints } from '../../handlers/index.ts';
import { verifyAudit } from '../../lib/admin/audit.ts';
import { backupOrg } from '../../lib/admin/backup/backup.ts';
import { restoreBackup } from '../../lib/admin/backup/restore.ts';
import { API_PREFIX, type Endpoint } from '../../lib/http/endpoint.ts';
import { addMember, createOrg, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
});

const sql = <Row extends object>(text: string, params: unknown[] = []) =>
  t.services.database.sql.unsafe<Row[]>(text, params as never[]);
const tablesOf = ({ id }: { id: string }) => defineOrgTables(orgSchemaName(id));
const entriesOf = async (of = org, query = '') => must(await t.api.get(`/audit${query}`, of.asOwner));

/** The actions of all organizations by request. */
async function actionsByRequest(): Promise<Map<string, string[]>> {
  const schemas = await sql<{ name: string }>(
    "select table_schema as name from information_schema.tables where table_name = 'audit_entries' and table_schema like 'org\\_%'",
  );
  const found = new Map<string, string[]>();
  for (const { name } of schemas)
    for (const row of await sql<{ request_id: string; action: string }>(
      `select request_id, action from "${name}".audit_entries order by seq`,
    ))
      found.set(row.request_id, [...(found.get(row.request_id) ?? []), row.action]);
  return found;
}

describe('an endpoint', () => {
  it('that refuses a member leaves one entry', async () => {
    const { cookie } = await addMember(t.api, org, 'viewer');
    const refused: string[] = [];
    for (const { access, audit, method, path } of Object.values(endpoints) as Endpoint[]) {
      const least = access.kind === 'cookieOrg' ? access.role : 'viewer';
      if (ROLES.indexOf(least) >= ROLES.indexOf('viewer')) continue;
      if (least === 'member' && typeof audit !== 'string') continue;
      const filled = path.slice(API_PREFIX.length).replaceAll(/\{\w+\}/g, crypto.randomUUID());
      const body = method === 'GET' ? {} : { body: {} };
      const answer = await t.api.call(method, filled, { cookie, org: org.slug, ...body });
      expect([answer.status, answer.error, filled]).toEqual([403, 'permission_error/denied', filled]);
      refused.push(answer.headers.get('x-request-id') ?? '');
    }
    const renamed = await t.api.patch(`/orgs/${org.slug}`, { cookie, body: { name: 'Mine' } });
    expect(renamed.error).toBe('permission_error/denied');
    refused.push(renamed.headers.get('x-request-id') ?? '');
    expect(refused.length).toBeGreaterThan(40);
    const found = await actionsByRequest();
    expect(refused.filter((id) => String(found.get(id)) !== 'access.refused')).toEqual([]);
  });

  it('that refuses a member very often leaves the first entries', async () => {
    const { cookie } = await addMember(t.api, org, 'viewer');
    const refuse = async () => {
      const answer = await own.api.delete('/projects/web', { cookie, org: org.slug });
      expect(answer.error).toBe('permission_error/denied');
      return answer.headers.get('x-request-id') ?? '';
    };
    const own = await startApp({ databaseUrl: t.databaseUrl, orgMigrations: t.services.orgMigrations });
    const refused: string[] = [];
    while (refused.length < 103) refused.push(await refuse());
    const found = await actionsByRequest();
    expect(refused.filter((id) => !found.has(id))).toEqual(refused.slice(100));
    const { json } = await t.api.get('/audit?action=access.refused&per_page=2', org.asOwner);
    expect(json.result.map(({ changes }: { changes: object }) => Object.keys(changes))).toEqual([
      ['error', 'not_recorded_until'],
      ['error'],
    ]);
    own.advance(60_000);
    const next = await refuse();
    expect((await actionsByRequest()).has(next)).toBe(true);
  });

  it('that refuses a stranger leaves none', async () => {
    const { asOwner } = await createOrg(t.api);
    const answer = await t.api.delete('/projects/web', { ...asOwner, org: org.slug });
    expect(answer.error).toBe('tenant_error/not_member');
    expect((await actionsByRequest()).get(answer.headers.get('x-request-id') ?? '')).toBe(undefined);
  });
});

describe('the chain', () => {
  const verified = (of: TestOrg) => verifyChain(t.services.database.sql, tablesOf(of));
  const schema = (of: TestOrg) => orgSchemaName(of.id);
  const create = (of: TestOrg, name: string, app = t) =>
    app.api.post('/projects', { ...of.asOwner, body: { name } }).then(must);

  it('has no gap and no fork, whichever processes write at once', async () => {
    const busy = await createOrg(t.api);
    const other = await startApp({ databaseUrl: t.databaseUrl });
    const { entries } = await verified(busy);
    await Promise.all(Array.from({ length: 24 }, (_, i) => create(busy, `Project ${i}`, i % 2 ? t : other)));
    expect(await verified(busy)).toMatchObject({ entries: entries + 24, seq: entries + 24 });
    expect((await verified(busy)).fault).toBe(undefined);
  });

  it('ends where a transaction was rolled back, which leaves no entry', async () => {
    const small = await createOrg(t.api);
    await create(small, 'Web');
    const before = await verified(small);
    const taken = await t.api.post('/projects', { ...small.asOwner, body: { name: 'Web', slug: 'web' } });
    expect(taken.error).toBe('resource_error/already_exists');
    expect(await verified(small)).toEqual(before);
  });

  it('takes a change back whose entry cannot be written', async () => {
    const small = await createOrg(t.api);
    const before = await verified(small);
    const table = `"${schema(small)}".audit_entries`;
    await sql(`alter table ${table} add constraint full_disk check (action <> 'project.created') not valid`);
    const failed = await t.api.post('/projects', { ...small.asOwner, body: { name: 'Lost' } });
    expect(failed.status).toBe(500);
    expect(must(await t.api.get('/projects', small.asOwner))).toHaveLength(1);
    expect(await verified(small)).toEqual(before);
    await sql(`alter table ${table} drop constraint full_disk`);
    await create(small, 'Lost');
    expect(await verified(small)).toMatchObject({ seq: before.seq + 1 });
  });

  it('shows every change of a row to its verification', async () => {
    const small = await createOrg(t.api);
    for (const name of ['One', 'Two', 'Three']) await create(small, name);
    const { seq } = await verified(small);
    const table = `"${schema(small)}".audit_entries`;
    const tries: [string, RegExp][] = [
      [`update ${table} set action = 'token.created' where seq = ${seq - 1}`, /entry \d+ was changed/],
      [`update ${table} set at = now() - interval '1 hour' where seq = ${seq - 1}`, /entry \d+ was changed/],
      [`update ${table} set changes = '{}' where seq = ${seq - 1}`, /entry \d+ was changed/],
      [`delete from ${table} where seq = ${seq - 1}`, /entry \d+ is missing/],
      [`delete from ${table} where seq = ${seq}`, /entry \d+ is missing/],
      [
        `update "${schema(small)}".audit_names set name = 'Eve' where seq = ${seq}`,
        /of entry \d+ was changed/,
      ],
    ];
    for (const [text, fault] of tries) {
      const undo = new Error('undo');
      const attempt = t.services.database.sql.begin(async (tx) => {
        await tx.unsafe(`grant update, delete on ${table} to current_user`);
        await tx.unsafe(text);
        expect((await verifyChain(tx, tablesOf(small))).fault).toMatch(fault);
        throw undo;
      });
      await expect(attempt).rejects.toBe(undo);
    }
    expect((await verified(small)).fault).toBe(undefined);
  });

  it('holds after entries have expired and the names of an account were erased', async () => {
    const small = await createOrg(t.api);
    for (const name of ['One', 'Two', 'Three']) await create(small, name);
    const { entries, seq } = await verified(small);
    const table = `"${schema(small)}".audit_entries`;
    const [third] = await sql<{ id: string }>(`select id from ${table} order by seq desc limit 1`);
    const { sql: client } = t.services.database;
    await expireEntries(client, tablesOf(small), timeOfId(third?.id ?? ''));
    const kept = await verified(small);
    expect(kept).toMatchObject({ seq, entries: kept.entries });
    expect(kept.entries).toBeLessThan(entries);
    await eraseNames(tablesOf(small)).run(client, { userIds: `{${small.owner.id}}` });
    expect(await verified(small)).toEqual(kept);
    const [entry] = await entriesOf(small);
    expect(entry.actor).toEqual({ type: 'user', id: small.owner.id });
    expect(entry).not.toHaveProperty('ip');
    // The right to delete lasts for one transaction.
    await create(small, 'Four');
    const result = await verifyAudit(t.services.database, { migrations: orgMigrations, org: small.slug });
    expect(result).toMatchObject({ failed: 0, orgs: [{ org: small.slug, seq: seq + 1 }] });
    await sql(`update "${schema(small)}".audit_head set hash = repeat('0', 64)`);
    const broken = await verifyAudit(t.services.database, { migrations: orgMigrations, org: small.slug });
    expect(broken.orgs[0]?.fault).toMatch(/another hash/);
  });

  it('goes on in an organization that was restored from a backup', async () => {
    const small = await createOrg(t.api);
    await create(small, 'One');
    const before = await verified(small);
    const { database } = t.services;
    const call = { database, log: silentLog, migrations: orgMigrations };
    const file = join(mkdtempSync(join(tmpdir(), 'audit-')), 'org.backup');
    const key = { kind: 'none' } as const;
    await backupOrg(call, small.slug, { key, file });
    await restoreBackup(call, file, { key, as: `${small.slug}-copy` });
    const restored = await verifyAudit(database, { migrations: orgMigrations, org: `${small.slug}-copy` });
    expect(restored).toMatchObject({ failed: 0, orgs: [before] });
  });

  it('takes no update, no deletion and no truncation', async () => {
    await create(org, 'Append-only');
    const [role] = await sql<{ rolsuper: boolean }>(
      'select rolsuper from pg_roles where rolname = current_user',
    );
    const rights = await sql<{ right: string; has: boolean }>(
      `select r as right, coalesce(bool_or(a.privilege_type = upper(r)), false) as has
        from unnest(array['insert', 'select', 'update', 'delete', 'truncate']) r
        left join (select (aclexplode(relacl)).privilege_type from pg_class where oid = '"${schema(org)}".audit_entries'::regclass) a on true
        group by r order by r`,
    );
    expect(Object.fromEntries(rights.map(({ right, has }) => [right, has]))).toEqual({
      ...{ insert: true, select: true, update: false, delete: false, truncate: false },
    });
    if (role?.rolsuper) return;
    for (const text of ['update X set seq = 1', 'delete from X', 'truncate X'])
      await expect(sql(text.replace('X', `"${schema(org)}".audit_entries`))).rejects.toMatchObject({
        code: '42501',
      });
  });
});

describe('GET /audit', () => {
  it('filters, pages and shows what was changed by whom', async () => {
    const own = await createOrg(t.api);
    const project = must(await t.api.post('/projects', { ...own.asOwner, body: { name: 'Web shop' } }));
    must(
      await t.api.patch(`/projects/${project.id}`, {
        ...{ ...own.asOwner, headers: { 'user-agent': 'curl/8' } },
        body: { name: 'Shop' },
      }),
    );
    const [entry, ...others] = await entriesOf(own, `?target=${project.id}&action=project.changed`);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      action: 'project.changed',
      actor: { type: 'user', id: own.owner.id, name: expect.any(String) },
      target: { type: 'project', id: project.id, name: project.slug },
      changes: { name: { from: 'Web shop', to: 'Shop' } },
      user_agent: 'curl/8',
    });
    expect(await entriesOf(own, `?from=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
    expect(await entriesOf(own, `?actor=${crypto.randomUUID()}`)).toEqual([]);
    const all = await entriesOf(own);
    expect(await entriesOf(own, '?per_page=1&page=2')).toEqual([all[1]]);
    const lines = (await t.api.get('/audit/export.jsonl', own.asOwner)).text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.slice(1)).toEqual(all);
    expect(lines[0]).toMatchObject({ action: 'audit.exported', changes: { format: { to: 'jsonl' } } });
    const csv = (await t.api.get('/audit/export.csv', own.asOwner)).text.trim().split('\r\n');
    expect(csv).toHaveLength(all.length + 3);
    // A list as a file is an export, too; a page of it is not.
    await t.api.get('/findings?format=sarif', own.asOwner);
    await t.api.get('/findings?format=csv&page=1', own.asOwner);
    const [last, before] = await entriesOf(own);
    expect(last).toMatchObject({ action: 'findings.exported', changes: { format: { to: 'sarif' } } });
    expect(before).toMatchObject({ action: 'audit.exported', changes: { format: { to: 'csv' } } });
  });
});
