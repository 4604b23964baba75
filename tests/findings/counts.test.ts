import * as fc from 'fast-check';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { sqlState } from '../../db/errors.ts';
import { createIngest } from '../../db/findings/ingest/ingest.ts';
import type { Push } from '../../db/findings/ingest/push.ts';
import { ingestStatement } from '../../db/findings/ingest/statement.ts';
import { changeFinding, changeFindings } from '../../db/findings/triage/triage.ts';
import { createIds } from '../../db/ids.ts';
import type { WithConnection } from '../../db/pool/pool.ts';
import { finishScan, insertScan } from '../../db/scans/scans.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { FINDING_STATUSES, SEVERITIES, type Severity } from '../../db/schema/values.ts';
import { AGENT_STATUSES, USER_STATUSES } from '../../lib/findings/input.ts';
import {
  type Answer,
  addProject,
  createOrg,
  createScan,
  finding,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { expectKeptCounts, expectNothingLeft, expectRightCounts } from '../support/database/counts.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const changer = (now: Date) => ({ now, actorId: null, changeId: crypto.randomUUID() });

/** Rounds of each random test. `COUNTS_RUNS=200 npx vitest run tests/findings/counts.test.ts --project api` hunts longer. */
const RUNS = Number(process.env.COUNTS_RUNS ?? 5);
const TIMEOUT = limit(60_000 + RUNS * 2_000);

/** As two processes over one database. */
let apps: [TestApp, TestApp];
let database: Database;

beforeAll(async () => {
  const first = await startApp();
  apps = [first, await startApp({ databaseUrl: first.databaseUrl })];
  database = first.services.database;
});

const api = (app = 0) => (apps[app] as TestApp).api;

/** An org with a second project, which has the same scans and fingerprints. */
async function createWorld() {
  const org = await createOrg(api());
  const other = await addProject(api(), org);
  /** The ids of findings, by project and fingerprint. */
  const ids = new Map<string, string>();
  return { projects: [org, other] as const, ids };
}
type World = Awaited<ReturnType<typeof createWorld>>;

const PRINTS = 8;
const SCANS = 3;
const statuses = { user: USER_STATUSES, agent: AGENT_STATUSES };

const app = fc.nat(1);
const project = fc.nat(1);
const print = fc.nat(PRINTS - 1);
const scan = fc.nat(SCANS - 1);
const aCall = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      app,
      project,
      print,
      scan,
      severity: fc.constantFrom(...SEVERITIES),
      /** Most are right; others name a scan that is another project's or nobody's, or no severity. */
      flaw: fc.constantFrom(...Array<undefined>(6), 'foreign', 'missing', 'invalid'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('triage' as const),
      app,
      project,
      print,
      as: fc.constantFrom('user' as const, 'agent' as const),
      status: fc.nat(FINDING_STATUSES.length),
    }),
  },
  fc.record({
    kind: fc.constant('bulk' as const),
    app,
    project,
    changes: fc.uniqueArray(fc.record({ print, status: fc.constantFrom(...USER_STATUSES) }), {
      minLength: 1,
      selector: (change) => change.print,
    }),
  }),
  fc.record({ kind: fc.constant('register' as const), app, project, scan }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete' as const), app, project, print }) },
  fc.record({ kind: fc.constant('delete scan' as const), app, project, scan }),
  fc.record({ kind: fc.constant('comment' as const), app, project, print }),
  fc.record({ kind: fc.constant('exploit' as const), app, project, print }),
  fc.record({
    kind: fc.constant('end' as const),
    app,
    project,
    scan,
    status: fc.constantFrom('completed', 'failed'),
  }),
);
type Call = typeof aCall extends fc.Arbitrary<infer T> ? T : never;

const scanName = (project: number, scan: number | string) => `scan-${project}-${scan}`;

