import { join } from 'node:path';
import { PgDialect } from 'drizzle-orm/pg-core';
import { type PushedName, pushedFindingFields } from '../db/findings/fields.ts';
import {
  definitionsOf,
  insertedColumns,
  insertedValues,
  pushedInput,
  storedColumns,
  updates,
} from '../db/findings/ingest/push-sql.ts';
import { findingText } from '../db/findings/lists/text.ts';
import { defineOrgTables } from '../db/schema/org.ts';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import type { TextQuery } from '../db/stream.ts';
import { createClient, createOrg, createScan, must, type TestOrg } from '../tests/support/api/client.ts';
import { pushOf, wire } from '../tests/support/http/requests.ts';
import { type LoadResult, MARK, newRun } from '../tests/support/load/load.ts';
import { type Aim, type Figure, figureOf, NONE } from '../tests/support/scenario/figure.ts';
import type { Scene } from '../tests/support/scenario/scene.ts';
import { sum } from '../tests/support/scenario/stats.ts';
import type { ServerProcess } from '../tests/support/server/process.ts';
import { BY_HAND, PLACES, startHandWritten } from './support/hand-written.ts';
import { findPgbench, runPgbench } from './support/pgbench.ts';
import { type BenchOptions, bench, compare, inTurns, perSecond } from './support/rounds.ts';
import { sampleFields } from './support/sample.ts';

const PGBENCH_CLIENTS = 32;

/** The pushes of a benchmark. */
interface Pushes {
  /** Each organization has a token and a scan of its own. */
  orgs: number;
  connections: number;
  /** The number of fingerprints that are pushed again and again; unset, every finding is a new one. */
  distinct?: number;
  /** The number of previous fingerprints in every push, none of which a finding has. */
  previous?: number;
  /** The number of rules of each organization. The last one decides about every finding. */
  rules?: number;
  aim?: Aim;
  /** Whether to compare with an endpoint that someone would write by hand, too. */
  byHand?: boolean;
}

export const ingest = bench({
  summary:
    'POST /agent/findings, distinct, 64 connections, against pgbench and bare Hono with the same single-row upsert',
  run: (scene, options) =>
    measure(scene, options, 'ingest', { orgs: 1, connections: 64, aim: { atLeast: 1 }, byHand: true }),
});

export const ingestAgain = bench({
  summary: 'The same 10,000 findings pushed again and again, against pgbench updating existing rows',
  run: (scene, options) =>
    measure(scene, options, 'ingest-again', {
      orgs: 1,
      connections: 64,
      distinct: 10_000,
      aim: { atLeast: 1 },
    }),
});

export const ingestPrevious = bench({
  summary: 'The same as ingest-again, with 5 previous_fingerprints in every push',
  run: (scene, options) =>
    measure(scene, options, 'ingest-previous', {
      orgs: 1,
      connections: 64,
      distinct: 10_000,
      previous: 5,
    }),
});

export const ingestRules = bench({
  summary: 'The same as ingest, with 100 rules of which the last one decides about every finding',
  run: (scene, options) => measure(scene, options, 'ingest-rules', { orgs: 1, connections: 64, rules: 100 }),
});

export const ingestMixed = bench({
  summary: 'Distinct findings into 100 organizations, 8 connections each, against pgbench on one',
  run: (scene, options) =>
    measure(scene, options, 'ingest-mixed', { orgs: 100, connections: 800, aim: { atLeast: 0.6 } }),
});

/** One round; times in milliseconds, `cpu` in microseconds of the server per request. */
type Round = Pick<LoadResult, 'answered' | 'perSecond' | 'errors' | 'p99'> & { cpu: number };

async function measure(scene: Scene, options: BenchOptions, name: string, pushes: Pushes): Promise<Figure[]> {
  const server = await scene.server();
  const pgbench = await findPgbench();
  if (!pgbench) scene.site.say('pgbench is not installed: there is no limit to compare with');
  const targets = await prepareTargets(server.url, pushes.orgs, pushes.rules);
  const [own] = (await prepareTargets(server.url, 1)) as [Target];

  let acknowledged = 0;
  let rounds = 0;
  const ours = async () => {
    const result = await push(scene, options, server, targets, pushes);
    acknowledged += result.answered;
    rounds++;
    return result;
  };
  const limit = pgbench ? () => pushByPgbench(scene, options, pgbench, own, pushes) : undefined;
  const measured = await inTurns<Round>(
    scene,
    options.rounds,
    name,
    { ours, limit },
    ({ perSecond }) => `${Math.round(perSecond).toLocaleString('en-US')}/s`,
  );

  const byHand = pushes.byHand ? await pushAgainstHand(scene, options, name, own, pushes, ours) : [];
  await refuseLosses(scene, targets, pushes, acknowledged, rounds);
  const figure = figureOf(measured, ({ perSecond }) => perSecond);
  const ofServer = { ours: measured.ours, limit: [] };
  const p99 = figureOf(ofServer, (round) => round.p99);
  return [
    {
      name: 'findings/s',
      ...figure,
      limitedBy: `pgbench, ${PGBENCH_CLIENTS} clients`,
      ...(pushes.aim && { aim: pushes.aim }),
    },
    ...byHand,
    { name: 'p99 ms', ...p99, ...(pushes.orgs === 1 && { aim: { atMost: 50 } }) },
    { name: 'errors', value: sum(measured.ours.map(({ errors }) => errors)), aim: NONE },
    { name: 'server CPU µs/request', ...figureOf(ofServer, ({ cpu }) => cpu) },
  ];
}

