import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimName, giveNames, writeNames } from '../../db/cells/names.ts';
import { openDatabase } from '../../db/client.ts';
import { sqlState } from '../../db/errors.ts';
import type { Sql } from '../../db/pool/query.ts';
import { admin } from '../support/admin/command.ts';
import { createDirectory, type TestDirectory } from '../support/admin/directory.ts';
import { createOrg, createUser } from '../support/api/api.ts';
import { limit } from '../support/run/limits.ts';
import { afterSuite, afterTest } from '../support/run/suite.ts';
import { startApp } from '../support/server/app.ts';

/* What the role of a cell may do in the directory. The cell `bad` was taken over: it tries to get the requests of the cell `good`. */

const [GOOD, BAD] = ['rights-good', 'rights-bad'];
const ORG = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const FORBIDDEN = '42501';

let directory: TestDirectory;
let good: Sql;
let bad: Sql;
/** The names after `cells grant`. */
let upgraded: Record<string, string>;

function open(url: string, max = 2): Sql {
  const { sql, close } = openDatabase({ url, max });
  afterSuite(() => close(0));
  return sql;
}

beforeAll(async () => {
  // What an earlier version has made, with the names of a cell that has no role.
  directory = await createDirectory([GOOD, BAD], async (sql) => {
    await sql.unsafe('create schema cells');
    await sql.unsafe(
      'create table cells.names (name text primary key, cell text not null, org_id uuid not null, since timestamptz not null default now())',
    );
    await sql.unsafe(
      `insert into cells.names values ('old', '${GOOD}', '${ORG}'), ('older', 'rights-third', '${ORG}')`,
    );
  });
  upgraded = await rows();
  [good, bad] = [open(directory.urlOf(GOOD)), open(directory.urlOf(BAD))];
});

beforeEach(async () => {
  await directory.sql.unsafe(`delete from cells.names where name not like 'old%'`);
  expect(await claimName(good, GOOD, { name: 'acme', orgId: ORG })).toBe(true);
  expect(await claimName(bad, BAD, { name: 'mine', orgId: OTHER })).toBe(true);
});

const rows = async () =>
  Object.fromEntries(
    (await directory.sql.unsafe('select name, cell from cells.names order by name')).map((row) => [
      row.name,
      row.cell,
    ]),
  );

const refusal = async (work: Promise<unknown>) =>
  sqlState(
    await work.then(
      () => 'done',
      (error) => error,
    ),
  );