async function run({ projects, ids }: World, call: Call): Promise<Answer> {
  const org = projects[call.project] as TestOrg;
  const { delete: remove, post, patch } = api(call.app);
  const idOf = (print: number) => ids.get(`${call.project} ${print}`) ?? crypto.randomUUID();
  switch (call.kind) {
    case 'push': {
      const { flaw, severity, print } = call;
      const scanId = scanName(flaw === 'foreign' ? 1 - call.project : call.project, call.scan);
      const fields = { fingerprint: `fp-${print}`, severity: flaw === 'invalid' ? 'awful' : severity };
      const body = finding(org, flaw === 'missing' ? 'missing' : scanId, fields);
      const answer = await post('/agent/findings', { ...org.asAgent, body });
      if (answer.result?.id) ids.set(`${call.project} ${print}`, answer.result.id);
      return answer;
    }
    case 'triage': {
      const id = idOf(call.print);
      const all = statuses[call.as];
      const body = { status: all[call.status % all.length] };
      return call.as === 'user'
        ? patch(`/findings/${id}`, { ...org.asOwner, body })
        : patch(`/agent/findings/${id}`, { ...org.asAgent, body });
    }
    case 'bulk': {
      const changes = call.changes.map(({ print, status }) => ({
        id: idOf(print),
        status,
      }));
      return patch('/findings', { ...org.asOwner, body: { changes } });
    }
    case 'delete':
      return remove(`/findings/${idOf(call.print)}`, org.asOwner);
    case 'delete scan':
      return remove(`/scans/${scanName(call.project, call.scan)}`, org.asOwner);
    case 'comment':
      return post(`/findings/${idOf(call.print)}/comments`, { ...org.asOwner, body: { body: 'Why?' } });
    case 'exploit': {
      const body = { filename: 'poc.py', language: 'python', code: 'print(1)' };
      return post(`/agent/findings/${idOf(call.print)}/exploits`, { ...org.asAgent, body });
    }
    case 'register':
      return post('/agent/scans', {
        ...org.asAgent,
        body: { scan_id: scanName(call.project, call.scan), project_id: org.projectId, persona: 'killua' },
      });
    case 'end':
      return patch(`/agent/scans/${scanName(call.project, call.scan)}`, {
        ...org.asAgent,
        body: { status: call.status },
      });
  }
}

const registerAll = (world: World) =>
  Promise.all(
    [0, 1].flatMap((project) =>
      Array.from({ length: SCANS - 1 }, (_, scan) => run(world, { kind: 'register', app: 0, project, scan })),
    ),
  );

