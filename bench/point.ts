import { createClient, PASSWORD } from '../tests/support/api/client.ts';
import type { SeededOrg } from '../tests/support/database/seed.ts';
import { asMember } from '../tests/support/http/requests.ts';
import type { Bench } from '../tests/support/scenario/figure.ts';
import type { BenchServer } from '../tests/support/server/bench-server.ts';
import { BY_PGBENCH, readsPerSecond } from './support/read-load.ts';
import { figureOf } from './support/rounds.ts';

const SESSIONS = 50;

/** One finding, with all that is checked before it is shown: cookie, session, membership, role, `require_mfa`. */
export const point: Bench = {
  summary: 'GET /findings/{id} with all its checks, 64 connections, against pgbench selecting by primary key',

  async run(stage) {
    const server = await stage.server();
    const org = await stage.seed(server, { findings: 10_000, bytes: 1_000 });
    const [id] = org.findingIds;
    const cookies = await logIn(server, org, SESSIONS);
    const rounds = await readsPerSecond(stage, 'point', server, {
      requests: org.findingIds.map((each, i) => ({
        method: 'GET',
        path: `/findings/${each}`,
        headers: asMember({ ...org, owner: { ...org.owner, cookie: cookies[i % SESSIONS] as string } }),
      })),
      statements: [{ sql: `select * from ${org.schema}.findings where id = $1`, params: [id] }],
    });
    const figure = figureOf(rounds, (perSecond) => perSecond);
    return [{ name: 'requests/s', ...figure, limitedBy: BY_PGBENCH, aim: { atLeast: 0.25 } }];
  },
};

/** Sessions of the org's owner, as many as there would be users at once. */
async function logIn({ origin }: BenchServer, { owner }: SeededOrg, sessions: number): Promise<string[]> {
  const api = createClient(fetch, origin);
  const cookies: string[] = [];
  while (cookies.length < sessions) {
    const { cookie } = await api.post('/auth/login', { body: { email: owner.email, password: PASSWORD } });
    if (cookie) cookies.push(cookie);
  }
  return cookies;
}
