import type { z } from '@hono/zod-openapi';
import type { AuditRule } from '../audit/actions.ts';
import type { ErrorKey } from '../errors.ts';
import type { Access } from './access.ts';
import type { StorageEffect } from './middleware/storage-quota.ts';
import type { RequestSchemas } from './request/input.ts';

/** The tags of the OpenAPI document: the endpoint tables of docs/api.md, in their order. */
export const TAGS = [
  'Auth',
  'Profile: e-mails',
  'Profile: MFA',
  'Profile: passkeys',
  'Profile: sessions',
  'Profile: access tokens',
  'Profile: notifications',
  'Single sign-on',
  'Provisioning',
  'Organizations',
  'Configuration',
  'Scans',
  'Findings',
  'Saved views',
  'Dashboard',
  'Policies',
  'Rules',
  'Webhooks',
  'Integrations',
  'Projects',
  'Members',
  'Agent ingest',
  'API tokens: project-scoped',
  'API tokens: org-wide',
  'Org feature flags',
  'Events',
  'Audit log',
  'Health, metrics, documentation',
] as const;

/** One success response of an endpoint. */
export interface SuccessSpec {
  description: string;
  /** Schema of `result`. Unset: a message only, or an empty body. */
  result?: z.ZodType;
  /** The default `message`, which a handler may replace. Unset: the response has no message. */
  message?: string;
  /** The list can be paged; the envelope then has `result_info`. */
  paged?: boolean;
  /** The response sets or clears the session cookie. */
  cookie?: boolean;
  /** The response has an `ETag`. */
  tagged?: boolean;
  /** Media type and schema of a body that is not the envelope. */
  body?: { type: string; schema: z.ZodType };
  /** Schemas of alternative bodies that a client can request, by media type. */
  others?: Record<string, z.ZodType>;
}

export type SuccessSpecs = { [status in 200 | 201 | 202 | 204 | 302 | 304 | 503]?: SuccessSpec };

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** Requires `audit` of endpoints that change something or answer with a file. */
export type AuditDeclared<M extends Method, R extends SuccessSpecs> = M extends 'get'
  ? R extends { 200: { body: object } | { others: object } }
    ? { audit: AuditRule }
    : unknown
  : { audit: AuditRule };

export interface EndpointSpec<A extends Access, S extends RequestSchemas, R extends SuccessSpecs> {
  method: Method;
  /** Relative to `/api/v1`, or to `/` if `root` is set. Parameters are in braces. */
  path: string;
  root?: boolean;
  access: A;
  /**
   * The action in the audit log, or why there is none. It has no default, except for endpoints that only answer with JSON
   * ({@link AuditDeclared}).
   */
  audit?: AuditRule;
  tag: (typeof TAGS)[number];
  summary: string;
  description?: string;
  request?: S;
  /** The body is a file, which the handler reads. The text describes it. */
  file?: string;
  /** The body is a form, which the handler reads. */
  form?: z.ZodType;
  /** The most bytes of the body. Unset: 1 MiB. */
  maxBytes?: number;
  responses: R;
  /** Errors that the handler throws, without those of access and input. */
  errors?: readonly ErrorKey[];
  /** The handler does not query the database, so `unavailable` is not among its errors. */
  withoutDatabase?: boolean;
  /** The query comes from another site, which adds parameters of its own. */
  foreignQuery?: true;
  /** Requests are logged at debug only, because they are frequent. */
  quiet?: boolean;
  /**
   * `false`: the handler inserts nothing into the tables of the organization, so an organization without tables stays so. Others
   * than `GET` create them (`middleware/own-tables.ts`).
   */
  insertsInOrg?: false;
  /** `false`: requests cause no events, or so seldom that the periodic task publishes them. */
  causesEvents?: false;
  /**
   * The effect on what the organization stores, for its storage quota. Unset: `POST` adds data, `DELETE` removes some, others change
   * some.
   */
  storage?: StorageEffect;
}
