import { publicAccess } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';

export const metrics = endpoint(
  {
    method: 'get',
    path: '/metrics',
    root: true,
    access: publicAccess,
    tag: 'Operations',
    summary: 'Metrics of this process',
    responses: { 200: { description: 'Prometheus text exposition format.', media: 'text/plain' } },
    quiet: true,
  },
  async ({ services: { metrics } }) => ({
    status: 200,
    body: await metrics.render(),
    headers: { 'content-type': metrics.contentType },
  }),
);
