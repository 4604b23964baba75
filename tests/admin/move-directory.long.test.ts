import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimName, giveNames, writeNames } from '../../db/cells/names.ts';
import { noteCellName } from '../../db/cells/own-name.ts';
import { openDatabase } from '../../db/client.ts';
import { migrateShared } from '../../db/migrations/migrate.ts';
import { sharedMigrations } from '../../drizzle/migrations.ts';
import { createLogger } from '../../lib/logger.ts';
import { prepareDatabase } from '../../lib/node/prepare-database.ts';
import { leftIn, sqlOf, UNAVAILABLE, useCells } from '../support/admin/cells.ts';
import { admin } from '../support/admin/command.ts';
import { createDirectory, type TestDirectory } from '../support/admin/directory.ts';
import { createOrg, type TestOrg } from '../support/api/api.ts';
import { createDatabase } from '../support/database/database.ts';
import { afterTest } from '../support/run/suite.ts';
import type { TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

/* What a move does with the names of the organization in the directory, and which cell it accepts. */

const [ONE, TWO] = ['move-one', 'move-two'];

let one: TestApp;
let two: TestApp;
let org: TestOrg;
let directory: TestDirectory;

const { schema, get } = useCells((made) => {
  ({ one, two, org } = made);
});

beforeAll(async () => {
  directory = await createDirectory([ONE, TWO, 'move-three']);
});

beforeEach(async () => {
  await noteCellName(sqlOf(one), ONE);
  await noteCellName(sqlOf(two), TWO);
  const claimed = await asCell(ONE, (sql) => claimName(sql, ONE, { name: org.slug, orgId: org.id }));
  expect(claimed).toBe(true);
});

/** Uses the directory as the role of a cell. */
async function asCell<T>(cell: string, use: (sql: TestDirectory['sql']) => Promise<T>): Promise<T> {
  const { sql, close } = openDatabase({ url: directory.urlOf(cell), max: 1 });
  return await use(sql).finally(() => close(0));
}

interface Options {
  cellsUrl?: string;
  sourceUrl?: string;
  more?: string[];
}

const move = (
  to: string,
  { cellsUrl = directory.urlOf(ONE), sourceUrl = one.databaseUrl, more = [] }: Options = {},
) =>
  admin(one.databaseUrl, ['orgs', 'move', org.slug, '--to', to, ...more], {
    env: {
      ...{ SVC_CELL: ONE, SVC_CELLS_URL: cellsUrl },
      ...{ SVC_MOVE_TARGET_URL: two.databaseUrl, SVC_MOVE_SOURCE_URL: sourceUrl },
    },
  });

const cellOf = async (name = org.slug) =>
  (await directory.sql.unsafe('select cell from cells.names where name = $1', [name]))[0]?.cell;

const expectNothingBegun = async () => {
  expect([await leftIn(one, org), await leftIn(two, org)]).toEqual([[schema()], []]);
  expect((await get(one)).status).toBe(200);
  expect(await cellOf()).toBe(ONE);
};

describe('the name of the other cell', () => {
  it('is that of its database: with another one nothing begins', async () => {
    for (const [to, message] of [
      ['move-three', `SVC_MOVE_TARGET_URL is the database of the cell ${TWO}, not of move-three`],
      ['tow', `SVC_MOVE_TARGET_URL is the database of the cell ${TWO}, not of tow`],
      [ONE, `SVC_MOVE_TARGET_URL is the database of the cell ${TWO}, not of ${ONE}`],
    ] as const) {
      const { code, err } = await move(to);
      expect([code, err]).toEqual([1, `${message}\n`]);
      await expectNothingBegun();
    }
  });

  it('is noted there, if the cell that the organization leaves has one', async () => {
    await sqlOf(two).unsafe(`delete from shared.settings where key = 'cell'`);
    expect((await move(TWO)).err).toContain('nobody has named the cell of SVC_MOVE_TARGET_URL');
    await expectNothingBegun();
  });

  it('is that of a cell in the directory', async () => {
    await sqlOf(two).unsafe(`update shared.settings set value = 'move-four' where key = 'cell'`);
    afterTest(() => sqlOf(two).unsafe(`update shared.settings set value = '${TWO}' where key = 'cell'`));
    expect((await move('move-four')).err).toBe('the directory has no cell move-four: see "cells grant"\n');
    await expectNothingBegun();
  });

  it('is noted by the first server or sync, and a server or sync of another cell does not start', async () => {
    await sqlOf(two).unsafe(`delete from shared.settings where key = 'cell'`);
    const env = { SVC_CELL: TWO, SVC_CELLS_URL: directory.urlOf(TWO) };
    expect(await admin(two.databaseUrl, ['cells', 'sync'], { env })).toMatchObject({ code: 0 });
    const start = (cell: string) => prepareDatabase({ url: two.databaseUrl, cell }, silentLog);
    await start(TWO);
    await expect(start(ONE)).rejects.toThrow(
      `SVC_CELL: DATABASE_URL is the database of the cell ${TWO} (setting "cell")`,
    );
    const warnings: string[] = [];
    const log = createLogger({ level: 'warn', format: 'json', write: (line) => warnings.push(line) });
    await prepareDatabase({ url: two.databaseUrl, cell: undefined }, log);
    expect(warnings.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        message: 'SVC_CELL is unset, but the database is that of a cell',
        cell: TWO,
      }),
    ]);
    const doctor = await admin(two.databaseUrl, ['doctor', '--json']);
    expect(doctor.out).toContain(`the database is that of the cell ${TWO}, but SVC_CELL is unset`);
    const wrong = await admin(two.databaseUrl, ['cells', 'sync'], {
      env: { SVC_CELL: ONE, SVC_CELLS_URL: directory.urlOf(ONE) },
    });
    expect([wrong.code, wrong.err]).toEqual([
      1,
      `this is the database of the cell ${TWO} (setting "cell"), not of ${ONE}\n`,
    ]);
  });
});

