import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../db/client.ts';
import { createClient, createOrg, createScan, type TestOrg } from '../tests/support/api/client.ts';
import { startOwnPostgres } from '../tests/support/database/own-postgres.ts';
import { withDatabase } from '../tests/support/database/scratch.ts';
import { pushOf, readOf, type WireRequest, wire } from '../tests/support/http/requests.ts';
import { type LoadResult, MARK } from '../tests/support/load/load.ts';
import { type Figure, NONE } from '../tests/support/scenario/figure.ts';
import { type Scene, scenario } from '../tests/support/scenario/scene.ts';
import type { Site } from '../tests/support/scenario/site.ts';
import { startPgBouncer } from './support/pgbouncer.ts';

/** Fewer connections than the clients use. */
const POOL_SIZE = 20;
const CONNECTIONS = 32;
const SUITE_MS = 30 * 60_000;
/** Directories without tests of the service, and that of the web UI, which reaches PostgreSQL through the API only. */
const SKIPPED_DIRS = ['browser', 'citus', 'edge', 'support'];

/** Tests about connections of their own, by the start of their names, and why they are left out. */
const LEFT_OUT: [name: string, reason: string][] = [
  [
    'metrics of the pool show what is left when the database ends connections',
    'ends the backend of a connection',
  ],
  [
    'a failure while a query runs is told as the database being unavailable',
    'ends the backend of a connection',
  ],
  ['counts are those of the rows when connections are lost on the way', 'waits until its backends have left'],
  ['a finding that is seen again touches neither counts nor indexes', 'reads the statistics of its session'],
  ['a connection is another one after many organizations', 'knows connections by their backends'],
  ['a connection is closed when it is old or was not used for long', 'knows connections by their backends'],
  ['a query whose signal is aborted is cancelled in PostgreSQL', 'knows connections by their backends'],
  ['a connection ends a statement after 30 s', 'PgBouncer rejects `statement_timeout` at connection time'],
  ['a connection prepares what is asked often', 'nothing is prepared behind a pooler'],
  ['a connection with TLS names the server', 'counts connections, the first of which PgBouncer rejects'],
  ['a connection is shared by more when PostgreSQL has no others to give', 'PgBouncer has them wait instead'],
  [
    'a database that says nothing any more is noticed within seconds',
    'behind a pooler that may only mean that it is busy',
  ],
  [
    'a database that says nothing any more is told from one that answers others',
    'behind a pooler that may only mean that it is busy',
  ],
  [
    'searches go without an index where the role may not create the extension',
    'PgBouncer connects every user as one role here',
  ],
  [
    'GET /findings is read at the pace of its reader, beyond the time a statement may take',
    'PgBouncer rejects `statement_timeout` at connection time',
  ],
  ['the database is described', 'expects a PostgreSQL that forgets everything after a crash'],
  ['a connection fails soon when there is none at all', 'PgBouncer has it wait instead'],
  [
    'while the database takes no writes writes are refused',
    'alters the database, which backends do not heed',
  ],
  ['a pooler is noticed, and nothing is prepared behind it', 'compares with a direct connection'],
];

export const pgbouncer = scenario({
  summary:
    'PgBouncer in transaction mode between the service and PostgreSQL: the test suites pass, and a load meets no error',
  options: { orgs: 8, seconds: 10 },
  minutes: 40,
  async run(scene, { orgs, seconds }) {
    const { site } = scene;
    // As its superuser: the role that the embedded PostgreSQL gives to the service creates no databases.
    const own = await startOwnPostgres(site, { max_connections: '300' });
    const { url } = await startPgBouncer(site, own.url, { poolSize: POOL_SIZE });

    for (const [name, reason] of LEFT_OUT) site.say(`  left out: ${name} (${reason})`);
    const suite = await runSuite(site, url);
    for (const title of suite.failed) site.say(`  failed: ${title}`);

    const admin = openDatabase({ url: own.url, max: 1 });
    for (const name of ['direct', 'pooled']) await admin.sql.unsafe(`create database ${name}`);
    await admin.close();
    const direct = await measure(scene, withDatabase(own.url, 'direct'), orgs, seconds);
    const pooled = await measure(scene, withDatabase(url, 'pooled'), orgs, seconds);
    return [
      { name: 'tests passed', value: suite.passed, aim: { atLeast: 1 } },
      { name: 'tests failed', value: suite.failed.length, aim: NONE },
      { name: 'tests left out', value: suite.leftOut },
      compared('findings/s', pooled.pushed, direct.pushed),
      compared('reads/s', pooled.read, direct.read),
      { name: 'errors', value: pooled.pushed.errors + pooled.read.errors, aim: NONE },
      { name: 'findings lost', value: pooled.lost, aim: NONE },
    ];
  },
});

