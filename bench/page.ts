import { createFindingPages } from '../db/findings/lists/pages.ts';
import { defineOrgTables } from '../db/schema/org.ts';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import type { TextQuery } from '../db/stream.ts';
import type { ScratchDatabase } from '../tests/support/database/scratch.ts';
import type { SeededOrg } from '../tests/support/database/seed.ts';
import { readOf } from '../tests/support/http/requests.ts';
import { PLACES, sessionCheck } from './support/hand-written.ts';
import { BY_PGBENCH, readsByHand, readsPerSecond } from './support/read-load.ts';
import { bench, compare, sequentially } from './support/rounds.ts';

const SMALL = 10_000;
const PATH = '/findings?page=1&per_page=50&severity=high';

/** A page of a filtered list, however long the list is. */
export const page = bench({
  summary: `GET ${PATH} in an organization of 1,000,000 findings, against pgbench and bare Hono with the same queries`,

  async run(scene, options) {
    const server = await scene.server();
    const small = await scene.seed(server, { findings: SMALL, bytes: 1_000 });
    const large = await scene.seed(server, { findings: options.rows, bytes: 1_000 });
    const reads = {
      requests: [readOf(large, PATH)],
      statements: await statementsOf(await scene.database(), large),
    };
    const load = await readsPerSecond(scene, options, 'page', server.url, reads);
    const allowed = { sql: `select 1 where ${sessionCheck(1)}`, params: [PLACES.session, PLACES.org] };
    const byHand = await readsByHand(scene, options, 'page', server.url, {
      ...{ requests: reads.requests, statements: [allowed, ...reads.statements], orgId: large.id },
      route: { method: 'GET', path: '/findings', list: true },
    });
    const measures = {
      ours: sequentially(server.url, readOf(large, PATH)),
      limit: sequentially(server.url, readOf(small, PATH)),
    };
    const growth = await compare(scene, options.rounds, 'page, one at a time', measures, ' ms');
    return [
      { name: 'requests/s', ...load, limitedBy: BY_PGBENCH, aim: { atLeast: 0.4 } },
      byHand,
      { name: 'ms', ...growth, limitedBy: `the same at ${SMALL} findings`, aim: { atMost: 2 } },
    ];
  },
});

/** The statements that the server runs for this page. */
async function statementsOf({ sql }: ScratchDatabase, { id }: SeededOrg): Promise<TextQuery[]> {
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
