import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { parseConfig } from '../../lib/config/parse.ts';
import { begin } from '../../scripts/seed/story.ts';
import { openWorld, type World } from '../../scripts/seed/world.ts';
import { createDatabase, type TestDatabase } from '../support/database/database.ts';

/* The demo organization, as `npm run seed` makes it, in both modes. */

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createDatabase();
  database = openDatabase({ url: testDatabase.url, max: 1 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

async function inWorld<T>(strict: boolean, run: (world: World) => Promise<T>): Promise<T> {
  const config = parseConfig({
    SVC_STRICT: strict ? 'on' : 'off',
    SVC_REFUSE_INSECURE_SETTINGS: 'off',
    SVC_PUBLIC_URL: 'https://findings.example.com',
  });
  const world = await openWorld(config, testDatabase.url, Date.now() - 24 * 60 * 60_000);
  try {
    return await run(world);
  } finally {
    await world.close();
  }
}

const PASSWORD = 'lumen-Books-7-reader';

async function left() {
  const [row] = await database.sql.unsafe(
    `select (select count(*)::int from shared.users) as users, (select count(*)::int from shared.orgs) as orgs,
      (select count(*)::int from shared.outgoing_mails) as mails,
      (select count(*)::int from pg_namespace where nspname like 'org\\_%') as schemas`,
  );
  return { ...row } as Record<string, number>;
}

it.each([true, false])('is begun with strict mode %s, and removed without a trace', async (strict) => {
  const before = await left();
  await inWorld(strict, async (world) => {
    const userIds: string[] = [];
    const { addresses } = await begin(world, { slug: 'lumen-books', password: PASSWORD, userIds });
    expect(userIds).toHaveLength(addresses.length);
    expect((await left()).orgs).toBeGreaterThan(before.orgs ?? 0);
    await world.remove(userIds);
  });
  expect(await left()).toEqual(before);
});

it('leaves nothing when it fails on its way, and nothing of others is removed', async () => {
  await inWorld(true, async (world) => {
    const others: string[] = [];
    await begin(world, { slug: 'other-books', password: PASSWORD, userIds: others });
    const before = await left();
    const userIds: string[] = [];
    // Accounts are made before the slug is refused.
    await expect(begin(world, { slug: 'ab', password: PASSWORD, userIds })).rejects.toThrow();
    expect((await left()).users).toBeGreaterThan(before.users ?? 0);
    await world.remove(userIds);
    expect(await left()).toEqual(before);
    await world.remove(others);
  });
});
