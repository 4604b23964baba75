import { createUser } from '../../../tests/support/api/client.ts';
import { makeDatabase } from '../../../tests/support/database/scratch.ts';
import { type Figure, figureOf } from '../../../tests/support/scenario/figure.ts';
import { median } from '../../../tests/support/scenario/stats.ts';
import { apiOf, type Fleet } from './fleet.ts';

const ROUNDS = 9;

/** Starts servers alternately on a database with many organizations and on one with a single organization. */
export async function startWithMany(fleet: Fleet): Promise<Figure[]> {
  const { databaseUrl, scene, sql } = fleet;
  const small = await openSmall(fleet);
  const times = { many: [] as number[], one: [] as number[] };
  const start = async (url: string) => {
    const began = performance.now();
    const server = await scene.server({ databaseUrl: url });
    const { status } = await fetch(`${server.url}/healthz`);
    const ms = performance.now() - began;
    if (status !== 200) throw new Error(`/healthz answers ${status}`);
    await server.stop();
    return ms;
  };
  for (const url of [databaseUrl, small]) await start(url);
  for (let round = 0; round < ROUNDS; round++) {
    times.many.push(await start(databaseUrl));
    times.one.push(await start(small));
  }
  const [plan] = await sql.unsafe<{ 'QUERY PLAN': [{ 'Execution Time': number }] }[]>(
    'explain (analyze, format json) select count(*) from shared.orgs where schema_version < (select max(schema_version) from shared.orgs)',
  );
  scene.site.say(
    `  started in ${median(times.many).toFixed(0)} ms, with one ${median(times.one).toFixed(0)} ms`,
  );
  return [
    {
      name: 'start to /healthz, ms',
      ...figureOf({ ours: times.many, limit: times.one }, (value) => value),
      limitedBy: 'one organization',
      aim: { atMost: 1.3 },
    },
    {
      name: 'the query for those behind, ms',
      value: plan?.['QUERY PLAN'][0]['Execution Time'] ?? Number.NaN,
    },
  ];
}

/** A database besides the fleet's, with the one organization a user starts with. */
async function openSmall({ databaseUrl, scene }: Fleet): Promise<string> {
  const { url, drop } = await makeDatabase(databaseUrl, { prefix: 'small' });
  scene.site.onClose(drop);
  const server = await scene.server({ databaseUrl: url });
  await createUser(apiOf(server));
  await server.stop();
  return url;
}
