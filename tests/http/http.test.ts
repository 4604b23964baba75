import { setTimeout as sleep } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { orgs } from '../../db/schema/orgs.ts';
import { refuseMalformed } from '../../lib/http/app.ts';
import { BODY_LIMIT } from '../../lib/http/request/input.ts';
import { createLogger } from '../../lib/logger.ts';
import { readBacklog } from '../../lib/maintenance/backlog.ts';
import { createHttpServer } from '../../lib/node/http-server.ts';
import pkg from '../../package.json' with { type: 'json' };
import {
  type Answer,
  createApi,
  createOrg,
  createScan,
  must,
  PASSWORD,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { untilBlocked } from '../support/database/blocked.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const REQUEST_ID = /^req_[0-9a-f]{32}$/;
const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/nowhere';

let t: TestApp;
let org: TestOrg;
/** The same database, on the base domain svc.test. */
let based: TestApp;
/** An app whose database does not answer. */
let lost: TestApp;
/** The log of the apps. */
const lines: string[] = [];
const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });

beforeAll(async () => {
  t = await startApp({ log, env: { SVC_ALLOWED_ORIGINS: 'https://app.example.com, http://localhost:5173' } });
  based = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_BASE_DOMAIN: 'svc.test' } });
  lost = await startApp({ databaseUrl: UNREACHABLE, log });
  org = await createOrg(t.api);
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];

/** An org that a test may damage. */
const fresh = () => createOrg(t.api);
const schemaOf = ({ id }: TestOrg) => `org_${id.replaceAll('-', '')}`;

/** Asks until the answer is yes. */
async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition()));
}

/** One answer of every kind. */
const ANSWERS: [string, () => Promise<Answer>][] = [
  ['a success', () => t.api.get('/config/auth')],
  ['a created resource', () => t.api.post('/projects', { ...org.asOwner, body: { name: 'Shop' } })],
  ['a list', () => t.api.get('/findings', org.asOwner)],
  ['a message', () => t.api.post('/auth/logout')],
  ['no content', () => t.api.delete(`/projects/${org.projectId}/tokens/${org.tokenId}`, org.asOwner)],
  ['a refusal', () => t.api.get('/auth/me')],
  ['a validation error', () => t.api.post('/auth/login', { body: {} })],
  ['an unknown path', () => t.api.get('/no/such/path')],
  ['a page', () => t.api.get('//')],
  ['a probe', () => t.api.get('//healthz')],
  ['metrics', () => t.api.get('//metrics')],
  ['a failure', () => lost.api.post('/auth/login', { body: { email: 'a@example.com', password: 'x' } })],
  ['a preflight', () => t.api.call('OPTIONS', '/orgs', { headers: preflight('https://app.example.com') })],
];

function preflight(origin: string) {
  return {
    origin,
    'access-control-request-method': 'PATCH',
    'access-control-request-headers': 'content-type',
  };
}

describe('every answer', () => {
  it.each(ANSWERS)('has a request id and security headers: %s', async (_, ask) => {
    const { headers } = await ask();
    expect(headers.get('x-request-id')).toMatch(REQUEST_ID);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-security-policy': expect.stringMatching(/default-src '(none|self)';.*frame-ancestors 'none'/),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': expect.any(String),
    });
  });

  it('lets pages load what is ours, and what is no page nothing', async () => {
    const policyOf = async (path: string) => (await t.api.get(path)).headers.get('content-security-policy');
    expect(await policyOf('//')).toContain("default-src 'self'");
    expect(await policyOf('//api/v1/docs')).toContain("default-src 'self'");
    expect(await policyOf('/config/auth')).toContain("default-src 'none'");
  });

  it('asks for HTTPS once it came by it', async () => {
    const over = (scheme: string) =>
      createApi((request) => t.app.request(request), `${scheme}://localhost`).get('/config/auth');
    expect((await over('https')).headers.get('strict-transport-security')).toMatch(/max-age=\d+/);
    expect((await over('http')).headers.has('strict-transport-security')).toBe(false);
  });

  it.each(['/config/auth', '/auth/me', '/no/such/path'])('is not to be cached: %s', async (path) => {
    expect((await t.api.get(path)).headers.get('cache-control')).toBe('no-store');
  });

  it.each(['/api/v1/config/auth', '/api/v1/auth/me', '/healthz', '/metrics', '/', '/api/v1/no/such/path'])(
    'to HEAD is the one to GET without its body: %s',
    async (path) => {
      const [get, head] = [await t.app.request(path), await t.app.request(path, { method: 'HEAD' })];
      expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
        get.status,
        get.headers.get('content-type'),
        '',
      ]);
    },
  );
});

