import type { Bench } from './support/bench.ts';
import { asMember } from './support/http.ts';
import { BY_PGBENCH, readsPerSecond } from './support/read-load.ts';
import { figureOf } from './support/rounds.ts';

/** One finding, with all that is checked before it is shown: cookie, session, membership, role, `require_mfa`. */
export const point: Bench = {
  summary: 'GET /findings/{id} with all its checks, 64 connections, against pgbench selecting by primary key',

  async run(stage) {
    const server = await stage.server();
    const org = await stage.seed(server, { findings: 10_000, bytes: 1_000 });
    const [id] = org.findingIds;
    const rounds = await readsPerSecond(stage, 'point', server, {
      requests: org.findingIds.map((each) => ({
        ...{ method: 'GET', path: `/findings/${each}`, headers: asMember(org) },
      })),
      statements: [`select * from ${org.schema}.findings where id = '${id}'`],
    });
    const figure = figureOf(rounds, (perSecond) => perSecond);
    return [{ name: 'requests/s', ...figure, limitedBy: BY_PGBENCH, aim: { atLeast: 0.25 } }];
  },
};
