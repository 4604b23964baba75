import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { orgMigrations, sharedMigrations } from '../../../drizzle/migrations.ts';
import { runAdmin } from '../../../lib/admin/run.ts';
import { type Figure, NONE } from '../../../tests/support/scenario/figure.ts';
import type { ServerProcess } from '../../../tests/support/server/process.ts';
import { nextOrgSteps, nextSharedSteps, STEPS } from '../next-version.ts';
import { apiOf, type Fleet, type FleetOrg } from './fleet.ts';
import { untilBehind } from './migrate.ts';

const COUNT = 2;
const VERSION = orgMigrations.length + COUNT;
const KILLED_AT = 0.3;
const END_MS = 60_000;

/**
 * A version with one more step is killed while it migrates all organizations, then two servers start at the same time.
 * One of the organizations has a view whose name the step needs.
 */
export async function crashWhileMigrating(
  fleet: Fleet,
  entry: string,
): Promise<{ figures: Figure[]; steps: number }> {
  const { orgs, scene, sql } = fleet;
  const broken = orgs[randomInt(orgs.length)] as FleetOrg;
  const fine = orgs.find(({ id }) => id !== broken.id) as FleetOrg;
  await sql.unsafe(`create view "${orgSchemaName(broken.id)}"."soak_${COUNT}" as select 1 as one`);
  const start = () => scene.server({ entry, env: { [STEPS]: `${COUNT}` } });

  const victim = await start();
  await untilBehind(fleet, VERSION, Math.floor(orgs.length * (1 - KILLED_AT)));
  victim.signal('SIGKILL');
  await victim.exited;
  const left = await stepsDone(fleet);
  scene.site.say(`  killed when ${left.recorded} of ${orgs.length} were done; now two at once`);

  const servers = await Promise.all([start(), start()]);
  await untilBehind(fleet, VERSION, 1);
  const logs = await Promise.all(servers.map(ended));
  const done = await stepsDone(fleet);
  const failures = logs.flatMap((log) => [...log.matchAll(/organization cannot be migrated org=(\S+)/g)]);
  const wrong: string[] = [];
  const expect = (what: string, seen: unknown, wanted: unknown) => {
    if (JSON.stringify(seen) !== JSON.stringify(wanted)) wrong.push(`${what}: ${JSON.stringify(seen)}`);
  };
  for (const [what, count] of Object.entries(done)) expect(what, count, orgs.length - 1);
  expect('failed', [...new Set(failures.map(([, id]) => id))], [broken.id]);

  const ask = async (server: ServerProcess, { slug }: FleetOrg) => {
    const answer = await apiOf(server).get('/projects', { cookie: fleet.owner.cookie, org: slug });
    return [answer.status, answer.error];
  };
  for (const server of servers) {
    expect('the broken one answers', await ask(server, broken), [500, 'server_error/unavailable']);
    expect('another one answers', await ask(server, fine), [200, undefined]);
  }
  expect('admin orgs list --behind', await behindByAdmin(fleet), [broken.slug]);
  const [failed] = (await admin(fleet, 'migrate')).json.orgs;
  expect('admin migrate fails', [failed.org, failed.status], [broken.slug, 'failed']);
  expect('and says why', /soak_2.* already exists/.test(failed.error), true);
  await sql.unsafe(`drop view "${orgSchemaName(broken.id)}"."soak_${COUNT}"`);
  expect('admin migrate, repaired', (await admin(fleet, 'migrate')).code, 0);
  expect('admin orgs list --behind, repaired', await behindByAdmin(fleet), []);
  for (const server of servers)
    expect('the repaired one answers', await ask(server, broken), [200, undefined]);
  for (const [what, count] of Object.entries(await stepsDone(fleet))) expect(what, count, orgs.length);
  for (const server of servers) await server.stop();
  for (const line of wrong) scene.site.say(`  NOT AS EXPECTED: ${line}`);
  const figures = [
    { name: 'done when it was killed', value: left.recorded },
    {
      name: 'wrong after kill -9, two servers at once, and an organization that cannot be migrated',
      value: wrong.length,
      aim: NONE,
    },
  ];
  return { figures, steps: COUNT };
}

/** Not of the tables that organizations without tables share, which a version creates when it starts. */
const OF_ORG = `starts_with(relnamespace::regnamespace::text, 'org_')`;

/** How many organizations have each object of the step. All numbers have to be equal. */
async function stepsDone({ sql }: Fleet) {
  const name = `soak_${COUNT}`;
  const [row] = await sql.unsafe<{ recorded: number; versions: number; tables: number; columns: number }[]>(
    `select
       (select count(*)::int from shared.org_migrations where name = $1) as recorded,
       (select count(*)::int from shared.orgs where schema_version = ${VERSION}) as versions,
       (select count(*)::int from pg_class where relname = $2 || '_n' and ${OF_ORG}) as tables,
       (select count(*)::int from pg_attribute join pg_class on pg_class.oid = attrelid where attname = $2 and ${OF_ORG}) as columns`,
    [nextOrgSteps(COUNT).at(-1)?.name ?? '', name],
  );
  if (!row) throw new Error('nothing was counted');
  return row;
}

/** The server's log when it has gone through all organizations. */
async function ended({ log }: ServerProcess): Promise<string> {
  for (const deadline = Date.now() + END_MS; Date.now() < deadline; await sleep(50)) {
    if (/organizations migrated/.test(log())) break;
  }
  return log();
}

async function behindByAdmin(fleet: Fleet): Promise<string[]> {
  const { json } = await admin(fleet, 'orgs', 'list', '--behind');
  return json.map(({ slug }: FleetOrg) => slug);
}

/** The admin command of the same version. */
async function admin({ databaseUrl }: Fleet, ...args: string[]) {
  let out = '';
  const code = await runAdmin([...args, '--json'], {
    env: { DATABASE_URL: databaseUrl },
    out: (text) => {
      out += text;
    },
    err: () => {},
    tracks: {
      shared: [...sharedMigrations, ...nextSharedSteps(COUNT)],
      org: [...orgMigrations, ...nextOrgSteps(COUNT)],
    },
  });
  return { code, json: JSON.parse(out) };
}