describe('the request id', () => {
  const withId = (id: string) => t.api.get('/config/auth', { headers: { 'x-request-id': id } });

  it('is new for every request, and the same in header and body', async () => {
    const answers = [await t.api.get('/config/auth'), await t.api.get('/auth/me')];
    for (const { headers, json } of answers) {
      expect(json.request_id).toMatch(REQUEST_ID);
      expect(json.request_id).toBe(headers.get('x-request-id'));
    }
    expect(answers[0]?.json.request_id).not.toBe(answers[1]?.json.request_id);
  });

  it.each(['req_abc', '0', 'A-b.c:D_1', 'x'.repeat(128)])('is taken from the request: %s', async (id) => {
    const { headers, json } = await withId(id);
    expect([headers.get('x-request-id'), json.request_id]).toEqual([id, id]);
  });

  it.each(['', ' ', 'x'.repeat(129), 'a b', 'a/b', 'a"b', '<script>', 'ä', 'a,b', '{"a":1}'])(
    'is not taken from the request: %j',
    async (id) => {
      const { headers, json } = await withId(id);
      expect(json.request_id).toMatch(REQUEST_ID);
      expect(headers.get('x-request-id')).toBe(json.request_id);
    },
  );
});

describe('an unknown path', () => {
  it.each([
    ['GET', '/no/such/path'],
    ['GET', '/'],
    ['GET', '/orgs/'],
    ['GET', '//api'],
    ['GET', '//api/'],
    ['GET', '//api/v2/orgs'],
    ['GET', '///api/v1/findings/export.csv'],
    ['GET', '///%61pi/v1/findings'],
    ['GET', '//api%2Fv1/findings'],
    ['GET', '//%2Fapi/v1/findings'],
    ['POST', '//'],
  ])('%s %s is not found', async (method, path) => {
    const answer = await t.api.call(method, path);
    expect(outcome(answer)).toEqual([404, 'resource_error/not_found']);
    expect(answer.json).toEqual({
      success: false,
      request_id: answer.headers.get('x-request-id'),
      errors: [{ type: 'resource_error', code: 'not_found', ref: 'E40001', message: expect.any(String) }],
    });
  });

  it.each(['//', '//login', '//projects/web-shop', '//apis', '//index.html', '//%2e%2e/etc/passwd'])(
    'outside the API is a page: %s',
    async (path) => {
      const answer = await t.api.get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
      expect(answer.text).toMatch(/^<!doctype html>/i);
    },
  );
});

describe('a method that a path does not take', () => {
  it.each([
    ['PUT', '/orgs', 'POST, GET, HEAD'],
    ['DELETE', '/config/auth', 'GET, HEAD'],
    ['POST', '//healthz', 'GET, HEAD'],
    ['GET', `/members/${crypto.randomUUID()}`, 'PATCH, DELETE'],
  ])('%s %s is answered with those it takes', async (method, path, allow) => {
    const answer = await t.api.call(method, path);
    expect(outcome(answer)).toEqual([405, 'resource_error/method_not_allowed']);
    expect(answer.headers.get('allow')).toBe(allow);
  });

  it('is found out by OPTIONS', async () => {
    const answer = await t.api.call('OPTIONS', '/orgs');
    expect([answer.status, answer.headers.get('allow')]).toEqual([204, 'POST, GET, HEAD']);
  });
});