/** Alternates with an endpoint of one statement, which pushes into an organization of its own. */
async function pushAgainstHand(
  scene: Scene,
  { rounds, seconds }: BenchOptions,
  name: string,
  target: Target,
  pushes: Pushes,
  ours: () => Promise<Round>,
): Promise<Figure[]> {
  const { version } = await scene.database();
  const url = await startHandWritten(scene, {
    route: { method: 'POST', path: '/agent/findings' },
    orgId: target.org.id,
    statements: [pushByHand(target.org, version)],
    status: 201,
  });
  const limit = () =>
    perSecond(scene, {
      ...{ url, requests: [requestOf(url, target, 0)], run: runOf(pushes) },
      ...{ connections: pushes.connections, seconds, status: 201 },
    })();
  const measures = { ours: async () => (await ours()).perSecond, limit };
  const figure = await compare(scene, rounds, `${name}, by hand`, measures, '/s');
  return [{ name: 'findings/s, by hand', ...figure, limitedBy: BY_HAND, aim: { atLeast: 0.8 } }];
}

interface Target {
  org: TestOrg;
  scanId: string;
}

function requestOf(url: string, { org, scanId }: Target, previous: number) {
  const previous_fingerprints = Array.from({ length: previous }, (_, i) => `${MARK}-${i}`);
  const fields = { ...sampleFields(org, scanId), ...(previous > 0 && { previous_fingerprints }) };
  return wire(url, pushOf(org, scanId, fields));
}

function prepareTargets(url: string, orgs: number, rules = 0): Promise<Target[]> {
  const api = createClient(fetch, url);
  const prepare = async () => {
    const org = await createOrg(api);
    for (let i = 1; i <= rules; i++) {
      const path = i < rules ? [`**/test${i}/**`, `**/*.spec${i}.ts`] : ['**'];
      const rule = { name: `Rule ${i}`, conditions: { path }, actions: { status: 'wontfix', due_days: 30 } };
      must(await api.post('/rules', { ...org.asOwner, body: rule }));
    }
    return { org, scanId: await createScan(api, org) };
  };
  return Promise.all(Array.from({ length: orgs }, prepare));
}

/** The texts of two runs differ, unless the same findings are pushed again. */
const runOf = ({ distinct }: Pushes) => (distinct ? '00000000' : newRun());

async function push(
  { site, loader }: Scene,
  { seconds }: BenchOptions,
  server: ServerProcess,
  targets: readonly Target[],
  pushes: Pushes,
): Promise<Round> {
  const { connections, distinct, previous = 0 } = pushes;
  const requests = targets.map((target) => requestOf(server.url, target, previous));
  const load = { url: server.url, requests, run: runOf(pushes), connections, seconds };
  const before = await server.cpuSeconds();
  const result = await loader.run({ ...load, distinct, status: distinct ? 200 : 201 }, site.workDir);
  const cpu = (((await server.cpuSeconds()) - before) / result.answered) * 1e6;
  return { ...result, cpu };
}

/** Compares the acknowledged writes with the stored rows. */
async function refuseLosses(
  { database, loader }: Scene,
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
  // A load generator that does not wait misses the last responses. The first push of a finding is not answered 200.
  const unheard = (loader.waits ? 0 : rounds * connections) + (distinct ?? 0);
  if (rows < acknowledged || rows > acknowledged + unheard) {
    throw new Error(`${acknowledged} writes were acknowledged, ${rows} were made`);
  }
}

async function pushByPgbench(
  { site, database }: Scene,
  { seconds }: BenchOptions,
  command: string,
  { org, scanId }: Target,
  pushes: Pushes,
): Promise<Round> {
  const { url: databaseUrl, version } = await database();
  const { fingerprint: _, description, ...fields } = sampleFields(org, scanId);
  const given = {
    ...{ ...fields, scan_id: scanId, project_id: org.projectId },
    description: description.replace(MARK, ''),
  };
  const run = runOf(pushes);
  const { transactions: answered, perSecond } = await runPgbench(command, {
    ...{ databaseUrl, file: join(site.workDir, 'ingest.sql'), clients: PGBENCH_CLIENTS, seconds },
    script: pushScript(org, version, pushes.distinct, given),
    variables: { n: 0, run, seed: Number.parseInt(run, 16), token: org.tokenId, ...given },
  });
  return { answered, perSecond, errors: 0, p99: Number.NaN, cpu: Number.NaN };
}

