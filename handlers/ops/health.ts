import { VERSION } from '../../lib/config/version.ts';
import { ApiError } from '../../lib/errors.ts';
import { publicAccess } from '../../lib/http/access.ts';
import type { Raw } from '../../lib/http/answer.ts';
import type { PublicCall } from '../../lib/http/call.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { failureSchema, successSchema } from '../../lib/http/openapi/operation.ts';
import { JSON_TYPE } from '../../lib/http/respond.ts';
import { timestamp, z } from '../../lib/schema.ts';

const PING_TIMEOUT_MS = 2_000;

const version = z.string().openapi({ description: 'The version of this server.', example: '1.2.3' });

const healthy = {
  status: z.literal('ok'),
  db: z.literal('ok'),
  workers_down: z.int().optional().openapi({
    description:
      'Only of a Citus cluster: how many workers did not respond at the latest check. Requests to organizations on other workers are served.',
    example: 0,
  }),
  version,
  timestamp: timestamp(),
};
const degraded = {
  status: z.literal('degraded'),
  db: z.literal('unreachable'),
  version,
  timestamp: timestamp(),
};

/** A probe; both paths behave the same. */
const probe = (path: string, summary: string) =>
  endpoint(
    {
      method: 'get',
      path,
      root: true,
      access: publicAccess,
      audit: { none: 'nothing' },
      tag: 'Health, metrics, documentation',
      summary,
      responses: {
        200: {
          description: 'The database answers. `status`, `db` and `timestamp` are repeated at the top level.',
          body: {
            type: 'application/json',
            schema: successSchema({ ...healthy, result: z.object(healthy) }),
          },
        },
        503: {
          description: 'The database does not answer.',
          body: {
            type: 'application/json',
            schema: failureSchema({ ...degraded, result: z.object(degraded) }),
          },
        },
      },
      withoutDatabase: true,
      quiet: true,
    },
    answerProbe,
  );

export const healthz = probe('/healthz', 'Check whether the service is healthy');
export const readyz = probe('/readyz', 'Check whether the service can take requests');

async function answerProbe({ c, services, now, log }: PublicCall): Promise<Raw> {
  const { ids } = c.get('request');
  const { request_id } = ids;
  const timestamp = now.toISOString();
  let workers_down: number | undefined;
  try {
    await services.database.ping(PING_TIMEOUT_MS);
    workers_down = services.workers.down();
  } catch (error) {
    log.warn('database unreachable', { ...ids, error });
    const state = { status: 'degraded', db: 'unreachable', version: VERSION, timestamp };
    const errors = [new ApiError('server_error/unavailable')];
    return json(503, { success: false, request_id, errors, result: state, ...state });
  }
  const state = { status: 'ok', db: 'ok', workers_down, version: VERSION, timestamp };
  return json(200, { success: true, request_id, result: state, ...state });
}

const json = (status: number, value: object): Raw => ({
  status,
  body: JSON.stringify(value),
  headers: JSON_TYPE,
});
