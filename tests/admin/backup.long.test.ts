import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { orgMigrations, sharedMigrations } from '../../drizzle/migrations.ts';
import { eraseAccounts } from '../../lib/accounts/deletion/erase.ts';
import { fill, KEY, linesOf, rowsOf, sharedRowsOf, writeLines } from '../support/admin/backup.ts';
import { admin, spawnAdmin } from '../support/admin/command.ts';
import {
  type Answer,
  createOrg,
  createScan,
  createUser,
  must,
  PASSWORD,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { verify } from '../support/api/mailed.ts';
import { expectRightCounts } from '../support/database/counts.ts';
import { holdOpen } from '../support/database/hold.ts';
import { createEmptyOrg } from '../support/database/older-org.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* `orgs backup` and `orgs restore-backup`. */

let t: TestApp;
let org: TestOrg;
let dir: string;
let file: string;

const run = (...args: string[]) => admin(t.databaseUrl, args);
const sql = (text: string) => t.services.database.sql.unsafe(text);
/** The bytes of a list. */
const list = async (slug = org.slug) =>
  bytesOf(await t.api.get('/findings?limit=1000', { ...org.asOwner, org: slug }));
const bytesOf = (answer: Answer) => {
  expect(answer.status).toBe(200);
  return answer.text.replace(/"request_id":"[^"]*"/, '');
};

async function backUp(...args: string[]) {
  const made = await run('orgs', 'backup', ...KEY, org.slug, '--file', file, '--json', ...args);
  expect(made.code, made.err).toBe(0);
  return JSON.parse(made.out);
}

async function restore(...args: string[]) {
  const made = await run('orgs', 'restore-backup', ...KEY, file, '--json', ...args);
  expect(made.code, made.err).toBe(0);
  return JSON.parse(made.out);
}

/** Removes the organization for good, as if servers had forgotten it. */
async function purge(): Promise<void> {
  expect((await run('orgs', 'delete', org.slug, '--confirm', org.slug)).code).toBe(0);
  await sql(`update shared.org_deletions set deleted_at = deleted_at - interval '1 hour'`);
  expect((await run('orgs', 'purge', org.slug, '--confirm', org.slug)).code).toBe(0);
  expect(await schemas()).toEqual([]);
}

const schemas = async (id = org.id) => [
  ...(await sql(`select nspname from pg_namespace where nspname = '${orgSchemaName(id)}'`)),
];
const idOf = async (slug: string) => (await sql(`select id from shared.orgs where slug = '${slug}'`))[0]?.id;

/** Servers know other policies by their version, which a restore raises. */
const withoutVersion = ({ policy_versions: _, ...rows }: Record<string, string[]>) => rows;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  dir = mkdtempSync(join(tmpdir(), 'backup-'));
  file = join(dir, 'acme.backup');
});

