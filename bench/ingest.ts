import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { orgSchemaName } from '../db/org.ts';
import { createApi, createOrg, createScan, finding, type TestOrg } from '../tests/support/api.ts';
import { findLoadGenerator, type LoadGenerator, MARK } from './support/load.ts';
import { findPgbench, runPgbench } from './support/pgbench.ts';
import { type BenchDatabase, openBenchDatabase } from './support/postgres.ts';
import { type BenchServer, startServer } from './support/server.ts';
import type { Bench, Site } from './support/site.ts';
import { median, table } from './support/stats.ts';

const FINDING_BYTES = 500;
const PGBENCH_CLIENTS = 32;
const WARM_UP_SECONDS = 3;

/** One measurement; times in milliseconds. */
interface Round {
  /** Acknowledged writes. */
  written: number;
  perSecond: number;
  errors: number;
  p50?: number;
  p99?: number;
  max?: number;
  /** Processor time of the server per request, in microseconds. */
  cpu?: number;
}

/** Something that writes findings into an org of its own. */
interface Contestant {
  name: string;
  org: TestOrg;
  measure(seconds: number): Promise<Round>;
  rounds: Round[];
  /** Writes it had acknowledged, the warm-up's too. */
  written: number;
  /** Rows there may be beyond these: the load generator may leave without waiting for the last answers. */
  unheard: number;
}

