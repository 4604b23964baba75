import { OpenAPIHono } from '@hono/zod-openapi';
import { stringify } from 'yaml';
import { VERSION } from '../../config/version.ts';
import { ApiError, ERRORS, type ErrorKey } from '../../errors.ts';
import { ORG_SLUG } from '../../orgs/slugs.ts';
import type { Description } from '../call.ts';
import type { Endpoints } from '../endpoint.ts';
import { TAGS } from '../endpoint-spec.ts';
import { REQUEST_ID } from '../request/request-id.ts';
import { SESSION_COOKIE } from '../request/session-cookie.ts';
import { nameSchemas, type Schema } from './names.ts';
import { EXAMPLE_REQUEST_ID, exampleName } from './operation.ts';

export type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPIDocument']>;

const DESCRIPTION = `Scanning agents push findings. Members of an organization browse, filter and triage them.

**Envelope.** Every JSON body has \`success\` and \`request_id\`. A success has \`result\`, \`message\` or both, a failure has
\`errors\`. An optional field without a value is omitted. Times are ISO 8601 in UTC with milliseconds.

**Organization.** The host selects the organization: \`<slug>.<base domain>\` or its custom domain. If no base domain is
configured, the header \`X-Org-Slug\` selects it.

**Authentication.** Users log in with \`POST /api/v1/auth/login\`, which sets the cookie \`${SESSION_COOKIE}\`. Agents send
\`Authorization: Bearer svc_…\` with an API token. Scripts send a personal access token (\`svcp_…\`) or an API token whose
\`scopes\` cover the operation. A token is used instead of a cookie that comes with it.

**Errors.** The responses of each operation list its errors as \`type/code\`. A body has at most 1 MiB. Unknown fields are
ignored, except by changes of many findings. Unknown query parameters get 400 \`validation_error/invalid_request\`; operations that
describe the header \`Warning\` ignore them and name them there. A method that the path does not support is answered 405 with the header \`Allow\`.`;

const TAG_DESCRIPTIONS: Record<(typeof TAGS)[number], string> = {
  Auth: 'Registration, login, logout and passwords.',
  'Profile: e-mails': "The signed-in user's e-mail addresses.",
  'Profile: MFA': "The signed-in user's second factors and recovery codes.",
  'Profile: passkeys': "The signed-in user's passkeys.",
  'Profile: sessions': "The signed-in user's sessions.",
  'Profile: access tokens':
    "The signed-in user's personal access tokens. They act as the user, in the user's organizations.",
  'Profile: notifications': 'The mails about findings that the signed-in user has chosen.',
  'Single sign-on': 'Sign-in at OpenID Connect providers, and the domains that prove addresses.',
  Provisioning:
    'The token of identity providers that add and remove members by SCIM 2.0 at `/scim/v2`, which docs/api.md describes.',
  Organizations: "The signed-in user's organizations.",
  Configuration: 'Server settings that clients need.',
  Scans: "The agents' scans.",
  Findings: 'Lists, details, exports and triage.',
  'Saved views': 'Lists of findings that members have saved.',
  Dashboard: 'Counts and trends.',
  Policies: 'Policies of an organization for its findings.',
  Rules: 'Rules for new findings, and for existing findings if an admin applies a rule.',
  Webhooks: 'Addresses that events of the organization are sent to.',
  Integrations: 'Chat services that get a message for each scan.',
  Projects: "The organization's projects.",
  Members: "The organization's members, their roles and invitations.",
  'Agent ingest': 'Endpoints for scanning agents.',
  'API tokens: project-scoped': 'Tokens for the agents of one project. Any member may manage them.',
  'API tokens: org-wide': 'Tokens for agents of all projects and for scripts, and a list of all tokens.',
  'Org feature flags': "The organization's feature flags.",
  Events: 'Events of the organization, as they happen.',
  'Audit log': 'Changes, exports and refused calls in the organization, for admins.',
  'Health, metrics, documentation': 'Endpoints for operators and developers.',
};