describe('a purged organization', () => {
  it('is restored with every row, its members, tokens and the same bytes of lists', async () => {
    await fill(t, org);
    const slug = `${org.slug}-2`;
    await run('orgs', 'rename', org.slug, '--slug', slug);
    await run('domains', 'set', slug, `${slug}.example.com`);
    org = { ...org, slug, asOwner: { ...org.asOwner, org: slug }, asAgent: { ...org.asAgent, org: slug } };
    const bytes = await list();
    await sql(`insert into ${orgSchemaName(org.id)}.allowed_networks values ('203.0.113.0/24')`);
    await sql(
      `insert into ${orgSchemaName(org.id)}.deliveries (destination_id, id, created_at, state)
       values (gen_random_uuid(), gen_random_uuid(), now(), 'delivered')`,
    );
    await sql(
      `update shared.memberships set suspended_at = now() where org_id = '${org.id}' and role <> 'owner'`,
    );
    const [rows, shared] = [
      await rowsOf(t.services.database, org),
      await sharedRowsOf(t.services.database, org),
    ];
    for (const [table, all] of Object.entries(rows)) expect(all.length, table).toBeGreaterThan(0);
    const made = await backUp();
    expect(made).toMatchObject({ org: slug, file, bytes: statSync(file).size });
    for (const [table, all] of Object.entries(rows))
      expect(made.rows[`org.${table}`], table).toBe(all.length);
    await purge();

    const restored = await restore();
    expect(restored).toMatchObject({
      ...{ org: slug, org_id: org.id, tokens: 'restored', corrected: [], migrated: [], erased_accounts: 0 },
      members: { restored: 2, skipped: [] },
    });
    expect(withoutVersion(await rowsOf(t.services.database, org))).toEqual(withoutVersion(rows));
    expect(await sharedRowsOf(t.services.database, org)).toEqual(shared);
    expect((await t.api.get('/projects', org.asOwner)).error).toBe('permission_error/address_not_allowed');
    const opened = await run('orgs', 'allow-all-networks', slug);
    expect(opened.out).toBe(`${slug} can be used from all networks; allowed were 203.0.113.0/24\n`);
    expect(await list()).toBe(bytes);
    await expectRightCounts(t.services.database, t.api, org);
    await push(t.api, org, await createScan(t.api, org));
    const login = { body: { email: org.owner.email, password: PASSWORD } };
    expect((await t.api.post('/auth/login', login)).status).toBe(200);
    // As many indexes as a new organization.
    const indexes = async ({ id }: { id: string }) =>
      (
        await sql(`select indexname from pg_indexes where schemaname = '${orgSchemaName(id)}' order by 1`)
      ).map(({ indexname }) => indexname);
    expect(await indexes(org)).toEqual(await indexes(await createOrg(t.api)));
    expect((await run('orgs', 'recount', slug)).out).toContain('1 right');
  });

  it('is restored once by two commands at the same instant', async () => {
    await fill(t, org);
    await backUp();
    await purge();
    const ended = await Promise.all([1, 2].map(() => run('orgs', 'restore-backup', ...KEY, file)));
    expect(ended.map(({ code }) => code).toSorted()).toEqual([0, 1]);
    expect(ended.find(({ code }) => code === 1)?.err).toContain('exists: restore it as another one');
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('is not restored over an organization that exists', async () => {
    await backUp();
    const before = await rowsOf(t.services.database, org);
    const refused = await run('orgs', 'restore-backup', ...KEY, file);
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('--as <slug>') });
    expect(await rowsOf(t.services.database, org)).toEqual(before);
  });

  it('does not get a slug that somebody else has or had', async () => {
    await backUp();
    await purge();
    const other = await createOrg(t.api);
    await run('orgs', 'rename', other.slug, '--slug', `${other.slug}-new`);
    for (const slug of [other.slug, `${other.slug}-new`, 'admin', 'A', "x'; drop schema shared; --"]) {
      const refused = await run('orgs', 'restore-backup', ...KEY, file, '--as', slug);
      expect(refused.code, slug).toBeGreaterThan(0);
      expect(refused.err.trim().split('\n'), slug).toHaveLength(1);
    }
    // The slug of an organization that was purged is not given to a copy.
    expect((await run('orgs', 'restore-backup', ...KEY, file, '--as', org.slug)).err).toContain(
      'is reserved',
    );
    expect(await schemas()).toEqual([]);
    await restore();
  });

  it('was deleted when it was backed up, and is not any more', async () => {
    await fill(t, org);
    await run('orgs', 'delete', org.slug, '--confirm', org.slug);
    // Requests that were admitted before may still write.
    const early = await run('orgs', 'backup', ...KEY, org.slug, '--file', file);
    expect([early.code, early.err]).toEqual([
      1,
      expect.stringMatching(/servers may still write: try again in \d+ s/),
    ]);
    await sql(`update shared.org_deletions set deleted_at = deleted_at - interval '1 hour'`);
    const importing = `insert into shared.report_imports (id, org_id, scan_id, lease_until)
      values (gen_random_uuid(), '${org.id}', gen_random_uuid(), now() + interval '1 hour')`;
    await sql(importing);
    expect((await run('orgs', 'backup', ...KEY, org.slug, '--file', file)).err).toContain(
      'a report is being imported',
    );
    await sql(`delete from shared.report_imports where org_id = '${org.id}'`);
    await backUp();
    await run('orgs', 'purge', org.slug, '--confirm', org.slug);
    await restore();
    await push(t.api, org, await createScan(t.api, org));
  });

  it('leaves out a custom domain that another organization has meanwhile', async () => {
    const domain = `${org.slug}.example.com`;
    await run('domains', 'set', org.slug, domain);
    await backUp();
    await purge();
    const other = await createOrg(t.api);
    await run('domains', 'set', other.slug, domain);
    expect(await restore()).toMatchObject({ custom_domain_left_out: domain });
    expect((await sql(`select slug from shared.orgs where custom_domain = '${domain}'`))[0]?.slug).toBe(
      other.slug,
    );
  });

  it('keeps a project whose transfer was in progress, and frees the slug of one that was to arrive', async () => {
    const projects = `"${orgSchemaName(org.id)}".projects`;
    await sql(`update ${projects} set transfer = 'out'`);
    await sql(`insert into ${projects} (id, name, slug, created_at, transfer)
      values (gen_random_uuid(), 'Arriving', 'arriving', now(), 'in')`);
    await backUp();
    await purge();
    await restore();
    expect([...(await sql(`select name, transfer from ${projects}`))]).toEqual([
      { name: 'Web shop', transfer: null },
    ]);
    must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Mine', slug: 'arriving' } }));
  });

  it('has its deleted projects removed, and its imports ended', async () => {
    const scan = await createScan(t.api, org);
    await push(t.api, org, scan);
    await sql(`insert into shared.report_imports (id, org_id, scan_id, lease_until)
      values (gen_random_uuid(), '${org.id}', '${scan}', now() + interval '1 hour')`);
    await run('projects', 'delete', org.slug, 'web-shop', '--confirm', 'web-shop');
    await backUp();
    await sql(`delete from shared.project_purges`);
    await purge();
    await restore();
    const due = (table: string) =>
      sql(`select 1 from shared.${table} where org_id = '${org.id}' and lease_until <= now()`);
    expect(await due('project_purges')).toHaveLength(1);
    expect(await due('report_imports')).toHaveLength(1);
  });
});