describe('a browser of another origin', () => {
  const allowedFor = async (app: TestApp, origin: string, method = 'GET') => {
    const headers = method === 'OPTIONS' ? preflight(origin) : { origin };
    const answer = await app.api.call(method, '/config/auth', { headers });
    return answer.headers.get('access-control-allow-origin');
  };
  const BASED = ['https://svc.test', 'http://svc.test:8080', 'https://acme.svc.test', 'https://a.b.svc.test'];
  const FOREIGN = [
    'https://evil.example',
    'https://svc.test.evil.example',
    'https://evilsvc.test',
    'https://app.example.com.evil.example',
    'https://app.example.com:8443',
    'http://app.example.com',
    'ftp://svc.test',
    'null',
    '*',
    'svc.test',
  ];

  it.each(['https://app.example.com', 'http://localhost:5173'])(
    'may read when listed: %s',
    async (origin) => {
      for (const method of ['GET', 'OPTIONS']) expect(await allowedFor(t, origin, method)).toBe(origin);
      expect(await allowedFor(based, origin)).toBeNull();
    },
  );

  it.each(BASED)('may read when on the base domain: %s', async (origin) => {
    for (const method of ['GET', 'OPTIONS']) expect(await allowedFor(based, origin, method)).toBe(origin);
    expect(await allowedFor(t, origin)).toBeNull();
  });

  it.each(FOREIGN)('may not read otherwise: %s', async (origin) => {
    for (const app of [t, based])
      for (const method of ['GET', 'OPTIONS']) expect(await allowedFor(app, origin, method)).toBeNull();
  });

  it('may send its cookies, and read errors and the request id', async () => {
    const answer = await t.api.get('/auth/me', { headers: { origin: 'https://app.example.com' } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    expect(answer.headers.get('access-control-allow-credentials')).toBe('true');
    expect(answer.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('x-request-id');
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('origin');
  });

  it('is told what it may send', async () => {
    const { status, headers } = await t.api.call('OPTIONS', '/findings/1', {
      headers: preflight('https://app.example.com'),
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-credentials')).toBe('true');
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
      expect(headers.get('access-control-allow-methods')).toContain(method);
    for (const header of ['content-type', 'authorization', 'x-request-id', 'x-org-slug', 'traceparent'])
      expect(headers.get('access-control-allow-headers')?.toLowerCase()).toContain(header);
  });

  it.each([
    ['its own host', () => t, 'localhost', 'http://localhost'],
    ['its own host behind HTTPS', () => t, 'findings.example', 'https://findings.example'],
    ['its own host and port', () => t, 'localhost:8080', 'http://localhost:8080'],
    ['a listed origin', () => t, 'localhost', 'https://app.example.com'],
    ['the base domain', () => based, 'acme.svc.test', 'https://svc.test'],
    ['a subdomain', () => based, 'svc.test', 'https://acme.svc.test'],
  ])('changes what it may when it is %s', async (_, app, host, origin) => {
    const { cookie } = org.owner;
    const answer = await app().api.post('/orgs', {
      cookie,
      host,
      headers: { origin },
      body: { name: 'Acme' },
    });
    expect(answer.status).toBe(201);
  });

  it('reads with a cookie, as far as the browser lets it', async () => {
    const options = { cookie: org.owner.cookie, headers: { origin: 'https://evil.example' } };
    expect((await t.api.get('/auth/me', options)).status).toBe(200);
  });
});

describe('a body', () => {
  type Body = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  const send = async (body: Body, headers: Record<string, string> = JSON_TYPE) => {
    const init: RequestInit = { method: 'POST', headers, body, duplex: 'half' };
    const response = await t.app.request(new Request('http://localhost/api/v1/auth/login', init));
    const { errors } = (await response.json()) as { errors: { type: string; code: string }[] };
    return [response.status, `${errors[0]?.type}/${errors[0]?.code}`];
  };
  const JSON_TYPE = { 'content-type': 'application/json' };
  const CREDENTIALS = JSON.stringify({ email: 'nobody@example.com', password: PASSWORD });
  const bytes = (text: string) => new TextEncoder().encode(text);
  /** Credentials in exactly so many bytes. */
  const padded = (length: number) => CREDENTIALS + ' '.repeat(length - CREDENTIALS.length);
  const stream = (text: string) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let i = 0; i < text.length; i += 65_536) controller.enqueue(bytes(text.slice(i, i + 65_536)));
        controller.close();
      },
    });

  const INVALID_BODY = [400, 'validation_error/invalid_body'];
  /** The body was read: nobody has these credentials. */
  const READ = [401, 'auth_error/invalid_credentials'];

  it.each<[string, Record<string, string>]>([
    ['no content type', {}],
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a type that only begins alike', { 'content-type': 'application/jsonp' }],
    ['an empty content type', { 'content-type': '' }],
  ])('is refused with %s', async (_, headers) => {
    expect(await send(bytes(CREDENTIALS), headers)).toEqual(INVALID_BODY);
  });

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;x=y'])(
    'is read with %s',
    async (type) => {
      expect(await send(CREDENTIALS, { 'content-type': type })).toEqual(READ);
    },
  );

  it.each<[string, Body]>([
    ['nothing', null],
    ['empty text', ''],
    ['white space', '  \n'],
    ['no JSON', 'email=a@example.com'],
    ['broken JSON', '{"email": "a@example.com"'],
    ['two values', '{}{}'],
    ['an array', `[${CREDENTIALS}]`],
    ['a string', '"text"'],
    ['a number', '1'],
    ['null', 'null'],
    ['true', 'true'],
    ['invalid UTF-8', new Uint8Array([...bytes('{"email":"'), 0xff, 0xc3, 0x28, ...bytes('"}')])],
    ['UTF-16', new Uint8Array(Buffer.from(CREDENTIALS, 'utf16le'))],
    ['deep nesting', '['.repeat(200_000)],
  ])('that is %s is refused', async (_, body) => {
    expect(await send(body)).toEqual(INVALID_BODY);
  });

  it('may begin with a byte order mark', async () => {
    expect(await send(`\ufeff${CREDENTIALS}`)).toEqual(READ);
  });

  it('of 1 MiB is read, with or without its length announced', async () => {
    const text = padded(BODY_LIMIT);
    expect(await send(text, { ...JSON_TYPE, 'content-length': String(BODY_LIMIT) })).toEqual(READ);
    expect(await send(stream(text))).toEqual(READ);
  });

  it('of more is refused, with or without its length announced', async () => {
    const text = padded(BODY_LIMIT + 1);
    expect(await send(text, { ...JSON_TYPE, 'content-length': String(BODY_LIMIT + 1) })).toEqual(
      INVALID_BODY,
    );
    expect(await send(stream(text))).toEqual(INVALID_BODY);
    expect(await send(CREDENTIALS, { ...JSON_TYPE, 'content-length': 'many' })).toEqual(INVALID_BODY);
  });

  it('of a chunked request is cut off where it gets too long', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    });
    expect(await send(endless)).toEqual(INVALID_BODY);
    expect(sent).toBeLessThan(2 * BODY_LIMIT);
  });

  it('is asked for its fields only: others, whatever their names, are ignored', async () => {
    const { cookie } = org.owner;
    const create = (body: string) => t.api.post('/orgs', { cookie, body });
    const made = must(
      await create(
        '{"__proto__":{"plan":"gold"},"constructor":{"prototype":{"x":1}},"id":"1","name":"Acme"}',
      ),
    );
    expect(made).toMatchObject({ name: 'Acme', plan: 'free' });
    expect(made.id).not.toBe('1');
    expect(({} as Record<string, unknown>).plan).toBeUndefined();
    const missing = await create('{"__proto__":{"name":"Acme"}}');
    expect(missing.refusal).toBe('400 validation_error/field_required name');
  });

  it('is not asked for where none is needed', async () => {
    const headers = { 'content-type': 'text/plain' };
    expect((await t.api.post('/auth/logout', { body: 'anything', headers })).status).toBe(200);
  });
});

