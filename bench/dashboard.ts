import { asMember } from '../tests/support/http/requests.ts';
import type { Bench } from '../tests/support/scenario/figure.ts';
import { sequentially } from './support/latency.ts';
import { figureOf, inTurns } from './support/rounds.ts';

const SMALL = 10_000;

/** Numbers that must not cost more the more there is to count. */
export const dashboard: Bench = {
  summary: 'GET /dashboard/stats at 1,000,000 findings, against the same at 10,000; one request at a time',

  async run(stage) {
    const { options } = stage;
    const server = await stage.server();
    const small = await stage.seed(server, { findings: SMALL, bytes: 1_000 });
    const large = await stage.seed(server, { findings: options.rows, bytes: 1_000 });
    const request = (org: typeof small) => ({
      ...{ method: 'GET', path: '/dashboard/stats', headers: asMember(org) },
    });
    const rounds = await inTurns(
      stage,
      'dashboard',
      { ours: sequentially(server, request(large)), limit: sequentially(server, request(small)) },
      (ms) => `${ms.toFixed(2)} ms`,
    );
    const figure = figureOf(rounds, (ms) => ms);
    return [
      { name: 'ms', ...figure, limitedBy: `the same at ${SMALL} findings`, aim: { atMost: 3 } },
      { name: 'ms, itself', value: figure.value, aim: { atMost: 60 } },
    ];
  },
};
