import { beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../lib/logger.ts';
import { createOrg, must, type TestOrg } from '../../support/api/api.ts';
import { openWire, type Wire } from '../../support/http/wire.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';

let t: TestApp;
let wire: Wire;
let org: TestOrg;
const lines: string[] = [];

beforeAll(async () => {
  t = await startApp({
    log: createLogger({ level: 'debug', format: 'text', write: (line) => lines.push(line) }),
  });
  wire = await openWire(t);
  org = await createOrg(t.api);
});

const HOST = 'Host: localhost\r\n';
const CLOSE = 'Connection: close\r\n';
const PROJECT = JSON.stringify({ name: 'Smuggled' });

const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\n${HOST}${CLOSE}${headers}\r\n`;
/** Makes a project, if it is taken for what it says. */
const post = (headers: string, body: string) =>
  `POST /api/v1/projects HTTP/1.1\r\n${HOST}Cookie: svc_token=${org.owner.cookie}\r\nX-Org-Slug: ${org.slug}\r\n` +
  `Content-Type: application/json\r\n${headers}\r\n${body}`;
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

const projects = async () => must(await t.api.get('/projects', org.asOwner)).length;
const statuses = async (text: string) => (await wire.exchange(text)).map(({ status }) => status);

describe('a request whose end is a matter of opinion', () => {
  const next = get('/api/v1/config/auth');

  it.each<[string, string, string]>([
    ['two lengths', 'Content-Length: 19\r\nContent-Length: 20\r\n', PROJECT],
    ['a list of lengths', 'Content-Length: 19, 19\r\n', PROJECT],
    ['a length with a sign', 'Content-Length: +19\r\n', PROJECT],
    ['a negative length', 'Content-Length: -1\r\n', PROJECT],
    ['a length in hex', 'Content-Length: 0x13\r\n', PROJECT],
    ['a length without end', `Content-Length: ${'9'.repeat(30)}\r\n`, PROJECT],
    ['a space before the colon', 'Content-Length : 19\r\n', PROJECT],
    ['a length and chunks', 'Content-Length: 19\r\nTransfer-Encoding: chunked\r\n', chunked(PROJECT)],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', chunked(PROJECT)],
    ['chunks that are not the last coding', 'Transfer-Encoding: chunked, identity\r\n', chunked(PROJECT)],
    ['two codings', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', chunked(PROJECT)],
    ['a coding of a like name', 'Transfer-Encoding: xchunked\r\n', chunked(PROJECT)],
    ['a coding behind a vertical tab', 'Transfer-Encoding: \x0bchunked\r\n', chunked(PROJECT)],
    ['a coding in a folded line', 'Transfer-Encoding:\r\n chunked\r\n', chunked(PROJECT)],
    ['a chunk size that is none', 'Transfer-Encoding: chunked\r\n', `zz\r\n${PROJECT}\r\n0\r\n\r\n`],
    [
      'a chunk of too many digits',
      'Transfer-Encoding: chunked\r\n',
      `${'f'.repeat(20)}\r\n${PROJECT}\r\n0\r\n\r\n`,
    ],
    ['a chunk longer than it says', 'Transfer-Encoding: chunked\r\n', `12\r\n${PROJECT}\r\n0\r\n\r\n`],
    [
      'a line feed in a chunk extension',
      'Transfer-Encoding: chunked\r\n',
      `13;x="\n"\r\n${PROJECT}\r\n0\r\n\r\n`,
    ],
    ['chunks that end with line feeds', 'Transfer-Encoding: chunked\r\n', `13\n${PROJECT}\n0\n\n`],
    ['fewer bytes than it says', 'Content-Length: 18\r\n', PROJECT],
  ])('is refused, and nothing behind it is answered: %s', async (_, headers, body) => {
    const before = await projects();
    const answers = await wire.exchange(post(headers, body) + next);
    expect(answers.filter(({ status }) => status !== 400)).toEqual([]);
    expect(answers.length).toBeLessThanOrEqual(2);
    for (const { head } of answers) expect(head).toContain('content-type: application/json');
    expect(await projects()).toBe(before);
  });

  it('never comes to its end: a length that is too long is waited for, and the rest is its body', async () => {
    const before = await projects();
    expect(await statuses(post('Content-Length: 500\r\n', PROJECT) + next)).toEqual([]);
    expect(await projects()).toBe(before);
  });

  it('is read as it says where there is one opinion', async () => {
    const before = await projects();
    const trailers = `13\r\n${PROJECT}\r\n0\r\nX-Org-Slug: other\r\n\r\n`;
    const bodies = [
      post('Content-Length: 19\r\n', PROJECT),
      post('Content-Length: 19\r\nContent-Encoding:\r\n', PROJECT),
      post('Content-Length: 19\r\nContent-Encoding: Identity\r\n', PROJECT),
      post('Transfer-Encoding: Chunked\r\n', chunked(PROJECT)),
      post(
        'Transfer-Encoding: chunked\r\n',
        `7;x=y\r\n${PROJECT.slice(0, 7)}\r\nc\r\n${PROJECT.slice(7)}\r\n0\r\n\r\n`,
      ),
      post('Transfer-Encoding: chunked\r\n', trailers),
    ];
    for (const text of bodies) expect(await statuses(text + next)).toEqual([201, 200]);
    expect(await projects()).toBe(before + bodies.length);
  });

  it.each(['Content-Encoding: gzip\r\n', 'Content-Encoding: br\r\n', 'Transfer-Encoding: gzip, chunked\r\n'])(
    'is not read as if it were not coded: %j',
    async (header) => {
      const isChunked = header.startsWith('Transfer');
      const headers = isChunked ? header : `${header}Content-Length: 19\r\n`;
      const [answer] = await wire.exchange(post(headers, isChunked ? chunked(PROJECT) : PROJECT));
      expect([answer?.status, JSON.parse(answer?.body ?? '').errors[0].code]).toEqual([400, 'invalid_body']);
    },
  );

  it('is not begun by the body of another: one that is refused early is read to its end', async () => {
    const inner = post('Content-Length: 19\r\n', PROJECT);
    const before = await projects();
    const refused = `POST /api/v1/orgs HTTP/1.1\r\n${HOST}Content-Length: ${inner.length}\r\n\r\n${inner}`;
    const unread = `GET /api/v1/config/auth HTTP/1.1\r\n${HOST}Content-Length: ${inner.length}\r\n\r\n${inner}`;
    expect(await statuses(refused + next)).toEqual([401, 200]);
    expect(await statuses(unread + next)).toEqual([200, 200]);
    expect(await projects()).toBe(before);
  });
});

describe('a malformed head', () => {
  it.each([
    ['a folded header', get('/healthz', 'X-A: b\r\n c: d\r\n')],
    ['a fold in front of the first header', `GET /healthz HTTP/1.1\r\n X: y\r\n${HOST}\r\n`],
    ['line feeds alone', `GET /healthz HTTP/1.1\n${HOST.trim()}\n\n`],
    ['a carriage return in a header', get('/healthz', 'X-A: a\rb\r\n')],
    ['NUL in a header', get('/healthz', 'X-A: a\0b\r\n')],
    ['a space in a header name', get('/healthz', 'X A: b\r\n')],
    ['a header without a name', get('/healthz', ': b\r\n')],
    ['a header without a colon', get('/healthz', 'X-A\r\n')],
    ['no Host', `GET /healthz HTTP/1.1\r\n${CLOSE}\r\n`],
    ['a method in lower case', `get /healthz HTTP/1.1\r\n${HOST}\r\n`],
    ['a method nobody knows', `FOO /healthz HTTP/1.1\r\n${HOST}\r\n`],
    ['another protocol', `GET /healthz ICY/1.1\r\n${HOST}\r\n`],
    ['a space in the target', `GET /health z HTTP/1.1\r\n${HOST}\r\n`],
    ['raw bytes in the target', get('/healthz?\xff')],
    ['a target without a slash', get('healthz')],
    ['a target of no resource', `OPTIONS * HTTP/1.1\r\n${HOST}${CLOSE}\r\n`],
    ['a backslash', get('/api\\v1/config/auth')],
    ['the greeting of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('is refused in the envelope: %s', async (_, text) => {
    const [answer, ...more] = await wire.exchange(text);
    expect([answer?.status, more]).toEqual([400, []]);
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({
      success: false,
      errors: [{ type: 'validation_error', code: 'invalid_request' }],
    });
    expect(answer?.head).toMatch(/\r\nx-request-id: req_[0-9a-f]{32}\r\n/);
    expect(answer?.head).toContain('x-content-type-options: nosniff');
  });

  it.each([
    ['a header of 20 KB', get('/healthz', `X: ${'a'.repeat(20_000)}\r\n`)],
    ['3,000 headers', get('/healthz', Array.from({ length: 3_000 }, (_, i) => `A${i}: b\r\n`).join(''))],
    ['a URL of 17 KB', get(`/${'a'.repeat(17_000)}`)],
    ['a cookie of 20 KB', get('/api/v1/auth/me', `Cookie: svc_token=${'a'.repeat(20_000)}\r\n`)],
  ])('that is too large is refused: %s', async (_, text) => {
    expect(await statuses(text)).toEqual([431]);
  });

  it.each([
    ['a URL of 15 KB', get(`/api/v1/${'a'.repeat(15_000)}`), 404],
    ['1,500 parameters', get(`/api/v1/config/auth?${'a=b&'.repeat(1_500)}`), 200],
    ['a path of 3,000 segments', get(`/api/v1${'/a'.repeat(3_000)}`), 404],
    ['a path of nothing but slashes', get('/'.repeat(10_000)), 200],
    ['a percent sign alone', get('/api/v1/orgs/%'), 401],
    [
      'an upgrade',
      `GET /healthz HTTP/1.1\r\n${HOST}Upgrade: websocket\r\nConnection: upgrade, close\r\n\r\n`,
      200,
    ],
    ['an unknown expectation', get('/healthz', 'Expect: wonders\r\n'), 200],
    ['an old one without a Host', 'GET /healthz HTTP/1.0\r\n\r\n', 200],
    ['an old one without a Host of an organization', 'GET /api/v1/agent/findings HTTP/1.0\r\n\r\n', 401],
    ['TRACE', `TRACE /api/v1/orgs HTTP/1.1\r\n${HOST}${CLOSE}Cookie: a=b\r\n\r\n`, 405],
    ['a method of WebDAV', `PROPFIND / HTTP/1.1\r\n${HOST}${CLOSE}\r\n`, 404],
    ['two of what there may be once', get('/api/v1/findings', 'X-Org-Slug: a\r\nX-Org-Slug: b\r\n'), 401],
  ])('is none, only odd: %s', async (_, text, status) => {
    expect(await statuses(text)).toEqual([status]);
  });

  it('asks for no tunnel', async () => {
    expect(await statuses(`CONNECT localhost:80 HTTP/1.1\r\n${HOST}\r\n${get('/healthz')}`)).toEqual([]);
  });

  it('is not told to other targets by other headers', async () => {
    const others = ['X-Original-URL', 'X-Rewrite-URL', 'X-HTTP-Method-Override', 'X-Method-Override'];
    const headers = others
      .map((name) => `${name}: ${name.endsWith('URL') ? '/metrics' : 'DELETE'}\r\n`)
      .join('');
    const [answer] = await wire.exchange(get('/api/v1/config/auth', headers));
    expect(JSON.parse(answer?.body ?? '').result).toEqual({ base_domain: '' });
  });
});

describe('a target that readers disagree about', () => {
  it.each([
    ...['/api/v1/../../metrics', '/api/v1/%2e%2e/%2E./metrics', '/./metrics', '/metrics/.', '/metrics/..'],
    ...['/api/v1/.%2e?x=y', '/metrics#/api/v1', '/api/v1/config/auth#', '//../metrics', '/x/%2e%2e'],
  ])('is refused: %s', async (target) => {
    expect(await statuses(get(target))).toEqual([400]);
  });

  it.each([
    ['/api/v1/config/auth?next=/../x', 200],
    ['/api/v1/orgs/...', 401],
    ['/api/v1/orgs/.hidden', 401],
    ['/api/v1/orgs/a..b', 401],
    ['/api/v1/orgs/%2eb', 401],
    ['/api/v1/orgs/%252e%252e', 401],
    ['/api/v1/%2fconfig/auth', 404],
    ['/api/v1/config%2fauth', 404],
    ['//api/v1/config/auth', 404],
    ['/api//v1/config/auth', 404],
    ['/api/v1/config/auth/', 404],
    ['/api/v1/config/auth;x=1', 404],
    ['/api/v1/config/auth%00', 404],
    ['/api/v1/config/auth%0d%0aSet-Cookie:%20a=b', 404],
  ])('is none: %s is answered %i', async (target, status) => {
    const [answer] = await wire.exchange(get(target));
    expect(answer?.status).toBe(status);
    expect(answer?.head).not.toMatch(/\r\n(set-cookie|location):/);
  });
});

it.each([
  ['two Hosts', get('/healthz', `${HOST}X-Request-ID: asked.for\r\n`), 400, 'asked.for'],
  [
    'a malformed Host',
    'GET /healthz HTTP/1.1\r\nHost: a b\r\nX-Request-ID: asked.for\r\n\r\n',
    400,
    'asked.for',
  ],
  ['no HTTP', 'nonsense\r\n\r\n', 400, expect.stringMatching(/^req_/)],
  [
    'a head that is too large',
    get('/healthz', `X: ${'a'.repeat(20_000)}\r\n`),
    431,
    expect.stringMatching(/^req_/),
  ],
])('a refused request is logged and counted, too: %s', async (_, text, status, id) => {
  const series = new RegExp(`svc_http_requests_total{[^}]*path="unmatched",status="${status}"} (\\d+)`, 'g');
  const counted = async () => {
    const text = await t.services.metrics.render();
    return [...text.matchAll(series)].reduce((sum, [, count]) => sum + Number(count), 0);
  };
  const [before, logged] = [await counted(), lines.length];
  const [answer] = await wire.exchange(text);
  expect(answer?.status).toBe(status);
  const { request_id } = JSON.parse(answer?.body ?? '');
  expect(request_id).toEqual(id);
  expect(lines.slice(logged).join('')).toMatch(new RegExp(`request_id=${request_id} .*status=${status}`));
  expect(await counted()).toBe(before + 1);
});

it('every request that was understood is one line of the log', () => {
  expect(lines.length).toBeGreaterThan(20);
  for (const line of lines) expect(line).toMatch(/^\d{4}-\S+ (debug|info ) [^\n\r]*\n$/);
});
