import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { purgeOrgs } from '../../lib/maintenance/purge-orgs.ts';
import {
  addMember,
  type CallOptions,
  createOrg,
  createScan,
  finding,
  must,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { CI_SYSTEMS } from '../support/sso/ci.ts';
import { type Liar, startLiar } from '../support/sso/liar.ts';

/* CI systems that sign in without a key: a provider that signs what a test wants stands for each of them. */

type System = keyof typeof CI_SYSTEMS;
const REFUSED = '401 token_error/invalid';
const { github } = CI_SYSTEMS;

let t: TestApp;
let org: TestOrg;
const liars = {} as Record<System, Liar>;
/** The providers that the service can connect to. */
const reached: Liar[] = [];

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const schemaOf = ({ id }: { id: string }) => `org_${id.replaceAll('-', '')}`;
const trusts = (projectId = org.projectId) => `/projects/${projectId}/ci-trusts`;
const trust = (body: object = onGithub(), who: CallOptions = org.asOwner, projectId = org.projectId) =>
  t.api.post(trusts(projectId), { ...who, body });
const onGithub = (claims: object = { repository_id: 74 }) => ({ issuer: github.issuer, claims });
const exchange = (
  id_token: string,
  { project = org.projectId, at = org }: { project?: string; at?: TestOrg } = {},
) => t.api.post('/agent/token', { org: at.slug, body: { id_token, project } });
const jobToken = (claims: object = {}, lies: Parameters<Liar['jobToken']>[1] = {}) =>
  liars.github.jobToken({ ...github.claims, ...claims }, lies);
const pushes = (token: string) =>
  t.api.get(`/agent/findings?project_id=${org.projectId}`, { org: org.slug, token });

beforeAll(async () => {
  t = await startApp();
  for (const [name, { issuer }] of Object.entries(CI_SYSTEMS))
    liars[name as System] = await startLiar(issuer);
  reached.push(...Object.values(liars));
  const { outbound } = t.services;
  const send = outbound.fetch;
  outbound.fetch = (url, init) => {
    const own = { ...outbound, fetch: send };
    reached.find(({ issuer }) => url.startsWith(`${issuer}/`))?.serve(own);
    return own.fetch(url, init);
  };
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

describe.each(Object.entries(CI_SYSTEMS))(
  'a job of %s',
  (name, { issuer, claims, trusted, name: source, run }) => {
    it('gets a token that pushes findings of its project', async () => {
      const made = must(await trust({ issuer, claims: trusted }));
      expect(made).toMatchObject({ provider: name, issuer, project_id: org.projectId });
      expect(made.claims).toEqual(
        Object.fromEntries(Object.entries(trusted).map(([key, value]) => [key, `${value}`])),
      );
      const id_token = await liars[name as System].jobToken(claims);
      const answer = await exchange(id_token);
      expect(answer.status).toBe(201);
      const { token, project_id, expires_at } = answer.result;
      expect(token).toMatch(/^svc_[0-9a-f]{32}$/);
      expect(project_id).toBe(org.projectId);
      expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(59 * 60_000);
      const scanId = await createScan(t.api, { ...org, token, asAgent: { org: org.slug, token } });
      const body = finding(org, scanId);
      const pushed = must(await t.api.post('/agent/findings', { org: org.slug, token, body }));
      const [entry] = must(await t.api.get(`/findings/${pushed.id}/activity`, org.asOwner));
      expect(entry.actor).toEqual({ type: 'token', id: made.id, name: source });
      const [listed] = must(await t.api.get(trusts(), org.asOwner));
      expect(listed).toMatchObject({ id: made.id, name: source, last_used: expect.any(String) });
      const log = must(await t.api.get('/audit', org.asOwner));
      expect(log[0]).toMatchObject({
        action: 'ci_trust.used',
        actor: { type: 'token', id: made.id, name: `${source} ${run}` },
        target: { type: 'ci_trust', id: made.id },
      });
      expect(log[1]).toMatchObject({ action: 'ci_trust.created', target: { id: made.id } });
      expect((await t.api.get('/findings', { org: org.slug, token })).refusal).toMatch(/^40[13] /);
    });
  },
);

describe('a token', () => {
  it('works for an hour, and is the same when it is exchanged again', async () => {
    must(await trust());
    const id_token = await jobToken();
    const [one, two] = await Promise.all([exchange(id_token), exchange(id_token)]);
    expect(one.result.token).toBe(two.result.token);
    expect(must(await exchange(await jobToken({ jti: 'other' }))).token).not.toBe(one.result.token);
    const used = must(await t.api.get('/audit?action=ci_trust.used', org.asOwner));
    expect(used).toHaveLength(2);
    expect((await pushes(one.result.token)).status).toBe(200);
    t.advance(61 * 60_000);
    expect((await pushes(one.result.token)).refusal).toBe('401 token_error/expired');
    expect((await exchange(id_token)).refusal).toBe(REFUSED);
    await purgeOrgs(t.services);
    t.advance(-61 * 60_000);
    expect((await pushes(one.result.token)).refusal).toBe('401 token_error/invalid');
    expect(await sql(`select * from ${schemaOf(org)}.ci_tokens`)).toEqual([]);
    expect(must(await t.api.get(trusts(), org.asOwner))).toHaveLength(1);
  });

  it('of a project is taken by its slug, too, but is of this project only', async () => {
    must(await trust());
    const { slug, id } = must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Other' } }));
    const [own] = must(await t.api.get('/projects', org.asOwner)).filter(
      (one: { id: string }) => one.id === org.projectId,
    );
    const { token } = must(await exchange(await jobToken(), { project: own.slug }));
    expect((await t.api.get(`/agent/findings?project=${slug}`, { org: org.slug, token })).refusal).toBe(
      '403 token_error/scope_mismatch',
    );
    expect((await exchange(await jobToken(), { project: id })).refusal).toBe(REFUSED);
  });

  it.each<[string, () => Promise<string>]>([
    ['for another service', () => jobToken({ aud: 'https://elsewhere.example' })],
    ['without an audience', () => jobToken({ aud: undefined })],
    ['signed with another key', () => jobToken({}, { sign: 'other key' })],
    ['without a signature', () => jobToken({}, { sign: 'none' })],
    ['signed with a shared secret', () => jobToken({}, { sign: 'HS256' })],
    ['that has expired', () => jobToken({ exp: Math.floor(Date.now() / 1000) - 120 })],
    ['that does not expire', () => jobToken({ exp: undefined })],
    ['older than an hour', () => jobToken({ iat: Math.floor(Date.now() / 1000) - 3_700 })],
    ['of an unknown age', () => jobToken({ iat: undefined })],
    ['of another repository with the same name', () => jobToken({ repository_id: '75' })],
    ['without the id', () => jobToken({ repository_id: undefined })],
    ['with a list of ids', () => jobToken({ repository_id: ['74'] })],
    ['of another branch', () => jobToken({ ref: 'refs/heads/main2' })],
    ['without an environment', () => jobToken({ environment: undefined })],
    ['of another issuer', () => liars.gitlab.jobToken(github.claims)],
    [
      'of an issuer that signs in the name of another',
      () => liars.gitlab.jobToken({ ...github.claims, iss: github.issuer }),
    ],
    ['that is none', async () => 'eyJ.x.y'],
  ])('%s is refused', async (_, make) => {
    must(await trust({ issuer: github.issuer, claims: github.trusted }));
    const answer = await exchange(await make());
    expect(answer.refusal).toBe(REFUSED);
    expect(answer.json.errors[0].message).toBe(
      'The token of the CI system is not accepted for this project.',
    );
    expect((await exchange(await jobToken())).status).toBe(201);
  });

  it('says nothing about projects, and asks nobody whom the project does not trust', async () => {
    const other = await createOrg(t.api);
    must(await trust({ issuer: CI_SYSTEMS.gitlab.issuer, claims: { project_id: 28 } }));
    must(await trust(onGithub(), other.asOwner, other.projectId));
    // Its configuration is not known yet.
    const stranger = await startLiar('https://stranger.example');
    reached.push(stranger);
    const answers = [
      await exchange(await jobToken()),
      await exchange(await jobToken(), { project: crypto.randomUUID() }),
      await exchange(await jobToken(), { project: other.projectId }),
      await exchange(await jobToken(), { at: other }),
      await exchange(await stranger.jobToken(github.claims)),
    ];
    expect(stranger.calls).toEqual([]);
    expect(new Set(answers.map(({ status, json }) => JSON.stringify([status, json.errors]))).size).toBe(1);
    expect(answers[0]?.refusal).toBe(REFUSED);
    const nowhere = await t.api.post('/agent/token', {
      org: 'nowhere',
      body: { id_token: 'x', project: 'x' },
    });
    expect(nowhere.refusal).toBe('404 tenant_error/not_found');
  });

  it('follows a repository to another name', async () => {
    const { id } = must(await trust());
    must(await exchange(await jobToken({ repository: `acme/${'n'.repeat(200)}\u202e` })));
    const [renamed] = must(await t.api.get(trusts(), org.asOwner));
    expect(renamed).toMatchObject({ id, name: `GitHub Actions acme/${'n'.repeat(80)}` });
  });

  it.each(['', '/'])('of a self-managed system is taken: %j ends the issuer', async (ending) => {
    const issuer = `https://git${ending.length}.acme.example`;
    const self = await startLiar(issuer);
    self.lies.discovery = { issuer: issuer + ending };
    reached.push(self);
    const made = must(await trust({ issuer: `${issuer}/`, claims: { project_id: 28 } }));
    expect(made).toMatchObject({
      provider: 'other',
      issuer,
      name: `git${ending.length}.acme.example project 28`,
    });
    const claims = { ...CI_SYSTEMS.gitlab.claims, iss: issuer + ending };
    expect((await exchange(await self.jobToken(claims))).status).toBe(201);
    const spelled = { ...claims, iss: issuer + (ending === '' ? '/' : '') };
    expect((await exchange(await self.jobToken(spelled))).refusal).toBe(REFUSED);
  });

  it('of an issuer that cannot be reached is refused like any other', async () => {
    const issuer = 'https://down.invalid';
    must(await trust({ issuer, claims: { project_id: 28 } }));
    expect((await exchange(await jobToken({ iss: issuer }))).refusal).toBe(REFUSED);
  });
});

describe('a trust', () => {
  it.each([
    [github.issuer, { repository: 'acme/web-shop' }, 'claims'],
    [github.issuer, { project_id: 28 }, 'claims'],
    [github.issuer, { repository_id: 'acme/web-shop' }, 'claims'],
    [`${github.issuer}/acme`, { repository: 'acme/web-shop' }, 'claims'],
    [CI_SYSTEMS.gitlab.issuer, { project_path: 'acme/web-shop' }, 'claims'],
    ['https://gitlab.com/', { pipeline_id: 455 }, 'claims'],
    [CI_SYSTEMS.buildkite.issuer, { pipeline_slug: 'web-shop', organization_slug: 'acme' }, 'claims'],
    [CI_SYSTEMS.buildkite.issuer, { pipeline_id: 'web-shop' }, 'claims'],
    [CI_SYSTEMS.circleci.issuer, { 'oidc.circleci.com/vcs-origin': 'github.com/acme/web-shop' }, 'claims'],
    ['https://git.acme.example', { sub: 'project_path:acme/web-shop:ref_type:branch:ref:main' }, 'claims'],
    ['https://git.acme.example', {}, 'claims'],
    ['https://git.acme.example', { project_id: 28, ref: 'x'.repeat(290) }, 'claims'],
    ['https://git.acme.example', { project_id: 28, a: 'x'.repeat(200), b: 'x'.repeat(200) }, 'claims'],
    ['https://git.acme.example', { project_id: 28, ref: ['main'] }, 'claims.ref'],
    ['http://git.acme.example', { project_id: 28 }, 'issuer'],
    ['https://10.0.0.1', { project_id: 28 }, 'issuer'],
    ['https://git.acme.example/?x=1', { project_id: 28 }, 'issuer'],
    ['git.acme.example', { project_id: 28 }, 'issuer'],
  ])('in %s with %j is refused', async (issuer, claims, field) => {
    const answer = await trust({ issuer, claims });
    expect(answer.status).toBe(400);
    expect(answer.badFields).toEqual([field]);
  });

  it('that is deleted ends its tokens at once', async () => {
    const { id } = must(await trust());
    const kept = must(await trust(onGithub({ repository_id: 74, ref: 'refs/heads/release' })));
    const id_token = await jobToken();
    const { token } = must(await exchange(id_token));
    expect((await pushes(token)).status).toBe(200);
    const path = `${trusts()}/${id}`;
    expect((await t.api.delete(path, org.asOwner)).status).toBe(204);
    expect((await pushes(token)).refusal).toBe('401 token_error/invalid');
    expect((await exchange(id_token)).refusal).toBe(REFUSED);
    expect((await t.api.delete(path, org.asOwner)).refusal).toBe('404 resource_error/not_found');
    expect(must(await t.api.get(trusts(), org.asOwner))).toEqual([kept]);
    expect(must(await t.api.get('/audit', org.asOwner))[0]).toMatchObject({
      action: 'ci_trust.deleted',
      target: { id, name: github.name },
      changes: { issuer: { from: github.issuer } },
    });
    await purgeOrgs(t.services);
    expect(await sql(`select id from ${schemaOf(org)}.ci_trusts`)).toEqual([{ id: kept.id }]);
    // A new trust gives the job another token.
    must(await trust());
    expect(must(await exchange(id_token)).token).not.toBe(token);
  });

  it('is an API token of the project: it is listed, counted and revoked as one', async () => {
    const { id } = must(await trust());
    const { token } = must(await exchange(await jobToken()));
    for (let run = 0; run < 5; run++) must(await exchange(await jobToken({ jti: `${run}` })));
    const tokens = must(await t.api.get(`/projects/${org.projectId}/tokens`, org.asOwner));
    expect(tokens.filter((one: { id: string }) => one.id === id)).toMatchObject([
      { id, prefix: '', scopes: ['ingest'], name: github.name },
    ]);
    expect(tokens).toHaveLength(2);
    const member = await addMember(t.api, org);
    const own = await t.api.delete(`/projects/${org.projectId}/tokens/${id}`, member.as);
    expect(own.refusal).toBe('403 permission_error/denied');
    expect((await t.api.delete(`/tokens/${id}`, org.asOwner)).status).toBe(204);
    expect((await pushes(token)).refusal).toBe('401 token_error/invalid');
    expect((await exchange(await jobToken())).refusal).toBe(REFUSED);
    expect(must(await t.api.get(trusts(), org.asOwner))).toEqual([]);
  });

  it('gives 1,000 tokens at a time', async () => {
    const { id } = must(await trust());
    await t.services.database.sql.unsafe(
      `insert into ${schemaOf(org)}.ci_tokens (prefix, token_hash, trust_id, expires_at)
        select 'x', n::text, $1, now() + interval '1 hour' from generate_series(1, 1000) n`,
      [id],
    );
    const full = await exchange(await jobToken());
    expect(full.refusal).toBe('429 rate_limit_error/exceeded');
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(3_000);
  });

  it('of several repositories keeps its name, and others keep theirs', async () => {
    const { name } = must(await trust(onGithub({ repository_owner_id: github.claims.repository_owner_id })));
    must(await exchange(await jobToken()));
    expect(must(await t.api.get(trusts(), org.asOwner))).toMatchObject([{ name }]);
    // The audit log still says which one.
    const [used] = must(await t.api.get('/audit?action=ci_trust.used', org.asOwner));
    expect(used.actor.name).toContain(github.claims.repository);
  });

  it('holds in the networks of the organization only', async () => {
    must(await trust());
    await t.services.database.sql.unsafe(
      `insert into ${schemaOf(org)}.allowed_networks (network) values ('192.0.2.0/24')`,
    );
    expect((await exchange(await jobToken())).refusal).toBe('403 permission_error/address_not_allowed');
  });

  it('is not fooled by keys and documents that are none', async () => {
    must(await trust());
    const id_token = await jobToken();
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    for (const answer of [
      '{"keys":[{"kty":"RSA","n":1,"e":"AQAB"}]}',
      '{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}',
      deep,
    ]) {
      const liar = await startLiar('https://ci.example');
      liar.lies = { answer: { '/jwks': (response) => response.end(answer) } };
      reached.push(liar);
      must(await trust({ issuer: liar.issuer, claims: { repository_id: '74' } }));
      const forged = await liar.jobToken({ repository_id: '74' });
      expect((await exchange(forged)).refusal).toBe(REFUSED);
      reached.pop();
    }
    expect((await exchange(id_token)).status).toBe(201);
  });

  it('counts for the limit of tokens', async () => {
    const { quotas } = t.services.config;
    const limited = { ...quotas, tokensPerProject: 2 };
    Object.assign(t.services.config, { quotas: limited });
    expect((await trust()).status).toBe(201);
    expect((await trust()).refusal).toBe('409 resource_error/conflict');
    Object.assign(t.services.config, { quotas });
  });

  it('ends with its project, with its organization, and with the rights of its creator', async () => {
    const admin = await addMember(t.api, org, 'admin');
    must(
      await t.api.patch('/settings/security', { ...org.asOwner, body: { tokens_on_role_loss: 'revoke' } }),
    );
    must(await trust(onGithub(), admin.as));
    const id_token = await jobToken();
    const { token } = must(await exchange(id_token));
    expect((await t.api.delete(`/members/${admin.id}`, org.asOwner)).status).toBe(204);
    expect([(await pushes(token)).refusal, (await exchange(id_token)).refusal]).toEqual([REFUSED, REFUSED]);

    must(await trust());
    const again = must(await exchange(id_token)).token;
    const deletes = (slug: string) =>
      t.api.delete(`/orgs/${slug}`, { cookie: org.owner.cookie, body: { confirm: slug } });
    expect((await deletes(org.slug)).status).toBe(204);
    expect((await pushes(again)).refusal).toBe('403 tenant_error/deleted');
    expect((await exchange(id_token)).refusal).toBe(REFUSED);
    expect((await t.api.post(`/orgs/${org.slug}/restore`, { cookie: org.owner.cookie })).status).toBe(200);
    expect((await pushes(again)).status).toBe(200);

    const [project] = must(await t.api.get('/projects', org.asOwner));
    const body = { confirm: project.slug };
    expect((await t.api.delete(`/projects/${project.slug}`, { ...org.asOwner, body })).status).toBe(204);
    expect((await pushes(again)).refusal).toBe('401 token_error/invalid');
    expect((await exchange(id_token)).refusal).toBe(REFUSED);
  });

  it('is made and deleted by admins, and seen by all members', async () => {
    const { id } = must(await trust());
    for (const role of ['viewer', 'member'] as const) {
      const { as } = await addMember(t.api, org, role);
      expect((await trust(onGithub(), as)).refusal).toBe('403 permission_error/denied');
      expect((await t.api.delete(`${trusts()}/${id}`, as)).refusal).toBe('403 permission_error/denied');
      expect(must(await t.api.get(trusts(), as))).toHaveLength(1);
    }
    const other = await createOrg(t.api);
    expect((await trust(onGithub(), other.asOwner)).refusal).toBe('404 resource_error/not_found');
    expect((await t.api.get(trusts(), other.asOwner)).refusal).toBe('404 resource_error/not_found');
    expect((await t.api.delete(`${trusts(other.projectId)}/${id}`, other.asOwner)).refusal).toBe(
      '404 resource_error/not_found',
    );
  });
});

it('with a base domain, a token may also be for the address of the organization', async () => {
  const env = { SVC_BASE_DOMAIN: 'findings.example', SVC_PUBLIC_URL: 'https://findings.example' };
  const based = await startApp({ env, databaseUrl: t.databaseUrl });
  liars.github.serve(based.services.outbound);
  const other = await createOrg(t.api);
  const domain = `${org.slug}.acme.example`;
  await sql('update shared.orgs set custom_domain = $1 where id = $2', [domain, org.id]);
  must(await trust());
  const call = async (aud: string, host = `${org.slug}.findings.example`) => {
    const body = { id_token: await jobToken({ aud, jti: crypto.randomUUID() }), project: org.projectId };
    return (await based.api.post('/agent/token', { host, body })).status;
  };
  const own = `https://${org.slug}.findings.example`;
  expect([await call(own), await call(env.SVC_PUBLIC_URL), await call(`https://${domain}`, domain)]).toEqual([
    ...[201, 201, 201],
  ]);
  const foreign = `https://${other.slug}.findings.example`;
  expect([await call(foreign), await call('http://localhost:8080'), await call('findings.example')]).toEqual([
    ...[401, 401, 401],
  ]);
  // No organization is at the base domain itself.
  expect(await call(env.SVC_PUBLIC_URL, 'findings.example')).toBe(404);
});

describe('refused tokens', () => {
  it('are limited by network, and keep no other job of the network out', async () => {
    const limited = await startApp({ env: { SVC_AUTH_LIMITS: 'on' }, databaseUrl: t.databaseUrl });
    liars.github.serve(limited.services.outbound);
    must(await trust());
    const call = (id_token: string) =>
      limited.api.post('/agent/token', { org: org.slug, body: { id_token, project: org.projectId } });
    for (let i = 0; i < 300; i++) expect((await call('x')).status).toBe(401);
    const answer = await call('x');
    expect(answer.refusal).toBe('429 rate_limit_error/exceeded');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60);
    expect((await call(await jobToken())).status).toBe(201);
  });
});
