import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { accountTiming } from './account-timing.ts';
import { dashboard } from './dashboard.ts';
import { exports } from './exports.ts';
import { hello } from './hello.ts';
import { ingest, ingestAgain, ingestMixed } from './ingest.ts';
import { list } from './list.ts';
import { login } from './login.ts';
import { page } from './page.ts';
import { point } from './point.ts';
import { scanCompletion } from './scan-completion.ts';
import { start } from './start.ts';
import type { Bench, BenchOptions } from './support/bench.ts';
import { findLoadGenerator } from './support/load.ts';
import { type Report, render } from './support/report.ts';
import { openSite } from './support/site.ts';
import { openStage } from './support/stage.ts';
import { ui } from './ui.ts';

const BENCHES: Record<string, Bench> = {
  ingest,
  'ingest-again': ingestAgain,
  'ingest-mixed': ingestMixed,
  list,
  exports,
  point,
  page,
  dashboard,
  'scan-completion': scanCompletion,
  login,
  start,
  hello,
  'account-timing': accountTiming,
  ui,
};

const USAGE = `Usage: npm run bench -- [<bench>…] [options]

Without a name all of them run. Each figure is held against a limit taken in the same run, in turns.

${Object.entries(BENCHES)
  .map(([name, { summary }]) => `  ${name.padEnd(16)} ${summary}`)
  .join('\n')}

  --rounds <n>        rounds of which the median counts (3)
  --seconds <n>       of load per round (6)
  --rows <n>          findings of the large organization (1000000)
  --loader wrk|node   the load generator: wrk where it is installed
  --checkout <dir>    measure the server of another checkout
  --profile           write the servers' CPU profiles into bench/results
  DATABASE_URL        a PostgreSQL to make a database on, instead of an embedded one
`;

const { names, options, loaderName } = readArguments();
// Whoever reads the output may leave (`| head`); the servers still have to be stopped.
process.stdout.on('error', () => {});

const site = await openSite();
let failed = false;
try {
  const loader = await findLoadGenerator(loaderName);
  const stage = openStage({ site, options, loader, databaseUrl: process.env.DATABASE_URL });
  const reports: Report[] = [];
  for (const name of names) {
    site.say(name);
    const bench = BENCHES[name] as Bench;
    const { figures, error } = await stage.perform(bench);
    reports.push({ bench: name, figures });
    if (error) {
      failed = true;
      process.stderr.write(`${name} failed: ${error.stack}\n`);
    }
  }
  site.say(`\n${render(reports)}\n`);
  const { settings } = await stage.database();
  const setup = { ...options, loader: loader.name, postgres: settings };
  site.say(
    `written to ${await site.save(names.length === 1 ? (names[0] as string) : 'bench', { setup, reports })}`,
  );
} catch (error) {
  failed = true;
  process.stderr.write(`${(error as Error).stack}\n`);
}
await site.close();
process.exit(failed ? 1 : 0);

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string', default: '3' },
        seconds: { type: 'string', default: '6' },
        rows: { type: 'string', default: '1000000' },
        loader: { type: 'string' },
        checkout: { type: 'string', default: resolve(import.meta.dirname, '..') },
        profile: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    const count = (name: 'rounds' | 'seconds' | 'rows') => {
      const value = Number(values[name]);
      if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}: a whole number from 1`);
      return value;
    };
    if (values.help) throw new Error('');
    const unknown = positionals.find((name) => !Object.hasOwn(BENCHES, name));
    if (unknown !== undefined) throw new Error(`there is no bench ${unknown}`);
    const options: BenchOptions = {
      ...{ rounds: count('rounds'), seconds: count('seconds'), rows: count('rows') },
      ...{ checkout: resolve(values.checkout), profile: values.profile },
    };
    const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
    return { names, options, loaderName: values.loader };
  } catch (error) {
    process.stderr.write(`${[(error as Error).message, USAGE].filter(Boolean).join('\n\n')}`);
    process.exit(2);
  }
}