describe('the role of a cell', () => {
  it('cannot use the tables, change the functions, or become somebody else', async () => {
    const before = await rows();
    const owner = new URL(directory.url).username;
    for (const text of [
      'select * from cells.names',
      `select 1 from cells.names where name = 'acme'`,
      'select * from cells.hosts',
      'select * from cells.cells',
      `insert into cells.names values ('free', '${BAD}', '${OTHER}')`,
      `insert into cells.names values ('acme', '${BAD}', '${OTHER}') on conflict (name) do update set cell = excluded.cell`,
      `update cells.names set cell = '${BAD}' where name = 'acme'`,
      `delete from cells.names where name = 'acme'`,
      'truncate cells.names',
      'select 1 from cells.names for update',
      `copy cells.names to stdout`,
      `update cells.cells set role = session_user where cell = '${GOOD}'`,
      `insert into cells.cells values ('new', session_user)`,
      `select cells.require_cell('${GOOD}')`,
      'create table cells.more (a int)',
      'create schema evil',
      `create or replace function cells.require_cell(text) returns void language sql as ''`,
      'alter function cells.require_cell(text) owner to session_user',
      'drop function cells.claim(text, text, uuid)',
      'alter table cells.names disable row level security',
      `grant all on cells.names to "cell_${BAD}"`,
      `set role ${owner}`,
      `set role "cell_${GOOD}"`,
      `set session authorization ${owner}`,
      `alter role "cell_${BAD}" createrole`,
      `alter role "cell_${BAD}" connection limit -1`,
      `create role another`,
      `grant ${owner} to "cell_${BAD}"`,
    ])
      expect(await refusal(bad.unsafe(text)), text).toBe(FORBIDDEN);
    expect(await rows()).toEqual(before);
  });

  it('cannot act for another cell', async () => {
    const before = await rows();
    const names = [{ name: 'acme', orgId: OTHER }];
    for (const call of [
      () => claimName(bad, GOOD, { name: 'free', orgId: OTHER }),
      () => giveNames(bad, { from: GOOD, to: BAD }, names),
      () => writeNames(bad, GOOD, { present: names, left: [] }),
      () => bad.unsafe(`select cells.enter('${GOOD}', '[{"name":"free","orgId":"${OTHER}"}]')`),
      () => bad.unsafe(`select cells.give('${GOOD}', '[{"name":"acme","cell":"${BAD}"}]')`),
      () => bad.unsafe(`select cells.remove('${GOOD}', '[]')`),
      () => bad.unsafe(`select * from cells.elsewhere('${GOOD}', '[]')`),
    ])
      expect(await refusal(call())).toBe(FORBIDDEN);
    expect(await rows()).toEqual(before);
  });

  it('cannot get, change or remove a name of another cell, whatever it says about itself', async () => {
    await directory.sql.unsafe(`update cells.names set since = now() - interval '1 day'`);
    const before = await directory.sql.unsafe('select * from cells.names order by name');
    const names = ['acme', 'old', 'older'].map((name) => ({ name, orgId: OTHER }));
    for (const name of names) expect(await claimName(bad, BAD, name)).toBe(false);
    // As if it belonged to the same organization, and as if it had left with one.
    expect(await claimName(bad, BAD, { name: 'acme', orgId: ORG })).toBe(false);
    const left = names.map(({ name }) => ({ name, cell: BAD, pending: false }));
    const mine = { name: 'mine', orgId: OTHER };
    const { elsewhere } = await writeNames(bad, BAD, { present: [...names, mine], left });
    expect(elsewhere.map(({ name, same }) => [name, same])).toEqual(names.map(({ name }) => [name, false]));
    expect(await writeNames(bad, BAD, { present: [mine], left: [] })).toMatchObject({ removed: 0 });
    expect(await giveNames(bad, { from: BAD, to: GOOD }, names)).toEqual(['older']);
    expect(await giveNames(bad, { from: BAD, to: 'nowhere' }, [mine])).toEqual(['mine']);
    expect(await directory.sql.unsafe('select * from cells.names order by name')).toEqual(before);
  });

  it('is not fooled, or helped, by objects of its own', async () => {
    const connection = openDatabase({ url: directory.urlOf(BAD), max: 1 });
    afterTest(() => connection.close(0));
    await connection.withConnection(async (sql) => {
      await sql.unsafe(`create temporary table cells (cell text, role name)`);
      await sql.unsafe(`create temporary table names (name text, cell text)`);
      await sql.unsafe(
        `create function pg_temp.pg_has_role(name, oid, text) returns boolean language sql as 'select true'`,
      );
      await sql.unsafe(`set search_path = pg_temp, cells, pg_catalog`);
      expect(await refusal(claimName(sql, GOOD, { name: 'free', orgId: OTHER }))).toBe(FORBIDDEN);
      expect(await claimName(sql, BAD, { name: 'acme', orgId: OTHER })).toBe(false);
      expect(await claimName(sql, BAD, { name: 'free', orgId: OTHER })).toBe(true);
    });
    expect(await rows()).toMatchObject({ acme: GOOD, free: BAD });
  });

  it('takes a free name, and gives away its own, which it cannot take back', async () => {
    expect(await claimName(good, GOOD, { name: 'new', orgId: ORG })).toBe(true);
    expect(
      await refusal(bad.unsafe(`select cells.give('${GOOD}', '[{"name":"new","cell":"${BAD}"}]')`)),
    ).toBe(FORBIDDEN);
    // Two commands at the same instant, or one that is repeated.
    const give = () => giveNames(good, { from: GOOD, to: BAD }, [{ name: 'new', orgId: ORG }]);
    expect(await Promise.all([give(), give()])).toEqual([[], []]);
    expect(await give()).toEqual([]);
    expect(await rows()).toMatchObject({ new: BAD, acme: GOOD });
    expect(await claimName(good, GOOD, { name: 'new', orgId: ORG })).toBe(false);
    await writeNames(good, GOOD, { present: [{ name: 'new', orgId: ORG }], left: [] });
    expect(await rows()).toMatchObject({ new: BAD });
  });

  it('keeps nobody waiting with a transaction that it does not end', async () => {
    const held = openDatabase({ url: directory.urlOf(BAD), max: 1 });
    let end = () => {};
    let isHeld = () => {};
    const holding = new Promise<void>((resolve) => {
      isHeld = resolve;
    });
    const transaction = held.sql.begin(async (tx) => {
      expect(await claimName(tx, BAD, { name: 'acme', orgId: OTHER })).toBe(false);
      await tx.unsafe(`select cells.give('${BAD}', '[{"name":"acme","cell":"${GOOD}"}]')`);
      await tx.unsafe(`select cells.enter('${BAD}', '[{"name":"acme","orgId":"${ORG}"}]')`);
      expect(await claimName(tx, BAD, { name: 'wanted', orgId: OTHER })).toBe(true);
      isHeld();
      await new Promise<void>((resolve) => {
        end = resolve;
      });
    });
    afterTest(async () => {
      end();
      await transaction;
      await held.close(0);
    });
    await holding;
    const began = performance.now();
    // It has locked no row of another cell.
    expect(await claimName(good, GOOD, { name: 'acme', orgId: OTHER })).toBe(true);
    // The name that both want, through the service: it is not given to the one that waits.
    const app = await startApp({ env: { SVC_CELL: GOOD, SVC_CELLS_URL: directory.urlOf(GOOD) } });
    const { cookie } = await createUser(app.api);
    const make = (slug: string) => app.api.post('/orgs', { cookie, body: { name: slug, slug } });
    expect((await make('wanted')).error).toBe('tenant_error/slug_taken');
    expect((await make('unwanted')).status).toBe(201);
    expect(performance.now() - began).toBeLessThan(limit(3_000));
  });
});

