import type { Context, Hono, MiddlewareHandler } from 'hono';
import { ApiError } from '../../errors.ts';
import { z } from '../../schema.ts';
import { toScimError } from '../../scim/error.ts';
import { ID } from '../../scim/rows.ts';
import {
  listResponse,
  MAX_COUNT,
  resourceTypes,
  schemas,
  serviceProviderConfig,
} from '../../scim/schemas.ts';
import { scimUrl } from '../../scim/tokens.ts';
import type { AppEnv, CallEnv } from '../call.ts';
import { beginCall, type Serving } from '../endpoint.ts';
import { fairShare } from '../middleware/access/fair-share.ts';
import { shareOf } from '../middleware/input.ts';
import { BODY_LIMIT, bodyReader } from '../request/input.ts';
import { queryReader } from '../request/query.ts';
import { type Headers, type ResponseContext, respond } from '../respond.ts';
import { plainName } from './attributes.ts';
import { type ScimCall, scimToken } from './call.ts';
import { filterOf } from './filter.ts';
import { deleteGroup, getGroup, getGroups, patchGroup, postGroup, putGroup } from './groups.ts';
import type { ScimAnswer, ScimHandler, ScimRequest, ScimResource } from './handler.ts';
import { deleteUser, getUser, getUsers, patchUser, postUser, putUser } from './users.ts';

/*
 * SCIM 2.0 (RFC 7644). It is no part of the JSON API: paths, bodies and errors are those of the standard, which describes itself by
 * `/Schemas`. Every path requires the token, which is the only thing that names the organization.
 */

const found = (resources: readonly ScimResource[], id: string): ScimAnswer => {
  const resource = resources.find((one) => one.id === id);
  if (!resource) throw new ApiError('resource_error/not_found');
  return { resource };
};

const ROUTES: Readonly<Record<string, Readonly<Record<string, ScimHandler>>>> = {
  '/Users': { GET: getUsers, POST: postUser },
  '/Users/:id': { GET: getUser, PUT: putUser, PATCH: patchUser, DELETE: deleteUser },
  '/Groups': { GET: getGroups, POST: postGroup },
  '/Groups/:id': { GET: getGroup, PUT: putGroup, PATCH: patchGroup, DELETE: deleteGroup },
  '/ServiceProviderConfig': { GET: async ({ base }) => ({ resource: serviceProviderConfig(base) }) },
  '/ResourceTypes': { GET: async ({ base }) => ({ resources: resourceTypes(base) }) },
  '/ResourceTypes/:id': { GET: async ({ base, id }) => found(resourceTypes(base), id) },
  '/Schemas': { GET: async ({ base }) => ({ resources: schemas(base) }) },
  '/Schemas/:id': { GET: async ({ base, id }) => found(schemas(base), id) },
};

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const PREFIX = '/scim/v2';
const TYPE = 'application/scim+json';
const readBody = bodyReader(z.looseObject({}), BODY_LIMIT, [TYPE, 'application/json']);

const whole = (initial: number) =>
  z
    .string()
    .regex(/^-?\d{1,9}$/, 'must be a whole number')
    .default(`${initial}`)
    .transform(Number);

const readQuery = queryReader(
  z.object({
    filter: z.string().max(2_000).optional(),
    startIndex: whole(1),
    count: whole(100),
    attributes: z.string().max(2_000).optional(),
    excludedAttributes: z.string().max(2_000).optional(),
  }),
  'ignore',
) as (c: Context<AppEnv>) => {
  filter?: string;
  startIndex: number;
  count: number;
  attributes?: string;
  excludedAttributes?: string;
};

/** Which attributes an answer has (RFC 7644, 3.9): `id` and `schemas` always. */
function shownBy({ attributes, excludedAttributes }: { attributes?: string; excludedAttributes?: string }) {
  const asked = namesIn(attributes);
  const excluded = namesIn(excludedAttributes);
  return (name: string): boolean => {
    const plain = name.toLowerCase();
    if (plain === 'id' || plain === 'schemas') return true;
    return asked ? asked.has(plain) : !excluded?.has(plain);
  };
}

