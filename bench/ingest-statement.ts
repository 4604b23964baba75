import { randomBytes } from 'node:crypto';
import type { PushRow } from '../db/findings/ingest/push.ts';
import { writeAtOnce } from '../db/findings/ingest/statement.ts';
import { createIds } from '../db/ids.ts';
import { defineOrgTables } from '../db/schema/org.ts';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import { SEVERITIES } from '../db/schema/values.ts';
import { createClient, createScan } from '../tests/support/api/client.ts';
import { figureOf } from '../tests/support/scenario/figure.ts';
import { cpuSecondsOf } from '../tests/support/server/proc.ts';
import { bench, inTurns } from './support/rounds.ts';

const FINDINGS = 100_000;
const BATCHES = 40;
const BATCH = 256;

interface Round {
  /** Microseconds of PostgreSQL's processor per finding: first, again in the same scan, again in another scan. */
  cpu: number[];
  /** The part of the updates that changed no index. */
  hot: number;
}

/** The statement that writes pushes, without the server. */
export const ingestStatement = bench({
  summary: `PostgreSQL's CPU time per finding of the statement that writes pushes: ${BATCHES} batches of ${BATCH} into ${FINDINGS} findings`,
  async run(scene, options) {
    const server = await scene.server();
    const org = await scene.seed(server, { findings: FINDINGS, bytes: 1_000, isYear: true });
    const { sql } = await scene.database();
    const tables = defineOrgTables(orgSchemaName(org.id));
    const nextId = createIds(() => new Date());
    const [backend] = await sql.unsafe<{ pid: number }[]>('select pg_backend_pid() as pid');

    /** Writes all batches; @returns microseconds per finding */
    const write = async (batches: readonly PushRow[][], scan_id: string): Promise<number> => {
      const before = await cpuSecondsOf(backend?.pid ?? 0);
      for (const batch of batches) {
        const rows = batch.map((row) => {
          const { id, at } = nextId();
          return { ...row, scan_id, id, at: at.toISOString() };
        });
        const now = new Date().toISOString();
        await writeAtOnce(sql, tables, { rows, actorIds: [org.tokenId], now, version: 0 });
      }
      return (((await cpuSecondsOf(backend?.pid ?? 0)) - before) / (BATCHES * BATCH)) * 1e6;
    };
    const updates = async (): Promise<{ all: number; hot: number }> => {
      await sql.unsafe('select pg_stat_force_next_flush()');
      const [row] = await sql.unsafe<{ all: number; hot: number }[]>(
        `select n_tup_upd::float8 as all, n_tup_hot_upd::float8 as hot from pg_stat_user_tables
         where relid = '${org.schema}.findings'::regclass`,
      );
      return row ?? { all: 0, hot: 0 };
    };
    const ours = async (): Promise<Round> => {
      const api = createClient(fetch, server.url);
      const [first, other] = [await createScan(api, org), await createScan(api, org)];
      const batches = Array.from({ length: BATCHES }, () => batchOf(org.projectId, first));
      const before = await updates();
      const cpu = [await write(batches, first), await write(batches, first), await write(batches, other)];
      const after = await updates();
      return { cpu, hot: (after.hot - before.hot) / (after.all - before.all) };
    };
    const show = ({ cpu }: Round) => `${cpu.map((us) => us.toFixed(0)).join(', ')} µs`;
    const rounds = await inTurns<Round>(scene, options.rounds, 'statement', { ours }, show);
    const cpu = (name: string, i: number, atMost: number) => ({
      ...{ name: `${name}, CPU µs`, aim: { atMost } },
      ...figureOf(rounds, (round) => round.cpu[i] ?? Number.NaN),
    });
    return [
      cpu('new finding', 0, 45),
      cpu('known, same scan', 1, 20),
      cpu('known, another scan', 2, 20),
      { name: 'HOT updates', ...figureOf(rounds, ({ hot }) => hot), aim: { atLeast: 0.95 } },
    ];
  },
});

/** Findings of 300 rules, as a scanner reports them. */
const batchOf = (project_id: string, scan_id: string): PushRow[] =>
  Array.from({ length: BATCH }, (_, ord) => {
    const hex = randomBytes(16).toString('hex');
    const rule = Number.parseInt(hex.slice(0, 4), 16) % 300;
    return {
      ...{ ord, id: '', at: '', actor: 1, project_id, scan_id, fingerprint: hex },
      ...{ title: `Unvalidated input reaches the query of a handler (rule ${rule})`, cwe: `CWE-${rule}` },
      severity: SEVERITIES[rule % SEVERITIES.length] ?? 'high',
      description: `${hex} User input reaches the query without being escaped. `.padEnd(350, 'Escape it. '),
      ...{ file: `src/packages/shop/lib/module-${hex.slice(0, 2)}.ts`, line: rule + 1, source: 'semgrep' },
      rule_id: `javascript.express.security.audit.rule-${rule}`,
    };
  });