it('the database of another cell is not migrated', async () => {
  const { url, drop } = await createDatabase('empty');
  const { sql, close } = openDatabase({ url, max: 1 });
  afterTest(drop);
  afterTest(close);
  await migrateShared(sql, sharedMigrations.slice(0, -1));
  await noteCellName(sql, TWO);
  const steps = () => sql.unsafe('select name, applied_at from shared.migrations order by name');
  const before = await steps();
  await expect(prepareDatabase({ url, cell: ONE }, silentLog)).rejects.toThrow('is the database of the cell');
  expect(await steps()).toEqual(before);
  await prepareDatabase({ url, cell: TWO }, silentLog);
  expect(await steps()).toHaveLength(sharedMigrations.length);
});

describe('the names of an organization that moves', () => {
  it('are given to the other cell by the one that has them, which cannot take them back', async () => {
    const { slug, id } = org;
    // A domain that the directory does not know yet, and one that a third cell was faster with.
    await admin(one.databaseUrl, ['domains', 'set', slug, `${slug}.example.org`]);
    await admin(one.databaseUrl, ['orgs', 'rename', slug, '--slug', `${slug}-new`]);
    await asCell('move-three', (sql) => claimName(sql, 'move-three', { name: `${slug}-new`, orgId: id }));
    org = { ...org, slug: `${slug}-new` };
    const moved = await move(TWO);
    expect(moved).toMatchObject({ code: 0 });
    expect(moved.out).toContain(`${slug}-new does not lead to ${TWO}: another cell has it in the directory`);
    expect([await cellOf(slug), await cellOf(`${slug}.example.org`), await cellOf(`${slug}-new`)]).toEqual([
      TWO,
      TWO,
      'move-three',
    ]);
    await asCell(ONE, async (sql) => {
      const name = { name: slug, orgId: id };
      expect(await claimName(sql, ONE, name)).toBe(false);
      await giveNames(sql, { from: ONE, to: 'move-three' }, [name]);
      await writeNames(sql, ONE, { present: [name], left: [] });
    });
    expect(await cellOf(slug)).toBe(TWO);
  });

  it('stay until the organization has left, whatever the other cell does', async () => {
    const before = await asCell(TWO, async (sql) => {
      const name = { name: org.slug, orgId: org.id };
      const { elsewhere } = await writeNames(sql, TWO, { present: [name], left: [] });
      expect(await claimName(sql, TWO, name)).toBe(false);
      return elsewhere;
    });
    expect(before).toEqual([{ name: org.slug, cell: ONE, same: true }]);
    expect(await cellOf()).toBe(ONE);
  });

  it('are those that it had here, whatever the other database says', async () => {
    const victim = await createOrg(one.api);
    await asCell(ONE, (sql) => claimName(sql, ONE, { name: victim.slug, orgId: victim.id }));
    await sqlOf(two).unsafe(`
      create function shared.steal() returns trigger language plpgsql as $$ begin
        insert into shared.reserved_slugs (slug, org_id, reserved_at)
          values ('${victim.slug}', new.id, now()), ('free-${victim.slug}', new.id, now());
        return null; end $$;
      create trigger steal after insert on shared.orgs for each row execute function shared.steal()`);
    expect(await move(TWO)).toMatchObject({ code: 0 });
    await sqlOf(two).unsafe('drop function shared.steal cascade');
    expect([await cellOf(), await cellOf(victim.slug), await cellOf(`free-${victim.slug}`)]).toEqual([
      TWO,
      ONE,
      undefined,
    ]);
  });

  it('are not those of another organization in the directory: nothing begins', async () => {
    const domain = `${org.slug}.example.org`;
    await admin(one.databaseUrl, ['domains', 'set', org.slug, domain]);
    await asCell('move-three', (sql) => claimName(sql, 'move-three', { name: domain, orgId: randomUUID() }));
    const refused = await move(TWO);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining(`${domain} (move-three)`)]);
    await expectNothingBegun();
    await directory.sql.unsafe('delete from cells.names where name = $1', [domain]);
  });

  it('stay if the directory does not answer, because nothing begins, and if a move is cancelled', async () => {
    expect(await move(TWO, { cellsUrl: 'postgres://x:y@127.0.0.1:1/cells' })).toMatchObject({ code: 1 });
    await expectNothingBegun();
    const wrong = Object.assign(new URL(one.databaseUrl), { password: 'wrong' }).href;
    expect(await move(TWO, { sourceUrl: wrong })).toMatchObject({ code: 1 });
    expect(await leftIn(one, org)).toContain('move');
    expect(await move(TWO, { more: ['--cancel'] })).toMatchObject({ code: 0 });
    await expectNothingBegun();
  });

  it('follow when the command is repeated that could not tell the directory', async () => {
    // Until then, the directory works.
    await directory.sql.unsafe(`revoke execute on function cells.give(text, json) from "cell_${ONE}"`);
    const failed = await move(TWO);
    expect((await directory.grant(ONE)).code).toBe(0);
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('the directory refuses')]);
    expect((await get(one)).error).toBe(UNAVAILABLE);
    expect(await cellOf()).toBe(ONE);
    // Its return does not overwrite the rows that this cell keeps until then.
    const back = await admin(two.databaseUrl, ['orgs', 'move', org.slug, '--to', ONE], {
      env: { SVC_CELL: TWO, SVC_MOVE_TARGET_URL: one.databaseUrl },
    });
    expect([back.code, back.err]).toEqual([1, expect.stringContaining('is not complete')]);
    expect(await move(TWO)).toMatchObject({ code: 0 });
    expect(await cellOf()).toBe(TWO);
  });

  it('are not handed over by the sync if another organization has them now', async () => {
    const domain = `${org.slug}.example.org`;
    await admin(one.databaseUrl, ['domains', 'set', org.slug, domain]);
    expect(await move(TWO)).toMatchObject({ code: 0 });
    const other = await createOrg(one.api);
    // The other cell has freed it.
    await directory.sql.unsafe('delete from cells.names where name = $1', [domain]);
    await admin(one.databaseUrl, ['domains', 'set', other.slug, domain]);
    const env = { SVC_CELL: ONE, SVC_CELLS_URL: directory.urlOf(ONE) };
    for (let times = 0; times < 2; times++) await admin(one.databaseUrl, ['cells', 'sync'], { env });
    expect(await cellOf(domain)).toBe(ONE);
  });

  it('are handed over by the sync of the cell that it has left, if the command was not told of the directory', async () => {
    const quiet = await admin(one.databaseUrl, ['orgs', 'move', org.slug, '--to', TWO], {
      env: { SVC_MOVE_TARGET_URL: two.databaseUrl },
    });
    expect(quiet).toMatchObject({ code: 0 });
    expect(await cellOf()).toBe(ONE);
    const sync = (t: TestApp, cell: string) =>
      admin(t.databaseUrl, ['cells', 'sync'], {
        env: { SVC_CELL: cell, SVC_CELLS_URL: directory.urlOf(cell) },
      });
    const waiting = await sync(two, TWO);
    expect([waiting.code, waiting.out]).toEqual([
      1,
      expect.stringContaining(`${org.slug} still leads to ${ONE}`),
    ]);
    expect(await sync(one, ONE)).toMatchObject({ code: 0 });
    expect(await cellOf()).toBe(TWO);
    expect((await sync(two, TWO)).out).not.toContain(`${org.slug} still`);
  });
});