const compared = (name: string, pooled: LoadResult, direct: LoadResult): Figure => ({
  name,
  value: pooled.perSecond,
  limit: direct.perSecond,
  limitedBy: 'the same without PgBouncer',
});

interface SuiteResult {
  passed: number;
  leftOut: number;
  /** Titles. */
  failed: string[];
}

/** The parts of Vitest's report that are used. */
interface VitestReport {
  numPassedTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/** Runs the tests on a PostgreSQL, without those of the web UI. */
async function runSuite(site: Site, databaseUrl: string): Promise<SuiteResult> {
  const report = join(site.workDir, 'vitest.json');
  const logFile = join(site.workDir, 'vitest.log');
  const log = await open(logFile, 'a');
  const vitest = join(site.root, 'node_modules/vitest/vitest.mjs');
  const entries = await readdir(join(site.root, 'tests'), { withFileTypes: true });
  const dirs = entries.filter((entry) => entry.isDirectory() && !SKIPPED_DIRS.includes(entry.name));
  const args = [vitest, 'run', '--reporter=json', `--outputFile=${report}`];
  args.push(...dirs.map(({ name }) => `tests/${name}/`));
  args.push('--testNamePattern', `^(?!${LEFT_OUT.map(([name]) => name).join('|')})`);
  const child = spawn(process.execPath, args, {
    cwd: site.root,
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl },
    stdio: ['ignore', log.fd, log.fd],
    timeout: SUITE_MS,
  });
  site.onClose(async () => {
    if (child.exitCode === null) child.kill('SIGTERM');
  });
  await once(child, 'exit');
  await log.close();
  const text = await readFile(report, 'utf8').catch(async () => {
    throw new Error(`the test suite did not end:\n${(await readFile(logFile, 'utf8')).slice(-2_000)}`);
  });
  const { numPassedTests, testResults }: VitestReport = JSON.parse(text);
  const failed = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    // A suite whose preparation failed has no failed tests.
    if (status === 'failed' && tests.length === 0) return [`${name}: ${message}`];
    return tests.map(({ fullName, failureMessages }) => `${name}: ${fullName}: ${failureMessages[0]}`);
  });
  const titles = testResults.flatMap((suite) => suite.assertionResults.map(({ fullName }) => fullName));
  const gone = LEFT_OUT.filter(([name]) => !titles.some((title) => title.startsWith(name)));
  failed.push(...gone.map(([name]) => `left out, and not there: ${name}`));
  return {
    passed: numPassedTests,
    leftOut: titles.filter((title) => LEFT_OUT.some(([name]) => title.startsWith(name))).length,
    failed: failed.map((text) => text.slice(0, 500)),
  };
}

/** Pushes into several organizations, then reads from them. */
async function measure(scene: Scene, databaseUrl: string, orgs: number, seconds: number) {
  const server = await scene.server({ databaseUrl });
  const { url } = server;
  const api = createClient(fetch, url);
  const targets: { org: TestOrg; scanId: string }[] = [];
  while (targets.length < orgs) {
    const org = await createOrg(api);
    targets.push({ org, scanId: await createScan(api, org) });
  }
  const paths = ['/findings?per_page=20&page=1&severity=high', '/dashboard/stats', '/scans?page=1'];
  const send = (requests: WireRequest[], status: number) =>
    scene.loader.run(
      {
        ...{ url, connections: CONNECTIONS, seconds, status },
        requests: requests.map((request) => wire(url, request)),
      },
      scene.site.workDir,
    );
  const pushed = await send(
    targets.map(({ org, scanId }) => pushOf(org, scanId, { fingerprint: MARK })),
    201,
  );
  const read = await send(
    targets.flatMap(({ org }) => paths.map((path) => readOf(org, path))),
    200,
  );
  let kept = 0;
  for (const { org } of targets)
    kept += (await api.get('/findings?per_page=1', org.asOwner)).json.result_info.total;
  await server.stop();
  return { pushed, read, lost: Math.max(0, pushed.answered - kept) };
}