/** The names without those of sub-attributes. */
const namesIn = (list: string | undefined): Set<string> | undefined =>
  list ? new Set(list.split(/[, ]+/).map((name) => plainName(name).split('.', 1)[0] ?? '')) : undefined;

const IN_RESOURCES = new Set(['/Users/:id', '/Groups/:id']);

/** Identity providers add slashes to the address that they were given, or to the path. */
const pathsOf = (route: string) => [PREFIX + route, `${PREFIX + route}/`, `${PREFIX}/${route}`];

/** Routes the requests of identity providers. */
export function serveScim(app: Hono<AppEnv>, servingOf: (c: Context<AppEnv>) => Serving): void {
  const access = (route: string): MiddlewareHandler[] => [
    beginCall(PREFIX + route.replace(':id', '{id}'), false, servingOf),
    scimToken as MiddlewareHandler,
    fairShare([scimToken]) as MiddlewareHandler,
  ];
  for (const [route, handlers] of Object.entries(ROUTES)) {
    for (const [method, handler] of Object.entries(handlers))
      app.on([method], pathsOf(route), ...access(route), handle(route, handler));
    const allow = Object.keys(handlers).join(', ');
    app.on(METHODS, pathsOf(route), ...access(route), async (c: Context<AppEnv>) => {
      const error = new ApiError('resource_error/method_not_allowed');
      c.res = respondScimError(c.get('request'), error, { allow });
    });
  }
  app.on(METHODS, ['/scim/*'], ...access('/*'), async () => {
    throw new ApiError('resource_error/not_found');
  });
}

function handle(route: string, handler: ScimHandler): MiddlewareHandler<CallEnv<ScimCall>> {
  return async function handleScim(c) {
    const call = c.get('call');
    const plain = c as unknown as Context<AppEnv>;
    const { count, filter, startIndex: from, ...lists } = readQuery(plain);
    const shows = shownBy(lists);
    const id = c.req.param('id') ?? '';
    if (IN_RESOURCES.has(route) && !ID.test(id)) throw new ApiError('resource_error/not_found');
    const startIndex = Math.max(1, from);
    const body = ['POST', 'PUT', 'PATCH'].includes(c.req.method)
      ? await readBody(plain, () => shareOf(call))
      : undefined;
    body?.free();
    const answer = await handler({
      call,
      base: scimUrl(call.services.config),
      id,
      body: (body?.value ?? {}) as ScimRequest['body'],
      shows,
      page: (filters) => ({
        where: filterOf(filter, filters),
        offset: startIndex - 1,
        limit: Math.min(Math.max(0, count), MAX_COUNT),
      }),
    });
    c.res = render(c.get('request'), answer, { shows, startIndex });
  };
}

function render(
  request: ResponseContext,
  answer: ScimAnswer,
  { shows, startIndex }: { shows: ScimRequest['shows']; startIndex: number },
): Response {
  const shown = (resource: ScimResource) =>
    Object.fromEntries(Object.entries(resource).filter(([name]) => shows(name)));
  if ('resources' in answer) {
    const { resources, total } = answer;
    const list = listResponse(resources.map(shown), total === undefined ? {} : { total, startIndex });
    return respond(request, 200, JSON.stringify(list), { 'content-type': TYPE });
  }
  if (!answer.resource) return respond(request, 204, null, {});
  const { resource, status = 200 } = answer;
  const location = resource.meta?.location;
  return respond(request, status, JSON.stringify(shown(resource)), {
    'content-type': TYPE,
    ...(location !== undefined && { location }),
  });
}

/** Whether the request of a route is one of an identity provider. */
export const isScim = (route: string): boolean => route.startsWith(PREFIX);

/** The response to a failed request of an identity provider (RFC 7644, 3.12). */
export function respondScimError(context: ResponseContext, error: ApiError, headers: Headers = {}): Response {
  const { retryAfter, status } = error;
  return respond(context, status, JSON.stringify(toScimError(error, status)), {
    'content-type': TYPE,
    ...(retryAfter !== undefined && { 'retry-after': `${retryAfter}` }),
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...headers,
  });
}
