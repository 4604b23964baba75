import fc from 'fast-check';
import { anyText } from '../any-text.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

const INJECTIONS = [
  ...[`' or 1=1 --`, `'; drop table shared.users; --`, `1); select pg_sleep(5); --`, `\\'`, `$1`, `%_\\`],
  ...[`x' || pg_sleep(5) || '`, `"; truncate "shared"."users"; --`, '/*', `E'\\\\'`, `{"$ne":null}`],
  ...[`\${jndi:ldap://127.0.0.1/x}`, '{{7*7}}', '<%= 7*7 %>', '$(id)', '`id`', '| id', `=cmd|'/C calc'!A0`],
  ...['../../etc/passwd', '..\\..\\', '%2e%2e%2f', '%00', 'file:///etc/passwd', '/', '.', '..', '*', '\\'],
  ...['a\r\nSet-Cookie: svc_token=x', 'a\nlevel=error message=forged', 'a\r\n\r\nHTTP/1.1 200 OK', '\x1b[2J'],
  ...['<script>alert(1)</script>', `"><img src=x onerror=alert(1)>`, 'javascript:alert(1)', ']]>', '-->'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'length', '0', '-1'],
  ...['null', 'undefined', 'NaN', 'true', '[]', '1e400', '00000000-0000-0000-0000-000000000000'],
  ...['{0199D1A5-7C00-7B6E-9D53-2F4C8E1A6B07}', 'urn:uuid:0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07'],
];

const UNICODE = [
  ...['\0', 'a\0b', '\ud800', '\udfff x', 'a\udc00\ud800', '\ufeff', '\ufffe', '\uffff', '\u{10ffff}'],
  ...['\u202eevil', '\u2066a\u2069', '\u200b', '\u200d', '\u2028', '\u2029', '\x85', '\x9b31m', '\x7f'],
  ...['e\u0301', 'é', 'ﬃ', 'ﷺ', 'İ', 'ß', 'ǅ', 'ſ', '١٢٣', 'ＡＤＭＩＮ', 'а', '\u{e0041}', '👩‍👩‍👧‍👦'],
  ...[`Z${'\u0301'.repeat(300)}`, '\u00a0', '\u3000', '\t', ' ', '', 'admin\u0000', 'ad\u00admin'],
];

const LONG = ['a'.repeat(300), '💥'.repeat(600), 'é'.repeat(60_000), 'a@'.repeat(9_000), 'x'.repeat(900_000)];

const TEXTS = [...INJECTIONS, ...UNICODE, ...LONG];

/** Numbers, some of which are not JSON. */
const NUMBERS = [
  ...['1e400', '-1e400', '-0', '0', '-1', '1e-400', '0.1e1', '2147483648', '-2147483649', '4294967296'],
  ...['9007199254740993', '9223372036854775808', '18446744073709551616', '1e308', '5e-324', '1'.repeat(400)],
  ...['10.000000000000001', 'NaN', 'Infinity', '0x10', '01', '+1', '.5', '1.', '1_000', '١'],
];

const nested = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);

const STRUCTURES = [
  ...['null', 'true', 'false', '[]', '{}', '[null]', '[[[[]]]]', '["a","b"]', '{"$ne":null}', '{"length":5}'],
  ...['{"__proto__":{"admin":true}}', '{"constructor":{"prototype":{"admin":true}}}', '{"toString":1}'],
  ...['{"toJSON":"x"}', '{"then":{}}', '{"":""}', "'a'", 'undefined', '"\\u0000"', '"\\ud800"', '"\\x41"'],
  ...['"a\nb"', '"\t"', nested('[', ']'), nested('{"a":', '}').replace('}', '1}')],
  `[${'0,'.repeat(200_000)}0]`,
];

/** One value, as JSON or nearly. */
export const value: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS).map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom(...STRUCTURES) },
  anyText.map((text) => JSON.stringify(text)),
  fc.json(),
);

/** A part of a path or a query, some of which are not valid in a URL. */
export const segment: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...[...INJECTIONS, ...UNICODE].map((text) => encodeURIComponent(text.toWellFormed()))),
  fc.constantFrom(
    ...words('% %% %ff %c0%af %c0%80 %ED%A0%80 %00 %0d%0a %2f %252f %25%30%30 ..; %5c %2e %2e%2e %u0041'),
    ...words('%F0%9F%92%A5 %fe%ff%00a ;x=1 @ :'),
    'a'.repeat(4_000),
  ),
  anyText.map((text) => encodeURIComponent(text.toWellFormed())),
);

/** Content types, of which a few are ours. */
export const TYPES = [
  ...['text/plain', 'multipart/form-data; boundary=x', 'application/xml', 'json', '', '*/*'],
  ...['application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'application/json;;;='],
  ...['application/json; charset=latin1', 'application/jsonp', 'application/json-patch+json'],
  ...['application/vnd.api+json', 'APPLICATION/JSON', 'application/json, text/plain'],
  ...['text/plain; application/json', 'application/json; charset="utf-8'],
];

export const ENCODINGS = ['gzip', 'br', 'deflate', 'compress', 'identity', 'gzip, gzip', 'x', ''];

/** Headers that mislead other software. */
export const HEADERS = words(`
  x-request-id traceparent user-agent referer origin accept accept-language if-none-match range
  x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-port forwarded via
  x-original-url x-rewrite-url x-http-method-override x-method-override x-host client-ip
  cookie authorization x-org-slug content-type content-encoding content-language`);

/** Values of headers: bytes other than controls, which Node refuses. */
export const headerValue: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    ...[...INJECTIONS, ...LONG.slice(0, 1)].map((text) => text.replace(/[^\t\x20-\x7e]/g, '?')),
    ...['', ' ', '\t', '\xff\xfe', 'ä', '\x80\x9b', ',', ';', '=', '"', '"\\', 'a=b; a=c', 'a'.repeat(7_000)],
    ...['Bearer', 'Bearer svc_', `Bearer svc_${'0'.repeat(32)}`, 'Basic YTpi', 'svc_token'],
    ...['svc_token=a; svc_token=b', 'https://evil.example', 'null', 'evil.svc.test', '/api/v1/auth/me'],
    ...['DELETE', 'bytes=0-', '127.0.0.1'],
  ),
  fc
    .array(fc.integer({ min: 0x20, max: 0xff }), { maxLength: 40 })
    .map((codes) => String.fromCharCode(...codes.filter((code) => code !== 0x7f))),
);

/** Names of unknown fields. */
export const KEYS = [...words('__proto__ constructor prototype toString then 0 $where id a.b'), '', 'x\0'];

/** Unknown queries. */
export const QUERIES = [
  ...words('&&& = =&= % %=% a[]=1&a[]=2 a[b][c]=1 __proto__=1&__proto__=2 __proto__[x]=1 %00=%00 +++'),
  ...words('constructor=1&constructor=2 constructor[prototype][x]=1 q=%ff%fe q=a;b=c'),
  ...['a='.repeat(3_000), 'page=1&'.repeat(900)],
  Array.from({ length: 1_000 }, (_, i) => `k${i}=${i}`).join('&'),
];
