import { randomInt } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endpoints } from '../handlers/index.ts';
import { describeApi } from '../lib/http/openapi/document.ts';
import { table } from '../tests/support/scenario/figure.ts';
import { openScene } from '../tests/support/scenario/scene.ts';
import { openSite, type Site } from '../tests/support/scenario/site.ts';
import { type Caller, prepareCallers } from './fuzz/callers.ts';
import { installSchemathesis, runSchemathesis, Unavailable } from './fuzz/schemathesis.ts';

/*
 * Sends to the built server what its own description allows, and what it forbids, and holds the answers to that
 * description: Schemathesis, as several callers. Its options, and the exceptions, are in schemathesis.toml.
 */

const USAGE = `npm run fuzz -- [options]
  --max-examples N   random requests per operation (default 30)
  --seed N           the same requests again
  --caller NAME      only as this one (repeatable): anonymous, account, sessions, owner,
                     leaver, unverified, pending, member, agent
  --operation ID     only this operation, by its id (repeatable)
  --verbose          shows all that Schemathesis says
`;

/** Both servers share this secret, so that sessions are valid on both. */
const JWT_SECRET = 'a secret for fuzzing only of 37 bytes';

/** GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS and other. */
const METHOD_LABELS = 7;

const { values: options } = parseArgs({
  options: {
    'max-examples': { type: 'string', default: '30' },
    seed: { type: 'string', default: `${randomInt(2 ** 31)}` },
    caller: { type: 'string', multiple: true },
    operation: { type: 'string', multiple: true },
    verbose: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});

if (options.help) {
  process.stdout.write(USAGE);
  process.exit();
}

// openSite ends the process; what is cut off meanwhile is no failure to be told of.
let interrupted = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
  });
}
// The reader of the output may close it; the servers still have to be stopped.
process.stdout.on('error', () => {});

const site = await openSite();
let code = 1;
try {
  if (await fuzz(site, await installSchemathesis(site))) code = 0;
} catch (error) {
  if (error instanceof Unavailable) {
    site.say(`Not fuzzed: ${error.message}.`);
    code = 0;
  } else if (!interrupted) process.stderr.write(`${(error as Error).stack}\n`);
}
await site.close();
process.exit(code);

/** @returns whether all is well */
async function fuzz(site: Site, schemathesis: string): Promise<boolean> {
  const scene = openScene(site);
  const database = await scene.database();
  const start = (env: Record<string, string>) => scene.server({ env: { JWT_SECRET, ...env } });
  const server = await start({});
  const { url: origin } = server;
  const strict = await start({
    SVC_STRICT: 'on',
    SVC_REFUSE_INSECURE_SETTINGS: 'off',
    SVC_AUTH_LIMITS: 'off',
  });
  const callers = await prepareCallers(origin, database.sql);
  site.say(`seed ${options.seed}`);

  const rows = [['caller', 'operations', 'requests', 'seconds', 'found']];
  let found = 0;
  for (const caller of callers) {
    if (options.caller && !options.caller.includes(caller.name)) continue;
    const began = performance.now();
    const operations = caller.operations.filter((id) => options.operation?.includes(id) ?? true);
    if (operations.length === 0) continue;
    const args = await argumentsFor(site, caller.strict ? strict.url : origin, caller, operations);
    const { report, output } = await runSchemathesis(site, schemathesis, caller.name, args);
    const problems = [...report.failures, ...report.errors];
    const tested = report.operations?.tested ?? 0;
    const whole = report.complete && tested === operations.length;
    const count = problems.reduce((sum, { count }) => sum + count, 0) || (whole ? 0 : 1);
    if (count > 0 || options.verbose) site.say(`\nAs ${caller.name}:\n\n${output}`);
    found += count;
    rows.push([
      caller.name,
      `${tested} of ${operations.length}`,
      `${report.test_cases.generated}`,
      `${Math.round((performance.now() - began) / 1000)}`,
      `${count}`,
    ]);
  }

  const failed = [server, strict].flatMap(({ log, errors }) => serverErrors(log() + errors()));
  const series = await countSeries(origin);
  site.say(`\n${table(rows)}\n`);
  site.say([`server errors: ${failed.length}`, ...failed.slice(0, 20)].join('\n  '));
  site.say(`metric series: ${series.count}, of ${series.limit} at most`);
  return found === 0 && failed.length === 0 && series.count <= series.limit;
}

async function argumentsFor(
  site: Site,
  origin: string,
  caller: Caller,
  operations: readonly string[],
): Promise<string[]> {
  const config = join(site.workDir, `${caller.name}.toml`);
  const common = await readFile(join(site.root, 'schemathesis.toml'), 'utf8');
  await writeFile(config, `${settingsOf(caller)}\n${common}`);
  return [
    ...['--no-color', '--config-file', config, 'run', `${origin}/api/v1/docs/openapi.yaml`],
    // One worker: with several threads, Python before 3.11.8 fails at times (python/cpython#106905).
    ...['--checks', 'all', '--phases', 'examples,coverage,fuzzing,stateful', '--workers', '1'],
    ...['--seed', `${options.seed}`, '--max-examples', `${options['max-examples']}`],
    ...operations.flatMap((id) => ['--include-operation-id', id]),
  ];
}

/** In TOML, whose basic strings, arrays and keys are written as in JSON. */
function settingsOf({ org, auth, known }: Caller): string {
  const line = (key: string, value: unknown) => `${key} = ${JSON.stringify(value)}`;
  return [
    line('parameters."header.X-Org-Slug"', org),
    // It would register accounts of its own.
    line('auth.auto-signup', false),
    ...(auth.cookie === undefined ? [] : [line('auth.openapi.cookie.api_key', auth.cookie)]),
    ...(auth.token === undefined ? [] : [line('auth.openapi.token.bearer', auth.token)]),
    ...Object.entries(known).map(([name, values]) => line(`dictionaries.${name}.values`, values)),
  ].join('\n');
}

/** Lines of the log that tell of a failure of ours. */
function serverErrors(log: string): string[] {
  return log.split('\n').filter((line) => /^\S+ error /.test(line) || / status=5\d\d /.test(line));
}

/**
 * The series of the metrics with labels, and how many there may be: a counter for each operation and status, a
 * histogram for each path and method.
 */
async function countSeries(origin: string): Promise<{ count: number; limit: number }> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const count = (name: string) => text.split(`\n${name}{`).length - 1;
  const paths = Object.values(describeApi(endpoints).paths);
  const operations = paths.flatMap((item) => Object.values(item));
  const statuses = new Set(operations.flatMap(({ responses }) => Object.keys(responses)));
  return {
    count: count('svc_http_requests_total') + count('svc_http_request_duration_seconds_count'),
    limit: operations.length * statuses.size + paths.length * METHOD_LABELS,
  };
}