/** Values of fields, in pgbench variables of the same names. Each push has its own fingerprint. */
type Given = Partial<Record<PushedName, string | number>>;

/**
 * A push of one row in one statement. It does what the server's statement for many rows does, with the same fields, except
 * what makes the limit lower: it neither locks the scan nor updates the counts. Ids are UUIDs v7 as the server's are, so
 * that both append to their primary key, and fingerprints are as scattered as the load generator's.
 */
function pushScript(org: TestOrg, version: number, distinct: number | undefined, given: Given): string {
  const expressionOf = (name: string) => {
    if (name === 'fingerprint') return name;
    if (name === 'description') return 'fingerprint || :description';
    return name in given ? `:${name}` : 'null';
  };
  const start = distinct
    ? `\\set n random(1, ${distinct})\n\\set mix 0\n\\set client_id 0`
    : '\\set n :n + 1\n\\set mix hash_murmur2(:n * 1000 + :client_id, :seed)';
  const statement = pushStatement(org, version, {
    push: `select :mix || '-' || :run || '-' || :client_id || '-' || :n as fingerprint`,
    expressionOf,
    scanId: ':scan_id',
    caller: 'select cast(:token as uuid) as id',
    returned: `${storedColumns('f')}, (xmax <> 0) as deduplicated`,
  });
  return `\n${start}\n${statement};\n`;
}

/** The parts in which the statements of pgbench and of an endpoint that is written by hand differ. */
interface PushParts {
  /** The query of the row that is pushed. */
  push: string;
  expressionOf: (field: string) => string;
  scanId: string;
  /** The query of the id of the token. */
  caller: string;
  /** The columns of the result. */
  returned: string;
}

function pushStatement(
  org: TestOrg,
  version: number,
  { push, expressionOf, scanId, caller, returned }: PushParts,
): string {
  const schema = orgSchemaName(org.id);
  const milliseconds = "lpad(to_hex((extract(epoch from now()) * 1000)::bigint), 12, '0')";
  const v7 = `(${milliseconds} || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid`;
  const id = version >= 180_000 ? 'uuidv7()' : v7;
  const values = pushedFindingFields.map(
    ({ name, sqlType }) => `cast(${expressionOf(name)} as ${sqlType}) as ${name}`,
  );
  return `with key as materialized (
  ${push}
), caller as materialized (
  ${caller}
), input as materialized (
  select
    ${id} as id,
    now() as at,
    caller.id as actor_id,
    null::timestamptz as due_at,
    null::timestamptz[] as due_dates,
    null::uuid as decided_by,
    null::text as first_status,
    null::text as first_reason,
    null::uuid as first_assignee,
    null::timestamptz as first_accepted_until,
    null::timestamptz as first_resolved_at,
    null::boolean as proposed,
    ${values.join(',\n    ')}
  from key, caller
), scan as materialized (
  select scan_id, project_id, status from ${schema}.scans where scan_id = ${scanId}
), token as materialized (
  select t.id from ${schema}.api_tokens t join caller using (id) for no key update of t skip locked
), touched as (
  update ${schema}.api_tokens t set last_used = now() from token where t.id = token.id
)
insert into ${schema}.findings as f (
    ${insertedColumns})
select
    ${insertedValues('i')}
from input i join scan s on s.scan_id = i.scan_id and s.project_id = i.project_id
on conflict (project_id, fingerprint) do update set
    ${updates('f')}
returning
    ${returned}`;
}

/** A push in one statement whose parameters are the body and the hash of the token. Its result is the JSON of the response. */
function pushByHand(org: TestOrg, version: number): TextQuery {
  const schema = orgSchemaName(org.id);
  const columns = definitionsOf(pushedInput);
  const { sql: json } = new PgDialect().sqlToQuery(findingText(defineOrgTables(schema), { as: 'json' }));
  const statement = pushStatement(org, version, {
    push: `select * from jsonb_to_record($1::text::jsonb) as pushed(\n    ${columns})`,
    expressionOf: (name) => name,
    scanId: '(select scan_id from key)',
    caller: `select id from ${schema}.api_tokens
  where token_hash = $2 and not revoked and (expires_at is null or expires_at > now())`,
    returned: `${json.replaceAll(`"${schema}"."findings".`, 'f.')} as json`,
  });
  return { sql: statement, params: [PLACES.body, PLACES.token] };
}
