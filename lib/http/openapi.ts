import { OpenAPIHono } from '@hono/zod-openapi';
import { stringify } from 'yaml';
import { ORG_SLUG } from '../orgs/slugs.ts';
import { EXAMPLE_REQUEST_ID, exampleName } from './describe.ts';
import type { Endpoints } from './endpoint.ts';
import { TAGS } from './endpoint-spec.ts';
import { ApiError, ERRORS, type ErrorKey } from './errors.ts';
import { REQUEST_ID } from './request-id.ts';
import { SESSION_COOKIE } from './session-cookie.ts';

export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPIDocument']>;

const DESCRIPTION = `Scanning agents push findings; members of an organization browse, filter and triage them.

**Envelope.** Every JSON body has \`success\` and \`request_id\`; successes \`result\`, \`message\` or both, failures \`errors\`.
An optional field without a value is left out. Times are ISO 8601 in UTC with milliseconds.

**Organization.** Operations of an organization find it by the host: \`<slug>.<base domain>\`, or its custom domain. While no
base domain is configured the header \`X-Org-Slug\` names it.

**Signing in.** People log in with \`POST /api/v1/auth/login\`, which sets the cookie \`${SESSION_COOKIE}\`. Agents send
\`Authorization: Bearer svc_…\` with an API token.

**Errors.** The responses of each operation list its errors as \`type/code\`. Bodies have at most 1 MiB; fields that
are not described are ignored. A path asked with a method it does not take is answered 405, with \`Allow\`.`;

const TAG_DESCRIPTIONS: Record<(typeof TAGS)[number], string> = {
  Auth: 'Registering, logging in and out, passwords.',
  'Profile: e-mails': "The signed-in user's e-mail addresses.",
  'Profile: MFA': "The signed-in user's second factors and recovery codes.",
  'Profile: sessions': "The signed-in user's sessions.",
  Organizations: "The signed-in user's organizations.",
  Configuration: 'What a client has to know of the server.',
  Scans: 'What agents did.',
  Findings: 'Browsing and triaging.',
  Dashboard: 'Numbers at a glance.',
  Projects: 'What findings belong to.',
  Members: 'Who belongs to the organization, in which role.',
  'Agent ingest': 'What scanning agents call.',
  'API tokens: project-scoped': 'For the agents of one project. Any member may manage them.',
  'API tokens: org-wide': 'For agents of all projects, and an overview of all tokens.',
  'Org feature flags': 'What the organization has switched on.',
  'Health, metrics, documentation': 'For operators and developers.',
};

/** The API's description (OpenAPI 3.0.3), made from its endpoints. */
export function describeApi(endpoints: Endpoints): OpenApiDocument {
  const api = new OpenAPIHono();
  const registry = api.openAPIRegistry;
  for (const [operationId, endpoint] of Object.entries(endpoints)) {
    registry.registerPath({ ...endpoint.describe(), operationId });
  }
  registry.registerComponent('securitySchemes', 'cookie', {
    type: 'apiKey',
    in: 'cookie',
    name: SESSION_COOKIE,
    description: 'Set by logging in or registering; browsers send it by themselves.',
  });
  registry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_<32 hex digits>',
    description: 'An API token.',
  });
  registry.registerComponent('parameters', 'OrgSlug', {
    name: 'X-Org-Slug',
    in: 'header',
    required: false,
    description: 'Names the organization, such as `acme`, while no base domain is configured.',
    schema: { type: 'string', pattern: ORG_SLUG.source },
  });
  registry.registerComponent('headers', 'RequestId', {
    description: 'That of the request when it had an acceptable one, else a new one.',
    required: true,
    schema: {
      type: 'string',
      pattern: REQUEST_ID.source,
      example: EXAMPLE_REQUEST_ID,
    },
  });
  registry.registerComponent('headers', 'RetryAfter', {
    description: 'Seconds to wait.',
    required: true,
    schema: { type: 'integer', minimum: 0, example: 60 },
  });
  registry.registerComponent('headers', 'SessionCookie', {
    description: `The cookie \`${SESSION_COOKIE}\`: HttpOnly, SameSite=Lax, for 24 hours.`,
    schema: {
      type: 'string',
      example: `${SESSION_COOKIE}=eyJhbGciOiJIUzI1NiJ9.eyJ.sig; Max-Age=86400; Path=/; HttpOnly`,
    },
  });
  for (const key of Object.keys(ERRORS) as ErrorKey[]) {
    // Of a method that is no operation.
    if (key === 'resource_error/method_not_allowed') continue;
    registry.registerComponent('examples', exampleName(key), {
      summary: ERRORS[key].message,
      value: {
        success: false,
        request_id: EXAMPLE_REQUEST_ID,
        errors: [exampleError(key)],
      },
    });
  }
  const document = api.getOpenAPIDocument({
    openapi: '3.0.3',
    info: {
      title: 'Security findings service',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: TAGS.map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
  });
  dropTypelessNullable(document);
  giveExamples(document);
  return document;
}

