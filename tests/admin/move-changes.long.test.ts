import { describe, expect, it } from 'vitest';
import { type Migration, migrateOrg } from '../../db/migrations/migrate.ts';
import { TEMPLATE_SCHEMA } from '../../db/schema/org-schema.ts';
import { orgMigrations } from '../../drizzle/migrations.ts';
import { type Meddle, moveBetween, sqlOf, UNAVAILABLE, useCells } from '../support/admin/cells.ts';
import { createOrg, createUser, must, PASSWORD, type TestOrg } from '../support/api/api.ts';
import type { TestApp } from '../support/server/app.ts';

/* What changes in the cells while an organization moves: their version, names, members and settings. */

let one: TestApp;
let two: TestApp;
let org: TestOrg;

const { schema, get, cancel } = useCells((made) => {
  ({ one, two, org } = made);
});

class Died extends Error {}

const move = (meddle?: Meddle, options: { leaveOut?: boolean; migrations?: readonly Migration[] } = {}) =>
  moveBetween(one, two, org, 'two', undefined, meddle ? { meddle, ...options } : options);

/** Does something after the first statement with a text. */
function onceAfter(part: string, what: () => Promise<unknown> | unknown): Meddle {
  let done = false;
  return async (text) => {
    if (done || !text.includes(part)) return;
    done = true;
    await what();
  };
}

/** The process of the command dies after a statement. */
const diesAfter = (part: string): Meddle =>
  onceAfter(part, () => {
    throw new Died();
  });

/** Reads what was left: it has left, and does not serve it yet. */
const LEFT = 'select rows::text';
const PAUSED = 'create or replace trigger';

describe('when both cells are upgraded', () => {
  const next: Migration = {
    name: '9001_next',
    hash: 'next',
    statements: [
      `ALTER TABLE "${TEMPLATE_SCHEMA}"."findings" ADD COLUMN "next" text;`,
      `CREATE INDEX "findings_next" ON "${TEMPLATE_SCHEMA}"."findings" USING btree ("next");`,
    ],
  };
  const upgraded = [...orgMigrations, next];
  const versionIn = async (t: TestApp) => {
    const [row] = await sqlOf(t).unsafe(`select schema_version as version,
      (select count(*)::int from shared.org_migrations where org_id = id) as steps,
      (select count(*)::int from pg_indexes where schemaname = '${schema()}' and indexname = 'findings_next') as indexes
      from shared.orgs where id = '${org.id}'`);
    return row;
  };
  const atNext = { version: upgraded.length, steps: upgraded.length, indexes: 1 };

  it('after the organization has left, its copy is upgraded when it arrives', async () => {
    await expect(move(diesAfter(LEFT))).rejects.toThrow(Died);
    await move(undefined, { migrations: upgraded });
    expect(await versionIn(two)).toEqual(atNext);
  });

  it('before it has left, the copy begins anew', async () => {
    await expect(move(diesAfter(PAUSED))).rejects.toThrow(Died);
    await migrateOrg(sqlOf(one), org.id, upgraded);
    await move(undefined, { migrations: upgraded });
    expect(await versionIn(two)).toEqual(atNext);
  });
});

describe('a slug that an organization on its way from another cell has', () => {
  const awaits = (slug: string) =>
    sqlOf(two).begin(async (tx) => {
      await tx.unsafe(`insert into shared.org_arrivals (org_id, copy_id, accounts, slug)
        values (gen_random_uuid(), gen_random_uuid(), '{}', '${slug}')`);
      await tx.unsafe(`insert into shared.reserved_slugs (slug, reserved_at) values ('${slug}', now())`);
    });

  it('is not given to one that had it before', async () => {
    const former = org.slug;
    must(await one.api.patch(`/orgs/${former}`, { ...org.asOwner, body: { slug: `${former}-2` } }));
    await awaits(former);
    await moveBetween(one, two, { slug: `${former}-2` });
    const [row] = await sqlOf(two).unsafe(
      `select org_id from shared.reserved_slugs where slug = '${former}'`,
    );
    expect(row).toEqual({ org_id: null });
  });

  it('may be taken there while rows are copied: the organization stays', async () => {
    const other = await createOrg(two.api);
    const taken = onceAfter('pg_create_logical_replication_slot', () =>
      sqlOf(two).unsafe(`update shared.orgs set slug = '${org.slug}' where id = '${other.id}'`),
    );
    await expect(move(taken)).rejects.toThrow(`the other cell cannot take ${org.slug}: slug taken`);
    expect((await get(one)).status).toBe(200);
    await cancel();
  });

  it('keeps another one with it out', async () => {
    await awaits(org.slug);
    await expect(move()).rejects.toThrow(`the other cell cannot take ${org.slug}: slug reserved`);
    expect((await get(one)).status).toBe(200);
  });
});

