import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_BATCH_BYTES } from '../../../lib/http/bulk/push-batch.ts';
import { BODY_LIMIT } from '../../../lib/http/request/input.ts';
import { PASSWORD, textOf } from '../../support/api/api.ts';
import type { Schema } from '../../support/contract/description.ts';
import type { Base } from '../../support/hostile/mutations.ts';
import { spoil } from '../../support/hostile/mutations.ts';
import { type HostileOperation, hostileOperations } from '../../support/hostile/operations.ts';
import { createHostileWorld, type HostileWorld } from '../../support/hostile/world.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { plainHasher } from '../../support/server/hasher.ts';
import { withoutOutbox } from '../../support/server/no-outbox.ts';

/* The largest input of each endpoint, of contents that are slow to match, blocks the other requests for 50 ms at most. */

const MIB = 1024 * 1024;
const MAX_MS = 50;
/** Where a request takes longer it is repeated, because the first ones also compile code. */
const ATTEMPTS = 5;

const repeat = (unit: string) => (length: number) =>
  unit
    .repeat(Math.ceil(length / unit.length))
    .slice(0, length)
    .toWellFormed();
const codePoints = (from: number, count: number) =>
  String.fromCodePoint(...Array.from({ length: count }, (_, i) => from + i));

/** Texts of any length. */
const FILLS: Record<string, (length: number) => string> = {
  ...Object.fromEntries([...'a0`/*-.@# [("\\<\n&'].map((one) => [JSON.stringify(one), repeat(one)])),
  ...Object.fromEntries(
    ['a`', '` ``', '```\n', '@[a](', 'a@', 'a.', '*a', '**/', '\n   ```', '0-', '<!--', 'key="'].map(
      (unit) => [JSON.stringify(unit), repeat(unit)],
    ),
  ),
  'runs of backticks': repeat(Array.from({ length: 220 }, (_, i) => '`'.repeat(i + 1)).join('a')),
  'different characters': repeat(codePoints(0x4e00, 20_000)),
  'combining characters': repeat('Z\u0301\u0323'),
  emoji: repeat('👩‍👩‍👧‍👦'),
};

/** Operations that match texts in ways of their own, and get all contents. The others share the code that reads them. */
const MATCHING = new Set(['listFindings', 'pushFinding', 'createRule', 'createComment']);
const FEW = 5;

/** The contents for an operation: others for the next one. */
function contentsOf(operation: HostileOperation): [string, (length: number) => string][] {
  const all = Object.entries(FILLS);
  if (MATCHING.has(operation.id)) return all;
  const first = operations.indexOf(operation) * FEW;
  return Array.from({ length: FEW }, (_, i) => all[(first + i) % all.length] as (typeof all)[number]);
}

const HEADERS = [
  'cookie',
  'authorization',
  'user-agent',
  'x-forwarded-for',
  'idempotency-key',
  'if-none-match',
];
/** One operation for each kind of access: the same code reads the headers of all. */
const WITH_HEADERS = new Set(['login', 'listFindings', 'pushFinding', 'pushFindings']);

const operations = hostileOperations();

let t: TestApp;
let world: HostileWorld;

beforeAll(async () => {
  t = await startApp();
  await withoutOutbox(t);
  const { signedTokens, database } = t.services;
  const passwordHash = await plainHasher.hash(PASSWORD);
  const start = cpuMs();
  JSON.parse(JSON_TEXT);
  expect(cpuMs() - start, 'the processor time of a thread').toBeGreaterThan(1);
  world = await createHostileWorld({ api: t.api, sql: database.sql, signedTokens, passwordHash });
});

/** The processor time of this thread: others, such as those that hash passwords, block nobody. */
function cpuMs(): number {
  // It also brings that of the running thread up to date.
  const { user, system } = process.cpuUsage();
  if (process.platform === 'linux')
    return Number.parseInt(readFileSync('/proc/thread-self/schedstat', 'utf8'), 10) / 1_000_000;
  return (user + system) / 1_000;
}

