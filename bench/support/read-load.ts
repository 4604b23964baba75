import { join } from 'node:path';
import type { TextQuery } from '../../db/stream.ts';
import { type WireRequest, wire } from '../../tests/support/http/requests.ts';
import type { Figure } from '../../tests/support/scenario/figure.ts';
import type { Scene } from '../../tests/support/scenario/scene.ts';
import { BY_HAND, type HandWritten, startHandWritten } from './hand-written.ts';
import { findPgbench, runPgbench } from './pgbench.ts';
import { type BenchOptions, compare, perSecond } from './rounds.ts';

const CONNECTIONS = 64;
const PGBENCH_CLIENTS = 32;

/** How the limit of {@link readsPerSecond} is taken. */
export const BY_PGBENCH = `pgbench, ${PGBENCH_CLIENTS} clients`;

/** Requests per second of reads, alternating with pgbench running the same statements. @returns the fields of a figure */
export async function readsPerSecond(
  scene: Scene,
  { rounds, seconds }: BenchOptions,
  name: string,
  url: string,
  reads: { requests: readonly WireRequest[]; statements: readonly TextQuery[] },
) {
  const { url: databaseUrl } = await scene.database();
  const pgbench = await findPgbench();
  const requests = reads.requests.map((request) => wire(url, request));
  const load = {
    ...{ databaseUrl, clients: PGBENCH_CLIENTS, seconds, file: join(scene.site.workDir, `${name}.sql`) },
    ...toScript(reads.statements),
  };
  const ours = perSecond(scene, { url, requests, connections: CONNECTIONS, seconds, status: 200 });
  const limit = pgbench ? async () => (await runPgbench(pgbench, load)).perSecond : undefined;
  return compare(scene, rounds, name, { ours, limit }, '/s');
}

/** The same alternating with an endpoint that someone would write by hand. @returns a figure */
export async function readsByHand(
  scene: Scene,
  { rounds, seconds }: BenchOptions,
  name: string,
  url: string,
  {
    requests,
    ...endpoint
  }: Pick<HandWritten, 'route' | 'orgId' | 'statements'> & {
    requests: readonly WireRequest[];
  },
): Promise<Figure> {
  const byHand = await startHandWritten(scene, { ...endpoint, status: 200 });
  const load = (base: string) =>
    perSecond(scene, {
      ...{ url: base, requests: requests.map((request) => wire(base, request)) },
      ...{ connections: CONNECTIONS, seconds, status: 200 },
    });
  const measures = { ours: load(url), limit: load(byHand) };
  const figure = await compare(scene, rounds, `${name}, by hand`, measures, '/s');
  return { name: 'requests/s, by hand', ...figure, limitedBy: BY_HAND, aim: { atLeast: 0.8 } };
}

/** Statements with their parameters as variables, which `-M prepared` turns into parameters again. */
function toScript(statements: readonly TextQuery[]): { script: string; variables: Record<string, string> } {
  const variables: Record<string, string> = {};
  const lines = statements.map(({ sql, params }, i) => {
    for (const [n, value] of params.entries()) variables[`p${i}_${n + 1}`] = String(value);
    // pgbench replaces variables (`:name`) within string literals, too.
    const texts = sql.replaceAll(/'[^']*'/g, (text) =>
      text.includes(':') ? `E${text.replaceAll('\\', '\\\\').replaceAll(':', '\\x3a')}` : text,
    );
    return `${texts.replaceAll(/\$(\d+)/g, `:p${i}_$1`)};`;
  });
  return { script: `${lines.join('\n')}\n`, variables };
}
