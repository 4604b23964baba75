import { wire } from '../tests/support/http/requests.ts';
import type { Bench, Figure } from '../tests/support/scenario/figure.ts';
import { preparePushes } from './ingest.ts';
import { figureOf, inTurns } from './support/rounds.ts';

const CONNECTIONS = 64;

/** What more processes bring, on a machine with that many cores. */
export const workers: Bench = {
  summary: 'SVC_WORKERS=2 and 4 against 1: GET /config/auth, and distinct findings into 16 organizations',

  async run(stage) {
    const { options, loader, site } = stage;
    const figures: Figure[] = [];
    const start = async (count: number) => {
      const { origin } = await stage.server({ env: { SVC_WORKERS: `${count}`, SVC_DB_POOL_MAX: '6' } });
      const pushes = await preparePushes(origin, 16);
      const load = (requests: readonly string[], status: number) => async () => {
        const run = Math.random().toString(16).slice(2, 10).padEnd(8, '0');
        const { perSecond, errors } = await loader.run(
          { origin, requests, run, connections: CONNECTIONS, seconds: options.seconds, status },
          site.workDir,
        );
        if (errors > 0) throw new Error(`${errors} requests failed`);
        return perSecond;
      };
      return {
        'requests/s': load([wire(origin, { method: 'GET', path: '/config/auth' })], 200),
        'findings/s': load(pushes, 201),
      };
    };
    const one = await start(1);
    for (const count of [2, 4]) {
      const several = await start(count);
      for (const name of ['requests/s', 'findings/s'] as const) {
        const rounds = await inTurns(
          stage,
          `${count} workers, ${name}`,
          { ours: several[name], limit: one[name] },
          (perSecond) => `${Math.round(perSecond)}/s`,
        );
        const figure = figureOf(rounds, (perSecond) => perSecond);
        figures.push({ name: `${name}, ${count} workers`, ...figure, limitedBy: 'one process' });
      }
    }
    return figures;
  },
};