describe('a copy', () => {
  it('has the same rows, beside the original', async () => {
    await fill(t, org);
    await run('domains', 'set', org.slug, `${org.slug}.example.com`);
    const rows = await rowsOf(t.services.database, org);
    await backUp();
    const slug = `${org.slug}-copy`;
    const copy = await restore('--as', slug);
    expect(copy.org_id).not.toBe(org.id);
    expect(withoutVersion(await rowsOf(t.services.database, { id: copy.org_id }))).toEqual(
      withoutVersion(rows),
    );
    expect(await list(slug)).toBe(await list());
    const { orgs } = await sharedRowsOf(t.services.database, { id: copy.org_id });
    expect(orgs[0]).toMatchObject({ custom_domain: null });
    must(await t.api.patch('/findings', { ...org.asOwner, org: slug, body: await allTo('fixed', slug) }));
    expect(await rowsOf(t.services.database, org)).toEqual(rows);
    await expectRightCounts(t.services.database, t.api, {
      ...org,
      id: copy.org_id,
      asOwner: { ...org.asOwner, org: slug },
    });
  });

  const allTo = async (status: string, slug: string) => {
    const findings: { id: string }[] = must(
      await t.api.get('/findings?limit=100', { ...org.asOwner, org: slug }),
    );
    return { ids: findings.map(({ id }) => id), status };
  };

  it('gets its slug once by two commands at the same instant', async () => {
    await backUp();
    const slug = `${org.slug}-twice`;
    const ended = await Promise.all(
      [1, 2].map(() => run('orgs', 'restore-backup', ...KEY, file, '--as', slug)),
    );
    expect(ended.map(({ code }) => code).toSorted()).toEqual([0, 1]);
    expect(ended.find(({ code }) => code === 1)?.err).toContain(`the slug ${slug} is taken`);
    expect(await sql(`select 1 from shared.orgs where slug = '${slug}'`)).toHaveLength(1);
  });

  it('has revoked tokens with --without-tokens', async () => {
    await backUp();
    const slug = `${org.slug}-copy`;
    expect(await restore('--as', slug, '--without-tokens')).toMatchObject({ tokens: 'revoked' });
    const scans = (name: string) => t.api.post('/agent/scans', { token: org.token, org: name, body: {} });
    expect((await scans(slug)).error).toBe('token_error/invalid');
    expect((await scans(org.slug)).error).toBe('validation_error/field_required');
  });

  it('of a backup that was written while agents pushed is one moment', async () => {
    const scan = await createScan(t.api, org);
    for (let i = 0; i < 20; i++) await push(t.api, org, scan);
    let isOver = false;
    let pushed = 20;
    const pushing = [1, 2, 3].map(async () => {
      while (!isOver) {
        const { id } = await push(t.api, org, await createScan(t.api, org));
        pushed++;
        const until = new Date(Date.now() + 60_000).toISOString();
        must(
          await t.api.patch(`/findings/${id}`, {
            ...org.asOwner,
            body: { status: 'wontfix', accepted_until: until },
          }),
        );
      }
    });
    await vi.waitFor(() => expect(pushed).toBeGreaterThan(25));
    const made = await backUp();
    const before = pushed;
    await vi.waitFor(() => expect(pushed).toBeGreaterThan(before + 5));
    isOver = true;
    await Promise.all(pushing);
    const slug = `${org.slug}-copy`;
    // The counts are those of the rows, and every accepted risk is noted.
    const copy = await restore('--as', slug);
    expect(copy).toMatchObject({ corrected: [] });
    const schema = `"${orgSchemaName(copy.org_id)}"`;
    const lost = await sql(`select id from ${schema}.findings where accepted_until is not null and id not in
      (select finding_id from shared.accepted_risks where org_id = '${copy.org_id}')`);
    expect([...lost]).toEqual([]);
    expect(made.rows['org.findings']).toBeLessThan(pushed);
  });
});