describe('a server or command', () => {
  it('with the role of another cell takes no slug, and nothing else fails', async () => {
    const app = await startApp({ env: { SVC_CELL: GOOD, SVC_CELLS_URL: directory.urlOf(BAD) } });
    const alone = await startApp({ databaseUrl: app.databaseUrl });
    const org = await createOrg(alone.api);
    const refused = await app.api.post('/orgs', {
      cookie: org.owner.cookie,
      body: { name: 'New', slug: 'new' },
    });
    expect(refused.error).toBe('server_error/unavailable');
    const renamed = await app.api.patch(`/orgs/${org.slug}`, { ...org.asOwner, body: { slug: 'new' } });
    expect(renamed.error).toBe('server_error/unavailable');
    expect((await app.api.get('/projects', org.asOwner)).status).toBe(200);
    const env = { SVC_CELL: GOOD, SVC_CELLS_URL: directory.urlOf(BAD), SVC_BASE_DOMAIN: 'example.com' };
    const synced = await admin(app.databaseUrl, ['cells', 'sync'], { env });
    expect([synced.code, synced.err]).toEqual([
      1,
      `the directory refuses: the role "cell_${BAD}" does not act for the cell "${GOOD}"; see "cells grant"\n`,
    ]);
    const mapped = await admin(app.databaseUrl, ['cells', 'map', '/nonexistent/map'], { env });
    expect([mapped.code, mapped.err]).not.toEqual([0, '']);
    expect(await rows()).not.toHaveProperty('new');
  });

  it('is checked by the doctor', async () => {
    const { databaseUrl } = await startApp();
    const checked = async (env: Record<string, string>) => {
      const { out } = await admin(databaseUrl, ['doctor', '--json'], { env });
      const checks: { area: string; status: string; message: string }[] = JSON.parse(out).checks;
      return checks
        .filter(({ area }) => area === 'cells')
        .map(({ status, message }) => `${status}: ${message}`);
    };
    const as = (cell: string, url: string) => checked({ SVC_CELL: cell, SVC_CELLS_URL: url });
    expect(await as(GOOD, directory.urlOf(GOOD))).toEqual([
      `ok: the role of SVC_CELLS_URL changes names of the cell ${GOOD} only`,
    ]);
    expect(await as(GOOD, directory.urlOf(BAD))).toEqual([
      expect.stringMatching(/^failed: the directory cannot be used.*does not act for the cell/),
    ]);
    expect(await as(GOOD, directory.url)).toEqual([
      expect.stringContaining('warning: the role of SVC_CELLS_URL may'),
    ]);
    expect(await checked({ SVC_CELLS_URL: directory.url })).toEqual([
      'failed: SVC_CELLS_URL is set without SVC_CELL',
    ]);
    expect(await checked({})).toEqual([]);
  });

  it('without the name of its cell does not start', async () => {
    await expect(startApp({ env: { SVC_CELLS_URL: directory.urlOf(GOOD) } })).rejects.toThrow(
      'SVC_CELLS_URL: needs SVC_CELL',
    );
  });

  it('of a cell that is locked out takes no slug', async () => {
    await directory.sql.unsafe(`alter role "cell_${GOOD}" nologin`);
    const app = await startApp({ env: { SVC_CELL: GOOD, SVC_CELLS_URL: directory.urlOf(GOOD) } });
    const { cookie } = await createUser((await startApp({ databaseUrl: app.databaseUrl })).api);
    const refused = await app.api.post('/orgs', { cookie, body: { name: 'New' } });
    await directory.sql.unsafe(`alter role "cell_${GOOD}" login`);
    expect(refused.error).toBe('server_error/unavailable');
  });
});

