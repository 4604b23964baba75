import { endpoints } from '../../../handlers/index.ts';
import type { Access } from '../../../lib/http/access.ts';
import { operations, resolveSchema, type Schema } from '../contract/description.ts';

/** An endpoint and the parts of its requests, by its description. */
export interface HostileOperation {
  id: string;
  method: string;
  path: string;
  kind: Access['kind'];
  /** Names of the parameters of the path. */
  params: string[];
  query: string[];
  /** Paths of the body's fields, including those of inner objects. */
  fields: string[][];
  /** A body, made of the examples. */
  body?: Record<string, unknown>;
  /** Schema of the body, without references. */
  schema?: Schema;
  /** The body is a file. */
  takesFile: boolean;
  statuses: ReadonlySet<string>;
}

/** Every endpoint. */
export const hostileOperations = (): HostileOperation[] =>
  operations.map(({ operationId: id, method, path, parameters = [], requestBody, responses }) => {
    const given = requestBody?.content['application/json']?.schema;
    const schema = given && resolveSchema(given);
    return {
      ...{ id, method, path, kind: endpoints[id].access.kind },
      params: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string),
      query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
      fields: schema ? fieldsOf(schema) : [],
      takesFile: requestBody?.content['multipart/form-data'] !== undefined,
      ...(schema && { schema, body: exampleOf(schema) as Record<string, unknown> }),
      statuses: new Set(Object.keys(responses)),
    };
  });

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
