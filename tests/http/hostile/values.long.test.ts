import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints as table } from '../../../handlers/index.ts';
import type { Endpoint } from '../../../lib/http/endpoint.ts';
import {
  type CallOptions,
  createOrg,
  createScan,
  finding,
  push,
  type TestOrg,
} from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';

const endpoints: Endpoint[] = Object.values(table);

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
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
  // Operations that need somebody's rights are called with those rights.
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