describe('the file', () => {
  it('can be read by its owner only, and is not overwritten without --force', async () => {
    await backUp();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    const before = readFileSync(file);
    expect(await run('orgs', 'backup', ...KEY, org.slug, '--file', file)).toMatchObject({
      ...{ code: 1, err: expect.stringContaining('--force') },
    });
    expect(readFileSync(file)).toEqual(before);
    await push(t.api, org, await createScan(t.api, org));
    await backUp('--force');
    expect(readFileSync(file)).not.toEqual(before);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['acme.backup']);
  });

  it.each([
    ['a directory that does not exist', () => join(dir, 'none', 'x')],
    ['a directory', () => dir],
  ])('is not written to %s', async (_, path) => {
    const refused = await run('orgs', 'backup', ...KEY, org.slug, '--file', path());
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('is written once by two commands at the same instant', async () => {
    const ended = await Promise.all(
      [1, 2].map(() => run('orgs', 'backup', ...KEY, org.slug, '--file', file)),
    );
    expect(ended.map(({ code }) => code).toSorted()).toEqual([0, 1]);
    expect(readdirSync(dir)).toEqual(['acme.backup']);
  });

  it('is not left behind by a backup that fails or is interrupted', async () => {
    expect((await run('orgs', 'backup', ...KEY, 'nobody', '--file', file)).code).toBe(1);
    const { release, whenWaiting } = await hold(
      `lock table "${orgSchemaName(org.id)}".exploits in access exclusive mode`,
    );
    const { child, ended } = spawnAdmin(t.databaseUrl, ['orgs', 'backup', ...KEY, org.slug, '--file', file]);
    await whenWaiting();
    expect(readdirSync(dir)).toHaveLength(1);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 143, err: expect.stringContaining('ended by SIGTERM') });
    expect(readdirSync(dir)).toEqual([]);
    await release();
  });

  it('is not made of a schema of another version', async () => {
    for (const change of ['- 1', '+ 2']) {
      await sql(`update shared.orgs set schema_version = schema_version ${change} where id = '${org.id}'`);
      expect((await run('orgs', 'backup', ...KEY, org.slug, '--file', file)).code).toBe(1);
    }
    expect(readdirSync(dir)).toEqual([]);
  });
});

