import { setTimeout as sleep } from 'node:timers/promises';
import { orgSchemaName } from '../../../db/schema/org-schema.ts';
import { orgMigrations } from '../../../drizzle/migrations.ts';
import { type Figure, NONE } from '../../../tests/support/scenario/figure.ts';
import { percentile } from '../../../tests/support/scenario/stats.ts';
import type { ServerProcess } from '../../../tests/support/server/process.ts';
import { nextOrgSteps, STEPS } from '../next-version.ts';
import { apiOf, bareRateOf, type Fleet, type FleetOrg } from './fleet.ts';

/** Share of the organizations for the bare DDL, before and after, and their least number. */
const BARE = { share: 0.1, least: 150 };

/** Migrates all organizations by starting the next version, which serves requests to some of them meanwhile. */
export async function migrateMany(fleet: Fleet, entry: string): Promise<Figure[]> {
  const { orgs, scene } = fleet;
  const before = await bareRate(fleet, 'before');
  const server = await scene.server({ entry, env: { [STEPS]: '1' } });
  const began = performance.now();
  const over = new AbortController();
  const asked = ask(fleet, server, over.signal);
  const version = orgMigrations.length + 1;
  await untilBehind(fleet, version, 0);
  const rate = (orgs.length / (performance.now() - began)) * 1000;
  over.abort();
  const { unexpected, visited, waited } = await asked;
  await server.stop();
  const after = await bareRate(fleet, 'after');
  scene.site.say(
    `  migrated ${rate.toFixed(1)}/s, bare ${before.toFixed(1)} and ${after.toFixed(1)}/s; meanwhile ${visited.length} requests to those that were current, ${waited.length} to those behind`,
  );
  const figures: Figure[] = [
    {
      name: 'organizations migrated/s',
      value: rate,
      limit: (before + after) / 2,
      limitedBy: 'the same DDL alone',
      aim: { atLeast: 0.6 },
      rounds: { values: [rate], limits: [before, after] },
    },
    {
      name: 'meanwhile: a request to one that is current, p99 ms',
      value: percentile(visited, 0.99),
      aim: { atMost: 250 },
    },
    { name: 'meanwhile: other answers than 200', value: unexpected, aim: NONE },
  ];
  if (waited.length > 0) {
    figures.push({
      name: 'meanwhile: the first request to one that is behind, longest ms',
      value: Math.max(...waited),
      aim: { atMost: 1_000 },
    });
  }
  return figures;
}

/** Runs the step's statements alone, with other names, on some of the organizations. */
function bareRate(fleet: Fleet, when: string): Promise<number> {
  const some = fleet.orgs.slice(0, Math.max(BARE.least, fleet.orgs.length * BARE.share));
  const statements = (nextOrgSteps(1)[0]?.statements ?? []).map((text) =>
    text.replaceAll('soak_1', `bare_${when}`),
  );
  return bareRateOf(fleet, some, ({ id }) =>
    statements.map((text) => text.replaceAll('org_template', orgSchemaName(id))),
  );
}

/** Resolves when at most this many organizations are below a version. */
export async function untilBehind({ sql }: Fleet, version: number, atMost: number): Promise<void> {
  for (;;) {
    const [row] = await sql.unsafe<{ behind: number }[]>(
      `select count(*)::int as behind from shared.orgs where schema_version > 0 and schema_version < ${version}`,
    );
    if (row && row.behind <= atMost) return;
    await sleep(50);
  }
}

/** Sends requests to one organization continuously, and one to each of the others that are behind. */
async function ask({ orgs, owner, sql }: Fleet, server: ServerProcess, signal: AbortSignal) {
  const api = apiOf(server);
  const seen = { visited: [] as number[], waited: [] as number[], unexpected: 0 };
  async function time(org: FleetOrg, times: number[]) {
    const began = performance.now();
    const { status } = await api.get('/projects', { cookie: owner.cookie, org: org.slug });
    times.push(performance.now() - began);
    if (status !== 200) seen.unexpected++;
  }
  const isBehind = async ({ id }: FleetOrg) => {
    const rows = await sql.unsafe(
      `select from shared.orgs where id = '${id}' and schema_version <= ${orgMigrations.length}`,
    );
    return rows.length > 0;
  };
  const same = async () => {
    const org = orgs[0] as FleetOrg;
    await time(org, []);
    for (; !signal.aborted; await sleep(100)) await time(org, seen.visited);
  };
  const others = async () => {
    for (const org of orgs.toSorted(() => Math.random() - 0.5)) {
      if (signal.aborted) return;
      if (await isBehind(org)) await time(org, seen.waited);
      await sleep(200);
    }
  };
  await Promise.all([same(), others()]);
  return seen;
}
