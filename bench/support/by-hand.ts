import { createHash } from 'node:crypto';
import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { jwtVerify } from 'jose';
import postgres from 'postgres';
import type { TextQuery } from '../../db/stream.ts';
import { serveJob } from '../../tests/support/load/helper.ts';
import { CONNECTIONS, type HandWritten, PLACES } from './hand-written.ts';

/** One endpoint as someone would write it for itself: no middleware, no limits, no log. Reports its URL. */
serveJob<HandWritten, never, string>(
  ({ databaseUrl, secret, route, orgId, statements, status }, { report }) =>
    new Promise(() => {
      const sql = postgres(databaseUrl, { max: CONNECTIONS, onnotice: () => {} });
      const key = new TextEncoder().encode(secret);
      const sessions = new Map<string, { id: string; expires: number }>();

      /** The session of a cookie, whose signature is verified once. The statement checks whether it was revoked. */
      async function sessionOf(token: string): Promise<string> {
        const known = sessions.get(token);
        if (known && known.expires > Date.now()) return known.id;
        const { payload } = await jwtVerify(token, key, { algorithms: ['HS256'], audience: 'session' });
        const session = { id: String(payload.jti), expires: (payload.exp ?? 0) * 1_000 };
        sessions.set(token, session);
        return session.id;
      }

      const valuesOf: Record<string, (c: Context) => unknown> = {
        [PLACES.org]: () => orgId,
        [PLACES.session]: (c) => sessionOf(getCookie(c, 'svc_token') ?? ''),
        [PLACES.token]: (c) =>
          createHash('sha256')
            .update((c.req.header('authorization') ?? '').slice('Bearer '.length))
            .digest('hex'),
        [PLACES.id]: (c) => c.req.param('id'),
        [PLACES.body]: async (c) => JSON.stringify(await c.req.json()),
      };
      const run = async (c: Context, { sql: text, params }: TextQuery) => {
        const values = await Promise.all(params.map((param) => valuesOf[param as string]?.(c) ?? param));
        return sql.unsafe<{ json: string }[]>(text, values as never[], { prepare: true });
      };

      const app = new Hono();
      app.on(route.method, `/api/v1${route.path}`, async (c) => {
        const results = await Promise.all(statements.map((statement) => run(c, statement)));
        if (results.some((rows) => rows.length === 0)) return c.json({ success: false }, 403);
        const rows = (results.at(-1) ?? []).map((row) => Object.values(row)[0]);
        const result = route.list ? `[${rows.join(',')}]` : rows[0];
        return c.body(`{"success":true,"result":${result}}`, status, { 'content-type': 'application/json' });
      });
      serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        report(`http://127.0.0.1:${port}`),
      );
    }),
);
