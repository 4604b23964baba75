import { beforeAll, describe, expect, it, vi } from 'vitest';
import { endpoints } from '../../handlers/index.ts';
import { createApp } from '../../lib/http/app.ts';
import { createLogger } from '../../lib/logger.ts';
import {
  addMember,
  type CallOptions,
  createOrg,
  createScan,
  createUser,
  must,
  push,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/** An app with what it logs, at the level that says most. */
async function startLogged(options: { databaseUrl?: string } = {}) {
  const lines: string[] = [];
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) });
  const t = await startApp({ ...options, log });
  const logged = (message: string) =>
    lines.map((line) => JSON.parse(line)).filter((line) => line.message === message);
  return { t, lines, events: () => logged('security event'), requests: () => logged('request') };
}

let own: Awaited<ReturnType<typeof startLogged>>;
let t: TestApp;

beforeAll(async () => {
  own = await startLogged();
  t = own.t;
});

/** The events of a request. */
const eventsOf = (requestId: string) => own.events().filter(({ request_id }) => request_id === requestId);

/** A request whose log lines are found by its id. */
const named = (options: CallOptions, id: string): CallOptions => ({
  ...options,
  headers: { ...options.headers, 'x-request-id': id, 'user-agent': 'tests' },
});

describe('the life of an API token', () => {
  it('is logged: created, first used, revoked', async () => {
    const org = await createOrg(t.api);
    const path = `/projects/${org.projectId}/tokens`;
    const body = { name: 'nightly', expires_in: 30 };
    const made = must(await t.api.post(path, named({ ...org.asOwner, body }, 'made')));
    const { id } = made.info;
    const who = { level: 'info', user_agent: 'tests', org: org.slug };
    expect(eventsOf('made')).toEqual([
      expect.objectContaining({
        ...who,
        event: 'token_created',
        user: org.owner.id,
        token: id,
        token_name: 'nightly',
        project: org.projectId,
        expires_at: made.info.expires_at,
      }),
    ]);
    expect(eventsOf('made')[0]).toHaveProperty('ip');

    const agent = { token: made.token, org: org.slug };
    const list = `/agent/findings?project_id=${org.projectId}`;
    must(await t.api.get(list, named(agent, 'first')));
    must(await t.api.get(list, named(agent, 'second')));
    expect(eventsOf('first')).toEqual([
      expect.objectContaining({ ...who, event: 'token_first_used', token: id, project: org.projectId }),
    ]);
    expect(eventsOf('second')).toEqual([]);

    for (const request of ['revoked', 'again'])
      expect((await t.api.delete(`${path}/${id}`, named(org.asOwner, request))).status).toBe(204);
    expect(eventsOf('revoked')).toEqual([
      expect.objectContaining({
        event: 'token_revoked',
        user: org.owner.id,
        token: id,
        created_by: org.owner.id,
      }),
    ]);
    expect(eventsOf('again'), 'nothing changed').toEqual([]);
  });

  it('has one first use, of many at once in two processes', async () => {
    const org = await createOrg(t.api);
    const other = await startLogged({ databaseUrl: t.databaseUrl });
    const list = `/agent/findings?project_id=${org.projectId}`;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? t : other.t).api.get(list, org.asAgent)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const firsts = [...own.events(), ...other.events()].filter(
      ({ event, token }) => event === 'token_first_used' && token === org.tokenId,
    );
    expect(firsts).toHaveLength(1);
  });

  it('costs a token that was used before no statement', async () => {
    const org = await createOrg(t.api);
    const scan = await createScan(t.api, org);
    const { sql } = t.services.database;
    const claimed = vi.spyOn(t.services.apiTokens, 'claimFirstUse');
    await push(t.api, org, scan);
    await t.api.get(`/agent/findings?project_id=${org.projectId}`, org.asAgent);
    expect(claimed).not.toHaveBeenCalled();
    const schema = `org_${org.id.replaceAll('-', '')}`;
    await sql.unsafe(`update "${schema}".api_tokens set last_used = null`);
    await push(t.api, org, scan);
    expect(claimed).toHaveBeenCalledTimes(1);
  });

  it('is in the line of every request', async () => {
    const org = await createOrg(t.api);
    must(await t.api.get(`/agent/findings?project_id=${org.projectId}`, named(org.asAgent, 'agent')));
    expect(own.requests().find(({ request_id }) => request_id === 'agent')).toMatchObject({
      token: org.tokenId,
      org: org.slug,
      status: 200,
    });
  });
});

