import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { endpoints } from '../../handlers/index.ts';
import { describeApi, toYaml } from '../../lib/http/openapi/document.ts';

/* Requirements of client generators on the API's description. `npm run clients` runs the generators. */

interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
}

interface Operation {
  operationId: string;
  parameters: { name?: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

const document = describeApi(endpoints);
const schemas = document.components?.schemas as Record<string, Schema>;
const operations = Object.values(document.paths).flatMap((item) =>
  Object.values(item as Record<string, Operation>),
);

/** Every body and parameter that is not in the components, with its place. */
const places = operations.flatMap(({ operationId, parameters = [], requestBody, responses }) => [
  ...parameters.map(({ name, schema }) => ({ place: `${operationId}?${name}`, type: '', schema })),
  ...bodiesOf(`${operationId} request`, requestBody?.content),
  ...Object.entries(responses).flatMap(([status, { content }]) =>
    bodiesOf(`${operationId} ${status}`, content),
  ),
]);

function bodiesOf(place: string, content: Record<string, { schema: Schema }> = {}) {
  return Object.entries(content).map(([type, { schema }]) => ({ place: `${place} ${type}`, type, schema }));
}

function partsOf({ properties = {}, items, anyOf = [], allOf = [], oneOf = [] }: Schema): Schema[] {
  return [...Object.values(properties), ...(items ? [items] : []), ...anyOf, ...allOf, ...oneOf];
}

/** The schemas in a schema, without those that it refers to. */
const within = (schema: Schema): Schema[] => partsOf(schema).flatMap((part) => [part, ...within(part)]);

const isObject = ({ properties, enum: values = [] }: Schema) => properties !== undefined || values.length > 1;

describe('the names of the API description', () => {
  it('are given to every body, object and enum', () => {
    expect(places.length).toBeGreaterThan(500);
    const inline = places.filter(
      ({ type, schema = {} }) =>
        (/json|yaml/.test(type) && schema.$ref === undefined) || [schema, ...within(schema)].some(isObject),
    );
    expect(inline.map(({ place }) => place)).toEqual([]);
    const nested = Object.entries(schemas).filter(([, schema]) => within(schema).some(isObject));
    expect(nested.map(([name]) => name)).toEqual([]);
  });

  it('are those of classes, each once', () => {
    const names = Object.keys(schemas);
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]+$/.test(name))).toEqual([]);
    const differing = new Set(names.map((name) => name.toLowerCase()));
    expect(differing.size).toBe(names.length);
    // Generators name the return types of operations so.
    const ids = operations.map(({ operationId }) => `${operationId}Response`.toLowerCase());
    expect(ids.filter((id) => differing.has(id))).toEqual([]);
  });

  it('include an id for every operation, which is used once', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
    expect(new Set(ids.map((id) => id.toLowerCase())).size).toBe(ids.length);
  });

  it('give one name to the same values', () => {
    const enums = Object.entries(schemas).filter(([, { enum: values }]) => values);
    const values = enums.map(([, schema]) => JSON.stringify(schema.enum));
    expect(enums.length).toBeGreaterThan(20);
    expect(new Set(values).size).toBe(values.length);
  });

  it('give all errors one schema, apart from those of the probes', () => {
    const errors = operations.flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => Number(status) >= 400)
        .map(([status, { content }]) => [operationId, status, content?.['application/json']?.schema.$ref]),
    );
    const others = errors.filter(([, , name]) => name !== '#/components/schemas/ErrorEnvelope');
    expect(others).toEqual([
      ['healthz', '503', '#/components/schemas/HealthzFailureEnvelope'],
      ['readyz', '503', '#/components/schemas/ReadyzFailureEnvelope'],
    ]);
  });
});

describe('the API description', () => {
  it.each(['1.1', '1.2'] as const)('is the same document in YAML %s and JSON', (version) => {
    const json = JSON.parse(JSON.stringify(document));
    expect(parse(toYaml(document), { version, maxAliasCount: 0 })).toEqual(json);
  });

  it('has no text that ends a comment of generated code', () => {
    const texts = [...JSON.stringify(document).matchAll(/"description":"((?:[^"\\]|\\.)*)"/g)];
    expect(texts.length).toBeGreaterThan(300);
    expect(texts.flatMap(([, text]) => (text?.includes('*/') ? [text] : []))).toEqual([]);
  });

  it('has no union of lists, nor alternatives of required fields', () => {
    const all = Object.entries(schemas).flatMap(([name, schema]) =>
      [schema, ...within(schema)].map((part) => ({ name, part })),
    );
    const bad = all.filter(({ part }) =>
      [...(part.anyOf ?? []), ...(part.oneOf ?? [])].some((choice) => choice.$ref === undefined),
    );
    expect(bad.map(({ name }) => name)).toEqual([]);
  });
});
