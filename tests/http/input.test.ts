import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints as table } from '../../handlers/index.ts';
import type { Endpoint } from '../../lib/http/endpoint.ts';
import {
  type CallOptions,
  createOrg,
  createScan,
  finding,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const endpoints: Endpoint[] = Object.values(table);

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
});

describe('a pushed finding', () => {
  const send = (fields: object) =>
    t.api.post('/agent/findings', { ...org.asAgent, body: { ...finding(org, scanId), ...fields } });

  it.each<Record<string, unknown>>([
    { fingerprint: 'x'.repeat(256) },
    { fingerprint: '💥'.repeat(256) },
    { title: 'ü'.repeat(500) },
    { description: 'x'.repeat(102_400) },
    { description: 'é'.repeat(51_200) },
    { cwe: 'CWE-1' },
    { cwe: null, cve: null, cvss_score: null, cvss_vector: null, file: null, line: null, source: null },
    { cve: 'CVE-1999-0001' },
    { cvss_score: 0 },
    { cvss_score: 10 },
    { cvss_score: 9.85 },
    { file: 'a/b.c/…/d' },
    { file: 'C:\\src\\a.cs' },
    { line: 1 },
    { unknown: 'ignored', __proto__: { title: 'no' }, constructor: 1 },
    { title: "'; drop table findings; --" },
    { title: '<script>alert(1)</script>' },
    { title: 'right\u202eto left' },
  ])('is taken (%#)', async (fields) => {
    const answer = await send(fields);
    expect(answer.status, answer.text.slice(0, 500)).toBe(201);
    const given = Object.entries(fields).filter(
      ([key, value]) => value !== null && Object.hasOwn(answer.result, key),
    );
    expect(answer.result).toMatchObject(Object.fromEntries(given));
  });

  it.each([
    [{ scan_id: undefined }, 'required', 'scan_id'],
    [{ project_id: undefined }, 'required', 'project_id'],
    [{ fingerprint: undefined }, 'required', 'fingerprint'],
    [{ title: undefined }, 'required', 'title'],
    [{ severity: undefined }, 'required', 'severity'],
    [{ description: undefined }, 'required', 'description'],
    [{ scan_id: 'x'.repeat(37) }, 'invalid', 'scan_id'],
    [{ project_id: 'not-a-uuid' }, 'invalid', 'project_id'],
    [{ fingerprint: '' }, 'invalid', 'fingerprint'],
    [{ fingerprint: 'x'.repeat(257) }, 'invalid', 'fingerprint'],
    [{ title: 'x'.repeat(501) }, 'invalid', 'title'],
    [{ title: 'a\0b' }, 'invalid', 'title'],
    [{ title: '\ud800' }, 'invalid', 'title'],
    [{ title: ['a'] }, 'invalid', 'title'],
    [{ severity: 'High' }, 'invalid', 'severity'],
    [{ severity: 'urgent' }, 'invalid', 'severity'],
    [{ description: '' }, 'invalid', 'description'],
    [{ description: 'x'.repeat(102_401) }, 'invalid', 'description'],
    [{ description: 'é'.repeat(51_201) }, 'invalid', 'description'],
    [{ cwe: '89' }, 'invalid', 'cwe'],
    [{ cwe: 'CWE-89\n' }, 'invalid', 'cwe'],
    [{ cve: 'CVE-26-1' }, 'invalid', 'cve'],
    [{ cvss_score: 10.1 }, 'invalid', 'cvss_score'],
    [{ cvss_score: -0.1 }, 'invalid', 'cvss_score'],
    [{ cvss_score: '9.8' }, 'invalid', 'cvss_score'],
    [{ cvss_vector: 'x'.repeat(257) }, 'invalid', 'cvss_vector'],
    [{ file: '../etc/passwd' }, 'invalid', 'file'],
    [{ file: 'a/../b' }, 'invalid', 'file'],
    [{ file: 'x'.repeat(1025) }, 'invalid', 'file'],
    [{ line: 0 }, 'invalid', 'line'],
    [{ line: 1.5 }, 'invalid', 'line'],
    [{ line: 2 ** 31 }, 'invalid', 'line'],
    [{ source: 'a\0' }, 'invalid', 'source'],
  ])('is refused with %j', async (fields, kind, field) => {
    const counted = async () => must(await t.api.get('/dashboard/stats', org.asOwner)).total_findings;
    const before = await counted();
    const answer = await send(fields);
    expect([answer.status, answer.error, answer.badFields]).toEqual([
      400,
      `validation_error/field_${kind}`,
      [field],
    ]);
    expect(answer.text.length).toBeLessThan(1_000);
    expect(await counted()).toBe(before);
  });

  it('is refused with every bad field named', async () => {
    const answer = await send({ title: undefined, severity: 'x', cwe: 7, line: -1, file: '..' });
    expect(answer.error).toBe('validation_error/field_required');
    expect(answer.badFields.sort()).toEqual(['cwe', 'file', 'line', 'severity', 'title']);
    expect(answer.json.errors[0].details).toContainEqual({ field: 'title', message: 'is required' });
  });
});

