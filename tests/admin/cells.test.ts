import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { giveNames } from '../../db/cells/names.ts';
import { openDatabase } from '../../db/client.ts';
import { runAdmin } from '../../lib/admin/run.ts';
import { createDirectory, type TestDirectory } from '../support/admin/directory.ts';
import { createOrg, createUser, must, PASSWORD } from '../support/api/api.ts';
import { startProxy } from '../support/database/proxy.ts';
import { limit } from '../support/run/limits.ts';
import { afterSuite } from '../support/run/suite.ts';
import { JWT_SECRET, startApp, type TestApp } from '../support/server/app.ts';

/* The directory of slugs and custom domains of several cells. */

let one: TestApp;
let two: TestApp;
let roles: TestDirectory;
/** The directory as its owner, which acts for every cell and reads all names. */
let cellsUrl: string;

beforeAll(async () => {
  roles = await createDirectory(['one', 'two']);
  cellsUrl = roles.url;
  const start = (cell: string) => startApp({ env: { SVC_CELL: cell, SVC_CELLS_URL: roles.urlOf(cell) } });
  [one, two] = [await start('one'), await start('two')];
});

async function run(t: TestApp, cell: string, ...args: string[]) {
  let said = '';
  const code = await runAdmin(args, {
    env: {
      DATABASE_URL: t.databaseUrl,
      JWT_SECRET,
      SVC_CELL: cell,
      SVC_CELLS_URL: args[1] === 'sync' ? roles.urlOf(cell) : cellsUrl,
      SVC_BASE_DOMAIN: 'example.com',
      SVC_PUBLIC_URL: 'https://public.example.net',
    },
    out: (text) => {
      said += text;
    },
    err: (text) => {
      said += text;
    },
  });
  return { code, said };
}

const create = async (t: TestApp, slug: string) =>
  t.api.post('/orgs', { cookie: (await createUser(t.api)).cookie, body: { name: slug, slug } });

