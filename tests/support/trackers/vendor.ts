import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { parse } from 'yaml';
import type { TrackerRequest } from './fake.ts';

/* The descriptions (OpenAPI 3) that vendors publish of their APIs. `README.md` says how to validate by them. */

interface Reference {
  $ref?: string;
}

interface Parameter extends Reference {
  name: string;
  in: string;
}

interface Body extends Reference {
  required?: boolean;
  content: Record<string, unknown>;
}

interface Shape extends Reference {
  properties?: Record<string, unknown>;
  additionalProperties?: unknown;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: Body;
}

type PathItem = Record<string, Operation> & { parameters?: Parameter[] };

/** The folder of the descriptions. */
const folder = process.env.TRACKER_DESCRIPTIONS;

/** Leaves `nullable` out where no type is, which Ajv does not know. The service sends no null. */
function withoutLooseNull(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('nullable' in value) || 'type' in value) return value;
  const { nullable: _nullable, ...rest } = value;
  return rest;
}

/**
 * Makes the function that checks requests by the description of a vendor.
 * @param file the name of the description in the folder
 * @param root the path that the vendor's description has before those of our operations
 * @returns undefined without the file
 */
export function vendorCheck(
  file: string,
  root: string,
): ((request: TrackerRequest) => string | undefined) | undefined {
  if (folder === undefined || !existsSync(join(folder, file))) return undefined;
  const text = readFileSync(join(folder, file), 'utf8');
  const json = file.endsWith('.json') ? text : JSON.stringify(parse(text));
  const description: { paths: Record<string, PathItem> } = JSON.parse(json, withoutLooseNull);
  const options = { strict: false, validateSchema: false, allErrors: true, logger: false } as const;
  const bodies = formats.default(new Ajv(options)).addSchema(description, 'api');
  const texts = formats.default(new Ajv({ ...options, coerceTypes: 'array' })).addSchema(description, 'api');

  /** Follows a reference. @returns its target, and the place of that */
  function resolve<T extends Reference>(at: string): [T, string] {
    let found: unknown = description;
    for (const part of at.split('/').slice(1))
      found = (found as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
    const { $ref } = found as T;
    return $ref === undefined ? [found as T, at] : resolve($ref);
  }

  /** An operation has the most literal path that matches. */
  function placeOf({ method, path }: TrackerRequest): string | undefined {
    const matching = Object.keys(description.paths).filter((template) =>
      new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(root + path),
    );
    const [template] = matching.toSorted((a, b) => a.split('{').length - b.split('{').length);
    const name = method.toLowerCase();
    if (template === undefined || !description.paths[template]?.[name]) return undefined;
    return `#/paths/${template.replaceAll('~', '~0').replaceAll('/', '~1')}/${name}`;
  }

  function queryProblem(place: string, query: Record<string, string>): string | undefined {
    const parts = [place, place.slice(0, place.lastIndexOf('/'))];
    const places = parts.flatMap((part) => {
      const { parameters = [] } = resolve<Operation & Reference>(part)[0];
      return parameters.map((_, index) => resolve<Parameter>(`${part}/parameters/${index}`));
    });
    for (const [name, value] of Object.entries(query)) {
      const [, at] = places.find(([parameter]) => parameter.in === 'query' && parameter.name === name) ?? [];
      if (at === undefined) return `the query has ${name}`;
      const check = texts.compile({ properties: { value: { $ref: `api${at}/schema` } } });
      if (!check({ value })) return `${name}: ${texts.errorsText(check.errors)}`;
    }
    return undefined;
  }

  function bodyProblem(place: string, body: unknown): string | undefined {
    const { requestBody } = resolve<Operation & Reference>(place)[0];
    if (requestBody === undefined) return body === undefined ? undefined : 'no body is described';
    const [{ required = false }, at] = resolve<Body>(`${place}/requestBody`);
    if (body === undefined) return required ? 'the body is missing' : undefined;
    const [shape, schema] = resolve<Shape>(`${at}/content/application~1json/schema`);
    const check = bodies.compile({ $ref: `api${schema}` });
    if (!check(body)) return bodies.errorsText(check.errors);
    const { properties, additionalProperties = false } = shape;
    const unknown = Object.keys(body as object).filter((name) => !properties || !(name in properties));
    return unknown.length > 0 && properties && additionalProperties === false
      ? `the body has ${unknown.join(', ')}`
      : undefined;
  }

  return (request) => {
    const place = placeOf(request);
    if (place === undefined) return 'no such operation';
    return queryProblem(place, request.query) ?? bodyProblem(place, request.body);
  };
}
