import { parseArgs } from 'node:util';
import { type Api, createApi, createUser } from '../tests/support/api.ts';
import { openBenchDatabase } from './support/postgres.ts';
import { startServer } from './support/server.ts';
import type { Bench } from './support/site.ts';
import { median, table } from './support/stats.ts';

const WARM_UP = 20;

/** Whether the time of an answer tells that an address has an account: medians of alternating calls. */
export const accountTiming: Bench = {
  summary: 'Login and forgot-password for known and unknown addresses, in turns: does time tell them apart?',
  usage: '[--calls 200]',

  async run(args, site) {
    const { values } = parseArgs({ args, options: { calls: { type: 'string', default: '200' } } });
    const calls = Number(values.calls);
    const database = await openBenchDatabase(site, process.env.DATABASE_URL);
    const { origin } = await startServer(site, { root: site.root, databaseUrl: database.url });
    const api = createApi((request) => fetch(request), origin);
    const { email } = await createUser(api);

    const results = [];
    for (const [name, path] of [
      ['login', '/auth/login'],
      ['forgot-password', '/auth/forgot-password'],
    ] as const) {
      const known: number[] = [];
      const unknown: number[] = [];
      for (let i = -WARM_UP; i < calls / 2; i++) {
        const times = [
          await time(api, path, email),
          await time(api, path, `nobody-${i}@example.com`),
        ] as const;
        if (i < 0) continue;
        known.push(times[0]);
        unknown.push(times[1]);
      }
      const difference = Math.abs(median(known) / median(unknown) - 1);
      results.push({ name, known: median(known), unknown: median(unknown), difference });
    }
    const ms = (value: number) => value.toFixed(2);
    const rows = results.map(({ name, known, unknown, difference }) => [
      name,
      ms(known),
      ms(unknown),
      `${(difference * 100).toFixed(1)} %`,
    ]);
    site.say(`${table([['', 'known ms', 'unknown ms', 'difference'], ...rows])}\n`);
    site.say(`written to ${await site.save({ calls, results })}`);
  },
};

async function time(api: Api, path: string, email: string): Promise<number> {
  const started = performance.now();
  await api.post(path, { body: { email, password: 'Wrong1password' } });
  return performance.now() - started;
}