describe('a large body', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const send = (fields: string) => {
    const body = JSON.stringify(finding(org, scanId)).replace(
      /^\{/,
      `{"padding":"${'x'.repeat(60_000)}",${fields},`,
    );
    return t.api.post('/agent/findings', { ...org.asAgent, body });
  };

  it.each([
    ['49,000 arrays in one another', `"a":${nested(49_000)}`],
    ['49,000 numbers', `"a":[${Array(49_000).fill(0)}]`],
    ['what would be values in texts', `"a":"${'[{,'.repeat(20_000)}","b":"\\"${'['.repeat(60_000)}\\\\"`],
  ])('is read with %s', async (_, fields) => {
    expect((await send(fields)).status).toBe(201);
  });

  it.each([
    ['50,000 arrays in one another', `"a":${nested(50_000)}`],
    ['50,000 arrays beside one another', `"a":[${Array(25_000).fill('[]')}]`],
    ['50,000 numbers', `"a":[${Array(50_000).fill(0)}]`],
    ['50,000 objects in one another', `"a":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['50,000 names', `${Array.from({ length: 50_000 }, (_, i) => `"${i}":0`)}`],
    ['arrays that do not end', `"a":${'['.repeat(900_000)}`],
    ['arrays behind a text', `"a":"\\\\","b":${'['.repeat(60_000)}`],
  ])('is refused with %s', async (_, fields) => {
    const answer = await send(fields);
    expect([answer.status, answer.error]).toEqual([400, 'validation_error/invalid_body']);
    expect(answer.json.errors[0].message).toContain('50000 values');
  });
});

/** Bodies that are no valid input anywhere; what an endpoint makes of them must never be a 5xx. */
const HOSTILE_VALUES: unknown[] = [
  null,
  true,
  -1,
  1e308,
  2 ** 53,
  '',
  ' ',
  '\0',
  '\ud800',
  '\u202e\u0007',
  "' or 1=1 --",
  '$' + '{jndi:ldap://x}',
  '../../../../etc/passwd',
  '%00%0a',
  'a'.repeat(200_000),
  [],
  [[[[]]]],
  {},
  { $ne: null },
  { length: 5 },
];

const HOSTILE_SEGMENTS = [
  '%00',
  '%ff',
  '%',
  '%2e%2e%2f',
  "'",
  '"',
  '%27%20or%201=1',
  '0',
  '-1',
  'a'.repeat(3_000),
  '%F0%9F%92%A5',
  '%ED%A0%80',
  '00000000-0000-0000-0000-000000000000',
  'null',
  '__proto__',
];

const FIELDS = [
  ...[
    'email',
    'password',
    'name',
    'slug',
    'plan',
    'expires_in',
    'scan_id',
    'project_id',
    'persona',
    'target',
    'status',
  ],
  ...[
    'error_message',
    'fingerprint',
    'title',
    'severity',
    'description',
    'cvss_score',
    'line',
    'file',
    'filename',
    'code',
  ],
];

describe('hostile input', () => {
  // What can be reached only with somebody's rights is called with those rights.
  const rights = (kind: string): CallOptions =>
    kind === 'bearer' ? org.asAgent : kind === 'public' ? {} : org.asOwner;

  describe.each(endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s',
    (_, endpoint) => {
      const call = (path: string, options: CallOptions = {}) =>
        t.api.call(endpoint.method, path.startsWith('/api/v1') ? path.slice('/api/v1'.length) : `/${path}`, {
          ...rights(endpoint.access.kind),
          ...options,
        });

      it('in the path or query is answered below 500', async () => {
        const body = endpoint.method === 'GET' || endpoint.method === 'DELETE' ? {} : { body: {} };
        for (const segment of HOSTILE_SEGMENTS) {
          const path = endpoint.path.replaceAll(/\{\w+\}/g, segment);
          // The path alone, where there is something in it; two queries, where something is read from it.
          for (const query of [
            ...(path === endpoint.path ? [] : ['']),
            `?q=${segment}&page=${segment}`,
            ...(endpoint.method === 'GET'
              ? [`?scan_id=${segment}&project_id=${segment}&cwe=${segment}`]
              : []),
          ]) {
            const answer = await call(path + query, body);
            expect(answer.status, `${path}${query}: ${answer.text}`).toBeLessThan(500);
          }
        }
      });

      it('in the body is answered below 500', async () => {
        if (endpoint.method === 'GET' || endpoint.method === 'DELETE') return;
        const { id } = await push(t.api, org, scanId);
        const path = endpoint.path
          .replace('{projectId}', org.projectId)
          .replace('{id}', endpoint.path.includes('scans') ? scanId : id);
        for (const value of HOSTILE_VALUES) {
          const all = Object.fromEntries(FIELDS.map((field) => [field, value]));
          const likely = {
            ...finding(org, scanId),
            status: 'open',
            persona: 'senku',
            name: 'n',
            language: 'c',
            email: 'a@b.co',
          };
          for (const body of [
            all,
            { ...likely, title: value, name: value, target: value, code: value, password: value },
          ]) {
            const answer = await call(path, { body });
            expect(
              answer.status,
              `${JSON.stringify(value).slice(0, 60)}: ${answer.text.slice(0, 300)}`,
            ).toBeLessThan(500);
          }
        }
      });
    },
  );
});