const JSON_TEXT = JSON.stringify(
  Array.from({ length: 100_000 }, (_, i) => ({ id: i, text: 'a short text' })),
);

/** How many times slower this machine is now than two quiet cores, which parse these 4 MiB in 25 ms. */
function slowness(): number {
  const times = Array.from({ length: 3 }, () => {
    const start = cpuMs();
    JSON.parse(JSON_TEXT);
    return cpuMs() - start;
  });
  return Math.max(1, Math.min(...times) / 25);
}

/** The processor time of the longest turn of the event loop. Unlike its length, other processes hardly change it. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let last = cpuMs();
  const turn = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isOver = true;
  await new Promise((done) => setImmediate(done));
  return longest;
}

/** The least of some attempts, on two quiet cores. */
async function leastTurn(prepare: () => Promise<() => Promise<unknown>>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least > MAX_MS; attempt++) {
    const turn = await longestTurn(await prepare());
    least = Math.min(least, turn > MAX_MS ? turn / slowness() : turn);
  }
  return least;
}

interface Size {
  characters: number;
  items: number;
}

/** A value with all texts and lists as long as they may be. With `isValid`, texts that may not have this content stay. */
function largest(
  schema: Schema,
  given: unknown,
  fill: (length: number) => string,
  isValid: boolean,
  size: Size,
): unknown {
  const { type, properties, items, format, pattern, enum: values, anyOf, oneOf } = schema;
  const [one] = anyOf ?? oneOf ?? [];
  if (one) return largest(one, given, fill, isValid, size);
  if (properties) {
    const object = (given ?? {}) as Record<string, unknown>;
    const names = Object.keys(properties).filter((name) => !isValid || given === undefined || name in object);
    return Object.fromEntries(
      names.map((name) => [name, largest(properties[name] as Schema, object[name], fill, isValid, size)]),
    );
  }
  if (type === 'array' && items) {
    const [first] = (given as unknown[] | undefined) ?? [];
    const length = Math.min(Number(schema.maxItems ?? 10_000), size.items);
    return Array.from({ length }, () => largest(items, first, fill, isValid, size));
  }
  if (type !== 'string') return given ?? schema.example ?? schema.maximum;
  const text = fill(Math.min(Number(schema.maxLength ?? MIB), size.characters));
  const mayHave = !format && !values && (!pattern || new RegExp(String(pattern), 'u').test(text));
  return isValid && !mayHave ? (given ?? schema.example ?? values?.[0]) : text;
}

/** Bodies of the largest size: long texts in short lists, and short texts in long lists. */
function bodiesOf({ id, schema }: HostileOperation, base: Base, fill: (length: number) => string): string[] {
  if (!schema) return [];
  const maxBytes = id === 'pushFindings' ? MAX_BATCH_BYTES : BODY_LIMIT;
  const make = (isValid: boolean, size: Size) =>
    JSON.stringify(largest(schema, base.body, fill, isValid, size));
  const fitting = (isValid: boolean, sizes: Size[]) => {
    // Larger texts could not even be made.
    for (const size of sizes.filter(({ characters, items }) => characters * items <= 4 * maxBytes)) {
      const body = make(isValid, size);
      if (Buffer.byteLength(body) <= maxBytes) return body;
    }
    return undefined;
  };
  const long = [80, 10, 3, 1].flatMap((items) =>
    [MIB, 100_000, 10_000, 1_000].map((characters) => ({ characters, items })),
  );
  const many = [512, 64, 16, 4].map((characters) => ({ characters, items: 10_000 }));
  const bodies = [true, false].flatMap((isValid) => [fitting(isValid, long), fitting(isValid, many)]);
  return [...new Set(bodies.filter((body) => body !== undefined))];
}

interface Request {
  path: string;
  headers: Record<string, string>;
  body?: string | FormData;
}