/** Holds a lock until `release` is called. */
async function hold(statement: string) {
  const release = await holdOpen(t.services.database.sql, (tx) => tx.unsafe(statement));
  const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'svc-findings-admin'
    and datname = current_database()`;
  return {
    whenWaiting: () => vi.waitFor(async () => expect(await sql(waiting)).toHaveLength(1), 20_000),
    release,
  };
}

describe('during a restore', () => {
  it('nobody gets a former slug of the organization', async () => {
    const former = org.slug;
    await run('orgs', 'rename', former, '--slug', `${former}-2`);
    org = { ...org, slug: `${former}-2` };
    await backUp();
    await purge();
    // As on another server, where nobody has had the slug.
    await sql(`delete from shared.reserved_slugs where slug = '${former}'`);
    const { release, whenWaiting } = await hold('lock table shared.memberships in exclusive mode');
    const restoring = run('orgs', 'restore-backup', ...KEY, file);
    await whenWaiting();
    const body = { name: 'Other', slug: former };
    const creating = t.api.post('/orgs', { cookie: org.owner.cookie, body });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await release();
    expect((await restoring).code).toBe(0);
    expect((await creating).status).toBe(409);
    expect(await sql(`select 1 from shared.orgs where slug like '${former}%'`)).toHaveLength(1);
  });

  it('the organization does not get a slug that another one has had meanwhile', async () => {
    await backUp();
    await purge();
    const other = await createOrg(t.api);
    const { release, whenWaiting } = await hold(
      `update shared.reserved_slugs set org_id = '${other.id}' where slug = '${org.slug}'`,
    );
    const restoring = run('orgs', 'restore-backup', ...KEY, file);
    await whenWaiting();
    await release();
    expect(await restoring).toMatchObject({ code: 1, err: expect.stringContaining('taken meanwhile') });
    expect(await schemas()).toEqual([]);
  });
});

describe('a restore that dies', () => {
  it('leaves nothing, and a repeated one works', async () => {
    await fill(t, org);
    const bytes = await list();
    await backUp();
    await purge();
    // All rows of the schema are inserted then.
    const { release, whenWaiting } = await hold('lock table shared.memberships in exclusive mode');
    const { child, ended } = spawnAdmin(t.databaseUrl, ['orgs', 'restore-backup', ...KEY, file]);
    await whenWaiting();
    expect(await schemas()).toEqual([]);
    expect(await idOf(org.slug)).toBeUndefined();
    child.kill('SIGKILL');
    await ended;
    const again = run('orgs', 'restore-backup', ...KEY, file);
    await release();
    expect(await again).toMatchObject({ code: 0 });
    expect(await list()).toBe(bytes);
    await expectRightCounts(t.services.database, t.api, org);
  });
});

describe('a backup of an older version', () => {
  const VERSION = 12;
  const tracks = { shared: sharedMigrations, org: orgMigrations.slice(0, VERSION) };

  it('is migrated, with the rows that a migrated original has', async () => {
    const before = await startApp({ orgMigrations: tracks.org });
    const old = await createEmptyOrg(before);
    const schema = `"${orgSchemaName(old.id)}"`;
    const { sql: client } = before.services.database;
    await client.unsafe(`insert into ${schema}.scans (scan_id, project_id, persona, name, status, created_at)
      values ('scan', '${old.projectId}', 'senku', 'x', 'running', now())`);
    await client.unsafe(`insert into ${schema}.findings (id, project_id, fingerprint, scan_id, last_scan_id, title, severity,
        description, status, status_changed_at, seen_count, last_seen_at, created_at, updated_at)
      select gen_random_uuid(), '${old.projectId}', 'print-' || i, 'scan', 'scan', 'Finding ' || i, 'high', 'x', 'open', now(), 1,
        now(), now(), now() from generate_series(1, 50) i`);
    await client.unsafe(`insert into ${schema}.finding_counts (project_id, severity, status, count)
      values ('${old.projectId}', 'high', 'open', 50)`);
    await client.unsafe(
      `insert into ${schema}.scan_counts (project_id, status, count) values ('${old.projectId}', 'running', 1)`,
    );
    const made = await admin(before.databaseUrl, ['orgs', 'backup', ...KEY, old.slug, '--file', file], {
      tracks,
    });
    expect(made.code, made.err).toBe(0);

    const current = await startApp({ databaseUrl: before.databaseUrl });
    const restored = await admin(before.databaseUrl, [
      'orgs',
      'restore-backup',
      ...KEY,
      file,
      '--as',
      'old-copy',
      '--json',
    ]);
    expect(restored.code, restored.err).toBe(0);
    const { migrated, corrected, org_id } = JSON.parse(restored.out);
    expect(migrated).toEqual(orgMigrations.slice(VERSION).map(({ name }) => name));
    expect(corrected).toEqual([]);
    expect((await admin(before.databaseUrl, ['migrate', old.slug])).code).toBe(0);
    expect(await rowsOf(current.services.database, { id: org_id })).toEqual(
      await rowsOf(current.services.database, old),
    );
    const bytes = async (slug: string) =>
      bytesOf(await current.api.get('/findings', { ...old.asOwner, org: slug }));
    expect(await bytes('old-copy')).toBe(await bytes(old.slug));
  });

  it.each([
    [['project_access'], 0],
    [['suspended_at', 'project_access'], 0],
    [['suspended_at'], 1],
    [['created_at', 'suspended_at', 'project_access'], 1],
  ])('has members without columns that versions have added since: %j ends with %i', async (left, exit) => {
    expect((await run('orgs', 'backup', '--plain', org.slug, '--file', file)).code).toBe(0);
    const lines = linesOf(file);
    const at = lines.findIndex((line) => line.startsWith('{"table":"shared.memberships"'));
    const end = lines.findIndex((line, i) => i > at && line.startsWith('{'));
    const { table, columns } = JSON.parse(lines[at] ?? '') as { table: string; columns: string[] };
    const without = (cells: string[]) => cells.filter((_, i) => !left.includes(columns[i] ?? ''));
    const rows = lines.slice(at + 1, end).map((line) => JSON.stringify(without(JSON.parse(line))));
    const head = JSON.stringify({ table, columns: without(columns) });
    writeLines(file, [...lines.slice(0, at), head, ...rows, ...lines.slice(end)]);
    const slug = `${org.slug}-copy`;
    const { code, err } = await run('orgs', 'restore-backup', '--plain', file, '--as', slug);
    expect(code, err).toBe(exit);
    if (exit === 1) return expect(err).toContain('shared.memberships has other columns');
    const members = await sql(
      `select user_id, role, project_access from shared.memberships where org_id = '${await idOf(slug)}'`,
    );
    expect([...members]).toEqual([{ user_id: org.owner.id, role: 'owner', project_access: 'all' }]);
  });

  it('of a newer version is refused', async () => {
    await backUp();
    const refused = await admin(t.databaseUrl, ['orgs', 'restore-backup', ...KEY, file, '--as', 'newer'], {
      tracks,
    });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('or a newer one') });
    expect(await idOf('newer')).toBeUndefined();
  });
});

describe('on another server', () => {
  let other: TestApp;
  const restoreThere = (...args: string[]) =>
    admin(other.databaseUrl, ['orgs', 'restore-backup', ...KEY, file, '--json', ...args]);
  const registerThere = async (email: string) =>
    must(await other.api.post('/auth/register', { body: { email, password: PASSWORD, name: 'Ada' } })).user
      .id;

  beforeEach(async () => {
    other = await startApp();
    await fill(t, org);
    await backUp();
  });

  it('members are the accounts that have verified their addresses', async () => {
    const ada = await registerThere(org.owner.email);
    await verify(other, org.owner.email);
    const result = await restoreThere();
    expect(result.code, result.err).toBe(0);
    const { members, erased_accounts } = JSON.parse(result.out);
    expect(members).toMatchObject({ restored: 1, skipped: [{ role: 'member', reason: 'no account' }] });
    expect(erased_accounts).toBe(1);
    const { cookie } = await other.api.post('/auth/login', {
      body: { email: org.owner.email, password: PASSWORD },
    });
    const as = { cookie, org: org.slug };
    const assigned = must(await other.api.get('/findings?assignee=me', as));
    expect(assigned).toMatchObject([{ assignee_id: ada }]);
    const activity = must(await other.api.get(`/findings/${assigned[0].id}/activity`, as));
    expect(activity[0]).toMatchObject({ note: `@[Ada](${ada}) look`, mentions: [{ id: ada }] });
    // No trace of the former ids.
    const rows = JSON.stringify(await rowsOf(other.services.database, org));
    expect(rows).toContain(ada);
    expect(rows).not.toContain(org.owner.id);
    const scan = { scan_id: 'there', project_id: org.projectId, persona: 'senku' };
    must(await other.api.post('/agent/scans', { ...org.asAgent, body: scan }));
  });

  it('an address that nobody has verified makes no member, and without an owner nothing is restored', async () => {
    await registerThere(org.owner.email);
    const refused = await restoreThere();
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('--owner') });
    expect([
      ...(await other.services.database.sql.unsafe('select 1 from shared.orgs where slug = $1', [org.slug])),
    ]).toEqual([]);
    const boss = await createUser(other.api);
    expect((await restoreThere('--owner', 'nobody@example.com')).code).toBe(1);
    // Anybody can register with the address of somebody else.
    const unverified = await restoreThere('--owner', boss.email);
    expect(unverified).toMatchObject({ code: 1, err: expect.stringContaining('has not verified') });
    await verify(other, boss.email);
    const result = await restoreThere('--owner', boss.email);
    expect(result.code, result.err).toBe(0);
    expect(JSON.parse(result.out).members).toMatchObject({ restored: 0, skipped: [{}, {}] });
    const members = must(await other.api.get('/members', { cookie: boss.cookie, org: org.slug }));
    expect(members).toMatchObject([{ user_id: boss.id, role: 'owner' }]);
  });
});

it('erases persons whose accounts were deleted since the backup', async () => {
  await fill(t, org);
  const gone = await createUser(t.api, 'Zaphod Beeblebrox');
  must(await t.api.post('/members/invite', { ...org.asOwner, body: { email: gone.email, role: 'admin' } }));
  const [finding] = must(await t.api.get('/findings', org.asOwner));
  const comment = { body: `@[Zaphod Beeblebrox](${gone.id}) look` };
  must(await t.api.post(`/findings/${finding.id}/comments`, { ...org.asOwner, body: comment }));
  must(await t.api.patch(`/findings/${finding.id}`, { ...org.asOwner, body: { assignee_id: gone.id } }));
  // Somebody else, whom only the text of a comment names.
  const left = { id: t.services.nextId().id, name: 'Ford Prefect' };
  const edited = { body: `@[${left.name}](${left.id.toUpperCase()}) has left` };
  must(await t.api.post(`/findings/${finding.id}/comments`, { ...org.asOwner, body: edited }));
  // And one whom undoing a change would assign the finding to.
  const third = t.services.nextId().id;
  const patched = { body: { assignee_id: org.owner.id } };
  must(await t.api.patch(`/findings/${finding.id}`, { ...org.asOwner, ...patched }));
  const changes = `"${orgSchemaName(org.id)}".changes`;
  await sql(`update ${changes} set fields = replace(fields::text, '${gone.id}', '${third}')::json`);
  // And two whom only a deleted finding names.
  const [assigned, mentioned] = [t.services.nextId().id, t.services.nextId().id];
  const { id: deleted } = await push(t.api, org, await createScan(t.api, org));
  must(await t.api.patch(`/findings/${deleted}`, { ...org.asOwner, ...patched }));
  const last = { body: `@[Tricia McMillan](${mentioned.toUpperCase()}) has left` };
  must(await t.api.post(`/findings/${deleted}/comments`, { ...org.asOwner, body: last }));
  await sql(
    `update "${orgSchemaName(org.id)}".findings set assignee_id = '${assigned}' where id = '${deleted}'`,
  );
  must(await t.api.post('/findings/delete', { ...org.asOwner, body: { ids: [deleted] } }));
  await backUp();
  await purge();
  const { email } = gone;
  await sql(`delete from shared.orgs where created_by = '${gone.id}'`);
  must(await t.api.delete('/auth/me', { cookie: gone.cookie, body: { confirm: email } }));
  await sql('delete from shared.account_erasures');
  expect(await restore()).toMatchObject({ erased_accounts: 5, members: { skipped: [{ email }] } });
  expect(JSON.stringify(await rowsOf(t.services.database, org))).toContain('Zaphod Beeblebrox');
  await eraseAccounts(t.services);
  const rows = await rowsOf(t.services.database, org);
  expect(JSON.stringify(rows)).not.toMatch(/Zaphod Beeblebrox|Ford Prefect|Tricia McMillan/);
  expect(JSON.stringify(rows.findings)).not.toContain(gone.id);
  expect(JSON.stringify(rows.changes)).not.toContain(third);
  expect(JSON.stringify(rows.deleted_findings)).not.toContain(assigned);
});

it('both commands write a security event', async () => {
  const backup = await run('orgs', 'backup', ...KEY, org.slug, '--file', file);
  expect(JSON.parse(backup.err)).toMatchObject({
    event: 'org_backed_up',
    org: org.slug,
    operator: expect.any(String),
  });
  const made = await run('orgs', 'restore-backup', ...KEY, file, '--as', `${org.slug}-copy`);
  expect(JSON.parse(made.err)).toMatchObject({ event: 'org_restored_from_backup', org: `${org.slug}-copy` });
  expect(made.out).toContain('counts: right');
  expect(existsSync(file)).toBe(true);
  writeFileSync(file, '');
});
