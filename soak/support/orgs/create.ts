import { randomUUID } from 'node:crypto';
import { createIds } from '../../../db/ids.ts';
import { orgSchemaStatements } from '../../../db/migrations/migrate.ts';
import { orgMigrations } from '../../../drizzle/migrations.ts';
import { must } from '../../../tests/support/api/client.ts';
import { type Figure, figureOf } from '../../../tests/support/scenario/figure.ts';
import { apiOf, bareRateOf, type Fleet, type FleetOrg, firstWrite, portions, rateOf } from './fleet.ts';

const ROUNDS = 10;
/** Share of the organizations that is made through the API; bare DDL makes the others. */
const BY_API = 0.8;

/**
 * Fills a fleet: creates organizations with `POST /orgs`, then their tables, alternating between first writes and the same DDL on as
 * many connections.
 */
export async function createOrgs(fleet: Fleet, n: number): Promise<Figure[]> {
  const { owner, scene, sql } = fleet;
  const server = await scene.server();
  const api = apiOf(server);
  const nextId = createIds(() => new Date());
  const create = async (slug: string) => {
    const { id } = must(await api.post('/orgs', { cookie: owner.cookie, body: { name: slug, slug } }));
    fleet.orgs.push({ id, slug });
  };
  const write = (slug: string) => firstWrite(api, owner, slug);
  const slugs = Array.from({ length: n }, () => `org-${randomUUID().slice(0, 13)}`);
  const ours: number[] = [];
  const bare: number[] = [];

  // The first ones meet cold caches, and files that grow in steps.
  const first = slugs.splice(0, Math.ceil(n / 20));
  await rateOf(first, create);
  await rateOf(first, write);
  const byApi = slugs.slice(0, Math.ceil(slugs.length * BY_API));
  const before = await sizeOf(fleet);
  const created = await rateOf(byApi, create);
  const withoutTables = await sizeOf(fleet);
  const others = portions(slugs.slice(byApi.length), ROUNDS);
  for (const [round, portion] of portions(byApi, ROUNDS).entries()) {
    const made: FleetOrg[] = (others[round] ?? []).map((slug) => ({ id: nextId().id, slug }));
    ours.push(await rateOf(portion, write));
    bare.push(await bareRateOf(fleet, made, ({ id }) => orgSchemaStatements(id, orgMigrations)));
    await register(fleet, made);
    scene.site.say(`  first writes: ${ours.at(-1)?.toFixed(1)}/s, bare DDL ${bare.at(-1)?.toFixed(1)}/s`);
  }
  const withTables = await sizeOf(fleet);
  await server.stop();
  await sql.unsafe('vacuum (analyze) shared.orgs');
  return [
    { name: 'organizations made/s', value: created },
    {
      name: 'first writes to organizations/s',
      ...figureOf({ ours: ours, limit: bare }, (value) => value),
      limitedBy: 'the same DDL alone',
      aim: { atLeast: 0.6 },
    },
    {
      name: 'KiB of disk per organization without tables',
      value: (withoutTables - before) / byApi.length / 1024,
      aim: { atMost: 5 },
    },
    {
      name: 'KiB of disk per organization with tables',
      value: (withTables - withoutTables) / slugs.length / 1024,
      aim: { atMost: 650 },
    },
  ];
}

/** Turns existing schemas into organizations. */
async function register({ owner, orgs, sql }: Fleet, made: readonly FleetOrg[]): Promise<void> {
  const rows = [JSON.stringify(made)];
  const given = 'json_to_recordset($1::text::json) as o(id uuid, slug text)';
  await sql.unsafe(
    `insert into shared.orgs (id, name, slug, plan, schema_version, created_at)
     select id, slug, slug, 'free', ${orgMigrations.length}, now() from ${given}`,
    rows,
  );
  await sql.unsafe(
    `insert into shared.memberships (org_id, user_id, role, created_at)
     select id, '${owner.id}', 'owner', now() from ${given}`,
    rows,
  );
  for (const { name, hash } of orgMigrations) {
    await sql.unsafe(
      `insert into shared.org_migrations (org_id, name, hash, applied_at)
       select id, '${name}', '${hash}', now() from ${given}`,
      rows,
    );
  }
  orgs.push(...made);
}

async function sizeOf({ sql }: Fleet): Promise<number> {
  await sql.unsafe('checkpoint').catch(() => {});
  const [row] = await sql.unsafe<{ size: string }[]>('select pg_database_size(current_database()) as size');
  return Number(row?.size);
}