describe.each(['//healthz', '//readyz'])('%s', (path) => {
  it('says that the database answers', async () => {
    const answer = await t.api.get(path);
    const state = {
      ...{ status: 'ok', db: 'ok', version: pkg.version },
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    };
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      success: true,
      request_id: answer.headers.get('x-request-id'),
      result: state,
      ...state,
    });
  });

  it('says that it does not', async () => {
    const answer = await lost.api.get(path);
    expect(answer.status).toBe(503);
    expect(answer.json).toMatchObject({
      success: false,
      request_id: answer.headers.get('x-request-id'),
      errors: [{ type: 'server_error', code: 'unavailable', ref: 'E90002' }],
      status: 'degraded',
      db: 'unreachable',
      timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    });
    // A probe can read either.
    const { status, db, version, timestamp, result } = answer.json;
    expect(version).toBe(pkg.version);
    expect(result).toEqual({ status, db, version, timestamp });
  });
});

describe('metrics', () => {
  const render = async () => (await t.api.get('//metrics')).text;
  const valueIn = (text: string, sample: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${sample} `))
        ?.slice(sample.length) ?? 0,
    );

  it('are in the Prometheus text format, of the types the contract names and some more', async () => {
    const answer = await t.api.get('//metrics');
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(answer.text.match(/^# TYPE .*$/gm)?.sort()).toEqual([
      '# TYPE svc_auth_failures_total counter',
      '# TYPE svc_body_memory_bytes gauge',
      '# TYPE svc_body_memory_refused_total counter',
      '# TYPE svc_body_memory_waiting gauge',
      '# TYPE svc_build_info gauge',
      '# TYPE svc_db_pool_idle gauge',
      '# TYPE svc_db_pool_in_use gauge',
      '# TYPE svc_db_pool_max gauge',
      '# TYPE svc_db_pool_open_connections gauge',
      '# TYPE svc_db_pool_waiting gauge',
      '# TYPE svc_db_replica_lag_seconds gauge',
      '# TYPE svc_db_replica_reads_total counter',
      '# TYPE svc_db_replica_up gauge',
      '# TYPE svc_db_up gauge',
      '# TYPE svc_db_writes_refused_total counter',
      '# TYPE svc_event_deliveries_total counter',
      '# TYPE svc_event_destination_oldest_seconds gauge',
      '# TYPE svc_http_active_requests gauge',
      '# TYPE svc_http_request_duration_seconds histogram',
      '# TYPE svc_http_requests_total counter',
      '# TYPE svc_ingest_batch_size histogram',
      '# TYPE svc_mail_oldest_seconds gauge',
      '# TYPE svc_mail_queue_depth gauge',
      '# TYPE svc_mails_total counter',
      '# TYPE svc_migrations_pending gauge',
      '# TYPE svc_org_connections_refused_total counter',
      '# TYPE svc_org_work_total counter',
      '# TYPE svc_password_hash_refused_total counter',
      '# TYPE svc_password_hash_waiting gauge',
      '# TYPE svc_storage_refused_total counter',
    ]);
  });

  it('count requests by method, route pattern and status', async () => {
    const sample = 'svc_http_requests_total{method="GET",path="/api/v1/orgs/{slug}",status="404"}';
    const durations = 'svc_http_request_duration_seconds_count{method="GET",path="/api/v1/orgs/{slug}"}';
    const before = await render();
    for (const slug of ['one', 'two', 'three']) await t.api.get(`/orgs/${slug}`, org.asOwner);
    const after = await render();
    for (const name of [sample, durations]) expect(valueIn(after, name)).toBe(valueIn(before, name) + 3);
  });

  it('stay bounded whatever paths are asked for', async () => {
    const ask = async (word: string) => {
      for (const path of [`/${word}`, `//${word}`, `/orgs/${word}`, `/findings/${word}/exploits/${word}`])
        await t.api.get(path);
    };
    await ask('first');
    // The first of these counts itself only when it is over.
    await render();
    const series = (await render()).split('\n').length;
    for (let i = 0; i < 20; i++) await ask(crypto.randomUUID());
    const text = await render();
    expect(text.split('\n').length).toBe(series);
    expect(text).not.toContain('first');
  });

  it('count requests that are refused because of their sender by kind, and nothing else', async () => {
    const failures = async () => {
      const samples = (await render()).matchAll(/^svc_auth_failures_total\{kind="(.*)"\} (\d+)$/gm);
      return Object.fromEntries([...samples].map(([, kind, count]) => [kind, Number(count)]));
    };
    const before = await failures();
    const { email } = org.owner;
    await t.api.post('/auth/login', { body: { email, password: 'Wrong1password' } });
    await t.api.get('/auth/me');
    for (const token of ['x', `svc_${'0'.repeat(32)}`, `svc_${'1'.repeat(32)}`])
      await t.api.get('/agent/findings', { ...org.asAgent, token });
    await t.api.get('/orgs/unknown', org.asOwner);
    await t.api.post('/orgs', { ...org.asOwner, body: {} });
    const after = await failures();
    const risen = Object.keys(after).filter((kind) => after[kind] !== before[kind]);
    expect(Object.fromEntries(risen.map((kind) => [kind, (after[kind] ?? 0) - (before[kind] ?? 0)]))).toEqual(
      {
        'auth_error/invalid_credentials': 1,
        'auth_error/not_authenticated': 1,
        'token_error/invalid_format': 1,
        'token_error/invalid': 2,
      },
    );
  });

  it('tell how many findings were written together', async () => {
    const own = await fresh();
    const scan = await createScan(t.api, own);
    const before = await render();
    await Promise.all([1, 2, 3, 4, 5].map((i) => push(t.api, own, scan, { fingerprint: `batched-${i}` })));
    const after = await render();
    const risen = (sample: string) => valueIn(after, sample) - valueIn(before, sample);
    expect(risen('svc_ingest_batch_size_sum')).toBe(5);
    expect(risen('svc_ingest_batch_size_count')).toBeLessThan(5);
  });

  it('tell what waits, when somebody has looked, and nothing when that failed', async () => {
    const waiting = async () => {
      const text = await render();
      const names = ['svc_db_up', 'svc_mail_queue_depth', 'svc_migrations_pending'];
      return names.map((name) => text.match(new RegExp(`^${name} (.*)$`, 'm'))?.[1]);
    };
    const { metrics, mail, database, orgMigrations } = t.services;
    expect(await waiting()).toEqual([undefined, undefined, undefined]);
    await mail.deliverDue();
    await database.db.transaction(async (tx) => {
      const content = { subject: 'Hello', html: '<p>Hello', text: 'Hello' };
      for (const to of ['a', 'b']) await mail.enqueue(tx, `${to}@example.com`, content);
      await tx.update(orgs).set({ schemaVersion: 1 }).where(eq(orgs.id, org.id));
      metrics.backlog(await readBacklog(tx, orgMigrations.length));
      expect(await waiting()).toEqual(['1', '2', '1']);
      await tx.update(orgs).set({ schemaVersion: orgMigrations.length }).where(eq(orgs.id, org.id));
    });
    const before = await render();
    await mail.deliverDue();
    const sent = 'svc_mails_total{outcome="sent"}';
    expect(valueIn(await render(), sent) - valueIn(before, sent)).toBe(2);
    metrics.backlog(undefined);
    expect(await waiting()).toEqual(['0', undefined, undefined]);
  });

  it('count themselves as the request being handled', async () => {
    for (let i = 0; i < 2; i++) expect(valueIn(await render(), 'svc_http_active_requests')).toBe(1);
  });

  describe('of the pool', () => {
    const pool = async () => {
      const text = await render();
      return {
        open: valueIn(text, 'svc_db_pool_open_connections'),
        inUse: valueIn(text, 'svc_db_pool_in_use'),
        idle: valueIn(text, 'svc_db_pool_idle'),
      };
    };

    it('show a running query while it runs', async () => {
      await sql('select 1');
      const running = sql('select pg_sleep($1)', [`${limit(500) / 1_000}`]).execute();
      // The driver sends the query in a later microtask.
      await sleep(1);
      const during = await pool();
      expect(during.inUse).toBe(1);
      expect(during.open).toBeGreaterThanOrEqual(1);
      expect(during.idle).toBe(during.open - 1);
      await running;
      const after = await pool();
      expect(after).toMatchObject({ inUse: 0 });
      expect(after.idle).toBe(after.open);
    });

    it('show a transaction while it is open, also between its queries', async () => {
      const { db } = t.services.database;
      const seen = await db.transaction(async (tx) => {
        await tx.execute('select 1');
        return pool();
      });
      expect(seen.inUse).toBe(1);
      expect(await pool()).toMatchObject({ inUse: 0 });
    });

    it('show a long list while it is read, and nothing once it was left', async () => {
      const own = await fresh();
      await push(t.api, own, await createScan(t.api, own));
      const f = `${schemaOf(own)}.findings`;
      await sql(`insert into ${f} select (jsonb_populate_record(null::${f}, to_jsonb(f)
        || jsonb_build_object('id', gen_random_uuid(), 'fingerprint', 'n' || i))).*
        from ${f} f, generate_series(1, 2000) i`);
      const headers = { cookie: `svc_token=${own.owner.cookie}`, 'x-org-slug': own.slug };
      const response = await t.app.request('/api/v1/findings', { headers });
      const reader = response.body?.getReader();
      await reader?.read();
      expect((await pool()).inUse).toBe(1);
      await reader?.cancel();
      expect((await pool()).inUse).toBe(0);
      expect(must(await t.api.get('/findings', own.asOwner))).toHaveLength(2001);
      expect((await pool()).inUse).toBe(0);
    });

    it('show what is left when the database ends connections', async () => {
      const single = await startApp({ databaseUrl: t.databaseUrl, config: { dbPoolMax: 1 } });
      const [backend] = await single.services.database.sql.unsafe('select pg_backend_pid() as pid');
      await sql(`select pg_terminate_backend(${backend?.pid}, 5000)`);
      // Until the driver has noticed that the connection is gone, it may offer it once more.
      await waitFor(() =>
        single.services.database.sql.unsafe('select 1').then(
          () => true,
          () => false,
        ),
      );
      expect(single.services.database.pool()).toMatchObject({ open: 1, inUse: 0, idle: 1 });
    });
  });
});

