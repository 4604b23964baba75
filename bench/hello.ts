import { join } from 'node:path';
import { wire } from '../tests/support/http/requests.ts';
import { startHelper } from '../tests/support/load/helper.ts';
import { bench, compare, perSecond } from './support/rounds.ts';

const CONNECTIONS = 64;

/** The cost of our middleware: an endpoint that needs no database, against Hono without middleware. */
export const hello = bench({
  summary: 'GET /config/auth against bare Hono on @hono/node-server',

  async run(scene, { rounds, seconds }) {
    const server = await scene.server();
    const bare = startHelper<void, void, string>(
      join(import.meta.dirname, 'support/bare-hono.ts'),
      undefined,
    );
    scene.site.onClose(bare.kill);
    await bare.reached();
    const load = (url = '') => {
      const requests = [wire(url, { method: 'GET', path: '/config/auth' })];
      return perSecond(scene, { url, requests, connections: CONNECTIONS, seconds, status: 200 });
    };
    const measures = { ours: load(server.url), limit: load(bare.progress()) };
    const figure = await compare(scene, rounds, 'hello', measures, '/s');
    return [{ name: 'requests/s', ...figure, limitedBy: 'bare Hono', aim: { atLeast: 0.6 } }];
  },
});
