import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { ENCODINGS, HEADERS, headerValue, KEYS, QUERIES, segment, TYPES, value } from './corpus.ts';
import type { HostileOperation } from './operations.ts';

/** A request as it is to be sent. */
export interface HostileRequest {
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** What a valid request of an operation has. */
export interface Base {
  params: Record<string, string>;
  query: Record<string, string>;
  body?: Record<string, unknown>;
  headers: Record<string, string>;
}

/** How a valid request is spoiled. */
export type Mutation =
  | { kind: 'field'; at: number; value: string }
  | { kind: 'drop'; at: number }
  | { kind: 'twice'; at: number; value: string; first: boolean }
  | { kind: 'extra'; key: string; value: string }
  | { kind: 'text'; how: (typeof WHOLE)[number]; at: number }
  | { kind: 'type'; value: string }
  | { kind: 'encoding'; value: string; packed: boolean }
  | { kind: 'path'; at: number; value: string }
  | { kind: 'query'; at: number; value: string; times: number }
  | { kind: 'unknownQuery'; text: string }
  | { kind: 'header'; name: string; value: string };

const WHOLE = [
  ...[
    'truncated',
    'bom',
    'utf16',
    'latin1',
    'overlong',
    'cesu',
    'trailing comma',
    'comment',
    'single quotes',
  ],
  ...['two values', 'array', 'string', 'empty', 'spaces', 'many keys', 'same hash', 'long key', 'prefix'],
] as const;

/** Ways to spoil a request of this operation. */
export function mutations(operation: HostileOperation): fc.Arbitrary<Mutation> {
  const { fields, params, query } = operation;
  const at = fc.nat();
  const ways: { weight: number; arbitrary: fc.Arbitrary<Mutation> }[] = [
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('header' as const),
        name: fc.constantFrom(...HEADERS),
        value: headerValue,
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('unknownQuery' as const), text: fc.constantFrom(...QUERIES) }),
    },
  ];
  if (params.length > 0) {
    ways.push({
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant('path' as const), at, value: segment }),
    });
  }
  if (query.length > 0) {
    ways.push({
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('query' as const),
        at,
        value: segment,
        times: fc.integer({ min: 1, max: 3 }),
      }),
    });
  }
  if (fields.length > 0) {
    ways.push(
      { weight: 10, arbitrary: fc.record({ kind: fc.constant('field' as const), at, value }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), at }) },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('twice' as const), at, value, first: fc.boolean() }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('extra' as const), key: fc.constantFrom(...KEYS), value }),
      },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('text' as const), how: fc.constantFrom(...WHOLE), at }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('type' as const), value: fc.constantFrom(...TYPES) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('encoding' as const),
          value: fc.constantFrom(...ENCODINGS),
          packed: fc.boolean(),
        }),
      },
    );
  }
  return fc.oneof(...ways);
}

/** The request that becomes of a valid one; the valid one itself without a mutation. */
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
      body = rewritten(JSON.stringify(base.body), mutation.how, mutation.at);
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

/** A query, a parameter of which is there so many times. */
function queryWith(query: Record<string, string>, name: string, value: string, times: number): string {
  const others = new URLSearchParams(Object.entries(query).filter(([key]) => key !== name)).toString();
  return [others, ...Array<string>(times).fill(`${name}=${value}`)].filter(Boolean).join('&');
}

/** An object as JSON, a field of which is there as often as `make` says. */
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

const bytes = (text: string, encoding: BufferEncoding) => new Uint8Array(Buffer.from(text, encoding));

/** A body that is no longer what it was. */
function rewritten(json: string, how: (typeof WHOLE)[number], at: number): string | Uint8Array<ArrayBuffer> {
  const inside = json.replace(/"(?=[,}])/, '\u0001"');
  const withBytes = (...codes: number[]) =>
    new Uint8Array([...Buffer.from(inside)].flatMap((code) => (code === 1 ? codes : [code])));
  switch (how) {
    case 'truncated':
      return json.slice(0, at % json.length);
    case 'bom':
      return `\ufeff\ufeff${json}`;
    case 'utf16':
      return bytes(`\ufeff${json}`, 'utf16le');
    case 'latin1':
      return withBytes(0xe4);
    case 'overlong':
      return withBytes(0xc0, 0x80);
    case 'cesu':
      return withBytes(0xed, 0xa0, 0xbd, 0xed, 0xb2, 0xa5);
    case 'trailing comma':
      return json.replace(/\}$/, ',}');
    case 'comment':
      return `/* */${json}`;
    case 'single quotes':
      return json.replaceAll('"', "'");
    case 'two values':
      return json + json;
    case 'array':
      return `[${json}]`;
    case 'string':
      return JSON.stringify(json);
    case 'empty':
      return '';
    case 'spaces':
      return json + ' '.repeat(1_000_000);
    case 'many keys':
      return `{${Array.from({ length: 50_000 }, (_, i) => `"k${i}":${i}`).join(',')},${json.slice(1)}`;
    case 'same hash':
      // Names that are array indices, and alike in their low bits.
      return `{${Array.from({ length: 40_000 }, (_, i) => `"${65_536 * (i + 20_000)}":0`).join(',')},${json.slice(1)}`;
    case 'long key':
      return `{"${'k'.repeat(900_000)}":1,${json.slice(1)}`;
    case 'prefix':
      return `)]}',\n${json}`;
    default:
      return json;
  }
}
