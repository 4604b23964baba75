import { beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../lib/errors.ts';
import { type Answer, createOrg, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/** The first digit of an error's reference, by its type. */
const RANGES = {
  auth_error: 1,
  token_error: 2,
  tenant_error: 3,
  resource_error: 4,
  validation_error: 5,
  permission_error: 6,
  rate_limit_error: 7,
  server_error: 9,
};

const UNREACHABLE = 'postgres://nobody@127.0.0.1:1/nowhere';

let t: TestApp;
let limited: TestApp;
let lost: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
  limited = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_AUTH_LIMITS: 'on' } });
  lost = await startApp({ databaseUrl: UNREACHABLE });
  org = await createOrg(t.api);
});

it.each(Object.entries(ERRORS))('%s has a reference in the range of its type', (key, { ref }) => {
  const [type] = key.split('/') as [keyof typeof RANGES];
  expect(ref).toMatch(new RegExp(`^E${RANGES[type]}[0-9]{4}$`));
});

it('no two errors share a reference', () => {
  const refs = Object.values(ERRORS).map(({ ref }) => ref);
  expect(new Set(refs).size).toBe(refs.length);
});

describe('an answer carries type, code and reference of its error', () => {
  const forgot = () => limited.api.post('/auth/forgot-password', { body: { email: 'ada@refs.example' } });
  const answers: [string, () => Promise<Answer>][] = [
    ['E10001 auth_error/not_authenticated 401', () => t.api.get('/auth/me')],
    [
      'E20004 token_error/invalid_format 401',
      () => t.api.get('/agent/findings', { org: org.slug, token: 'x' }),
    ],
    [
      'E20001 token_error/invalid 401',
      () => t.api.get('/agent/findings', { org: org.slug, token: `svc_${'0'.repeat(32)}` }),
    ],
    ['E30001 tenant_error/not_found 404', () => t.api.get('/scans', { ...org.asOwner, org: 'nobody' })],
    ['E40001 resource_error/not_found 404', () => t.api.get('/no/such/path')],
    [
      'E50003 validation_error/field_required 400',
      () => t.api.post('/projects', { ...org.asOwner, body: {} }),
    ],
    [
      'E60004 permission_error/feature_not_provisioned 403',
      () => t.api.patch('/org-features/nothing', { ...org.asOwner, body: { enabled: true } }),
    ],
    ['E90002 server_error/unavailable 500', () => lost.api.get('/auth/me', { cookie: org.owner.cookie })],
  ];

  it.each(answers)('%s', async (expected, ask) => {
    const { status, json } = await ask();
    const [{ type, code, ref }] = json.errors;
    expect(`${ref} ${type}/${code} ${status}`).toBe(expected);
  });

  it('E60003 permission_error/mfa_required_by_org 403, whatever the member asks for', async () => {
    const strict = await createOrg(t.api);
    must(await t.api.patch('/org-features/require_mfa', { ...strict.asOwner, body: { enabled: true } }));
    const paths = [
      '/scans',
      '/findings',
      '/projects',
      '/members',
      '/tokens',
      '/dashboard/stats',
      '/org-features',
    ];
    for (const path of paths) {
      const { status, json } = await t.api.get(path, strict.asOwner);
      expect([path, status, json.errors]).toEqual([
        path,
        403,
        [expect.objectContaining({ type: 'permission_error', code: 'mfa_required_by_org', ref: 'E60003' })],
      ]);
    }
    const agent = await t.api.get(`/agent/findings?project_id=${strict.projectId}`, strict.asAgent);
    expect(agent.status).toBe(200);
  });

  it('E70001 rate_limit_error/exceeded 429, with limits on', async () => {
    let answer = await forgot();
    for (let tries = 0; answer.status === 200 && tries < 100; tries++) answer = await forgot();
    expect([answer.status, answer.error, answer.json.errors[0].ref]).toEqual([
      429,
      'rate_limit_error/exceeded',
      'E70001',
    ]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});
