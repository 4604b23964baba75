import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import { createClient, createOrg, createScan, finding, type TestOrg } from '../tests/support/client.ts';
import type { Aim, Bench, Figure, Stage } from './support/bench.ts';
import { asAgent, wire } from './support/http.ts';
import { type LoadResult, MARK } from './support/load.ts';
import { findPgbench, runPgbench } from './support/pgbench.ts';
import { figureOf, inTurns, type Rounds } from './support/rounds.ts';
import type { BenchServer } from './support/server.ts';

const FINDING_BYTES = 500;
const PGBENCH_CLIENTS = 32;

/** Which pushes are made. */
interface Pushes {
  /** As many orgs, each with a token and a scan of its own. */
  orgs: number;
  connections: number;
  /** So many fingerprints again and again; unset, every finding is a new one. */
  distinct?: number;
  aim: Aim;
}

export const ingest: Bench = {
  summary: 'POST /agent/findings, distinct, 64 connections, against pgbench with the same single-row upsert',
  run: (stage) => measure(stage, 'ingest', { orgs: 1, connections: 64, aim: { atLeast: 1 } }),
};

export const ingestAgain: Bench = {
  summary: 'The same 10,000 findings pushed again and again, against pgbench updating existing rows',
  run: (stage) =>
    measure(stage, 'ingest-again', { orgs: 1, connections: 64, distinct: 10_000, aim: { atLeast: 1 } }),
};

export const ingestMixed: Bench = {
  summary: 'Distinct findings into 100 organizations, 8 connections each, against pgbench on one',
  run: (stage) => measure(stage, 'ingest-mixed', { orgs: 100, connections: 800, aim: { atLeast: 0.6 } }),
};

/** One round; times in milliseconds, `cpu` in microseconds of the server per request. */
interface Round {
  written: number;
  perSecond: number;
  errors: number;
  p99: number;
  cpu: number;
}

const count = (value: number) => Math.round(value).toLocaleString('en-US');

async function measure(stage: Stage, name: string, pushes: Pushes): Promise<Figure[]> {
  const server = await stage.server();
  const pgbench = await findPgbench();
  if (!pgbench) stage.site.say('pgbench is not installed: there is no limit to compare with');
  const targets = await Promise.all(Array.from({ length: pushes.orgs }, () => prepareOrg(server.origin)));
  const own = await prepareOrg(server.origin);

  let acknowledged = 0;
  let rounds = 0;
  // Everything from the start of the process on: what is compiled and warm is the same in every round.
  const ours = async () => {
    const { cpu, ...result } = await push(stage, server, targets, pushes);
    acknowledged += result.answered;
    rounds++;
    return { written: result.answered, cpu, ...result };
  };
  const limit = pgbench ? () => pushByPgbench(stage, pgbench, own, pushes) : undefined;
  const measured: Rounds<Round> = await inTurns(
    stage,
    name,
    { ours, limit },
    ({ perSecond }) => `${count(perSecond)}/s`,
  );

  await refuseLosses(stage, targets, pushes, acknowledged, rounds);
  const figure = figureOf(measured, ({ perSecond }) => perSecond);
  const ofServer = { ours: measured.ours, limit: [] };
  return [
    { name: 'findings/s', ...figure, limitedBy: `pgbench, ${PGBENCH_CLIENTS} clients`, aim: pushes.aim },
    {
      name: 'p99 ms',
      ...figureOf(ofServer, ({ p99 }) => p99),
      ...(pushes.orgs === 1 && { aim: { atMost: 50 } }),
    },
    { name: 'errors', value: measured.ours.reduce((sum, { errors }) => sum + errors, 0), aim: { atMost: 0 } },
    { name: 'server CPU µs/request', ...figureOf(ofServer, ({ cpu }) => cpu) },
  ];
}

interface Target {
  org: TestOrg;
  scanId: string;
}

async function prepareOrg(origin: string): Promise<Target> {
  const api = createClient(fetch, origin);
  const org = await createOrg(api);
  return { org, scanId: await createScan(api, org) };
}