describe('a slug', () => {
  it('that two cells want at the same instant goes to one of them', async () => {
    for (const slug of ['race-a', 'race-b', 'race-c']) {
      const answers = await Promise.all([create(one, slug), create(two, slug)]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
      expect(answers.map(({ error }) => error)).toContain('tenant_error/slug_taken');
    }
  });

  it('of an organization of another cell is taken for renamings, too', async () => {
    const org = await createOrg(one.api);
    const other = await createOrg(two.api);
    const rename = (slug: string) =>
      two.api.patch(`/orgs/${other.slug}`, { ...other.asOwner, body: { slug } });
    expect((await rename(org.slug)).error).toBe('tenant_error/slug_taken');
    must(await rename(`${org.slug}-2`));
    expect((await create(one, `${org.slug}-2`)).error).toBe('tenant_error/slug_taken');
    // Its former slug as well.
    expect((await create(one, other.slug)).error).toBe('tenant_error/slug_taken');
  });

  it('can be taken again by the same cell after an attempt that failed', async () => {
    const directory = openDatabase({ url: cellsUrl, max: 1 });
    await directory.sql.unsafe(
      `insert into cells.names (name, cell, org_id) values ('half-made', 'one', gen_random_uuid())`,
    );
    await directory.close();
    expect((await create(two, 'half-made')).error).toBe('tenant_error/slug_taken');
    must(await create(one, 'half-made'));
  });

  it('is not taken from other cells by an organization or account that cannot have it', async () => {
    const full = await startApp({
      databaseUrl: one.databaseUrl,
      env: {
        ...{ SVC_CELL: 'one', SVC_CELLS_URL: roles.urlOf('one') },
        ...{ SVC_MAX_ORGS_PER_ACCOUNT: '2', SVC_MAX_FORMER_SLUGS_PER_ORG: '1' },
      },
    });
    const { asOwner, slug } = await createOrg(full.api);
    const rename = (to: string, now: string) =>
      full.api.patch(`/orgs/${now}`, { ...asOwner, body: { slug: to } });
    must(await rename(`${slug}-2`, slug));
    expect((await rename(`${slug}-3`, `${slug}-2`)).error).toBe('resource_error/conflict');
    const made = await full.api.post('/orgs', { ...asOwner, body: { name: 'Third', slug: `${slug}-4` } });
    expect(made.error).toBe('resource_error/conflict');
    for (const n of [3, 4]) must(await create(two, `${slug}-${n}`));
    // It takes its former slug again.
    must(await rename(slug, `${slug}-2`));
  });

  it('is not given to anybody while the directory does not answer, and nothing else fails', async () => {
    const alone = await startApp({
      databaseUrl: one.databaseUrl,
      env: { SVC_CELL: 'one', SVC_CELLS_URL: 'postgres://x:y@127.0.0.1:1/cells' },
    });
    const org = await createOrg(one.api);
    const refused = await alone.api.post('/orgs', { cookie: org.owner.cookie, body: { name: 'New' } });
    expect(refused.error).toBe('server_error/unavailable');
    expect((await alone.api.get('/projects', org.asOwner)).status).toBe(200);
  });
});

describe('a directory that says nothing', () => {
  it('keeps no connection of the database from others', async () => {
    const proxy = await startProxy(roles.urlOf('one'));
    afterSuite(proxy.close);
    proxy.silence();
    const alone = await startApp({
      databaseUrl: one.databaseUrl,
      env: { SVC_CELL: 'one', SVC_CELLS_URL: proxy.url, SVC_DB_POOL_MAX: '2' },
    });
    const { slugClaims, database } = alone.services;
    let asked = 0;
    let goOn = () => {};
    const all = new Promise<void>((done) => {
      goOn = done;
    });
    alone.services.slugClaims = {
      ...slugClaims,
      async claim(...name) {
        asked++;
        await all;
        return await slugClaims.claim(...name);
      },
    };
    const org = await createOrg(one.api);
    const { cookie } = await createUser(one.api);
    const refused = [
      ...[1, 2].map((n) => alone.api.post('/orgs', { cookie, body: { name: `New ${n}` } })),
      ...[1, 2].map((n) =>
        alone.api.post('/auth/register', {
          body: { email: `silent-${n}@example.com`, password: PASSWORD, name: 'New' },
        }),
      ),
      ...[1, 2].map((n) =>
        alone.api.patch(`/orgs/${org.slug}`, { ...org.asOwner, body: { slug: `${org.slug}-${n}` } }),
      ),
    ];
    try {
      await vi.waitFor(() => expect(asked).toBe(6), limit(2_000));
      expect(database.pool().inUse).toBe(0);
      expect((await alone.api.get('/projects', org.asOwner)).status).toBe(200);
    } finally {
      goOn();
    }
    for (const { error } of await Promise.all(refused)) expect(error).toBe('server_error/unavailable');
    proxy.resume();
  });
});

describe('cells sync and map', () => {
  it('write every name, keep those that have moved, and report a name that two cells have', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'map-'));
    afterSuite(() => rmSync(dir, { recursive: true, force: true }));
    const file = join(dir, 'cells.map');
    const map = async (...args: string[]) => {
      expect(await run(one, 'one', 'cells', 'map', file, ...args)).toMatchObject({ code: 0 });
      return readFileSync(file, 'utf8').trim().split('\n');
    };
    const org = await createOrg(one.api);
    await run(one, 'one', 'domains', 'set', org.slug, 'findings.acme.org');
    expect(await run(one, 'one', 'cells', 'sync')).toMatchObject({ code: 0 });
    expect(await map()).toEqual(
      expect.arrayContaining([`${org.slug}.example.com one`, 'findings.acme.org one']),
    );
    expect((await map('--default', 'one')).join()).not.toContain(' one');

    const directory = openDatabase({ url: cellsUrl, max: 1 });
    const moved = [{ name: org.slug, orgId: org.id }];
    expect(await giveNames(directory.sql, { from: 'one', to: 'two' }, moved)).toEqual([]);
    // As long as it is still in the other database, too, nothing changes.
    const early = await run(one, 'one', 'cells', 'sync');
    expect(early).toMatchObject({ code: 1 });
    expect(early.said).toContain(`${org.slug} still leads to two`);
    expect(await map('--default', 'one')).toContain(`${org.slug}.example.com two`);

    await directory.sql.unsafe(`insert into cells.names (name, cell, org_id, since) values
      ('taken-elsewhere', 'two', gen_random_uuid(), now()), ('left-over', 'one', gen_random_uuid(), now() - interval '2 hours')`);
    await run(one, 'one', 'orgs', 'rename', org.slug, '--slug', 'taken-elsewhere');
    const conflict = await run(one, 'one', 'cells', 'sync');
    expect(conflict).toMatchObject({ code: 1 });
    expect(conflict.said).toContain('taken-elsewhere belongs to an organization in two');
    expect((await map()).join()).not.toContain('left-over');
    await directory.close();
  });

  it('repair who has a name, and keep names that are on their way from a third cell', async () => {
    const directory = openDatabase({ url: cellsUrl, max: 1 });
    const org = await createOrg(one.api);
    const rowOf = async (name: string) => {
      const rows = await directory.sql.unsafe('select cell, org_id from cells.names where name = $1', [name]);
      return rows.map(({ cell, org_id }) => [cell, org_id]);
    };
    const sync = () => run(one, 'one', 'cells', 'sync');
    // Two organizations have claimed it at the same instant.
    await directory.sql.unsafe(
      `update cells.names set org_id = gen_random_uuid(), since = now() - interval '2 hours' where name = '${org.slug}'`,
    );
    await sync();
    expect(await rowOf(org.slug)).toEqual([['one', org.id]]);
    // The command dies after the organization has left, and is not told of the directory when it is repeated.
    const { sql } = one.services.database;
    await sql.unsafe(
      `insert into shared.org_moves (org_id, slug, cell, copy_id, started_at, moved_at, rows)
       values ('${org.id}', '${org.slug}', 'two', gen_random_uuid(), now(), now(), '{}')`,
    );
    await sql.unsafe(
      `insert into shared.reserved_slugs (slug, reserved_at, moved_to) values ('${org.slug}', now(), 'two')`,
    );
    await sql.unsafe(`delete from shared.orgs where id = '${org.id}'`);
    await sync();
    expect(await rowOf(org.slug)).toEqual([['one', org.id]]);
    await sql.unsafe(`update shared.org_moves set rows = null where org_id = '${org.id}'`);
    await sync();
    expect(await rowOf(org.slug)).toEqual([['two', org.id]]);
    await directory.close();
  });

  it('write no line that sends requests of others somewhere else', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'map-'));
    afterSuite(() => rmSync(dir, { recursive: true, force: true }));
    const file = join(dir, 'cells.map');
    const directory = openDatabase({ url: cellsUrl, max: 1 });
    const names = [
      'a.example.org two\nb.example.org',
      'example.com',
      'acme.example.com',
      'UPPER',
      'www',
      'a b',
      '-x-',
    ];
    const insert = (name: string, cell: string) =>
      directory.sql.unsafe('insert into cells.names values ($1, $2, gen_random_uuid())', [name, cell]);
    for (const name of names) await insert(name, 'two');
    await insert('public.example.net', 'two');
    await insert('fine-name', 'two\nvictim.example.com two');
    await insert('good.example.net', 'two');
    const mapped = await run(one, 'one', 'cells', 'map', file);
    expect(mapped.said).toContain(`${names.length + 2} unusable names left out`);
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.filter((line) => /example\.(org|net)/.test(line))).toEqual(['good.example.net two']);
    expect(lines.filter((line) => /^(example\.com|acme\.|victim|fine)/.test(line))).toEqual([]);
    await directory.sql.unsafe(`delete from cells.names where cell like 'two%'`);
    await directory.close();
  });
});
