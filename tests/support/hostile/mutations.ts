import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ENCODINGS, HEADERS, headerValue, KEYS, QUERIES, segment, TYPES, value } from './corpus.ts';
import type { HostileOperation } from './operations.ts';

/** A request to send. */
export interface HostileRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** The parts of a valid request. */
export interface Base {
  params: Record<string, string>;
  query: Record<string, string>;
  body?: Record<string, unknown>;
  headers: Record<string, string>;
}

/** A change to a valid request. */
export type Mutation =
  | { kind: 'field'; at: number; value: string }
  | { kind: 'drop'; at: number }
  | { kind: 'twice'; at: number; value: string; first: boolean }
  | { kind: 'extra'; key: string; value: string }
  | { kind: 'text'; how: keyof typeof REWRITES; at: number }
  | { kind: 'type'; value: string }
  | { kind: 'encoding'; value: string; packed: boolean }
  | { kind: 'path'; at: number; value: string }
  | { kind: 'query'; at: number; value: string; times: number }
  | { kind: 'unknownQuery'; text: string }
  | { kind: 'header'; name: string; value: string };

/** The changes that a request of this operation allows, each as often as its weight says. */
export function mutations({ fields, params, query }: HostileOperation): fc.Arbitrary<Mutation> {
  const at = fc.nat();
  const ways: { weight: number; arbitrary: fc.Arbitrary<Mutation> }[] = [];
  const add = <Kind extends Mutation['kind']>(
    weight: number,
    kind: Kind,
    parts: Parts<Extract<Mutation, { kind: Kind }>>,
  ) => ways.push({ weight, arbitrary: fc.record({ kind: fc.constant(kind), ...parts }) as never });
  add(2, 'header', { name: fc.constantFrom(...HEADERS), value: headerValue });
  add(1, 'unknownQuery', { text: fc.constantFrom(...QUERIES) });
  if (params.length > 0) add(5, 'path', { at, value: segment });
  if (query.length > 0) add(8, 'query', { at, value: segment, times: fc.integer({ min: 1, max: 3 }) });
  if (fields.length > 0) {
    add(10, 'field', { at, value });
    add(1, 'drop', { at });
    add(2, 'twice', { at, value, first: fc.boolean() });
    add(2, 'extra', { key: fc.constantFrom(...KEYS), value });
    add(3, 'text', { how: fc.constantFrom(...(Object.keys(REWRITES) as (keyof typeof REWRITES)[])), at });
    add(1, 'type', { value: fc.constantFrom(...TYPES) });
    add(1, 'encoding', { value: fc.constantFrom(...ENCODINGS), packed: fc.boolean() });
  }
  return fc.oneof(...ways);
}

/** Arbitraries of a mutation's fields. */
type Parts<One extends Mutation> = { [Key in Exclude<keyof One, 'kind'>]: fc.Arbitrary<One[Key]> };

/** Applies a mutation to a valid request; without one, the request stays valid. */
export function spoil(operation: HostileOperation, base: Base, mutation?: Mutation): HostileRequest {
  const { method, fields, params, query } = operation;
  const values = { ...base.params };
  const headers = { ...base.headers };
  let search = new URLSearchParams(base.query).toString();
  let body: HostileRequest['body'];
  if (base.body) {
    headers['content-type'] = 'application/json';
    body = JSON.stringify(base.body);
  }
  const pick = <T>(list: readonly T[], at: number) => list[at % list.length] as T;
  switch (mutation?.kind) {
    case 'field':
      body = jsonWith(base.body, pick(fields, mutation.at), () => [mutation.value]);
      break;
    case 'drop':
      body = jsonWith(base.body, pick(fields, mutation.at), () => []);
      break;
    case 'twice':
      body = jsonWith(base.body, pick(fields, mutation.at), (given) =>
        mutation.first ? [mutation.value, given] : [given, mutation.value],
      );
      break;
    case 'extra':
      body = `{${JSON.stringify(mutation.key)}:${mutation.value},${JSON.stringify(base.body).slice(1)}`;
      break;
    case 'text':
      body = (REWRITES[mutation.how] as Rewrite)(JSON.stringify(base.body), mutation.at);
      break;
    case 'type':
      headers['content-type'] = mutation.value;
      break;
    case 'encoding':
      headers['content-encoding'] = mutation.value;
      if (mutation.packed) body = new Uint8Array(gzipSync(JSON.stringify(base.body)));
      break;
    case 'path':
      values[pick(params, mutation.at)] = mutation.value;
      break;
    case 'query':
      search = queryWith(base.query, pick(query, mutation.at), mutation.value, mutation.times);
      break;
    case 'unknownQuery':
      search = [search, mutation.text].filter(Boolean).join('&');
      break;
    case 'header':
      headers[mutation.name] = mutation.value;
  }
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => values[name] ?? '');
  return { method, path: search ? `${path}?${search}` : path, headers, ...(body !== undefined && { body }) };
}

