import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { serveJob } from '../../tests/support/load/helper.ts';

/** Our server without our code: one route, one small object. Reports its URL. */
const app = new Hono();
app.get('/api/v1/config/auth', (c) => c.json({ success: true, result: { base_domain: '' } }));

serveJob<void, never, string>(
  (_, { report }) =>
    new Promise(() => {
      serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
        report(`http://127.0.0.1:${port}`),
      );
    }),
);