describe('cells revoke', () => {
  it('locks a cell out at once, until it gets its role again', async () => {
    const revoke = () =>
      admin('', ['cells', 'revoke', BAD], {
        env: { SVC_CELLS_URL: directory.url, DATABASE_URL: undefined },
      });
    const claim = () => refusal(claimName(bad, BAD, { name: 'more', orgId: OTHER }));
    expect(await claim()).toBeUndefined();
    const { code, out, err } = await revoke();
    expect([code, out]).toEqual([0, `cell_${BAD} no longer acts for the cell ${BAD}\n`]);
    expect(err).toContain('cell_revoked');
    expect(await claim()).toBe(FORBIDDEN);
    expect((await revoke()).err).toBe(`no role acts for the cell ${BAD}\n`);
    // Nothing else is changed, and other cells can still give it names.
    expect(await rows()).toMatchObject({ mine: BAD, acme: GOOD });
    expect(await directory.grant(BAD, '--role', `cell_${BAD}`)).toMatchObject({ code: 0 });
    expect(await claim()).toBeUndefined();
  });
});

describe('cells grant', () => {
  it('keeps the names of a directory without roles', async () => {
    expect(upgraded).toEqual({ old: GOOD, older: 'rights-third' });
    expect(await claimName(good, GOOD, { name: 'old', orgId: ORG })).toBe(true);
    // A server of the version before, as the owner.
    const sql = `insert into cells.names as n (name, cell, org_id) values ('x', 'rights-third', '${ORG}')
      on conflict (name) do update set org_id = excluded.org_id where n.cell = excluded.cell returning 1`;
    expect(await directory.sql.unsafe(sql)).toHaveLength(1);
  });

  it('shows a password once, can be repeated, and changes the password only if told so', async () => {
    const again = await directory.grant(GOOD);
    expect(again).toMatchObject({ code: 0 });
    expect(again.out).toContain(`acts for the cell ${GOOD} with the password that it has`);
    const { password } = new URL(directory.urlOf(GOOD));
    expect(password.length).toBeGreaterThanOrEqual(32);
    expect(again.out + again.err).not.toContain(password);
    expect(await refusal(good.unsafe('select 1'))).toBeUndefined();

    const { out, err, code } = await directory.grant(BAD, '--new-password', '--json');
    expect(code).toBe(0);
    const { url } = JSON.parse(out);
    expect(err).toContain('cell_granted');
    expect(err).not.toContain(new URL(url).password);
    const signIn = async (as: string) => {
      const { sql, close } = openDatabase({ url: as, max: 1 });
      return await refusal(sql.unsafe('select 1')).finally(() => close(0));
    };
    expect([await signIn(url), await signIn(directory.urlOf(BAD))]).toEqual([undefined, '28P01']);
  });

  it('makes a role that has no other rights', async () => {
    const [role] = await directory.sql.unsafe(
      `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolconnlimit from pg_roles where rolname = 'cell_${GOOD}'`,
    );
    expect(role).toEqual({
      ...{ rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false },
      ...{ rolbypassrls: false, rolconnlimit: 30 },
    });
  });

  it('makes a role that reads all hosts and no more', async () => {
    const owner = new URL(directory.url).username;
    const reader = `map_${owner}`;
    await directory.sql.unsafe(`create role ${reader}`);
    const { code, out } = await directory.grant('--map', '--role', reader, '--new-password', '--json');
    expect(code).toBe(0);
    await directory.sql.unsafe(`alter role ${reader} login`);
    const sql = open(JSON.parse(out).url);
    expect((await sql.unsafe('select * from cells.hosts')).length).toBeGreaterThan(2);
    for (const text of [
      'select org_id from cells.names',
      'select * from cells.cells',
      `select cells.claim('${GOOD}', 'free', '${ORG}')`,
      `update cells.hosts set cell = 'x'`,
      `delete from cells.hosts`,
    ])
      expect(await refusal(sql.unsafe(text)), text).toBe(FORBIDDEN);
  });

  it('gives no role that is of something else', async () => {
    const owner = new URL(directory.url).username;
    const refused = async (message: string | RegExp, ...args: string[]) => {
      const { code, err } = await directory.grant(...args);
      expect([(code ?? 0) > 0, err]).toEqual([true, expect.stringMatching(message)]);
    };
    await directory.sql.unsafe(`create role "cell_rights-taken"`);
    await refused(/there is a role cell_rights-taken already/, 'rights-taken');
    await directory.sql.unsafe(`drop role "cell_rights-taken"`);
    await refused(`the role cell_${BAD} acts for the cell ${BAD}`, GOOD, '--role', `cell_${BAD}`);
    await refused(/owns the directory/, GOOD, '--role', owner);
    await refused(/there is no role nobody-knows/, GOOD, '--role', 'nobody-knows');
    await refused(/name a cell, or use --map/);
    await refused(/name a cell, or use --map/, GOOD, '--map');
    await refused(/lower-case letters/, 'Bad;Name');
    const asCell = await admin('', ['cells', 'grant', BAD], {
      env: { DATABASE_URL: undefined, SVC_CELLS_URL: directory.urlOf(GOOD) },
    });
    expect([asCell.code, asCell.err]).toEqual([1, expect.stringContaining('permission denied')]);
  });
});