describe('a failure', () => {
  it('shows nothing of its cause, but logs it with the request id', async () => {
    const broken = await fresh();
    await sql(`drop table ${schemaOf(broken)}.scans cascade`);
    const answer = await t.api.get('/scans', broken.asOwner);
    expect(answer.status).toBe(500);
    expect(answer.json).toEqual({
      success: false,
      request_id: answer.headers.get('x-request-id'),
      errors: [{ type: 'server_error', code: 'internal', ref: 'E90001', message: expect.any(String) }],
    });
    expect(answer.text).not.toMatch(/relation|scans|org_|select|\.ts/i);
    const logged = lines
      .map((line) => JSON.parse(line))
      .filter((l) => l.request_id === answer.json.request_id);
    expect(logged).toContainEqual(
      expect.objectContaining({ level: 'error', error: expect.stringMatching(/relation .* does not exist/) }),
    );
    expect(logged).toContainEqual(expect.objectContaining({ message: 'request', status: 500 }));
  });

  it('of the database leaves alone what needs none', async () => {
    expect((await lost.api.get('/config/auth')).status).toBe(200);
    expect((await lost.api.get('//metrics')).status).toBe(200);
    expect((await lost.api.get('/auth/me')).status).toBe(401);
  });

  it('while a query runs is told as the database being unavailable', async () => {
    const single = await startApp({ databaseUrl: t.databaseUrl, config: { dbPoolMax: 1 } });
    const [backend] = await single.services.database.sql.unsafe('select pg_backend_pid() as pid');
    // The request waits for the lock until its connection is ended.
    const answer = await t.services.database.db.transaction(async (tx) => {
      await tx.execute('lock table shared.sessions in access exclusive mode');
      const asking = single.api.get('/auth/me', { cookie: org.owner.cookie });
      await untilBlocked(t.services.database.sql);
      await sql(`select pg_terminate_backend(${backend?.pid}, 5000)`);
      return asking;
    });
    expect(outcome(answer)).toEqual([500, 'server_error/unavailable']);
    // Until the driver has noticed that the connection is gone, it may offer it once more.
    await waitFor(async () => {
      const next = await single.api.get('/auth/me', { cookie: org.owner.cookie });
      if (next.status !== 200) expect(next.error).toBe('server_error/unavailable');
      return next.status === 200;
    });
    expect(single.services.database.pool()).toMatchObject({ open: 1, inUse: 0, idle: 1 });
  });
});

