import { publicAccess } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { shown } from '../../lib/http/schema.ts';

export const metrics = endpoint(
  {
    method: 'get',
    path: '/metrics',
    root: true,
    access: publicAccess,
    tag: 'Health, metrics, documentation',
    summary: 'Metrics of this server',
    withoutDatabase: true,
    responses: {
      200: {
        description: 'Prometheus text exposition format.',
        body: { type: 'text/plain', schema: shown('svc_http_active_requests 1') },
      },
    },
    quiet: true,
  },
  async ({ services: { metrics } }) => ({
    status: 200,
    body: await metrics.render(),
    headers: { 'content-type': metrics.contentType },
  }),
);
