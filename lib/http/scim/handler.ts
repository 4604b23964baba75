import type { SQL } from 'drizzle-orm';
import type { ScimCall } from './call.ts';

export interface ScimResource {
  id?: string;
  meta?: { location: string; [name: string]: unknown };
  [name: string]: unknown;
}

/** A request of an identity provider. */
export interface ScimRequest {
  call: ScimCall;
  /** The URL of the service for identity providers. */
  base: string;
  /** The `id` of the path. */
  id: string;
  body: Readonly<Record<string, unknown>>;
  /** Whether the answer has an attribute (`attributes`, `excludedAttributes`). */
  shows(name: string): boolean;
  /** The page of a list, with the condition of its filter. */
  page(filters: Filters): { where: SQL | undefined; offset: number; limit: number };
}

export type Filters = Readonly<Record<string, (value: string) => SQL | undefined>>;

export type ScimAnswer =
  | { status?: 200 | 201; resource: ScimResource | undefined }
  | { resources: readonly ScimResource[]; total?: number }
  | { status: 204; resource?: undefined };

export type ScimHandler = (request: ScimRequest) => Promise<ScimAnswer>;