describe('a list that breaks off', () => {
  it('is said in the log alone', async () => {
    const own = await fresh();
    await push(t.api, own, await createScan(t.api, own));
    const f = `${schemaOf(own)}.findings`;
    const description = "repeat('x', 10000)";
    await sql(`insert into ${f} select (jsonb_populate_record(null::${f}, to_jsonb(f)
      || jsonb_build_object('id', gen_random_uuid(), 'fingerprint', 'n' || i, 'description', ${description}))).*
      from ${f} f, generate_series(1, 2000) i`);
    const said: string[] = [];
    const log = createLogger({ level: 'info', format: 'json', write: (line) => said.push(line) });
    const single = await startApp({ databaseUrl: t.databaseUrl, config: { dbPoolMax: 1 }, log });
    const [backend] = await single.services.database.sql.unsafe('select pg_backend_pid() as pid');
    const server = createHttpServer({ fetch: single.app.fetch, malformed: refuseMalformed });
    const stderr = vi.spyOn(console, 'error');
    try {
      const port = await server.listen(0, '127.0.0.1');
      const response = await fetch(`http://127.0.0.1:${port}/api/v1/findings`, {
        headers: { cookie: `svc_token=${own.owner.cookie}`, 'x-org-slug': own.slug },
      });
      expect(response.status).toBe(200);
      await sql(`select pg_terminate_backend(${backend?.pid}, 5000)`);
      await expect(response.text()).rejects.toThrow();
      await vi.waitFor(() => expect(said.join('')).toContain('"message":"list broken off"'));
      expect(stderr).not.toHaveBeenCalled();
    } finally {
      stderr.mockRestore();
      await server.stop(1_000);
    }
  });
});