describe('counts', { timeout: TIMEOUT }, () => {
  it('are those of the rows after any calls at the same time, through two processes', async () => {
    // Calls of an inner list are made at once.
    const traffic = fc.array(fc.array(aCall, { minLength: 1, maxLength: 40 }), {
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(traffic, async (bursts) => {
        const world = await createWorld();
        await registerAll(world);
        for (const burst of bursts) {
          const answers = await Promise.all(burst.map((call) => run(world, call)));
          expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
          await expectKeptCounts(database, world.projects[0]);
          await expectNothingLeft(database, world.projects[0]);
        }
        await expectRightCounts(database, api(), world.projects[0]);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  });

  it('are those of the rows when connections are lost on the way', async () => {
    const org = await createOrg(api());
    const where = { id: org.id, tables: defineOrgTables(orgSchemaName(org.id)) };
    const { id } = await push(api(), org, await createScan(api(), org, 'first'), { fingerprint: 'print-0' });
    let lost = 0;
    // The moment is random: a few rounds may lose nothing.
    for (let round = 0; round < RUNS || (lost === 0 && round < 10 * RUNS); round++) {
      const doomed = [0, 1, 2, 3].map(() =>
        openDatabase({ url: apps[0].databaseUrl, max: 4, applicationName: 'doomed' }),
      );
      const calls = doomed.flatMap((pool, i) => {
        const ingest = createIngest(
          pool.withConnection,
          createIds(() => new Date()),
        );
        const now = new Date();
        const scanId = `scan-${round}-${i}`;
        const scan = {
          scanId,
          projectId: org.projectId,
          persona: 'senku',
          name: 'Doomed',
          target: undefined,
          now,
        } as const;
        const end = {
          scanId: `scan-${round - 1}-${i}`,
          status: 'failed',
          errorMessage: null,
          now,
          projectId: null,
        } as const;
        return [
          ...shuffled(40).map((n) =>
            ingest(
              where,
              org.tokenId,
              aPush(org, 'first', `print-${n + round}`, SEVERITIES[(n + i) % 5] as Severity),
            ),
          ),
          insertScan(pool.sql, where.tables, scan),
          finishScan(pool.sql, where.tables, end),
          ...USER_STATUSES.map((status) =>
            changeFinding(pool.sql, where.tables, { id, status }, changer(now)),
          ),
        ];
      });
      const reached = Math.random() * 80;
      let settled = 0;
      let strike = () => {};
      const struck = new Promise<void>((resolve) => {
        strike = resolve;
      });
      const answers = calls.map((call) =>
        call
          .catch(() => lost++)
          .finally(() => {
            if (++settled >= reached) strike();
          }),
      );
      await struck;
      await database.sql.unsafe(
        "select pg_terminate_backend(pid, 5000) from pg_stat_activity where application_name = 'doomed'",
      );
      await Promise.race([Promise.all(answers), pause(1_000)]);
      await Promise.all(doomed.map((pool) => pool.close(0)));
      await vi.waitFor(async () => {
        const left = "select from pg_stat_activity where application_name = 'doomed'";
        expect(await database.sql.unsafe(left)).toHaveLength(0);
      });
      await expectKeptCounts(database, org);
    }
    expect(lost).toBeGreaterThan(0);
  });

  it('of one finding that all change at once end where it ends', async () => {
    const org = await createOrg(api());
    const scanId = await createScan(api(), org);
    const { id } = await push(api(), org, scanId, { fingerprint: 'hot' });
    await Promise.all(
      Array.from({ length: 120 }, (_, i) => {
        const to = api(i % 2);
        const status = USER_STATUSES[i % USER_STATUSES.length];
        if (i % 3 === 0) return to.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }).then(must);
        return push(to, org, scanId, { fingerprint: 'hot', severity: SEVERITIES[i % 5] });
      }),
    );
    const { findings } = await expectKeptCounts(database, org);
    const { severity, status } = must(await api().get(`/findings/${id}`, org.asOwner));
    expect(findings).toEqual([{ project: org.projectId, severity, status, n: 1 }]);
  });

  it('are zero, and not shown otherwise, of what there is no more', async () => {
    const org = await createOrg(api());
    const scanId = await createScan(api(), org);
    const { id } = await push(api(), org, scanId, { fingerprint: 'moves', severity: 'critical' });
    await push(api(), org, scanId, { fingerprint: 'moves', severity: 'low' });
    must(await api().patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
    await expectRightCounts(database, api(), org);
    const total = async (query: string) =>
      (await api().get(`/findings?per_page=1&${query}`, org.asOwner)).json.result_info.total;
    expect(await total('severity=critical')).toBe(0);
    expect(await total('status=open')).toBe(0);
    expect(await total('severity=low&status=fixed')).toBe(1);
    expect(must(await api().get('/dashboard/stats', org.asOwner)).severity_breakdown).toMatchObject({
      total: 1,
      critical: 0,
      low: 1,
    });
  });
});

describe('batches of two processes', { timeout: TIMEOUT }, () => {
  it('that hold the same findings, and triage between them, never wait in a circle', async () => {
    const org = await createOrg(api());
    const scanId = await createScan(api(), org);
    const where = { id: org.id, tables: defineOrgTables(orgSchemaName(org.id)) };
    const failures: (string | undefined)[] = [];
    const pools = [0, 1, 2].map(() => openDatabase({ url: apps[0].databaseUrl, max: 4 }));
    const ingests = pools.map((pool) =>
      createIngest(
        listened(pool, failures),
        createIds(() => new Date()),
      ),
    );
    const known = new Set<string>();

    const pushing = ingests.map(async (ingest, i) => {
      for (let round = 0; round < 3 * RUNS; round++) {
        const pushes = shuffled(60).map((n) => {
          const severity = SEVERITIES[(n + round * (i + 1)) % 5] as Severity;
          return ingest(where, org.tokenId, aPush(org, scanId, `print-${n}`, severity));
        });
        for (const outcome of await Promise.all(pushes)) {
          if (outcome.kind === 'written') known.add(outcome.id);
        }
      }
    });
    let pushed = false;
    const triaging = pools.map(async (pool, i) => {
      const use = listened(pool, failures);
      const anyOf = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)] as T;
      while (!pushed) {
        const now = new Date();
        const ids = known.size > 0 ? [...known] : [crypto.randomUUID()];
        const changes = shuffled(ids.length)
          .slice(0, i === 0 ? 1 : 40)
          .map((n) => ({ id: ids[n] as string, status: anyOf(FINDING_STATUSES) }));
        await use(async (sql) => {
          if (i > 0) await changeFindings(sql, where.tables, changes, changer(now));
          else for (const change of changes) await changeFinding(sql, where.tables, change, changer(now));
        });
      }
    });
    await Promise.all(pushing);
    pushed = true;
    await Promise.all(triaging);
    await Promise.all(pools.map((pool) => pool.close()));
    expect(failures).toEqual([]);
    await expectKeptCounts(database, org);
  });
});

describe('a finding that is seen again', () => {
  it('touches neither counts nor indexes, unless its severity is another one', async () => {
    const org = await createOrg(api());
    const scanId = await createScan(api(), org);
    const schema = orgSchemaName(org.id);
    const nextId = createIds(() => new Date());
    /** The rows that pushes of 64 findings, which fill pages, write, by table: inserted, updated, updated without touching an index. */
    const written = async (severity: Severity) => {
      // A separate pool, because the statistics of a connection cover all that it has not reported yet.
      const pool = openDatabase({ url: apps[0].databaseUrl, max: 1 });
      const counted = await pool.sql.begin(async (tx) => {
        const rows = Array.from({ length: 64 }, (_, ord) => {
          const { id, at } = nextId();
          const { project_id, ...fields } = finding(org, scanId, {
            ...{ fingerprint: `seen-${ord}`, severity, description: 'Long. '.repeat(100) },
          });
          return { ord, id, at, project_id, ...fields };
        });
        const now = new Date().toISOString();
        const batch = { pushes: JSON.stringify(rows), actorIds: '{}', now, version: 0 };
        await ingestStatement(defineOrgTables(schema)).run(tx, batch);
        const stats = await tx.unsafe(
          `select relname, n_tup_ins as i, n_tup_upd as u, n_tup_hot_upd as hot from pg_stat_xact_user_tables
           where schemaname = $1 and relname in ('findings', 'finding_counts')`,
          [schema],
        );
        return Object.fromEntries(stats.map(({ relname, i, u, hot }) => [relname, [+i, +u, +hot]]));
      });
      await pool.close();
      return counted;
    };
    expect(await written('high')).toEqual({ findings: [64, 0, 0], finding_counts: [1, 0, 0] });
    expect(await written('high')).toEqual({ findings: [0, 64, 64], finding_counts: [0, 0, 0] });
    // How many of a third push touch no index depends on the room that its pages have left, so none follows.
    expect(await written('low')).toEqual({ findings: [0, 64, 0], finding_counts: [1, 1, 1] });
    await expectKeptCounts(database, org);
  });
});

/** A database that notes the SQLSTATE of every statement that fails. */
function listened({ withConnection }: Database, failures: (string | undefined)[]): WithConnection {
  return (use) =>
    withConnection((sql) => {
      const unsafe: typeof sql.unsafe = (...args) => {
        const query = sql.unsafe(...args);
        query.catch((error) => failures.push(sqlState(error)));
        return query as never;
      };
      return use(
        new Proxy(sql, { get: (target, key) => (key === 'unsafe' ? unsafe : Reflect.get(target, key)) }),
      );
    });
}

const aPush = (org: TestOrg, scanId: string, fingerprint: string, severity: Severity): Push => ({
  project_id: org.projectId,
  scan_id: scanId,
  fingerprint,
  severity,
  title: 'Seen by all',
  description: 'At once.',
});

const pause = (ms: number) => new Promise((over) => setTimeout(over, ms));

const shuffled = (length: number): number[] =>
  Array.from({ length }, (_, n) => ({ n, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ n }) => n);
