import type { HostileRequest } from '../../tests/support/hostile/mutations.ts';

const MIB = 1024 * 1024;

/** Repeats a text up to this length. */
const fill = (text: string, length: number) => text.repeat(Math.floor(length / text.length));
const list = (length: number, make: (i: number) => string) =>
  Array.from({ length }, (_, i) => make(i)).join(',');

/** Bodies of at most 1 MiB that are expensive to parse. */
const BODIES: Record<string, string> = {
  'arrays in one another': `{"a":${'['.repeat(MIB / 2 - 10)}${']'.repeat(MIB / 2 - 10)}}`,
  'arrays of 90 in one another': `{"a":[${list(5_700, () => '['.repeat(90) + ']'.repeat(90))}]}`,
  'objects in one another': `${'{"a":'.repeat(MIB / 6 - 2)}1${'}'.repeat(MIB / 6 - 2)}`,
  'empty objects': `{"a":[${fill('{},', MIB - 20)}0]}`,
  'objects of different shapes': `{"a":[${list(40_000, (i) => `{"k${i}":0,"l${i}":1}`)}]}`,
  '49,000 arrays': `{"a":[${list(24_500, () => '[]')}]}`,
  '49,000 names': `{${list(49_000, (i) => `"${i.toString(36)}":0`)}}`,
  '49,000 texts with the same hash': `{"a":[${list(49_000, (i) => `"${16_777_216 * (i % 256) + i}"`)}]}`,
  '12,000 objects of different shapes': `{"a":[${list(12_000, (i) => `{"k${i}":0,"l${i}":1,"m${i}":1}`)}]}`,
  'many names': `{${list(95_000, (i) => `"${i.toString(36)}":0`)}}`,
  'many names that are numbers': `{${list(75_000, (i) => `"${i * 57_000}":0`)}}`,
  'texts with the same hash': `{"a":[${list(70_000, (i) => `"${16_777_216 * (i % 256) + i}"`)}]}`,
  'one name over and over': `{${fill('"a":0,', MIB - 20)}"a":1}`,
  'numbers with exponents': `{"a":[${fill('1e-308,', MIB - 20)}0]}`,
  'white space': `{"a":1${' '.repeat(MIB - 20)}}`,
  'half a text': `{"a":"${'\\"'.repeat(MIB / 2 - 20)}`,
};

/** Texts of at most 1 MiB that are expensive for a careless pattern. */
const TEXTS: Record<string, string> = {
  'a@a@…': fill('a@', MIB - 200),
  'a@a.a.…': `a@${fill('a.', MIB - 200)}`,
  'labels of 63': `a@${fill(`${'a'.repeat(62)}-.`, MIB - 200)}`,
  'spaces and an a': `${' '.repeat(MIB / 2)}a${' '.repeat(MIB / 2 - 200)}`,
  hyphens: `a${'-'.repeat(MIB - 200)}`,
  dots: '.'.repeat(MIB - 200),
  'marks on an e': `e${'\u0301'.repeat(MIB / 2 - 200)}`,
  İ: 'İ'.repeat(MIB / 2 - 200),
  ﷺ: 'ﷺ'.repeat(MIB / 3 - 200),
  emoji: '💥'.repeat(MIB / 4 - 200),
};

/** Expensive requests within the limits, by name. */
export function heavyRequests(as: {
  member: Record<string, string>;
  agent: Record<string, string>;
  push: Record<string, unknown>;
}): [string, HostileRequest][] {
  const json = { 'content-type': 'application/json' };
  const post = (path: string, body: string, headers: Record<string, string> = {}): HostileRequest => ({
    method: 'POST',
    path: `/api/v1${path}`,
    headers: { ...json, ...headers },
    body,
  });
  const get = (path: string, headers: Record<string, string>): HostileRequest => ({
    method: 'GET',
    path: `/api/v1${path}`,
    headers,
  });
  const all = (text: string, fields: readonly string[]) =>
    JSON.stringify(Object.fromEntries(fields.map((field) => [field, text])));
  const cookie = as.member.cookie ?? '';
  return [
    ...Object.entries(BODIES).map(([name, body]): [string, HostileRequest] => [
      name,
      post('/auth/login', body),
    ]),
    ...Object.entries(TEXTS).flatMap(([name, text]): [string, HostileRequest][] => [
      [`e-mail of ${name}`, post('/auth/register', all(text, ['email']))],
      [`name of ${name}`, post('/orgs', all(text, ['name']), as.member)],
      [`title of ${name}`, post('/agent/findings', JSON.stringify({ ...as.push, title: text }), as.agent)],
      [`scan of ${name}`, post('/agent/scans', JSON.stringify({ ...as.push, scan_id: text }), as.agent)],
    ]),
    [
      'a finding of 100 KB',
      post('/agent/findings', JSON.stringify({ ...as.push, description: 'é'.repeat(51_200) }), as.agent),
    ],
    ['3,000 severities', get(`/findings?page=1&severity=${list(3_000, () => 'low')}`, as.member)],
    ['2,000 parameters', get(`/findings?page=1&${fill('status=open&', 14_000)}`, as.member)],
    ['2,500 bad severities', get(`/findings?${fill('severity=x&', 14_000)}`, as.member)],
    ['a search for everything', get(`/findings?page=1&q=${encodeURIComponent(fill('%_ ', 200))}`, as.member)],
    [
      '150 cookies',
      get('/auth/me', {
        cookie: list(150, (i) => `svc_token=${cookie.slice(10, 70)}.${i}.${cookie.slice(-20)}`).replaceAll(
          ',',
          '; ',
        ),
      }),
    ],
    [
      'a browser of 14 KB',
      post('/auth/login', '{"email":"a@example.com","password":"x"}', {
        'user-agent': fill('Mozilla/5.0 (', 14_000),
      }),
    ],
    ['a path of 14 KB', get('/a'.repeat(7_000), {})],
  ];
}