describe('a change of settings', () => {
  it('of an organization is logged with the new value', async () => {
    const org = await createOrg(t.api);
    const body = { enabled: true };
    must(await t.api.patch('/org-features/org_wide_tokens', named({ ...org.asOwner, body }, 'flag')));
    const setting = { ...org.asOwner, body: { viewer_tokens_verify: false } };
    must(await t.api.patch('/settings/security', named(setting, 'setting')));
    const event = { event: 'org_setting_changed', org: org.slug, user: org.owner.id };
    expect(eventsOf('flag')).toEqual([
      expect.objectContaining({ ...event, setting: 'org_wide_tokens', to: true }),
    ]);
    expect(eventsOf('setting')).toEqual([
      expect.objectContaining({ ...event, setting: 'viewer_tokens_verify', to: false }),
    ]);
    await t.api.patch('/org-features/nothing', named({ ...org.asOwner, body }, 'refused'));
    expect(eventsOf('refused')).toEqual([expect.objectContaining({ event: 'permission_denied' })]);
  });

  it('of an address is logged once it is verified', async () => {
    const user = await createUser(t.api);
    const body = Object.fromEntries(new URL((await t.delivered(user.email)).link ?? '').searchParams);
    must(await t.api.post('/auth/verify-email', named({ body }, 'verified')));
    expect(eventsOf('verified')).toEqual([
      expect.objectContaining({ event: 'email_verified', account: user.id }),
    ]);
    expect((await t.api.post('/auth/verify-email', named({ body }, 'used'))).status).toBe(400);
    expect(eventsOf('used')).toEqual([]);
  });
});

describe('a denied permission', () => {
  it.each([
    ['a role', 'permission_error/denied', 'PATCH', '/org-features/require_mfa', { enabled: true }],
    ['a feature', 'permission_error/denied', 'POST', '/tokens', { name: 'ci' }],
  ] as const)('for %s is logged with who, where and why', async (_, error, method, path, body) => {
    const org = await createOrg(t.api);
    const viewer = await addMember(t.api, org, 'viewer');
    const id = `denied-${path.length}`;
    const answer = await t.api.call(method, path, named({ cookie: viewer.cookie, org: org.slug, body }, id));
    expect([answer.status, answer.error]).toEqual([403, error]);
    expect(eventsOf(id)).toEqual([
      expect.objectContaining({
        event: 'permission_denied',
        error,
        method,
        route: `/api/v1${path.replace('require_mfa', '{flag}')}`,
        user: viewer.id,
        org: org.slug,
        user_agent: 'tests',
      }),
    ]);
  });

  it('for somebody who is not a member is logged', async () => {
    const [org, stranger] = [await createOrg(t.api), await createUser(t.api)];
    const answer = await t.api.get(
      '/findings',
      named({ cookie: stranger.cookie, org: org.slug }, 'stranger'),
    );
    expect(answer.error).toBe('tenant_error/not_member');
    expect(eventsOf('stranger')).toEqual([
      expect.objectContaining({
        event: 'permission_denied',
        error: 'tenant_error/not_member',
        user: stranger.id,
      }),
    ]);
  });

  it('for an account without a verified address is logged with the organization', async () => {
    const org = await createOrg(t.api);
    const config = { ...t.services.config, requireVerifiedEmail: true };
    const app = createApp({ ...t.services, config }, endpoints);
    const answer = await app.request('/api/v1/findings', {
      headers: {
        cookie: `svc_token=${org.asOwner.cookie}`,
        'x-org-slug': org.slug,
        'x-request-id': 'unverified',
      },
    });
    expect(answer.status).toBe(403);
    expect(eventsOf('unverified')).toEqual([
      expect.objectContaining({ error: 'permission_error/email_not_verified', org: org.slug }),
    ]);
  });

  it('for a token of another project is logged with its id', async () => {
    const org = await createOrg(t.api);
    const other = must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Other' } }));
    await createScan(t.api, org);
    const answer = await t.api.get(`/agent/findings?project_id=${other.id}`, named(org.asAgent, 'scope'));
    expect(answer.error).toBe('token_error/scope_mismatch');
    expect(eventsOf('scope')).toEqual([
      expect.objectContaining({
        event: 'permission_denied',
        error: 'token_error/scope_mismatch',
        token: org.tokenId,
      }),
    ]);
  });

  it('is none for what is wrong otherwise', async () => {
    const org = await createOrg(t.api);
    await t.api.get('/findings/nothing', named(org.asOwner, 'missing'));
    await t.api.post('/projects', named({ ...org.asOwner, body: {} }, 'invalid'));
    await t.api.get('/findings', named({ org: org.slug }, 'nobody'));
    expect(['missing', 'invalid', 'nobody'].flatMap(eventsOf)).toEqual([]);
  });
});