const newRun = () => randomBytes(4).toString('hex');

/** The texts of two runs differ, unless the same findings are wanted again. */
const runOf = ({ distinct }: Pushes) => (distinct ? '00000000' : newRun());

async function push(
  { site, options, loader }: Stage,
  server: BenchServer,
  targets: readonly Target[],
  pushes: Pushes,
): Promise<LoadResult & { cpu: number }> {
  const requests = targets.map(({ org, scanId }) =>
    wire(server.origin, {
      ...{ method: 'POST', path: '/agent/findings', headers: asAgent(org), body: sample(org, scanId) },
    }),
  );
  const load = { origin: server.origin, requests, run: runOf(pushes), connections: pushes.connections };
  const before = await server.cpuSeconds();
  const result = await loader.run(
    { ...load, seconds: options.seconds, distinct: pushes.distinct, status: pushes.distinct ? 200 : 201 },
    site.workDir,
  );
  const after = await server.cpuSeconds();
  const cpu = (((after ?? Number.NaN) - (before ?? Number.NaN)) / result.answered) * 1e6;
  return { ...result, cpu };
}

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

/** Compares what was acknowledged with what is there. */
async function refuseLosses(
  { database, loader }: Stage,
  targets: readonly Target[],
  { distinct, connections }: Pushes,
  acknowledged: number,
  rounds: number,
): Promise<void> {
  const { sql } = await database();
  let rows = 0;
  for (const { org } of targets) {
    const [row] = await sql.unsafe<{ sum: number }[]>(
      `select coalesce(sum(seen_count), 0)::int as sum from ${orgSchemaName(org.id)}.findings`,
    );
    rows += row?.sum ?? 0;
  }
  // The load generator may leave without waiting for the last answers; the first push of a finding is no 200.
  const unheard = (loader.waits ? 0 : rounds * connections) + (distinct ?? 0);
  if (rows < acknowledged || rows > acknowledged + unheard) {
    throw new Error(`${acknowledged} writes were acknowledged, ${rows} were made`);
  }
}

async function pushByPgbench(
  { site, options, database }: Stage,
  command: string,
  { org, scanId }: Target,
  pushes: Pushes,
): Promise<Round> {
  const { url, version } = await database();
  const { project_id, title, severity, description, cwe, cvss_score, file, line, source } = sample(
    org,
    scanId,
  );
  const run = runOf(pushes);
  const result = await runPgbench(command, {
    databaseUrl: url,
    file: join(site.workDir, 'ingest.sql'),
    script: pushScript(org, version, pushes.distinct),
    variables: {
      ...{ n: 0, run, seed: Number.parseInt(run, 16), token: org.tokenId, scan: scanId, project: project_id },
      ...{ title, severity, cwe, cvss_score, file, line, source, description: description.replace(MARK, '') },
    },
    clients: PGBENCH_CLIENTS,
    seconds: options.seconds,
  });
  const { transactions: written, perSecond } = result;
  return { written, perSecond, errors: 0, p99: Number.NaN, cpu: Number.NaN };
}

/**
 * A push in one statement of one row, doing what the server's statement for many rows does, save what makes the
 * limit lower: it takes no lock on the scan, and keeps no counts. The id is a UUID v7 as the server's are, so that both fill their primary
 * key at its end, and fingerprints are as scattered as the load generator's.
 */
function pushScript(org: TestOrg, version: number, distinct: number | undefined): string {
  const schema = orgSchemaName(org.id);
  const milliseconds = "lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0')";
  const v7 = `(${milliseconds} || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid`;
  const id = version >= 180_000 ? 'uuidv7()' : v7;
  return `
${
  distinct
    ? `\\set n random(1, ${distinct})\n\\set mix 0\n\\set client_id 0`
    : '\\set n :n + 1\n\\set mix hash_murmur2(:n * 1000 + :client_id, :seed)'
}
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
