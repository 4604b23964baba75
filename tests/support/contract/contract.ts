import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { inject } from 'vitest';
import { endpoints } from '../../../handlers/index.ts';
import type { Observation } from '../api/client.ts';
import { afterSuite } from '../run/suite.ts';
import { accessErrors, accessKey } from './access-groups.ts';
import {
  type DescribedResponse,
  document,
  type Operation,
  operations,
  resolveSchema,
  type Schema,
} from './description.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where test files write what they have seen, for tests/http/contract.test.ts. */
    observedDir: string;
  }
}

/** The errors, as `type/code`, that an operation declares for a status. */
export const declaredErrors = (response: DescribedResponse): string[] =>
  Object.keys(response.content?.['application/json']?.examples ?? {}).map((name) => name.replace('.', '/'));

const patterns = operations
  .map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`),
  }))
  // Literal segments take precedence over parameters.
  .sort((a, b) => a.operation.path.split('{').length - b.operation.path.split('{').length);

const find = (method: string, path: string) =>
  patterns.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation;

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
/** By the schema and by its text: responses have objects of their own, but most errors have the same schema. */
const validators = new Map<Schema | string, ValidateFunction>();

function validatorOf(schema: Schema): ValidateFunction {
  const known = validators.get(schema);
  if (known) return known;
  const text = JSON.stringify(schema);
  const validate = validators.get(text) ?? ajv.compile(resolveSchema(schema, true));
  validators.set(schema, validate).set(text, validate);
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

/** Compares a response with the API's description. @throws Error when the description does not allow it */
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
  const validate = validatorOf(media.schema);
  if (type === 'text/event-stream') {
    for (const data of dataOf(text))
      if (!validate(data)) fail(ajv.errorsText(validate.errors, { separator: '\n' }));
    note(successOf(operation, response, status, type));
    return;
  }
  const body = type.startsWith('text/') ? text : JSON.parse(text);
  if (!validate(body)) fail(ajv.errorsText(validate.errors, { separator: '\n' }));
  const errors = declaredErrors(response);
  if (errors.length === 0) note(successOf(operation, response, status, type));
  for (const { type, code } of errors.length > 0 ? body.errors : []) {
    if (!errors.includes(`${type}/${code}`)) fail(`${type}/${code} is not described`);
    note(errorOf(operation, `${type}/${code}`));
  }
}

/** The data of events, which are one line each. */
const dataOf = (stream: string): unknown[] =>
  [...stream.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));

/** An error of an operation. Errors of access checks count once for all endpoints with the same checks. */
function errorOf({ operationId }: Pick<Operation, 'operationId'>, error: string): string {
  const endpoint = endpoints[operationId];
  return `${accessErrors(endpoint).includes(error) ? accessKey(endpoint) : operationId} ${error}`;
}

/** JSON and text. */
const READ = /^text\/|^application\/(\w+\+)?json$/;

/** A success with several content types counts once for each. */
const successOf = (
  operation: Pick<Operation, 'operationId'>,
  response: DescribedResponse,
  status: number | string,
  type: string,
) =>
  [operation.operationId, status, ...(Object.keys(response.content ?? {}).length > 1 ? [type] : [])].join(
    ' ',
  );

/** Everything that the description declares: `operation status` of successes, `operation type/code` of errors. */
export const declared = (): string[] => {
  const all = operations.flatMap((operation) =>
    Object.entries(operation.responses).flatMap(([status, response]) => {
      const errors = declaredErrors(response);
      if (errors.length > 0) return errors.map((error) => errorOf(operation, error));
      const types = Object.keys(response.content ?? { '': {} });
      return types.map((type) => successOf(operation, response, status, type));
    }),
  );
  return [...new Set(all)];
};