/** Requests with one large part each. */
function requestsOf(operation: HostileOperation, fill: (length: number) => string): Request[] {
  const base = baseOf(operation);
  const { path, headers } = spoil(operation, base);
  const json = { ...headers, 'content-type': 'application/json' };
  const text = encodeURIComponent(fill(14_000)).slice(0, 14_000).replace(/%.?$/, '');
  const file = new FormData();
  // Not the largest report: this process also sends it, which takes about as long as receiving it.
  file.append('file', new Blob([Buffer.from(fill(4 * MIB)).subarray(0, 4 * MIB)]), 'report.txt');
  return [
    ...bodiesOf(operation, base, fill).map((body) => ({ path, headers: json, body })),
    ...operation.query.map((name) => ({
      path: `${path}${path.includes('?') ? '&' : '?'}${name}=${text}`,
      headers,
      ...(operation.schema && { body: JSON.stringify(base.body) }),
    })),
    ...operation.params.map((name) => ({
      path: spoil(operation, { ...base, params: { ...base.params, [name]: text } }).path,
      headers,
    })),
    ...(WITH_HEADERS.has(operation.id) ? HEADERS : []).map((name) => ({
      path,
      headers: { ...headers, [name]: text },
    })),
    ...(operation.takesFile ? [{ path, headers, body: file }] : []),
  ];
}

/** A batch has findings of the scan. */
function baseOf(operation: HostileOperation): Base {
  const base = world.base(operation);
  const single = operations.find(({ id }) => id === 'pushFinding');
  return operation.id === 'pushFindings' && single
    ? { ...base, body: { findings: [world.base(single).body] } }
    : base;
}

const send = async ({ method }: HostileOperation, { path, headers, body }: Request) => {
  const init = { method, headers: { host: 'localhost', ...headers }, ...(body !== undefined && { body }) };
  const response = await t.app.request(new Request(new URL(path, 'http://localhost'), init));
  await textOf(response);
  return response.status;
};

describe.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  '%s',
  (_, operation) => {
    it('blocks other requests for 50 ms at most', async () => {
      const slow: string[] = [];
      for (const [content, fill] of contentsOf(operation)) {
        let requests = requestsOf(operation, fill);
        for (const at of requests.keys()) {
          let status = 0;
          const ms = await leastTurn(async () => {
            if ((await world.written()).length > 0) {
              await world.renew();
              requests = requestsOf(operation, fill);
            }
            const request = requests[at] as Request;
            return async () => {
              status = await send(operation, request);
            };
          });
          expect(status).toBeLessThan(500);
          if (ms > MAX_MS) slow.push(`${content}, request ${at}: ${status}, ${Math.round(ms)} ms`);
        }
      }
      expect(slow).toEqual([]);
    });
  },
);

describe('pushes with the most expensive rules', () => {
  it.each([
    ['wildcards', '*a*a*a*a*a*a*a*a*a*b'.padEnd(250, 'a'), 'a'],
    ['repeated characters', `*${'a'.repeat(240)}b`, 'a'],
    ['different characters', `*${codePoints(0x4e00, 250)}`, codePoints(0x4e00, 1_024)],
  ])('block other requests for 50 ms at most: %s', async (_, pattern, text) => {
    await world.renew();
    const { org } = world;
    const path = Array.from({ length: 39 }, (_, i) => `${pattern}${i}`);
    const body = { name: 'Slow', enabled: true, conditions: { path }, actions: { status: 'wontfix' } };
    expect((await t.api.post('/rules', { ...org.asOwner, body })).status).toBe(201);
    const single = operations.find(({ id }) => id === 'pushFinding') as HostileOperation;
    const findings = Array.from({ length: 200 }, () => ({
      ...world.base(single).body,
      file: repeat(text)(1_024),
    }));
    const ms = await leastTurn(
      async () => () => t.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings } }),
    );
    expect(ms).toBeLessThan(MAX_MS);
  });
});
