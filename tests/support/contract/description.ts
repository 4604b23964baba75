import { endpoints } from '../../../handlers/index.ts';
import { describeApi } from '../../../lib/http/openapi/document.ts';

interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

export interface DescribedResponse {
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}

/** The parts of an operation that tests use. */
export interface Operation {
  operationId: keyof typeof endpoints;
  method: string;
  path: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, DescribedResponse>;
}

export interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  example?: unknown;
  [keyword: string]: unknown;
}

export const document = describeApi(endpoints);
const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;

/** Every operation of the API's description. */
export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
  })),
);

/** A schema without references. With `isClosed` it allows the described fields only. */
export function resolveSchema(schema: Schema, isClosed = false): Schema {
  const resolve = (inner: Schema) => resolveSchema(inner, isClosed);
  const { $ref, properties, items, anyOf, allOf, oneOf } = schema;
  if ($ref) return resolve(schemas[$ref.replace('#/components/schemas/', '')] ?? {});
  // A reference with properties of its own.
  const [only] = allOf ?? [];
  if (only && allOf?.length === 1) return resolve(only);
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, resolve(property)]),
      ),
      ...(isClosed && schema.additionalProperties === undefined && { additionalProperties: false }),
    }),
    ...(items && { items: resolve(items) }),
    ...(anyOf && { anyOf: anyOf.map(resolve) }),
    ...(oneOf && { oneOf: oneOf.map(resolve) }),
  };
}
