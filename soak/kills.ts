import { join } from 'node:path';
import { type Figure, NONE } from '../tests/support/scenario/figure.ts';
import { type Scene, scenario } from '../tests/support/scenario/scene.ts';
import { sum } from '../tests/support/scenario/stats.ts';
import { type Kind, type Place, playRound, playStarts } from './support/kill-rounds.ts';
import { buildNextVersion } from './support/next-version.ts';
import { embeddedUrl } from './support/victim.ts';
import type { Halves } from './support/wholeness.ts';

const KINDS: readonly Kind[] = [
  { name: 'server', database: 'embedded' },
  { name: 'server, database elsewhere', database: 'standing' },
  { name: 'server and postmaster', database: 'embedded', whom: 'postmaster too' },
  { name: 'server that migrates', database: 'embedded', upgrade: true },
  { name: 'postmaster alone', database: 'embedded', only: 'postmaster' },
  { name: 'server that migrates, database elsewhere', database: 'standing', upgrade: true },
  { name: 'all processes', database: 'embedded', whom: 'all' },
  { name: 'backend alone', database: 'embedded', only: 'backend' },
  { name: 'reading process alone', database: 'standing', only: 'reading process' },
  { name: 'all processes of a server that migrates', database: 'embedded', whom: 'all', upgrade: true },
];

export const kills = scenario({
  summary:
    'kill -9 at random moments of ingest, batches, reports, org creation, registration, migration, the first start: nothing is lost, half done or stuck',
  options: { rounds: 50, starts: 20 },
  minutes: 40,
  async run(scene, { rounds, starts }): Promise<Figure[]> {
    const entry = await buildNextVersion(scene.site);
    const places = await openPlaces(scene);
    const seen = {
      lost: [] as string[],
      halves: [] as Halves[],
      unexpected: [] as string[],
      restarts: [] as number[],
      returns: [] as number[],
      sinceUp: [] as number[],
      halfWay: 0,
    };
    for (let round = 0; round < rounds; round++) {
      const kind = KINDS[round % KINDS.length] as Kind;
      const place = places[kind.database];
      const { back, halfWay, found } = await playRound({
        scene,
        entry,
        kind,
        place,
        last: round >= rounds - KINDS.length,
      });
      seen[kind.only ? 'returns' : 'restarts'].push(back.ms);
      if (halfWay) seen.halfWay++;
      seen.lost.push(...found.lost);
      seen.halves.push(found.halves);
      const unexpected = place.ledgers.at(-1)?.unexpected ?? [];
      const faults = [found.lost, unexpected, ...Object.values(found.halves)].flat() as string[];
      seen.unexpected.push(...unexpected);
      const answered = place.ledgers.at(-1)?.answered;
      scene.site.say(
        `  ${round + 1}: ${kind.name}: ${answered} writes answered, back after ${back.ms} ms${back.sinceUp === undefined ? '' : `, ${back.sinceUp} ms after the database`}`,
      );
      for (const fault of faults) scene.site.say(`    ${fault}`);
      if (back.sinceUp !== undefined) seen.sinceUp.push(back.sinceUp);
    }
    const unstartable = await playStarts(scene, entry, starts);
    const answered = Object.values(places).flatMap(({ ledgers }) => ledgers.map((ledger) => ledger.answered));
    const none = (name: string, all: readonly unknown[]): Figure => ({
      name,
      value: all.length,
      aim: NONE,
    });
    const halves = (key: keyof Halves) => seen.halves.flatMap((found) => found[key]);
    return [
      { name: 'writes answered', value: sum(answered) },
      none('of them lost', seen.lost),
      none('half organizations', halves('orgs')),
      none('half users', halves('users')),
      none('half migrations', halves('migrations')),
      none('wrong counts', halves('counts')),
      none('stuck locks', halves('locks')),
      none('answers neither success nor unavailable', seen.unexpected),
      { name: 'upgrades that were interrupted half way', value: seen.halfWay },
      { name: 'database alone killed: longest outage, ms', value: Math.max(...seen.returns) },
      {
        name: 'database alone killed: healthy after it is up, ms',
        value: Math.max(...seen.sinceUp),
        aim: { atMost: 3_000 },
      },
      { name: 'slowest start after a kill, ms', value: Math.max(...seen.restarts), aim: { atMost: 10_000 } },
      { ...none('first starts that did not recover', unstartable), rounds: { values: [starts] } },
    ];
  },
});

async function openPlaces({ site, database }: Scene): Promise<Record<Kind['database'], Place>> {
  const { url } = await database();
  const embedded = join(site.workDir, 'embedded');
  const place = (dataDir: string, server: string, databaseUrl: Place['databaseUrl']): Place => ({
    ...{ dataDir, server, databaseUrl, steps: 0, ledgers: [] },
  });
  return {
    embedded: place(embedded, 'embedded', () => embeddedUrl(embedded)),
    standing: place(join(site.workDir, 'standing'), url, async () => url),
  };
}
