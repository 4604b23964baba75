import { type Api, createClient, createUser } from '../tests/support/api/client.ts';
import type { Figure } from '../tests/support/scenario/figure.ts';
import { median } from '../tests/support/scenario/stats.ts';
import { bench } from './support/rounds.ts';

const CALLS = 100;
const WARM_UP = 20;

/** Whether response times tell that an address has an account: medians of alternating calls. */
export const accountTiming = bench({
  summary: 'Login and forgot-password for known addresses, against unknown ones: do response times differ?',

  async run(scene) {
    const { url } = await scene.server();
    const api = createClient(fetch, url);
    const { email } = await createUser(api);
    const figures: Figure[] = [];
    for (const path of ['/auth/login', '/auth/forgot-password']) {
      const known: number[] = [];
      const unknown: number[] = [];
      for (let i = -WARM_UP; i < CALLS; i++) {
        const times = [
          await time(api, path, email),
          await time(api, path, `nobody-${i}@example.com`),
        ] as const;
        if (i < 0) continue;
        known.push(times[0]);
        unknown.push(times[1]);
      }
      const figure = { value: median(known), limit: median(unknown), limitedBy: 'an unknown address' };
      figures.push({ name: `${path} ms`, ...figure, aim: { atMost: 1.1 } });
    }
    return figures;
  },
});

async function time(api: Api, path: string, email: string): Promise<number> {
  const started = performance.now();
  const { status } = await api.post(path, { body: { email, password: 'Wrong1password' } });
  if (status >= 500) throw new Error(`${path}: ${status}`);
  return performance.now() - started;
}
