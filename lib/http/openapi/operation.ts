import type { createRoute } from '@hono/zod-openapi';
import { ERRORS, type ErrorKey } from '../../errors.ts';
import { count, z } from '../../schema.ts';
import { scopeOf } from '../../tokens/scopes.ts';
import { type Access, checksOf, inputChecksOf, stepUpOf } from '../access.ts';
import { isInContract } from '../contract.ts';
import type { EndpointSpec, SuccessSpec, SuccessSpecs } from '../endpoint-spec.ts';
import { isOptionalBody, type RequestSchemas } from '../request/input.ts';
import { REQUEST_ID } from '../request/request-id.ts';

/** An operation of the OpenAPI document, without its id. */
export type Operation = Parameters<typeof createRoute>[0];

type Spec = EndpointSpec<Access, RequestSchemas, SuccessSpecs>;

const JSON_MEDIA = 'application/json';
const FORM = 'application/x-www-form-urlencoded';

/** References to components, which `document.ts` defines. */
export const ref = {
  orgSlug: { $ref: '#/components/parameters/OrgSlug' },
  requestId: { $ref: '#/components/headers/RequestId' },
  retryAfter: { $ref: '#/components/headers/RetryAfter' },
  warning: { $ref: '#/components/headers/Warning' },
  etag: { $ref: '#/components/headers/ETag' },
  location: { $ref: '#/components/headers/Location' },
  sessionCookie: { $ref: '#/components/headers/SessionCookie' },
  error: (key: ErrorKey) => ({ $ref: `#/components/examples/${exampleName(key)}` }),
};

/** The component name of an error: component names may not contain a slash. */
export const exampleName = (key: ErrorKey): string => key.replace('/', '.');

export const EXAMPLE_REQUEST_ID = 'req_5f0c1f4b9d3e4a6f8a7b2c1d0e9f8a7b';

const requestId = () =>
  z.string().openapi({
    pattern: REQUEST_ID.source,
    example: EXAMPLE_REQUEST_ID,
    description: 'The same value as in the `X-Request-ID` header.',
  });

const ResultInfo = z
  .object({
    page: count(1),
    per_page: count(50),
    total: count(120),
    total_is_exact: z.literal(false).optional().openapi({
      example: false,
      description: 'Present if there are more than `total`. Then `has_next` is true while pages are full.',
    }),
    total_pages: count(3),
    has_next: z.boolean().openapi({ example: true }),
    has_prev: z.boolean().openapi({ example: false }),
  })
  .openapi('ResultInfo', { description: 'Present if the request has `page` or `per_page`.' });

const [types, codes] = [0, 1].map((part) => [
  ...new Set(Object.keys(ERRORS).map((key) => key.split('/')[part] ?? '')),
]) as [string[], string[]];

export const ErrorObject = z
  .object({
    type: z.enum(types),
    code: z.enum(codes).openapi({ description: 'Stable. Each operation lists its codes.' }),
    ref: z.string().openapi({ pattern: '^E[0-9]{5}$', example: 'E40001' }),
    message: z.string().openapi({ description: 'For people. It may change.', example: 'Not found.' }),
    details: z
      .array(
        z.object({
          field: z.string().openapi({ example: 'title' }),
          message: z.string().openapi({ example: 'is required' }),
        }),
      )
      .optional()
      .openapi({ description: 'Every field that is missing or invalid.' }),
  })
  .openapi('ErrorObject');

const failure = { success: z.literal(false), request_id: requestId(), errors: z.array(ErrorObject).min(1) };

const ErrorEnvelope = z.object(failure).openapi('ErrorEnvelope');

/** The envelope of a success with additional fields. */
export const successSchema = (fields: z.ZodRawShape) =>
  z.object({ success: z.literal(true), request_id: requestId(), ...fields });

/** The envelope of a failure with additional fields. */
export const failureSchema = (fields: z.ZodRawShape) => z.object({ ...failure, ...fields });

