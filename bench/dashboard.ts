import type { SeededOrg } from '../tests/support/database/seed.ts';
import { readOf } from '../tests/support/http/requests.ts';
import { bench, compare, sequentially } from './support/rounds.ts';

const SMALL = 10_000;

/** Counts must not cost more in a large organization. */
export const dashboard = bench({
  summary: 'GET /dashboard/stats at 1,000,000 findings, against the same at 10,000; one request at a time',

  async run(scene, { rounds, rows }) {
    const server = await scene.server();
    const small = await scene.seed(server, { findings: SMALL, bytes: 1_000 });
    const large = await scene.seed(server, { findings: rows, bytes: 1_000 });
    const measure = (org: SeededOrg) => sequentially(server.url, readOf(org, '/dashboard/stats'));
    const measures = { ours: measure(large), limit: measure(small) };
    const figure = await compare(scene, rounds, 'dashboard', measures, ' ms');
    return [
      { name: 'ms', ...figure, limitedBy: `the same at ${SMALL} findings`, aim: { atMost: 3 } },
      { name: 'ms, itself', value: figure.value, aim: { atMost: 60 } },
    ];
  },
});
