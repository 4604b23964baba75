import { parseArgs } from 'node:util';
import { openBenchDatabase } from '../tests/support/database/scratch.ts';
import { isMet } from '../tests/support/scenario/figure.ts';
import { type Report, render } from '../tests/support/scenario/report.ts';
import { openSite } from '../tests/support/scenario/site.ts';
import { buildServer, startServer } from '../tests/support/server/bench-server.ts';
import { agent } from './agent.ts';
import { clients } from './clients.ts';
import { disk } from './disk.ts';
import { hostile } from './hostile.ts';
import { kills } from './kills.ts';
import { loginFlood } from './login-flood.ts';
import { noisy } from './noisy.ts';
import { orgs } from './orgs.ts';
import { pgbouncer } from './pgbouncer.ts';
import { postgres } from './postgres.ts';
import { stop } from './stop.ts';
import type { Scene, Soak } from './support/soak.ts';

const SOAKS: Record<string, Soak> = {
  ...{
    agent,
    clients,
    disk,
    hostile,
    kills,
    'login-flood': loginFlood,
    noisy,
    orgs,
    pgbouncer,
    postgres,
    stop,
  },
};

const optionsOf = ({ options }: Soak) =>
  Object.entries(options)
    .map(([name, value]) => `--${name} ${value}`)
    .join(' ');

const USAGE = `Usage: npm run soak -- <name>… [options]

Each does something to the service, on loopback, and sees what becomes of it; it ends by itself.

${Object.entries(SOAKS)
  .map(
    ([name, test]) =>
      `  ${name.padEnd(12)} ${[test.summary, optionsOf(test)].filter(Boolean).join('\n               ')}`,
  )
  .join('\n')}

  all           all of them, one after the other
  DATABASE_URL   a PostgreSQL to make databases on, for those that do not need one of their own
`;

const { names, given } = readArguments();
// Whoever reads the output may leave (`| head`); what was started still has to be stopped.
process.stdout.on('error', () => {});

let failed = false;
const reports: Report[] = [];
for (const name of names) {
  const report = await perform(name, SOAKS[name] as Soak);
  reports.push(report);
}
process.stdout.write(`\n${render(reports)}\n`);
process.exit(failed ? 1 : 0);

/** Runs one with a site of its own, so that nothing of it is left for the next. */
async function perform(name: string, test: Soak): Promise<Report> {
  const site = await openSite('soak/results');
  const options = { ...test.options };
  for (const key of Object.keys(options)) options[key] = given[key] ?? (options[key] as number);
  site.say(`${name} ${optionsOf({ ...test, options })}`);
  let late: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    late = setTimeout(
      () => reject(new Error(`it took more than ${test.minutes} minutes`)),
      test.minutes * 60_000,
    );
  });
  let report: Report = { bench: name, figures: [] };
  try {
    report = { bench: name, figures: await Promise.race([test.run(openScene(site), options), tooLong]) };
    if (report.figures.some((figure) => isMet(figure) === false)) failed = true;
    site.say(`${render([report])}\nwritten to ${await site.save(name, { options, ...report })}`);
  } catch (error) {
    failed = true;
    process.stderr.write(`${name} failed: ${(error as Error).stack}\n`);
  }
  clearTimeout(late);
  await site.close();
  return report;
}

function openScene(site: Awaited<ReturnType<typeof openSite>>): Scene {
  let database: ReturnType<Scene['database']> | undefined;
  let built: Promise<void> | undefined;
  const scene: Scene = {
    site,
    database() {
      database ??= openBenchDatabase(site, process.env.DATABASE_URL);
      return database;
    },
    build() {
      built ??= buildServer(site.root);
      return built;
    },
    async server(options = {}) {
      await scene.build();
      return startServer(site, { root: site.root, ...options });
    },
  };
  return scene;
}

function readArguments() {
  try {
    const known = [...new Set(Object.values(SOAKS).flatMap(({ options }) => Object.keys(options)))];
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        ...Object.fromEntries(known.map((key) => [key, { type: 'string' as const }])),
        help: { type: 'boolean', default: false },
      },
    });
    const names = positionals.includes('all') ? Object.keys(SOAKS) : positionals;
    const unknown = names.find((name) => !Object.hasOwn(SOAKS, name));
    if (unknown !== undefined) throw new Error(`there is no soak test ${unknown}`);
    if (values.help || names.length === 0) throw new Error('');
    const given: Record<string, number> = {};
    for (const key of known) {
      const text = (values as Record<string, unknown>)[key];
      if (text === undefined) continue;
      given[key] = Number(text);
      if (!Number.isInteger(given[key]) || given[key] < 1) throw new Error(`--${key}: a whole number from 1`);
    }
    return { names, given };
  } catch (error) {
    process.stderr.write([(error as Error).message, USAGE].filter(Boolean).join('\n\n'));
    process.exit(2);
  }
}
