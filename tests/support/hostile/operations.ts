import { endpoints } from '../../../handlers/index.ts';
import type { Access } from '../../../lib/http/access/access.ts';
import { describeApi } from '../../../lib/http/openapi.ts';

/** An endpoint as its description tells: what there is to spoil. */
export interface HostileOperation {
  id: string;
  method: string;
  path: string;
  kind: Access['kind'];
  /** Names of the parameters of the path. */
  params: string[];
  query: string[];
  /** Where the fields of a body are, those of inner objects too. */
  fields: string[][];
  /** A body, of the examples. */
  body?: Record<string, unknown>;
  /** Schema of the body, with nothing left to look up. */
  schema?: Schema;
  statuses: ReadonlySet<string>;
}

export interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  example?: unknown;
  [keyword: string]: unknown;
}

interface Described {
  operationId: string;
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, unknown>;
}

/** Every endpoint there is. */
export function hostileOperations(): HostileOperation[] {
  const document = describeApi(endpoints);
  const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;

  const resolve = (schema: Schema): Schema => {
    if (schema.$ref) return resolve(schemas[schema.$ref.replace('#/components/schemas/', '')] as Schema);
    const { properties, items } = schema;
    return {
      ...schema,
      ...(items && { items: resolve(items) }),
      ...(properties && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, resolve(one)])),
      }),
    };
  };

  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Described>).map(([method, described]): HostileOperation => {
      const { operationId: id, parameters = [], requestBody, responses } = described;
      const given = requestBody?.content['application/json']?.schema;
      const schema = given && resolve(given);
      return {
        id,
        method: method.toUpperCase(),
        path,
        kind: endpoints[id as keyof typeof endpoints].access.kind,
        params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
        query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
        fields: schema ? fieldsOf(schema) : [],
        ...(schema && { schema, body: exampleOf(schema) as Record<string, unknown> }),
        statuses: new Set(Object.keys(responses)),
      };
    }),
  );
}

function fieldsOf({ properties = {} }: Schema): string[][] {
  return Object.entries(properties).flatMap(([name, one]) => [
    [name],
    ...fieldsOf(one).map((inner) => [name, ...inner]),
  ]);
}

function exampleOf({ properties, items, example, enum: values }: Schema): unknown {
  if (example !== undefined) return example;
  if (values) return values[0];
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, exampleOf(one)]));
  return items ? [exampleOf(items)] : undefined;
}
