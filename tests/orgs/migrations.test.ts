import { beforeEach, describe, expect, it } from 'vitest';
import { migrateOrgs } from '../../lib/orgs/migrations.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

const VERSION = 2;

let t: TestApp;

const sql = (text: string, params: (string | number)[] = []) => t.services.database.sql.unsafe(text, params);

/** More than a page of organizations, as far as this needs them, of which a few are not behind. */
beforeEach(async () => {
  t = await startApp();
  await sql(
    `insert into shared.orgs (id, name, slug, plan, schema_version, created_at)
     select gen_random_uuid(), 'Acme', 'acme-' || i, 'free', case when i % 100 = 0 then ${VERSION} else 1 end, now()
     from generate_series(1, 600) i`,
  );
});

const behind = async () => {
  const rows = await sql(`select id from shared.orgs where schema_version < ${VERSION} order by id`);
  return rows.map(({ id }) => id as string);
};

/** Migrates by a number only; `fail` may throw instead. @returns those that were tried */
async function migrate(fail: (id: string) => void = () => {}): Promise<string[]> {
  const tried: string[] = [];
  await migrateOrgs({
    db: t.services.database.db,
    version: VERSION,
    atOnce: 4,
    async migrate(id) {
      tried.push(id);
      fail(id);
      await sql('update shared.orgs set schema_version = $1 where id = $2', [VERSION, id]);
    },
    log: silentLog,
  });
  return tried;
}

const failure = (code: string) => Object.assign(new Error('on purpose'), { code });

describe('all organizations that are behind', () => {
  it('are migrated, each once', async () => {
    const ids = await behind();
    expect((await migrate()).sort()).toEqual(ids);
    expect(await behind()).toEqual([]);
    expect(await migrate()).toEqual([]);
  });

  it('are migrated by several processes at once', async () => {
    const ids = await behind();
    const tried = (await Promise.all([migrate(), migrate(), migrate()])).flat();
    expect([...new Set(tried)].sort()).toEqual(ids);
    expect(await behind()).toEqual([]);
  });

  it('are gone through when some fail, which are left behind after one attempt', async () => {
    const broken = new Set((await behind()).filter((_, i) => i % 200 === 0));
    const tried = await migrate((id) => {
      if (broken.has(id)) throw failure('42P07');
    });
    expect(tried.filter((id) => broken.has(id))).toHaveLength(broken.size);
    expect(await behind()).toEqual([...broken]);
  });

  it.each(['CONNECTION_CLOSED', '55P03', '40P01'])(
    'are tried again after a failure that will pass: %s',
    async (code) => {
      let failures = 3;
      await migrate(() => {
        if (failures-- > 0) throw failure(code);
      });
      expect(await behind()).toEqual([]);
    },
  );

  it('are left alone when the pool has been closed', async () => {
    const tried = await migrate(() => {
      throw failure('CONNECTION_ENDED');
    });
    expect(tried.length).toBeLessThan(10);
  });

  it('are not worth more than one query when there are none', async () => {
    await migrate();
    const queries: string[] = [];
    const { db } = t.services.database;
    const select = db.select.bind(db);
    const counting = Object.assign(Object.create(db), {
      select: (...args: []) => {
        queries.push('select');
        return select(...args);
      },
    });
    const none = async () => expect.unreachable();
    await migrateOrgs({ db: counting, atOnce: 4, version: VERSION, migrate: none, log: silentLog });
    expect(queries).toHaveLength(1);
  });
});