/** Single pushes to the server against what pgbench does with the same statement: how much the server costs. */
export const ingest: Bench = {
  summary: 'Single pushes over HTTP against pgbench with the same single-row upsert.',
  usage:
    '[--rounds 3] [--seconds 6] [--connections 64] [--loader wrk|node] [--against <checkout>]… [--profile]\n' +
    '    DATABASE_URL: a PostgreSQL to make a database on, instead of an embedded one.',

  async run(args, site) {
    const options = readOptions(args);
    const loader = await findLoadGenerator(options.loader);
    const pgbench = await findPgbench();
    if (!pgbench) site.say('pgbench is not installed: there is no limit to compare with');
    const database = await openBenchDatabase(site, process.env.DATABASE_URL);

    const contestants: Contestant[] = [];
    for (const root of new Set([site.root, ...options.against])) {
      const profileDir = options.profile ? join(site.root, 'bench/results') : undefined;
      const server = await startServer(site, { root, databaseUrl: database.url, profileDir });
      const name = root === site.root ? 'server' : root;
      contestants.push(await serverContestant(name, server, loader, options.connections));
      if (root === site.root && pgbench) {
        contestants.unshift(await pgbenchContestant(site, pgbench, server, database));
      }
    }

    await measure(site, database, contestants, options);
    const problems = await findLosses(database, contestants);
    const results = contestants.map((contestant) => summarize(contestant, contestants[0]));
    site.say(`\n${render(results)}\n`);
    const setup = {
      ...{ loader: loader.name, findingBytes: FINDING_BYTES, pgbenchClients: PGBENCH_CLIENTS },
      ...{ connections: options.connections, seconds: options.seconds, postgres: database.settings },
    };
    site.say(`written to ${await site.save({ setup, results, problems })}`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  },
};

function readOptions(args: string[]) {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '6' },
      connections: { type: 'string', default: '64' },
      loader: { type: 'string' },
      against: { type: 'string', multiple: true, default: [] },
      profile: { type: 'boolean', default: false },
    },
  });
  const count = (name: 'rounds' | 'seconds' | 'connections') => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name}: a whole number from 1`);
    return value;
  };
  return {
    rounds: count('rounds'),
    seconds: count('seconds'),
    connections: count('connections'),
    against: values.against.map((path) => resolve(path)),
    loader: values.loader,
    profile: values.profile,
  };
}

type Options = ReturnType<typeof readOptions>;

/** In turns, so that what else the machine does meets all of them; every other round in the opposite order. */
async function measure(site: Site, database: BenchDatabase, contestants: Contestant[], options: Options) {
  for (const contestant of contestants)
    contestant.written += (await contestant.measure(WARM_UP_SECONDS)).written;
  for (let round = 1; round <= options.rounds; round++) {
    for (const contestant of round % 2 ? contestants : contestants.toReversed()) {
      await database.checkpoint();
      const result = await contestant.measure(options.seconds);
      contestant.written += result.written;
      contestant.rounds.push(result);
      site.say(`round ${round}: ${contestant.name} ${whole(result.perSecond)}/s`);
    }
  }
}

/** Compares what was acknowledged with what is there. */
async function findLosses({ sql }: BenchDatabase, contestants: Contestant[]): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, org, written, unheard, rounds } of contestants) {
    const [row] = await sql.unsafe<{ rows: number }[]>(
      `select count(*)::int as rows from ${orgSchemaName(org.id)}.findings`,
    );
    const rows = row?.rows ?? 0;
    if (rows < written || rows > written + unheard) {
      problems.push(`${name}: ${written} writes were acknowledged, ${rows} rows are there`);
    }
    const errors = rounds.reduce((sum, round) => sum + round.errors, 0);
    if (errors > 0) problems.push(`${name}: ${errors} requests failed`);
  }
  return problems;
}

function summarize({ name, rounds }: Contestant, first: Contestant | undefined) {
  const of = (key: keyof Round, from = rounds) => {
    const values = from.flatMap((round) => round[key] ?? []);
    return values.length > 0 ? median(values) : undefined;
  };
  const perSecond = of('perSecond') ?? Number.NaN;
  return {
    name,
    perSecond,
    ratio: perSecond / (of('perSecond', first?.rounds) ?? Number.NaN),
    p50: of('p50'),
    p99: of('p99'),
    errors: rounds.reduce((sum, round) => sum + round.errors, 0),
    cpu: of('cpu'),
    rounds,
  };
}

const whole = (value: number) => Math.round(value).toLocaleString('en-US');

function render(results: ReturnType<typeof summarize>[]): string {
  const ms = (value: number | undefined) => value?.toFixed(1) ?? '';
  return table([
    ['', 'writes/s', 'ratio', 'p50 ms', 'p99 ms', 'errors', 'server CPU µs'],
    ...results.map(({ name, perSecond, ratio, p50, p99, errors, cpu }) => [
      ...[name, whole(perSecond), ratio.toFixed(2), ms(p50), ms(p99), `${errors}`, cpu ? whole(cpu) : ''],
    ]),
  ]);
}

const newRun = () => randomBytes(4).toString('hex');

/** A finding's fields, {@link FINDING_BYTES} of JSON in all. */
function sample(org: TestOrg, scanId: string) {
  const fields = {
    fingerprint: MARK,
    title: 'SQL injection in the search of the web shop',
    cwe: 'CWE-89',
    cvss_score: 8.6,
    file: 'src/shop/search.ts',
    line: 42,
    source: 'semgrep',
    description: `${MARK} `,
  };
  const missing = FINDING_BYTES - JSON.stringify(finding(org, scanId, fields)).length;
  const text = 'User input reaches the query without being escaped. '.repeat(FINDING_BYTES);
  return finding(org, scanId, {
    ...fields,
    description: fields.description + text.slice(0, missing),
  }) as ReturnType<typeof finding> & typeof fields;
}

async function serverContestant(
  name: string,
  server: BenchServer,
  loader: LoadGenerator,
  connections: number,
): Promise<Contestant> {
  const { org, scanId } = await prepareOrg(server);
  const body = JSON.stringify(sample(org, scanId));
  const head = [
    'POST /api/v1/agent/findings HTTP/1.1',
    `Host: ${new URL(server.origin).host}`,
    `Authorization: Bearer ${org.token}`,
    `X-Org-Slug: ${org.slug}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  const request = `${head.join('\r\n')}\r\n\r\n${body}`;
  const contestant: Contestant = {
    ...{ name, org, rounds: [], written: 0, unheard: 0 },
    async measure(seconds) {
      const before = await server.cpuSeconds();
      const result = await loader.run({
        ...{ origin: server.origin, request, run: newRun(), connections, seconds, status: 201 },
      });
      const { answered, errors, perSecond, p50, p99, max } = result;
      const after = await server.cpuSeconds();
      const cpu = before !== undefined && after !== undefined && ((after - before) / answered) * 1e6;
      if (!loader.waits) contestant.unheard += connections;
      return { written: answered, errors, perSecond, p50, p99, max, ...(cpu && { cpu }) };
    },
  };
  return contestant;
}