/** A query in which a parameter appears `times` times. */
function queryWith(query: Record<string, string>, name: string, value: string, times: number): string {
  const others = new URLSearchParams(Object.entries(query).filter(([key]) => key !== name)).toString();
  return [others, ...Array<string>(times).fill(`${name}=${value}`)].filter(Boolean).join('&');
}

/** An object as JSON in which `make` replaces a field by any number of fields. */
function jsonWith(
  object: unknown,
  [key, ...inner]: readonly string[],
  make: (given: string) => string[],
): string {
  const given = { ...(object as Record<string, unknown>) };
  const present = given[key as string];
  delete given[key as string];
  const rest = JSON.stringify(given).slice(1, -1);
  const made =
    inner.length > 0 ? [jsonWith(present ?? {}, inner, make)] : make(JSON.stringify(present ?? null));
  return `{${[...made.map((text) => `${JSON.stringify(key)}:${text}`), rest].filter(Boolean).join(',')}}`;
}

type Rewrite = (json: string, at: number) => string | Uint8Array<ArrayBuffer>;

const manyKeys = (count: number, key: (i: number) => string | number) => (json: string) =>
  `{${Array.from({ length: count }, (_, i) => `"${key(i)}":0`).join(',')},${json.slice(1)}`;

/** Puts bytes at the end of the first text. */
const withBytes =
  (...codes: number[]): Rewrite =>
  (json) => {
    const marked = Buffer.from(json.replace(/"(?=[,}])/, '\u0001"'));
    return new Uint8Array([...marked].flatMap((code) => (code === 1 ? codes : [code])));
  };

/** Changes to a whole body. */
const REWRITES = {
  truncated: (json, at) => json.slice(0, at % json.length),
  bom: (json) => `\ufeff\ufeff${json}`,
  utf16: (json) => new Uint8Array(Buffer.from(`\ufeff${json}`, 'utf16le')),
  latin1: withBytes(0xe4),
  overlong: withBytes(0xc0, 0x80),
  cesu: withBytes(0xed, 0xa0, 0xbd, 0xed, 0xb2, 0xa5),
  'trailing comma': (json) => json.replace(/\}$/, ',}'),
  comment: (json) => `/* */${json}`,
  'single quotes': (json) => json.replaceAll('"', "'"),
  'two values': (json) => json + json,
  array: (json) => `[${json}]`,
  string: (json) => JSON.stringify(json),
  empty: () => '',
  spaces: (json) => json + ' '.repeat(1_000_000),
  'many keys': manyKeys(50_000, (i) => `k${i}`),
  // Names that are array indices and have the same low bits.
  'same hash': manyKeys(40_000, (i) => 65_536 * (i + 20_000)),
  'long key': (json) => `{"${'k'.repeat(900_000)}":1,${json.slice(1)}`,
  prefix: (json) => `)]}',\n${json}`,
} satisfies Record<string, Rewrite>;
