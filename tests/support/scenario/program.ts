import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findLoadGenerator } from '../load/load.ts';
import { ROOT } from '../server/process.ts';
import { type Figure, isMet, type Report, render } from './figure.ts';
import { openScene, type Scenario, type Scene } from './scene.ts';
import { openSite } from './site.ts';

/** A command that runs scenarios: `npm run bench` or `npm run soak`. */
export interface Program {
  /** Results are written into `<name>/results`. */
  name: string;
  /** One sentence for `--help`. */
  about: string;
  scenarios: Record<string, Scenario>;
  /**
   * One scene for all scenarios, which then share a database, and one file of results. Otherwise each scenario has a
   * scene of its own, and a missed aim fails it.
   */
  isShared: boolean;
  /** Help for options that all scenarios share; otherwise `--help` lists those of each. */
  options?: string;
}

/** Runs the scenarios that the command line names, and ends this process. */
export async function runProgram(program: Program): Promise<never> {
  const { names, numbers, flags } = readArguments(program);
  // The reader of the output may leave (`| head`); the servers still have to be stopped.
  process.stdout.on('error', () => {});
  const loader = await findLoadGenerator(flags.loader);
  const open = async () => {
    const site = await openSite(`${program.name}/results`);
    return openScene(site, { loader, checkout: resolve(flags.checkout), profile: flags.profile });
  };
  const shared = program.isShared ? await open() : undefined;
  const reports: Report[] = [];
  let failed = false;
  const fail = (what: string, error: unknown) => {
    failed = true;
    process.stderr.write(`${what} failed: ${(error as Error).stack}\n`);
  };

  for (const scenario of names) {
    const scene = shared ?? (await open());
    const made = program.scenarios[scenario] as Scenario;
    const options = { ...made.options };
    for (const key of Object.keys(options)) options[key] = numbers[key] ?? (options[key] as number);
    scene.site.say(`${scenario} ${textOf(options)}`);
    let figures: Figure[] = [];
    try {
      figures = await perform(made, scene, options);
      const report = { scenario, figures };
      if (!shared) {
        if (figures.some((figure) => isMet(figure) === false)) failed = true;
        const file = await scene.site.save(scenario, { options, ...report });
        scene.site.say(`${render([report])}\nwritten to ${file}`);
      }
    } catch (error) {
      fail(scenario, error);
    }
    reports.push({ scenario, figures });
    await scene.stopServers();
    if (!shared) await scene.site.close();
  }
  process.stdout.write(`\n${render(reports)}\n`);
  if (shared) {
    const { site } = shared;
    try {
      const { settings } = await shared.database();
      const defaults = program.scenarios[`${names[0]}`]?.options;
      const setup = {
        ...defaults,
        ...numbers,
        checkout: shared.checkout,
        loader: loader.name,
        postgres: settings,
      };
      const file = await site.save(names.length === 1 ? `${names[0]}` : program.name, { setup, reports });
      site.say(`written to ${file}`);
    } catch (error) {
      fail('saving', error);
    }
    await site.close();
  }
  process.exit(failed ? 1 : 0);
}

async function perform(
  { run, minutes }: Scenario,
  scene: Scene,
  options: Record<string, number>,
): Promise<Figure[]> {
  let late: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(new Error(`it took more than ${minutes} minutes`)), minutes * 60_000);
  });
  try {
    return await Promise.race([run(scene, options), tooLong]);
  } finally {
    clearTimeout(late);
  }
}

const textOf = (options: Record<string, number>) =>
  Object.entries(options)
    .map(([name, value]) => `--${name} ${value}`)
    .join(' ');

const usageOf = ({ name, about, scenarios, options }: Program) => `Usage: npm run ${name} -- <name>… [options]

${about}

${Object.entries(scenarios)
  .map(([name, scenario]) => {
    const own = options ? '' : textOf(scenario.options);
    return [`  ${name.padEnd(16)} ${scenario.summary}`, own].filter(Boolean).join(`\n${' '.repeat(19)}`);
  })
  .join('\n')}

  all              all of them
${options ?? ''}  DATABASE_URL     a PostgreSQL to make databases on, instead of an embedded one
`;

function readArguments(program: Program) {
  const { scenarios, isShared } = program;
  try {
    const known = [...new Set(Object.values(scenarios).flatMap(({ options }) => Object.keys(options)))];
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        ...Object.fromEntries(known.map((key) => [key, { type: 'string' as const }])),
        help: { type: 'boolean', default: false },
        ...(isShared && {
          loader: { type: 'string' as const },
          checkout: { type: 'string' as const },
          profile: { type: 'boolean' as const },
        }),
      },
    });
    const given = values as Record<string, string | boolean | undefined>;
    const isAll = positionals.includes('all') || (isShared && positionals.length === 0);
    const names = isAll ? Object.keys(scenarios) : positionals;
    const unknown = names.find((name) => !Object.hasOwn(scenarios, name));
    if (unknown !== undefined) throw new Error(`unknown ${program.name}: ${unknown}`);
    if (given.help || names.length === 0) throw new Error('');
    const numbers: Record<string, number> = {};
    for (const key of known) {
      if (given[key] === undefined) continue;
      const number = Number(given[key]);
      if (!Number.isInteger(number) || number < 1) throw new Error(`--${key}: a whole number from 1`);
      numbers[key] = number;
    }
    const { loader, checkout = ROOT, profile = false } = given;
    return { names, numbers, flags: { loader, checkout, profile } as Flags };
  } catch (error) {
    process.stderr.write([(error as Error).message, usageOf(program)].filter(Boolean).join('\n\n'));
    process.exit(2);
  }
}

interface Flags {
  loader?: string;
  checkout: string;
  profile: boolean;
}
