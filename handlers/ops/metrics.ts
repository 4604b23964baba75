import { ApiError } from '../../lib/errors.ts';
import { publicAccess } from '../../lib/http/access.ts';
import type { PublicCall } from '../../lib/http/call.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { hostName } from '../../lib/http/request/origin.ts';
import { shown } from '../../lib/schema.ts';

export const metrics = endpoint(
  {
    method: 'get',
    path: '/metrics',
    root: true,
    access: publicAccess,
    tag: 'Health, metrics, documentation',
    summary: 'Get metrics of this server',
    description:
      'In strict mode the hosts of organizations answer 404. The metrics are served at IP addresses, host names of one label, the base domain, the public host and `SVC_METRICS_HOSTS`.',
    withoutDatabase: true,
    responses: {
      200: {
        description: 'Prometheus text exposition format.',
        body: { type: 'text/plain', schema: shown('svc_http_active_requests 1') },
      },
    },
    errors: ['resource_error/not_found'],
    quiet: true,
  },
  async (call) => {
    const { config, metrics } = call.services;
    if (config.strict && mayBeTenant(call)) throw new ApiError('resource_error/not_found');
    return {
      status: 200,
      body: await metrics.render(),
      headers: { 'content-type': metrics.contentType },
    };
  },
);

/** IPv4 or IPv6, or one label such as `localhost` or a container's name: none of them can be an organization's. */
const ADDRESS_OR_LABEL = /^(?:[\d.]+|\[[\da-f:.]+\]|[^.]*)$/;

/** Whether an organization may have this host. Nobody asks the database, which may be down. */
function mayBeTenant({ c, services: { config } }: PublicCall): boolean {
  const name = hostName(c.req.header('host'));
  const own = [config.baseDomain, new URL(config.publicUrl).hostname, ...config.metricsHosts];
  return !ADDRESS_OR_LABEL.test(name) && !own.includes(name);
}