describe('the log', () => {
  it('has a line per request that names route, status, org and user', async () => {
    const id = 'one-line';
    await t.api.get('/findings?q=private', { ...org.asOwner, headers: { 'x-request-id': id } });
    const logged = lines.map((line) => JSON.parse(line)).filter((l) => l.request_id === id);
    expect(logged).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        message: 'request',
        request_id: id,
        method: 'GET',
        route: '/api/v1/findings',
        status: 200,
        duration_ms: expect.any(Number),
        org: org.slug,
        user: org.owner.id,
      },
    ]);
  });

  it('never has a password, its hash, a cookie or a token', async () => {
    const before = lines.length;
    const own = await fresh();
    const { cookie, email } = own.owner;
    const password = 'Wrong1password';
    await t.api.post('/auth/login', { body: { email, password } });
    await t.api.post('/auth/login', { body: { email, password: PASSWORD }, cookie });
    await t.api.post('/auth/register', { body: { email, password, name: 'Ada' } });
    await t.api.get('/agent/findings', own.asAgent);
    await push(t.api, own, await createScan(t.api, own));
    // Failures on the way of each of them, whose parameters they are.
    await sql(`drop table ${schemaOf(own)}.api_tokens`);
    expect((await t.api.get('/agent/findings', own.asAgent)).status).toBe(500);
    expect(
      (await t.api.post(`/projects/${own.projectId}/tokens`, { ...own.asOwner, body: { name: 'x' } })).status,
    ).toBe(500);
    await lost.api.post('/auth/login', { body: { email, password } });
    await lost.api.get('/auth/me', { cookie });
    await lost.api.get('/agent/findings', own.asAgent);
    await t.api.post('/auth/logout', { cookie });

    const text = lines.slice(before).join('');
    expect(lines.length).toBeGreaterThan(before + 10);
    for (const secret of [password, PASSWORD, '$argon2', 'eyJ', own.token, own.token.slice(4), email])
      expect(text).not.toContain(secret);
  });

  const TRACE = '0af7651916cd43dd8448eb211c80319c';
  const SPAN = 'b7ad6b7169203331';
  const loggedWith = async (traceparent: string) => {
    const id = crypto.randomUUID();
    await t.api.get('/config/auth', { headers: { 'x-request-id': id, traceparent } });
    return lines.map((line) => JSON.parse(line)).find((line) => line.request_id === id);
  };

  it.each([`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-00`, `cc-${TRACE}-${SPAN}-01-what-comes-later`])(
    'names trace and span of a request that has them: %s',
    async (traceparent) => {
      expect(await loggedWith(traceparent)).toMatchObject({ trace_id: TRACE, span_id: SPAN });
    },
  );

  it.each([
    ['another version', `ff-${TRACE}-${SPAN}-01`],
    ['no trace', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['no span', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['more than its version has', `00-${TRACE}-${SPAN}-01-forged`],
    ['two of them', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['another length', `00-${TRACE}a-${SPAN}-01`],
    ['something else', 'x level=error message=forged'],
  ])('says nothing of a traceparent with %s', async (_, traceparent) => {
    const line = await loggedWith(traceparent);
    expect(line).toMatchObject({ message: 'request', status: 200 });
    expect(line).not.toHaveProperty('trace_id');
    expect(line).not.toHaveProperty('span_id');
  });

  it('names the trace where it tells of a failure, too', async () => {
    await lost.api.post('/auth/login', {
      body: { email: 'a@example.com', password: 'x' },
      headers: { traceparent: `00-${TRACE}-${SPAN}-01` },
    });
    const failure = lines.map((line) => JSON.parse(line)).findLast((line) => line.level === 'error');
    expect(failure).toMatchObject({ message: 'database unavailable', trace_id: TRACE, span_id: SPAN });
  });
});
