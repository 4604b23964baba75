import { MFA_TYPES } from '../../../db/schema/accounts.ts';
import { PLANS, ROLES } from '../../../db/schema/orgs.ts';
import {
  CHANGED_STATUSES,
  EVENT_KINDS,
  FINDING_STATUSES,
  PERSONAS,
  RULE_STATUSES,
  SCAN_STATUSES,
  SEVERITIES,
  TOKEN_SCOPES,
  TRIAGE_REASONS,
} from '../../../db/schema/values.ts';
import { EVENT_FILTERS } from '../../events/types.ts';
import { CHANGES } from '../../findings/filter/parameters.ts';
import { AGENT_STATUSES, USER_STATUSES } from '../../findings/input.ts';
import { SORTS } from '../../findings/order.ts';

/** The parts of a schema that names depend on. */
export interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  'x-enum-varnames'?: string[];
  nullable?: boolean;
  description?: string;
  example?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
}

type Content = Record<string, { schema?: Schema }>;

interface Operation {
  operationId: string;
  parameters?: { name?: string; schema?: Schema }[];
  requestBody?: { content?: Content };
  responses: Record<string, { content?: Content }>;
}

/** The names of enums, by their values. Enums that are not listed are named after their first place. */
const ENUMS: Record<string, readonly string[]> = {
  Severity: SEVERITIES,
  FindingStatus: FINDING_STATUSES,
  ChangedStatus: CHANGED_STATUSES,
  UserStatus: USER_STATUSES,
  AgentStatus: AGENT_STATUSES,
  TriageReason: TRIAGE_REASONS,
  EventKind: EVENT_KINDS,
  ScanDifference: CHANGES,
  ScanStatus: SCAN_STATUSES,
  Persona: PERSONAS,
  RuleStatus: RULE_STATUSES,
  Role: ROLES,
  Plan: PLANS,
  TokenScope: TOKEN_SCOPES,
  MfaType: MFA_TYPES,
  FindingSort: SORTS,
  EventFilter: EVENT_FILTERS,
};

const PREFIX = '#/components/schemas/';

/**
 * Moves every body, object and enum of a document to its components. Generators of clients name types after components, and
 * make up names such as `InlineObject42` for the others. Names follow from operation ids and fields, so they are stable.
 * @throws if two different schemas would get the same name
 */
export function nameSchemas(document: { paths?: object; components?: { schemas?: object } }): void {
  const components = (document.components?.schemas ?? {}) as Record<string, Schema>;
  const enumNames = new Map(Object.entries(ENUMS).map(([name, values]) => [JSON.stringify(values), name]));

  function register(name: string, schema: Schema): Schema {
    const present = components[name];
    if (present && JSON.stringify(present) !== JSON.stringify(schema))
      throw new Error(`Two schemas would have the name ${name}`);
    components[name] = schema;
    return { $ref: PREFIX + name };
  }

  /** A schema that refers to components. `name` is the name it gets if it needs one. */
  function named(schema: Schema, name: string, isParameter = false): Schema {
    if (schema.$ref !== undefined) return schema;
    // A constant in a body needs no type, but generators make types of all values of parameters.
    if (schema.enum && (schema.enum.length > 1 || isParameter)) return enumOf(schema, name);
    const [only] = schema.allOf ?? [];
    // zod-to-openapi repeats the type beside a reference.
    if (only?.$ref && Object.keys(schema).every((key) => key === 'allOf' || key === 'type')) return only;
    const inner = withNamedParts(schema, name, isParameter);
    return inner.properties ? register(name, inner) : inner;
  }

  function withNamedParts(schema: Schema, name: string, isParameter = false): Schema {
    const { properties, items } = schema;
    const all = (schemas: Schema[]) => schemas.map((part, i) => named(part, `${name}${i + 1}`));
    return {
      ...schema,
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([field, part]) => [field, named(part, name + pascal(field))]),
        ),
      }),
      ...(items && { items: named(items, singular(name), isParameter) }),
      ...(schema.anyOf && { anyOf: all(schema.anyOf) }),
      ...(schema.allOf && { allOf: all(schema.allOf) }),
      ...(schema.oneOf && { oneOf: all(schema.oneOf) }),
    };
  }

  /** Other properties of the place, such as a default, are beside the reference, which OpenAPI 3.0 allows with `allOf` only. */
  function enumOf(schema: Schema, name: string): Schema {
    const { type, nullable, enum: values = [], 'x-enum-varnames': varnames, example: _, ...rest } = schema;
    const key = JSON.stringify(values.filter((value) => value !== null));
    const known = enumNames.get(key) ?? name;
    enumNames.set(key, known);
    const reference = nullable
      ? register(`Nullable${known}`, { type, nullable, enum: values })
      : register(known, { type, enum: values, ...(varnames && { 'x-enum-varnames': varnames }) });
    return Object.keys(rest).length === 0 ? reference : { allOf: [reference], ...rest };
  }

  for (const [name, schema] of Object.entries(components)) {
    components[name] = schema.enum ? schema : withNamedParts(schema, name);
  }
  for (const operation of operationsOf(document.paths)) {
    const { operationId, parameters = [], requestBody, responses } = operation;
    const base = pascal(operationId);
    for (const parameter of parameters) {
      if (!parameter.schema) continue;
      // The parameter has the same description.
      const { description: _, ...schema } = parameter.schema;
      parameter.schema = named(schema, `${base}${pascal(parameter.name ?? '')}`, true);
    }
    for (const media of Object.values(requestBody?.content ?? {})) {
      if (media.schema) media.schema = named(media.schema, `${base}Request`);
    }
    const created = resultOf(responses['201']?.content);
    for (const [status, { content = {} }] of Object.entries(responses)) {
      // A request that does not create what the operation creates may have a result of its own.
      const result = status === '200' && created ? resultOf(content) : created;
      const own = result?.$ref === created?.$ref ? base : (result?.$ref ?? base).replace(PREFIX, '');
      for (const media of Object.values(content)) {
        if (media.schema) media.schema = responseOf(media.schema, own, status);
      }
    }
  }

  /** The content of an envelope is called a result; envelopes with only a message are all the same. */
  function responseOf(schema: Schema, base: string, status: string): Schema {
    const { result, message } = schema.properties ?? {};
    const failed = Number(status) >= 400 ? 'Failure' : '';
    if (schema.properties && message && !result) {
      const { example: _, ...text } = message;
      const properties = { ...schema.properties, message: text };
      return register('MessageEnvelope', { ...schema, properties });
    }
    const inner =
      schema.properties && result
        ? { ...schema, properties: { ...schema.properties, result: named(result, `${base}${failed}Result`) } }
        : schema;
    return named(inner, `${base}${failed}Envelope`);
  }
}

function operationsOf(paths: object = {}): Operation[] {
  return Object.values(paths).flatMap((item) => Object.values(item as Record<string, Operation>));
}

const resultOf = (content: Content = {}): Schema | undefined =>
  Object.values(content)[0]?.schema?.properties?.result;

/** `due_at` becomes `DueAt`. */
const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

/** The name of one member of a list. */
const singular = (name: string): string =>
  name
    .replace(/ies$/, 'y')
    .replace(/(ch|sh|ss|us)es$/, '$1')
    .replace(/([^su])s$/, '$1');