/** Describes an endpoint: its successes, and the errors of its access checks, its input and its handler. */
export function describe(path: string, spec: Spec): Operation {
  const { access, request } = spec;
  return {
    method: spec.method,
    path,
    tags: [spec.tag],
    summary: spec.summary,
    description: [spec.description, requirementOf(access)].filter(Boolean).join('\n\n'),
    security: securityOf(access),
    ...((access.kind === 'bearer' || access.kind === 'cookieOrg') && { parameters: [ref.orgSlug] }),
    request: {
      ...(request?.params && { params: request.params as z.ZodObject }),
      ...(request?.query && { query: request.query as z.ZodObject }),
      ...(request?.headers && { headers: request.headers as z.ZodObject }),
      ...(request?.body && {
        body: {
          required: !isOptionalBody(request.body),
          content: { [JSON_MEDIA]: { schema: request.body } },
        },
      }),
      ...(spec.file !== undefined && {
        body: { required: true, description: spec.file, content: FILE_CONTENT },
      }),
      ...(spec.form && { body: { required: true, content: { [FORM]: { schema: spec.form } } } }),
    },
    responses: {
      ...successes(spec.responses, isInContract(spec.method.toUpperCase(), path)),
      ...failures(errorsOf(spec)),
    },
  };
}

const binary = { type: 'string' as const, format: 'binary' };

/** A file as it is, or in a form, under any name. Generators make no model of a form that stands beside another body. */
const FILE_CONTENT = {
  'application/octet-stream': { schema: binary },
  'multipart/form-data': {
    schema: { type: 'object' as const, additionalProperties: binary },
  },
};

const REQUIREMENT: Record<Access['kind'], string> = {
  public: 'Requires no authentication.',
  baseDomainOnly: 'Requires no authentication. Available on the base domain only, when one is configured.',
  cookie: 'Requires a session; works on any host.',
  cookieOrg: 'Requires membership of the organization',
  bearer:
    'Requires an API token of the organization with the scope `ingest`. A project token acts on its project only.',
};

/** The credentials of an endpoint, each of which is enough. */
function securityOf(access: Access): Record<string, string[]>[] {
  if (access.kind === 'bearer') return [{ token: [] }];
  if (access.kind !== 'cookie' && access.kind !== 'cookieOrg') return [];
  const { tokens = 'none' } = access;
  return [
    { cookie: [] },
    ...(tokens === 'none' ? [] : [{ personalToken: [] }]),
    ...(tokens === 'any' ? [{ token: [] }] : []),
  ];
}

const FRESH = 'Requires a sign-in or `POST /auth/step-up` within the last 10 minutes';

function tokensOf({ role, tokens }: Extract<Access, { kind: 'cookieOrg' }>): string {
  const scope = `the scope \`${scopeOf(role)}\``;
  if (tokens === 'none') return 'Tokens are not accepted.';
  return tokens === 'personal'
    ? `A personal access token needs ${scope}; API tokens are not accepted.`
    : `A token needs ${scope}.`;
}

function requirementOf(access: Access): string {
  const requirement = withoutStepUp(access);
  const rule = stepUpOf(access);
  if (!rule) return requirement;
  return `${requirement} ${FRESH}${rule === true ? '' : ` ${rule}`}.`;
}

function withoutStepUp(access: Access): string {
  if (access.kind === 'cookie' && access.tokens)
    return 'Requires a session or a personal access token; works on any host.';
  if (access.kind !== 'cookieOrg') return REQUIREMENT[access.kind];
  const role = access.role === 'viewer' ? '' : `, at least \`${access.role}\``;
  return `${REQUIREMENT.cookieOrg}${role}. ${tokensOf(access)}`;
}

/** Statuses of responses without a body. */
const EMPTY: ReadonlySet<string> = new Set(['204', '302', '304']);

