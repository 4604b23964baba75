import { wire } from '../tests/support/http/requests.ts';
import { newRun } from '../tests/support/load/load.ts';
import type { Figure } from '../tests/support/scenario/figure.ts';
import { preparePushes } from './ingest.ts';
import { bench, compare, perSecond } from './support/rounds.ts';

const CONNECTIONS = 64;

/** The gain of more processes, on a machine with as many cores. */
export const workers = bench({
  summary: 'SVC_WORKERS=2 and 4 against 1: GET /config/auth, and distinct findings into 16 organizations',

  async run(scene, { rounds, seconds }) {
    const figures: Figure[] = [];
    const start = async (count: number) => {
      const { url } = await scene.server({ env: { SVC_WORKERS: `${count}`, SVC_DB_POOL_MAX: '6' } });
      const load = (requests: readonly string[], status: number) => () =>
        perSecond(scene, { url, requests, connections: CONNECTIONS, seconds, status, run: newRun() })();
      return {
        'requests/s': load([wire(url, { method: 'GET', path: '/config/auth' })], 200),
        'findings/s': load(await preparePushes(url, 16), 201),
      };
    };
    const one = await start(1);
    for (const count of [2, 4]) {
      const several = await start(count);
      for (const name of ['requests/s', 'findings/s'] as const) {
        const measures = { ours: several[name], limit: one[name] };
        const figure = await compare(scene, rounds, `${count} workers, ${name}`, measures, '/s');
        figures.push({ name: `${name}, ${count} workers`, ...figure, limitedBy: 'one process' });
      }
    }
    return figures;
  },
});
