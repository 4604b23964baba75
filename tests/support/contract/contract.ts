import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { inject } from 'vitest';
import { endpoints } from '../../../handlers/index.ts';
import { describeApi } from '../../../lib/http/openapi.ts';
import type { Observation } from '../api/client.ts';
import { afterSuite } from '../run/suite.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files note what they have seen, for tests/http/contract.test.ts. */
    observedDir: string;
  }
}

interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, unknown>;
}

interface Response {
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}

/** The parts of an operation that tests look at. */
export interface Operation {
  operationId: string;
  method: string;
  path: string;
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, Response>;
}

interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  [keyword: string]: unknown;
}

const document = describeApi(endpoints);
const schemas = (document.components?.schemas ?? {}) as Record<string, Schema>;

/** Every operation of the API's description. */
export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item as Record<string, Operation>).map(([method, operation]) => ({
    ...operation,
    method: method.toUpperCase(),
    path,
  })),
);

/** The errors, as `type/code`, that an operation declares for a status. */
export const declaredErrors = (response: Response): string[] =>
  Object.keys(response.content?.['application/json']?.examples ?? {}).map((name) => name.replace('.', '/'));

const patterns = operations
  .map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`),
  }))
  // What stands there literally is asked before what a parameter could be.
  .sort((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length);

const find = (method: string, path: string) =>
  patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation;

/** A schema that allows the described fields and no other, with nothing left to look up. */
function close(schema: Schema): Schema {
  if (schema.$ref) return close(schemas[schema.$ref.replace('#/components/schemas/', '')] ?? {});
  const closed: Schema = { ...schema };
  if (schema.properties) {
    closed.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, property]) => [name, close(property)]),
    );
    closed.additionalProperties = false;
  }
  if (schema.items) closed.items = close(schema.items);
  if (schema.anyOf) closed.anyOf = schema.anyOf.map(close);
  if (schema.oneOf) closed.oneOf = schema.oneOf.map(close);
  return closed;
}

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
const validators = new Map<Schema, ValidateFunction>();

function validatorOf(schema: Schema): ValidateFunction {
  let validate = validators.get(schema);
  if (!validate) {
    validate = ajv.compile(close(schema));
    validators.set(schema, validate);
  }
  return validate;
}

const seen = new Set<string>();
const note = (what: string) => {
  if (seen.size === 0) afterSuite(writeSeen);
  seen.add(what);
};

async function writeSeen(): Promise<void> {
  await writeFile(join(inject('observedDir'), randomUUID()), [...seen].join('\n'));
  seen.clear();
}

/** Holds a response to the API's description. @throws Error when it is none that the description allows */
export function observe({ method, path, status, headers, text }: Observation): void {
  const operation = find(method, path);
  if (!operation) return;
  const fail = (why: string): never => {
    throw new Error(`${method} ${path} answered ${status}, ${why}\n${text.slice(0, 2_000)}`);
  };
  const response = operation.responses[status] ?? fail('which is not described');
  for (const [name, { $ref }] of Object.entries(response.headers ?? {})) {
    const component = document.components?.headers?.[$ref.replace('#/components/headers/', '')];
    if (component && 'required' in component && component.required && !headers.has(name))
      fail(`without ${name}`);
  }
  if (!response.content) {
    if (text !== '') fail('with a body');
    note(`${operation.operationId} ${status}`);
    return;
  }
  const type = headers.get('content-type')?.split(';', 1)[0] ?? '';
  const media = response.content[type] ?? fail(`as ${type}`);
  if (!READ.test(type)) {
    note(successOf(operation, response, status, type));
    return;
  }
  const body = type.startsWith('text/') ? text : JSON.parse(text);
  const validate = validatorOf(media.schema);
  if (!validate(body)) fail(ajv.errorsText(validate.errors, { separator: '\n' }));
  const errors = declaredErrors(response);
  if (errors.length === 0) note(successOf(operation, response, status, type));
  for (const { type, code } of errors.length > 0 ? body.errors : []) {
    if (!errors.includes(`${type}/${code}`)) fail(`${type}/${code} is not described`);
    note(`${operation.operationId} ${type}/${code}`);
  }
}

/** JSON, and text as such. */
const READ = /^text\/|^application\/(\w+\+)?json$/;

/** A success that has several types counts as one with each. */
const successOf = (
  operation: Pick<Operation, 'operationId'>,
  response: Response,
  status: number | string,
  type: string,
) =>
  [operation.operationId, status, ...(Object.keys(response.content ?? {}).length > 1 ? [type] : [])].join(
    ' ',
  );

/** All that the description says can be seen: `operation status` of successes, `operation type/code` of errors. */
export const declared = (): string[] =>
  operations.flatMap((operation) =>
    Object.entries(operation.responses).flatMap(([status, response]) => {
      const errors = declaredErrors(response);
      if (errors.length > 0) return errors.map((error) => `${operation.operationId} ${error}`);
      const types = Object.keys(response.content ?? { '': {} });
      return types.map((type) => successOf(operation, response, status, type));
    }),
  );