/** @param warns the operation ignores query parameters that it does not have, with a warning */
function successes(specs: SuccessSpecs, warns: boolean) {
  const responses: Operation['responses'] = {};
  for (const [status, success] of Object.entries(specs) as [string, SuccessSpec][]) {
    responses[status] = {
      description: success.description,
      headers: {
        'X-Request-ID': ref.requestId,
        ...(warns && { Warning: ref.warning }),
        ...(success.tagged && { ETag: ref.etag }),
        ...(status === '302' && { Location: ref.location }),
        ...(success.cookie && { 'Set-Cookie': ref.sessionCookie }),
      },
      ...(!EMPTY.has(status) && { content: contentOf(success, warns) }),
    };
  }
  return responses;
}

function contentOf({ result, message, paged, body, others = {} }: SuccessSpec, warns: boolean) {
  if (body) return { [body.type]: { schema: body.schema } };
  const schema = successSchema({
    ...(result && { result }),
    ...(paged && { result_info: ResultInfo.optional() }),
    ...(message !== undefined
      ? { message: z.string().openapi({ example: message }) }
      : warns && { message: z.string().optional().openapi(WARNING) }),
  });
  const alternatives = Object.entries(others).map(([type, schema]) => [type, { schema }] as const);
  return { [JSON_MEDIA]: { schema }, ...Object.fromEntries(alternatives) };
}

const WARNING = { description: 'Names query parameters of the request that were ignored.' };

/** Every error an endpoint can answer. */
function errorsOf({ access, method, request, file, form, errors = [], withoutDatabase }: Spec): ErrorKey[] {
  const checks = [...checksOf(access, method.toUpperCase()), ...inputChecksOf(access)];
  return [
    ...new Set<ErrorKey>([
      // The HTTP server answers this to a malformed request line or Host header.
      'validation_error/invalid_request',
      ...(request?.body ? BODY_ERRORS : []).filter(
        (key) => key !== 'validation_error/field_required' || !isOptionalBody(request?.body as z.ZodType),
      ),
      ...(file === undefined && form === undefined ? [] : (['validation_error/invalid_body'] as const)),
      ...checks.flatMap((check) => check.errors),
      ...(hasCheckedParams(request) ? (['resource_error/not_found'] as const) : []),
      ...errors,
      'server_error/internal',
      ...(withoutDatabase ? [] : (['server_error/unavailable'] as const)),
    ]),
  ];
}

/** Whether the schema of the path parameters rejects some values, such as those that are not UUIDs. */
function hasCheckedParams(request: RequestSchemas | undefined): boolean {
  const names = Object.keys((request?.params as z.ZodObject | undefined)?.shape ?? {});
  const invalid = Object.fromEntries(names.map((name) => [name, '\0']));
  return request?.params?.safeParse(invalid).success === false;
}

const BODY_ERRORS = [
  'validation_error/invalid_body',
  'validation_error/field_required',
  'validation_error/field_invalid',
  // Too many large bodies at a time.
  'rate_limit_error/exceeded',
] as const;

function failures(keys: ErrorKey[]) {
  const byStatus = new Map<number, ErrorKey[]>();
  for (const key of keys) {
    const { status } = ERRORS[key];
    byStatus.set(status, [...(byStatus.get(status) ?? []), key]);
  }
  const responses: Operation['responses'] = {};
  for (const [status, ofStatus] of byStatus) {
    responses[status] = {
      description: ofStatus
        .map((key) => `- \`${key}\` (${ERRORS[key].ref}): ${ERRORS[key].message}`)
        .join('\n'),
      headers: { 'X-Request-ID': ref.requestId, ...(status === 429 && { 'Retry-After': ref.retryAfter }) },
      content: {
        [JSON_MEDIA]: {
          schema: ErrorEnvelope,
          examples: Object.fromEntries(ofStatus.map((key) => [exampleName(key), ref.error(key)])),
        },
      },
    };
  }
  return responses;
}