/** A schema without a type allows null anyway; OpenAPI 3.0.3 has `nullable` beside a type only. */
function dropTypelessNullable(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as { nullable?: boolean; type?: unknown; allOf?: unknown };
  if (schema.nullable === true && schema.type === undefined && schema.allOf === undefined)
    delete schema.nullable;
  for (const part of Object.values(value)) dropTypelessNullable(part);
}

/** The description as it is served. */
export const toYaml = (document: OpenApiDocument): string =>
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 120 });

const DETAILS: { [key in ErrorKey]?: { field: string; message: string } } = {
  'validation_error/field_required': { field: 'title', message: 'is required' },
  'validation_error/field_invalid': { field: 'title', message: 'must have at most 500 characters' },
  'validation_error/invalid_request': { field: 'per_page', message: 'must be from 1 to 500' },
};

function exampleError(key: ErrorKey) {
  const detail = DETAILS[key];
  return new ApiError(key, detail && { details: [detail] }).toJSON();
}

interface Schema {
  $ref?: string;
  example?: unknown;
  enum?: unknown[];
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: object;
}

/** Puts a whole example beside every JSON schema, from the examples of its parts; parameters that may be left out have none. */
function giveExamples({ paths, components }: OpenApiDocument): void {
  const schemas = (components?.schemas ?? {}) as Record<string, Schema>;

  function exampleOf(schema: Schema, where: string): unknown {
    if (schema.$ref) {
      const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
      return exampleOf(schemas[name] ?? {}, name);
    }
    if (schema.example !== undefined) return schema.example;
    if (schema.enum) return schema.enum[0];
    if (schema.properties) {
      // Of fields that stand for one another, the first.
      const others = schema.oneOf?.slice(1).flatMap(({ required = [] }) => required) ?? [];
      const fields = Object.entries(schema.properties).filter(([name]) => !others.includes(name));
      return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, `${where}.${name}`)]));
    }
    const [first] = schema.oneOf ?? schema.anyOf ?? [];
    if (first) return exampleOf(first, where);
    if (schema.items) return [exampleOf(schema.items, `${where}[]`)];
    if (schema.type === 'boolean') return false;
    throw new Error(`${where} has no example`);
  }

  const complete = (content: Record<string, Media> | undefined, where: string) => {
    for (const [type, media] of Object.entries(content ?? {}))
      if (/^application\/(.*\+)?json$/.test(type) && media.schema && !media.examples)
        media.example = exampleOf(media.schema, where);
  };
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item as Record<string, Described>)) {
      const where = `${method} ${path}`;
      complete(operation.requestBody?.content, where);
      for (const response of Object.values(operation.responses)) complete(response.content, where);
      // Whoever tries an operation out would send what stands there.
      for (const { required, schema } of operation.parameters ?? []) if (!required) delete schema?.example;
    }
  }
}

interface Described {
  parameters?: { required?: boolean; schema?: Schema }[];
  requestBody?: { content?: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}
