import { openDatabase } from '../../../db/client.ts';
import type { Sql } from '../../../db/pool/query.ts';
import { createClient, createUser, must } from '../../../tests/support/api/client.ts';
import type { Scene } from '../../../tests/support/scenario/scene.ts';
import type { ServerProcess } from '../../../tests/support/server/process.ts';

/** One of many organizations of one owner. */
export interface FleetOrg {
  id: string;
  slug: string;
}

/** The organizations of this test, and what its phases need. */
export interface Fleet {
  scene: Scene;
  databaseUrl: string;
  /** A connection besides the servers'. */
  sql: Sql;
  owner: { id: string; cookie: string };
  orgs: FleetOrg[];
}

/** Concurrent requests, and connections of the bare statements they are compared with. */
export const AT_ONCE = 4;

export const apiOf = ({ url }: Pick<ServerProcess, 'url'>) => createClient(fetch, url);

/** The first write to an organization, which creates its tables. */
export const firstWrite = async (
  api: ReturnType<typeof apiOf>,
  { cookie }: Fleet['owner'],
  org: string,
): Promise<void> => {
  must(await api.post('/views', { cookie, org, body: { name: 'All', query: 'status=open' } }));
};

/** A fleet with the one organization its owner starts with, which has tables. */
export async function openFleet(scene: Scene): Promise<Fleet> {
  const { url, sql } = await scene.database();
  const server = await scene.server();
  const owner = await createUser(apiOf(server));
  const orgs = await sql.unsafe<FleetOrg[]>('select id, slug from shared.orgs');
  for (const { slug } of orgs) await firstWrite(apiOf(server), owner, slug);
  await server.stop();
  return { scene, databaseUrl: url, sql, owner, orgs: [...orgs] };
}

/** Calls `use` for each item, at most `atOnce` at a time. */
export async function forEach<Item>(
  items: Iterable<Item>,
  atOnce: number,
  use: (item: Item) => Promise<unknown>,
): Promise<void> {
  const rest = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = rest.next(); !next.done; next = rest.next()) await use(next.value);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Items per second when `use` is called for each. */
export async function rateOf<Item>(
  items: readonly Item[],
  use: (item: Item) => Promise<unknown>,
): Promise<number> {
  const began = performance.now();
  await forEach(items, AT_ONCE, use);
  return (items.length / (performance.now() - began)) * 1000;
}

/** Items per second of the statements alone: a transaction for each item, over as many connections. */
export async function bareRateOf<Item>(
  { databaseUrl }: Fleet,
  items: readonly Item[],
  statementsOf: (item: Item) => readonly string[],
): Promise<number> {
  const { sql, close } = openDatabase({ url: databaseUrl, max: AT_ONCE, applicationName: 'bare' });
  const transaction = (item: Item) =>
    sql.begin((tx) => Promise.all(statementsOf(item).map((statement) => tx.unsafe(statement))));
  try {
    await forEach(Array.from({ length: AT_ONCE }), AT_ONCE, () => sql.unsafe('select 1'));
    return await rateOf(items, transaction);
  } finally {
    await close();
  }
}

/** Splits items into portions of about the same size, in order. */
export function portions<Item>(items: readonly Item[], count: number): Item[][] {
  const size = Math.ceil(items.length / count);
  return Array.from({ length: count }, (_, i) => items.slice(i * size, (i + 1) * size)).filter(
    (portion) => portion.length > 0,
  );
}