async function pgbenchContestant(
  site: Site,
  command: string,
  server: BenchServer,
  database: BenchDatabase,
): Promise<Contestant> {
  const { org, scanId } = await prepareOrg(server);
  const fields = sample(org, scanId);
  const { project_id, title, severity, description, cwe, cvss_score, file, line, source } = fields;
  return {
    ...{ name: 'pgbench', org, rounds: [], written: 0, unheard: 0 },
    async measure(seconds) {
      const run = newRun();
      const result = await runPgbench(command, {
        databaseUrl: database.url,
        file: join(site.workDir, 'ingest.sql'),
        script: pushScript(org, database.version),
        variables: {
          ...{
            n: 0,
            run,
            seed: Number.parseInt(run, 16),
            token: org.tokenId,
            scan: scanId,
            project: project_id,
          },
          ...{ title, severity, cwe, cvss_score, file, line, source },
          description: description.replace(MARK, ''),
        },
        clients: PGBENCH_CLIENTS,
        seconds,
      });
      return { written: result.transactions, errors: 0, perSecond: result.perSecond };
    },
  };
}

async function prepareOrg({ origin }: BenchServer) {
  const api = createApi(fetch, origin);
  const org = await createOrg(api);
  return { org, scanId: await createScan(api, org) };
}

/**
 * A push in one statement of one row, doing what the server's statement for many rows does, save what makes the
 * limit lower: it takes no lock on the scan. The id is a UUID v7 as the server's are, so that both fill their primary
 * key at its end, and fingerprints are as scattered as the load generator's.
 */
function pushScript(org: TestOrg, version: number): string {
  const schema = orgSchemaName(org.id);
  const milliseconds = "lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0')";
  const v7 = `(${milliseconds} || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid`;
  const id = version >= 180_000 ? 'uuidv7()' : v7;
  return `
\\set n :n + 1
\\set mix hash_murmur2(:n * 1000 + :client_id, :seed)
with given as materialized (
  select :mix || '-' || :run || '-' || :client_id || '-' || :n as fingerprint
), scan as materialized (
  select scan_id, project_id, status from ${schema}.scans where scan_id = :scan
), token as materialized (
  select id from ${schema}.api_tokens where id = :token for no key update skip locked
), touched as (
  update ${schema}.api_tokens t set last_used = now() from token where t.id = token.id
)
insert into ${schema}.findings as f (
  id, project_id, fingerprint, scan_id, last_scan_id, title, severity, description, cwe, cvss_score, file, line,
  source, status, status_changed_at, seen_count, last_seen_at, created_at, updated_at)
select ${id}, project_id, fingerprint, scan_id, scan_id, :title, :severity, fingerprint || :description, :cwe,
  :cvss_score, :file, :line, :source, 'open', now(), 1, now(), now(), now()
from scan, given where project_id = :project
on conflict (project_id, fingerprint) do update set
  seen_count = f.seen_count + 1,
  last_seen_at = excluded.last_seen_at,
  last_scan_id = excluded.last_scan_id,
  updated_at = excluded.updated_at,
  title = excluded.title,
  severity = excluded.severity,
  description = excluded.description,
  cwe = coalesce(excluded.cwe, f.cwe),
  cve = coalesce(excluded.cve, f.cve),
  cvss_score = coalesce(excluded.cvss_score, f.cvss_score),
  cvss_vector = coalesce(excluded.cvss_vector, f.cvss_vector),
  file = coalesce(excluded.file, f.file),
  line = coalesce(excluded.line, f.line),
  source = coalesce(excluded.source, f.source),
  regressed = f.regressed or f.status in ('fixed', 'verified')
returning id, scan_id, status, status_changed_at, regressed, seen_count, created_at, (xmax <> 0) as deduplicated;
`;
}
