import { PgDialect } from 'drizzle-orm/pg-core';
import { findingText } from '../db/findings/lists/text.ts';
import { defineOrgTables } from '../db/schema/org.ts';
import { orgSchemaName } from '../db/schema/org-schema.ts';
import type { TextQuery } from '../db/stream.ts';
import { createClient, PASSWORD } from '../tests/support/api/client.ts';
import type { SeededOrg } from '../tests/support/database/seed.ts';
import { readOf } from '../tests/support/http/requests.ts';
import { PLACES, sessionCheck } from './support/hand-written.ts';
import { BY_PGBENCH, readsByHand, readsPerSecond } from './support/read-load.ts';
import { bench } from './support/rounds.ts';

const SESSIONS = 50;

/** One finding, with everything that is checked first: cookie, session, membership, role, `require_mfa`. */
export const point = bench({
  summary:
    'GET /findings/{id} with all its checks, 64 connections, against pgbench and against bare Hono with a prepared statement',

  async run(scene, options) {
    const { url } = await scene.server();
    const org = await scene.seed({ url }, { findings: 10_000, bytes: 1_000 });
    const cookies = await logIn(url, org);
    const requests = org.findingIds.map((id, i) =>
      readOf({ ...org, owner: { ...org.owner, cookie: `${cookies[i % SESSIONS]}` } }, `/findings/${id}`),
    );
    const byHand = await readsByHand(scene, options, 'point', url, {
      requests,
      route: { method: 'GET', path: '/findings/:id' },
      orgId: org.id,
      statements: [statementOf(org)],
    });
    const figure = await readsPerSecond(scene, options, 'point', url, {
      requests,
      statements: [
        { sql: `select * from ${org.schema}.findings where id = $1`, params: [org.findingIds[0]] },
      ],
    });
    return [{ name: 'requests/s', ...figure, limitedBy: BY_PGBENCH, aim: { atLeast: 0.25 } }, byHand];
  },
});

/** A finding in the JSON of the server, if the session may read it. */
function statementOf({ id }: SeededOrg): TextQuery {
  const tables = defineOrgTables(orgSchemaName(id));
  const { sql: json } = new PgDialect().sqlToQuery(findingText(tables, { as: 'json' }));
  return {
    sql: `select ${json} as json from ${orgSchemaName(id)}.findings where id = $1::uuid and ${sessionCheck(2)}`,
    params: [PLACES.id, PLACES.session, PLACES.org],
  };
}

/** Sessions of the owner, as many as there would be users at the same time. */
async function logIn(url: string, { owner }: SeededOrg): Promise<string[]> {
  const api = createClient(fetch, url);
  const cookies: string[] = [];
  while (cookies.length < SESSIONS) {
    const { cookie } = await api.post('/auth/login', { body: { email: owner.email, password: PASSWORD } });
    if (cookie) cookies.push(cookie);
  }
  return cookies;
}
