import { timingSafeEqual } from 'node:crypto';
import { ApiError } from '../../lib/errors.ts';
import { publicAccess } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { shown } from '../../lib/schema.ts';
import { hashToken } from '../../lib/tokens/format.ts';

export const metrics = endpoint(
  {
    method: 'get',
    path: '/metrics',
    root: true,
    access: publicAccess,
    audit: { none: 'nothing' },
    tag: 'Health, metrics, documentation',
    summary: 'Get metrics of this server',
    description:
      'With `SVC_METRICS_TOKEN`, requests need this token in the header `Authorization: Bearer`, and get 404 otherwise. In strict mode without this setting, every request gets 404.',
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
    // The host that a request names is no proof of where it comes from.
    const isOpen =
      config.metricsToken === undefined
        ? !config.strict
        : isBearer(call.c.req.header('authorization'), config.metricsToken);
    if (!isOpen) throw new ApiError('resource_error/not_found');
    return {
      status: 200,
      body: await metrics.render(),
      headers: { 'content-type': metrics.contentType },
    };
  },
);

/** Compares digests, so that the time does not tell how much of a guess is right. */
function isBearer(header: string | undefined, token: string): boolean {
  const [, given] = /^bearer +(\S+)$/i.exec(header ?? '') ?? [];
  return given !== undefined && timingSafeEqual(hashToken(given), hashToken(token));
}