/** The OpenAPI document (3.0.3), generated from the endpoints. */
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
    description: 'Set by login and registration. Browsers send it automatically.',
  });
  registry.registerComponent('securitySchemes', 'token', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svc_<32 hex digits>',
    description: 'An API token of an organization.',
  });
  registry.registerComponent('securitySchemes', 'personalToken', {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'svcp_<32 hex digits>',
    description: 'A personal access token.',
  });
  registry.registerComponent('parameters', 'OrgSlug', {
    name: 'X-Org-Slug',
    in: 'header',
    required: false,
    description: 'Selects the organization, such as `acme`, if no base domain is configured.',
    schema: { type: 'string', pattern: ORG_SLUG.source },
  });
  registry.registerComponent('headers', 'RequestId', {
    description: 'The id of the request: the `X-Request-ID` it was sent with, if valid, otherwise a new one.',
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
  registry.registerComponent('headers', 'ETag', {
    description: 'Names this version of the result, for `If-None-Match`.',
    required: true,
    schema: { type: 'string', example: '"0f343b0931126a20f133d67c2b018a3b"' },
  });
  registry.registerComponent('headers', 'Location', {
    description: 'Where the browser goes on.',
    required: true,
    schema: { type: 'string', example: 'https://findings.example.com/o/acme' },
  });
  registry.registerComponent('headers', 'Warning', {
    description: 'Names query parameters of the request that were ignored. The `message` has the same text.',
    schema: { type: 'string', example: '299 - "Unknown query parameters were ignored: severty."' },
  });
  registry.registerComponent('headers', 'SessionCookie', {
    description: `The cookie \`${SESSION_COOKIE}\`: HttpOnly, SameSite=Lax, for 24 hours.`,
    schema: {
      type: 'string',
      example: `${SESSION_COOKIE}=eyJhbGciOiJIUzI1NiJ9.eyJ.sig; Max-Age=86400; Path=/; HttpOnly`,
    },
  });
  for (const key of Object.keys(ERRORS) as ErrorKey[]) {
    // No operation has this error: it answers methods that are not operations.
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
      title: 'svc-findings',
      version: VERSION,
      description: DESCRIPTION,
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '/', description: 'This server' }],
    tags: TAGS.map((name) => ({ name, description: TAG_DESCRIPTIONS[name] })),
  });
  dropTypelessNullable(document);
  addExamples(document);
  nameSchemas(document);
  return document;
}

/** Removes `nullable` where OpenAPI 3.0.3 does not allow it: schemas without a type, which accept null anyway. */
function dropTypelessNullable(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as { nullable?: boolean; type?: unknown; allOf?: unknown };
  if (schema.nullable === true && schema.type === undefined && schema.allOf === undefined)
    delete schema.nullable;
  for (const part of Object.values(value)) dropTypelessNullable(part);
}

export const toYaml = (document: OpenApiDocument): string =>
  stringify(document, { aliasDuplicateObjects: false, lineWidth: 120, version: '1.1' });

/** Describes endpoints when they are first asked for, each format once. */
export function describing(endpoints: Endpoints): Description {
  const texts: { yaml?: string; json?: string } = {};
  const write = { yaml: toYaml, json: (document: OpenApiDocument) => JSON.stringify(document) };
  return (format) => {
    texts[format] ??= write[format](describeApi(endpoints));
    return texts[format];
  };
}

const DETAILS: { [key in ErrorKey]?: { field: string; message: string } } = {
  'validation_error/field_required': { field: 'title', message: 'is required' },
  'validation_error/field_invalid': { field: 'title', message: 'must have at most 500 characters' },
  'validation_error/invalid_request': { field: 'per_page', message: 'must be from 1 to 500' },
};

function exampleError(key: ErrorKey) {
  const detail = DETAILS[key];
  return new ApiError(key, detail && { details: [detail] }).toJSON();
}

interface Media {
  schema?: Schema;
  example?: unknown;
  examples?: object;
}

/** Adds a complete example to every JSON body, built from the examples of its fields. */
function addExamples({ paths, components }: OpenApiDocument): void {
  const schemas = (components?.schemas ?? {}) as Record<string, Schema>;

  function exampleOf(schema: Schema, where: string): unknown {
    if (schema.$ref) {
      const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
      return exampleOf(schemas[name] ?? {}, name);
    }
    if (schema.example !== undefined) return schema.example;
    if (schema.enum) return schema.enum[0];
    if (schema.properties) {
      const { required = [] } = schema;
      // Only the response to a wrong request has an optional message.
      const fields = Object.entries(schema.properties).filter(
        ([name]) => name !== 'message' || required.includes(name),
      );
      return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(field, `${where}.${name}`)]));
    }
    const [first] = schema.oneOf ?? schema.anyOf ?? schema.allOf ?? [];
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
      // Swagger UI would send the example of an optional parameter.
      for (const { required, schema } of operation.parameters ?? []) if (!required) delete schema?.example;
    }
  }
}

interface Described {
  parameters?: { required?: boolean; schema?: Schema }[];
  requestBody?: { content?: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media> }>;
}