describe('members', () => {
  /** A verified stranger of the other cell with the address of a member. */
  const claim = async (email: string) => {
    must(await two.api.post('/auth/register', { body: { email, password: PASSWORD, name: 'Stranger' } }));
    await sqlOf(two).unsafe(`update shared.user_emails set verified_at = now() where email = '${email}'`);
  };
  const add = (id: string, role: string) =>
    sqlOf(one).unsafe(`insert into shared.memberships (org_id, user_id, role, created_at)
      values ('${org.id}', '${id}', '${role}', now())`);

  it('who come while writes are paused lose no access', async () => {
    const member = await createUser(one.api);
    await claim(member.email);
    const comes = onceAfter(PAUSED, () => add(member.id, 'viewer'));
    await expect(move(comes)).rejects.toThrow(`addresses of 1 members (${member.email})`);
    expect((await get(one)).status).toBe(200);
    await cancel();
  });

  it('who are left out do not become the only owners while writes are paused', async () => {
    const second = await createUser(one.api);
    await add(second.id, 'owner');
    await claim(org.owner.email);
    const changes = onceAfter(PAUSED, () =>
      sqlOf(one).unsafe(`update shared.memberships set role = 'viewer' where user_id = '${second.id}'`),
    );
    await expect(move(changes, { leaveOut: true })).rejects.toThrow(/addresses of all owners/);
    expect((await get(one)).status).toBe(200);
    await cancel();
  });

  it('keep an owner: the only one is not the same account there as another member', async () => {
    const member = await createUser(one.api);
    await add(member.id, 'viewer');
    await sqlOf(one).unsafe(
      `update shared.user_emails set verified_at = now() where user_id = '${org.owner.id}'`,
    );
    const [row] = await sqlOf(one).unsafe(
      `select row_to_json(t)::text as json from shared.users t where id = '${member.id}'`,
    );
    await sqlOf(two).unsafe(
      `insert into shared.users select * from json_populate_record(null::shared.users, $1::text::json)`,
      [String(row?.json)],
    );
    await sqlOf(
      two,
    ).unsafe(`insert into shared.user_emails (id, user_id, email, is_primary, verified_at, created_at)
      values (gen_random_uuid(), '${member.id}', '${org.owner.email}', true, now(), now())`);
    await expect(move()).rejects.toThrow(/addresses of all owners/);
    expect((await get(one)).status).toBe(200);
    await cancel();
  });

  it('are none of the other cell if the address of the only owner was claimed there: the move waits', async () => {
    await expect(move(diesAfter(LEFT))).rejects.toThrow(Died);
    await claim(org.owner.email);
    await expect(move()).rejects.toThrow(/without an owner with --leave-out/);
    await sqlOf(two).unsafe(`delete from shared.users where name = 'Stranger'`);
    expect(await move()).toMatchObject({ members: 1 });
  });
});

it('a setting that is changed while the organization leaves is not changed', async () => {
  const change = (t: TestApp, days: number) =>
    t.api.put('/settings/retention', { ...org.asOwner, body: { resolved_findings: days } });
  must(await change(one, 90));
  let changing: Promise<{ status: number; error?: string }> | undefined;
  await move(
    onceAfter('"shared"."retention" t', async () => {
      changing = change(one, 30);
      await Promise.race([changing, new Promise((later) => setTimeout(later, 300))]);
    }),
  );
  expect((await changing)?.error).toBe(UNAVAILABLE);
  const rows = await sqlOf(two).unsafe(
    `select resolved_findings as days from shared.retention where org_id = '${org.id}'`,
  );
  expect(rows).toEqual([{ days: 90 }]);
});

describe('a move that was not completed', () => {
  /** Moves it until it is served there, and takes it from there as a move to a third cell does. */
  const leaveBoth = async (startedAt: string) => {
    let hasLeft = false;
    const diesWhenItHasArrived: Meddle = async (text) => {
      hasLeft ||= text.includes(LEFT);
      if (hasLeft && text.startsWith('drop publication')) throw new Died();
    };
    await expect(move(diesWhenItHasArrived)).rejects.toThrow(Died);
    await sqlOf(two).unsafe(`insert into shared.org_moves (org_id, slug, cell, copy_id, started_at, moved_at)
      values ('${org.id}', '${org.slug}', 'three', gen_random_uuid(), ${startedAt}, now())`);
    await sqlOf(two).unsafe(`alter schema "${schema()}" rename to "moved_${org.id.replaceAll('-', '')}"`);
    await sqlOf(two).unsafe(`delete from shared.orgs where id = '${org.id}'`);
  };

  it('is, although the organization has moved on', async () => {
    await leaveBoth('now()');
    await move();
    await expect(move()).rejects.toThrow('has moved to two already');
  });

  it('is not if the organization left the other cell before: it is in none', async () => {
    await leaveBoth("now() - interval '1 hour'");
    await expect(move()).rejects.toThrow(/neither the organization nor its copy/);
  });
});
