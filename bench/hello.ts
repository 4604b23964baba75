import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { wire } from '../tests/support/http/requests.ts';
import type { Bench } from '../tests/support/scenario/figure.ts';
import type { Site } from '../tests/support/scenario/site.ts';
import { figureOf, inTurns } from './support/rounds.ts';

const CONNECTIONS = 64;

/** What our middleware costs: an endpoint that needs no database, against Hono without anything around it. */
export const hello: Bench = {
  summary: 'GET /config/auth against bare Hono on @hono/node-server',

  async run(stage) {
    const { site, options, loader } = stage;
    const server = await stage.server();
    const bare = await startBareHono(site);
    const load = (origin: string) => () =>
      loader.run(
        {
          ...{ origin, requests: [wire(origin, { method: 'GET', path: '/config/auth' })], run: '00000000' },
          ...{ connections: CONNECTIONS, seconds: options.seconds, status: 200 },
        },
        site.workDir,
      );
    const rounds = await inTurns(
      stage,
      'hello',
      { ours: load(server.origin), limit: load(bare) },
      ({ perSecond }) => `${Math.round(perSecond)}/s`,
    );
    return [
      {
        name: 'requests/s',
        ...figureOf(rounds, ({ perSecond }) => perSecond),
        ...{ limitedBy: 'bare Hono', aim: { atLeast: 0.6 } },
      },
    ];
  },
};

async function startBareHono(site: Site): Promise<string> {
  const child = fork(join(import.meta.dirname, 'support/bare-hono.ts'));
  site.onClose(async () => child.kill());
  const [port] = await once(child, 'message');
  return `http://127.0.0.1:${port}`;
}
