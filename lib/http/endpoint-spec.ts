import type { z } from '@hono/zod-openapi';
import type { Access } from './access.ts';
import type { ErrorKey } from './errors.ts';
import type { RequestSchemas } from './input.ts';

/** The API contract's tables of endpoints, in their order. */
export const TAGS = [
  'Auth',
  'Profile: e-mails',
  'Profile: MFA',
  'Profile: sessions',
  'Organizations',
  'Configuration',
  'Scans',
  'Findings',
  'Dashboard',
  'Projects',
  'Members',
  'Agent ingest',
  'API tokens: project-scoped',
  'API tokens: org-wide',
  'Org feature flags',
  'Health, metrics, documentation',
] as const;

/** One success an endpoint can answer. */
export interface SuccessSpec {
  description: string;
  /** Schema of `result`; none for a message alone or an empty body. */
  result?: z.ZodType;
  /** The `message`; a handler may say more precisely. Without this there is none. */
  message?: string;
  /** A list that can be paged: `result_info` stands beside it then. */
  paged?: boolean;
  /** The session cookie comes with it: set or cleared. */
  cookie?: boolean;
  /** The body is not the usual envelope: its media type and schema. */
  body?: { type: string; schema: z.ZodType };
  /** What the body may be instead when that was asked for, by media type. */
  others?: Record<string, z.ZodType>;
}

export type SuccessSpecs = { [status in 200 | 201 | 204 | 503]?: SuccessSpec };

export interface EndpointSpec<A extends Access, S extends RequestSchemas, R extends SuccessSpecs> {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** Below `/api/v1`, or from the root for the operational endpoints; parameters in braces. */
  path: string;
  root?: boolean;
  access: A;
  tag: (typeof TAGS)[number];
  summary: string;
  description?: string;
  request?: S;
  responses: R;
  /** What the handler itself can answer, beside its access and its input. */
  errors?: readonly ErrorKey[];
  /** It does its work without the database. */
  withoutDatabase?: boolean;
  /** Too frequent and too dull for the log: logged at debug. */
  quiet?: boolean;
}
