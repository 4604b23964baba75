import { serve } from '@hono/node-server';
import { Hono } from 'hono';

/** What our server would be without anything of ours: one route, one small object. */
const app = new Hono();
app.get('/api/v1/config/auth', (c) => c.json({ success: true, result: { base_domain: '' } }));

serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.send?.(port));
