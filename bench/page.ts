import { createFindingPages } from '../db/findings/pages.ts';
import { defineOrgTables } from '../db/schema/org.ts';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import type { TextQuery } from '../db/stream.ts';
import type { BenchDatabase } from '../tests/support/database/scratch.ts';
import type { SeededOrg } from '../tests/support/database/seed.ts';
import { asMember } from '../tests/support/http/requests.ts';
import type { Bench } from '../tests/support/scenario/figure.ts';
import { sequentially } from './support/latency.ts';
import { BY_PGBENCH, readsPerSecond } from './support/read-load.ts';
import { figureOf, inTurns } from './support/rounds.ts';

const SMALL = 10_000;
const PATH = '/findings?page=1&per_page=50&severity=high';

/** A page of a filtered list, however long the list is. */
export const page: Bench = {
  summary: `GET ${PATH} in an organization of 1,000,000 findings, against pgbench with the same queries`,

  async run(stage) {
    const { options } = stage;
    const server = await stage.server();
    const small = await stage.seed(server, { findings: SMALL, bytes: 1_000 });
    const large = await stage.seed(server, { findings: options.rows, bytes: 1_000 });
    const request = (org: SeededOrg) => ({ method: 'GET', path: PATH, headers: asMember(org) });
    const load = await readsPerSecond(stage, 'page', server, {
      requests: [request(large)],
      statements: await statementsOf(await stage.database(), large),
    });
    const growth = await inTurns(
      stage,
      'page, one at a time',
      { ours: sequentially(server, request(large)), limit: sequentially(server, request(small)) },
      (ms) => `${ms.toFixed(2)} ms`,
    );
    return [
      {
        name: 'requests/s',
        ...figureOf(load, (perSecond) => perSecond),
        ...{ limitedBy: BY_PGBENCH, aim: { atLeast: 0.4 } },
      },
      {
        name: 'ms',
        ...figureOf(growth, (ms) => ms),
        ...{ limitedBy: `the same at ${SMALL} findings`, aim: { atMost: 2 } },
      },
    ];
  },
};

/** What the server asks the database for this page. */
async function statementsOf({ sql }: BenchDatabase, { id }: SeededOrg): Promise<TextQuery[]> {
  const asked: TextQuery[] = [];
  const listening = new Proxy(sql, {
    get: (target, key) =>
      key === 'unsafe'
        ? (text: string, params: never[]) => {
            asked.push({ sql: text, params });
            return target.unsafe(text, params);
          }
        : target[key as keyof typeof sql],
  });
  const { rows } = await createFindingPages({ of: () => ({ sql: listening }) as never }).ofKinds(
    { id, tables: defineOrgTables(orgSchemaName(id)) },
    { as: 'json' },
    { severities: ['high'] },
    { by: 'created_at', descending: true },
    { limit: 50, offset: 0 },
  );
  return [...asked, rows];
}
