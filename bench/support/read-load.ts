import { join } from 'node:path';
import type { TextQuery } from '../../db/stream.ts';
import { type WireRequest, wire } from '../../tests/support/http/requests.ts';
import type { Stage } from '../../tests/support/scenario/figure.ts';
import type { BenchServer } from '../../tests/support/server/bench-server.ts';
import { findPgbench, runPgbench } from './pgbench.ts';
import { inTurns, type Rounds } from './rounds.ts';

const CONNECTIONS = 64;
const PGBENCH_CLIENTS = 32;

/** How the limit of {@link readsPerSecond} is taken. */
export const BY_PGBENCH = `pgbench, ${PGBENCH_CLIENTS} clients`;

/** Requests per second of reads, in turns with pgbench running what they need of the database. */
export async function readsPerSecond(
  stage: Stage,
  name: string,
  server: BenchServer,
  reads: { requests: readonly WireRequest[]; statements: readonly TextQuery[] },
): Promise<Rounds<number>> {
  const { site, options, loader } = stage;
  const { url } = await stage.database();
  const pgbench = await findPgbench();
  const load = {
    origin: server.origin,
    requests: reads.requests.map((request) => wire(server.origin, request)),
    ...{ run: '00000000', connections: CONNECTIONS, seconds: options.seconds, status: 200 },
  };
  const ours = async () => {
    const { perSecond, errors } = await loader.run(load, site.workDir);
    if (errors > 0) throw new Error(`${errors} requests failed`);
    return perSecond;
  };
  const limit = pgbench
    ? async () => {
        const { perSecond } = await runPgbench(pgbench, {
          databaseUrl: url,
          file: join(site.workDir, `${name}.sql`),
          ...toScript(reads.statements),
          ...{ clients: PGBENCH_CLIENTS, seconds: options.seconds },
        });
        return perSecond;
      }
    : undefined;
  return inTurns(stage, name, { ours, limit }, (perSecond) => `${Math.round(perSecond)}/s`);
}

/** Statements with their parameters as variables, which `-M prepared` turns into parameters again. */
function toScript(statements: readonly TextQuery[]): { script: string; variables: Record<string, string> } {
  const variables: Record<string, string> = {};
  const lines = statements.map(({ sql, params }, i) => {
    for (const [n, value] of params.entries()) variables[`p${i}_${n + 1}`] = String(value);
    // In a text, pgbench would take what follows a colon for a variable too.
    const texts = sql.replaceAll(/'[^']*'/g, (text) =>
      text.includes(':') ? `E${text.replaceAll('\\', '\\\\').replaceAll(':', '\\x3a')}` : text,
    );
    return `${texts.replaceAll(/\$(\d+)/g, `:p${i}_$1`)};`;
  });
  return { script: `${lines.join('\n')}\n`, variables };
}
