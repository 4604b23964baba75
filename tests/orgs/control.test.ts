import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { endpoints } from '../../handlers/index.ts';
import { stepUpOf } from '../../lib/http/access.ts';
import type { Endpoint } from '../../lib/http/endpoint.ts';
import {
  type Answer,
  addMember,
  type CallOptions,
  createOrg,
  createScan,
  createUser,
  must,
  PASSWORD,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { linkTo, verify as verifyAddress } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/*
 * Changes of who controls an organization: they need a fresh sign-in or step-up, all owners hear of them, and an owner who lost the
 * role or whose organization was deleted undoes that by the mailed link.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let t: TestApp;
let org: TestOrg;
/** Sends few mails an hour. */
let few: TestApp;
/** An owner beside the creator of the organization. */
let second: TestUser;

beforeAll(async () => {
  t = await startApp();
  few = await startApp({
    databaseUrl: t.databaseUrl,
    env: { SVC_MAX_MAILS_PER_HOUR: '3' },
    mails: t.mails,
  });
});

beforeEach(async () => {
  few.advance(t.services.clock().getTime() - few.services.clock().getTime());
  org = await createOrg(t.api);
  second = await addMember(t.api, org, 'owner');
  await verify(org.owner, second);
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const outcome = ({ status, error }: Answer) => [status, error];
const STEP_UP = [403, 'permission_error/step_up_required'];
const INVALID = [400, 'validation_error/field_invalid'];
const CONFLICT = [409, 'resource_error/conflict'];
const newAddress = () => `guest-${crypto.randomUUID().slice(0, 8)}@example.com`;
const as = ({ cookie }: TestUser): CallOptions => ({ cookie, org: org.slug });

const verify = (...users: { id: string }[]) =>
  sql('update shared.user_emails set verified_at = now() where user_id = any ($1::uuid[])', [
    `{${users.map(({ id }) => id).join()}}`,
  ]);
const mailsTo = async ({ email }: { email: string }) => {
  await t.services.mail.deliverDue();
  return t.mails.filter(({ recipient }) => recipient === email);
};
const subjectsTo = async (user: { email: string }) => (await mailsTo(user)).map(({ subject }) => subject);
const stepUp = ({ cookie }: TestUser) =>
  t.api.post('/auth/step-up', { cookie, body: { password: PASSWORD } });
const undo = (token: string | undefined) => t.api.post('/auth/undo-org-change', { body: { token } });
const roleOf = async ({ id }: { id: string }) =>
  (await sql('select role from shared.memberships where org_id = $1 and user_id = $2', [org.id, id]))[0]
    ?.role;
const remove = (who: { id: string }, by: TestUser) => t.api.delete(`/members/${who.id}`, as(by));
const setRole = (who: { id: string }, role: string, by: TestUser) =>
  t.api.patch(`/members/${who.id}`, { ...as(by), body: { role } });
const deleteOrg = (by: TestUser) =>
  t.api.delete(`/orgs/${org.slug}`, { cookie: by.cookie, body: { confirm: org.slug } });
const titleOf = ({ method, path }: Pick<Endpoint, 'method' | 'path'>) => `${method} ${path}`;

/** Everything that says who controls the organization, and what is kept. */
async function control() {
  const schema = `org_${org.id.replaceAll('-', '')}`;
  const parts = [
    'select user_id, role, project_access from shared.memberships where org_id = $1',
    'select slug, viewer_tokens_verify, tokens_on_role_loss from shared.orgs where id = $1',
    'select org_id from shared.org_deletions where org_id = $1',
    'select project_id from shared.project_transfers where source_id = $1',
    `select id from ${schema}.api_tokens`,
    `select name, enabled from ${schema}.feature_flags`,
    `select id from ${schema}.projects where deleted_at is null`,
    'select resolved_findings, scans from shared.retention where org_id = $1',
    'select id, require_sso from shared.sso_connections where org_id = $1',
    'select id, url from shared.destinations where org_id = $1',
    'select id from shared.org_domains where verified_at is not null and org_id = $1',
    'select id from shared.scim_tokens where org_id = $1',
    `select id from ${schema}.deletions where state <> 'purging'`,
  ];
  const lists = parts.map((part) => `array (select part::text from (${part} order by 1) part)`);
  return await sql(`select ${lists.map((list, i) => `${list} as part${i}`).join()}`, [org.id]);
}

interface Change {
  /** Makes the preconditions. */
  prepare?(): Promise<string | undefined>;
  /** @param made what `prepare` returned */
  call(who: CallOptions, made: string): Promise<Answer>;
  /** Matches the mail to every owner. */
  told: RegExp;
}

const guest = (role: string) => async () => (await addMember(t.api, org, role)).id;
const flag = (name: string, enabled: boolean) => (who: CallOptions) =>
  t.api.patch(`/org-features/${name}`, { ...who, body: { enabled } });
const invite = (role: string) => (who: CallOptions) =>
  t.api.post('/members/invite', { ...who, body: { email: newAddress(), role } });
const removal = (who: CallOptions, id: string) => t.api.delete(`/members/${id}`, who);
/** Makes the caller an admin whom the second owner asks to become an owner. */
const askOwner = async () => {
  await sql(
    `update shared.memberships set role = 'admin', owner_offer_until = $4::timestamptz + interval '7 days', owner_offer_by = $3
      where org_id = $1 and user_id = $2`,
    [org.id, org.owner.id, second.id, t.services.clock().toISOString()],
  );
  return '';
};
const acceptOffer = (who: CallOptions) => t.api.post('/members/accept-ownership', who);
const change = (role: string) => (who: CallOptions, id: string) =>
  t.api.patch(`/members/${id}`, { ...who, body: { role } });

const CHAT = { kind: 'slack', name: 'Team', url: 'https://hooks.example/path' };
const WEBHOOK = { url: 'https://hooks.example/path', events: ['scan.completed'] };
const CONNECTION = { name: 'Login', issuer: 'https://login.example', client_id: 'svc-findings' };

/** Each change of control, by the operation that makes it. */
const CHANGES: Partial<Record<keyof typeof endpoints, Record<string, Change>>> = {
  inviteMember: {
    admin: { call: invite('admin'), told: /Member: guest-.*\n.*Role: admin/ },
    owner: { call: invite('owner'), told: /Role: owner/ },
  },
  updateMember: {
    'viewer to admin': { prepare: guest('viewer'), call: change('admin'), told: /Role: admin, was viewer/ },
    'viewer to owner': { prepare: guest('viewer'), call: change('owner'), told: /Role: owner, was viewer/ },
    'admin to viewer': { prepare: guest('admin'), call: change('viewer'), told: /Role: viewer, was admin/ },
    'owner to viewer': { prepare: guest('owner'), call: change('viewer'), told: /Role: viewer, was owner/ },
    'access of an admin': {
      prepare: guest('admin'),
      call: (who, id) => t.api.patch(`/members/${id}`, { ...who, body: { project_access: 'assigned' } }),
      told: /Project access: assigned, was all/,
    },
    oneself: {
      prepare: async () => org.owner.id,
      call: change('admin'),
      told: /Role: admin, was owner/,
    },
  },
  acceptOwnership: {
    '': { prepare: askOwner, call: acceptOffer, told: /Role: owner, was admin/ },
  },
  removeMember: {
    admin: { prepare: guest('admin'), call: removal, told: /was removed[\s\S]*Role: admin/ },
    owner: { prepare: guest('owner'), call: removal, told: /was removed[\s\S]*Role: owner/ },
  },
  leaveOrg: {
    owner: { call: (who) => t.api.post('/members/leave', who), told: /left|no longer a member/ },
  },
  createToken: {
    ingest: {
      prepare: async () => must(await flag('org_wide_tokens', true)(org.asOwner)),
      call: (who) => t.api.post('/tokens', { ...who, body: { name: 'ci' } }),
      told: /Token: ci[\s\S]*Scopes: ingest[\s\S]*Expires: never/,
    },
    admin: {
      prepare: async () => must(await flag('org_wide_tokens', true)(org.asOwner)),
      call: (who) =>
        t.api.post('/tokens', { ...who, body: { name: 'http://evil.example', scopes: ['admin'] } }),
      told: /Token: http:\u200b\/\/evil\.\u200bexample[\s\S]*Scopes: admin/,
    },
  },
  createProjectToken: {
    read: {
      prepare: async () => must(await t.api.get('/projects', org.asOwner))[0].id,
      call: (who, project) =>
        t.api.post(`/projects/${project}/tokens`, { ...who, body: { name: 'ci', scopes: ['read'] } }),
      told: /Token: ci[\s\S]*Scopes: read/,
    },
  },
  updateOrgFeature: {
    'on for require_mfa': { call: flag('require_mfa', true), told: /Setting: require_mfa[\s\S]*Now: on/ },
  },
  updateSecuritySettings: {
    off: {
      call: (who) => t.api.patch('/settings/security', { ...who, body: { viewer_tokens_verify: false } }),
      told: /Setting: viewer_tokens_verify[\s\S]*Now: off/,
    },
    keep: {
      call: (who) => t.api.patch('/settings/security', { ...who, body: { tokens_on_role_loss: 'keep' } }),
      told: /Setting: tokens_on_role_loss[\s\S]*Now: keep/,
    },
  },
  createConnection: {
    '': {
      call: (who) => t.api.post('/settings/connections', { ...who, body: CONNECTION }),
      told: /was added to[\s\S]*Connection: Login[\s\S]*Provider: https:/,
    },
  },
  updateConnection: {
    require_sso: {
      prepare: async () =>
        must(await t.api.post('/settings/connections', { ...org.asOwner, body: CONNECTION })).id,
      call: (who, id) => t.api.patch(`/settings/connections/${id}`, { ...who, body: { require_sso: true } }),
      told: /Changed: require_sso[\s\S]*Single sign-on required: on/,
    },
  },
  deleteConnection: {
    '': {
      prepare: async () =>
        must(await t.api.post('/settings/connections', { ...org.asOwner, body: CONNECTION })).id,
      call: (who, id) => t.api.delete(`/settings/connections/${id}`, who),
      told: /was deleted from[\s\S]*Connection: Login/,
    },
  },
  createWebhook: {
    '': {
      call: (who) => t.api.post('/webhooks', { ...who, body: WEBHOOK }),
      told: /A webhook was added to[\s\S]*Address: https:.*[\s\S]*Events: scan/,
    },
  },
  updateWebhook: {
    url: {
      prepare: async () => must(await t.api.post('/webhooks', { ...org.asOwner, body: WEBHOOK })).id,
      call: (who, id) =>
        t.api.patch(`/webhooks/${id}`, { ...who, body: { url: 'https://elsewhere.example' } }),
      told: /A webhook was changed in[\s\S]*Before: https:.*hooks[\s\S]*Address: https:.*elsewhere/,
    },
  },
  deleteWebhook: {
    '': {
      prepare: async () => must(await t.api.post('/webhooks', { ...org.asOwner, body: WEBHOOK })).id,
      call: (who, id) => t.api.delete(`/webhooks/${id}`, who),
      told: /A webhook was deleted from[\s\S]*Address: https:.*hooks[\s\S]*Events: scan/,
    },
  },
  createIntegration: {
    '': {
      call: (who) => t.api.post('/integrations', { ...who, body: CHAT }),
      told: /An integration was added to[\s\S]*Service: Slack\nName: Team\nAddress: https:/,
    },
  },
  updateIntegration: {
    url: {
      prepare: async () => must(await t.api.post('/integrations', { ...org.asOwner, body: CHAT })).id,
      call: (who, id) =>
        t.api.patch(`/integrations/${id}`, { ...who, body: { url: 'https://elsewhere.example' } }),
      told: /An integration was changed in[\s\S]*Address: https:.*elsewhere[\s\S]*Changed: address/,
    },
  },
  deleteIntegration: {
    '': {
      prepare: async () => must(await t.api.post('/integrations', { ...org.asOwner, body: CHAT })).id,
      call: (who, id) => t.api.delete(`/integrations/${id}`, who),
      told: /An integration was deleted from[\s\S]*Service: Slack\nName: Team/,
    },
  },
  verifyOrgDomain: {
    '': {
      async prepare() {
        const body = { domain: `${org.slug}.example` };
        const made = must(await t.api.post('/settings/domains', { ...org.asOwner, body }));
        t.services.outbound.resolveTxt = async () => [made.record.value];
        return made.id;
      },
      call: (who, id) => t.api.post(`/settings/domains/${id}/verify`, who),
      told: /A domain was proven for[\s\S]*Domain: org-/,
    },
  },
  deleteOrgDomain: {
    '': {
      async prepare() {
        const body = { domain: `${org.slug}.example` };
        const made = must(await t.api.post('/settings/domains', { ...org.asOwner, body }));
        t.services.outbound.resolveTxt = async () => [made.record.value];
        must(await t.api.post(`/settings/domains/${made.id}/verify`, org.asOwner));
        return made.id;
      },
      call: (who, id) => t.api.delete(`/settings/domains/${id}`, who),
      told: /A domain was removed from[\s\S]*Domain: org-/,
    },
  },
  createScimToken: {
    '': {
      call: (who) => t.api.post('/settings/scim/token', who),
      told: /A token for provisioning[\s\S]*was created for[\s\S]*Token: scim_/,
    },
  },
  deleteScimToken: {
    '': {
      prepare: async () => must(await t.api.post('/settings/scim/token', org.asOwner)).info.id,
      call: (who) => t.api.delete('/settings/scim/token', who),
      told: /was removed from[\s\S]*Token: scim_/,
    },
  },
  updateOrg: {
    slug: {
      call: (who) => t.api.patch(`/orgs/${org.slug}`, { ...who, body: { slug: `${org.slug}-2` } }),
      told: /Setting: slug[\s\S]*Before: org-.*[\s\S]*Now: org-.*-2/,
    },
  },
  deleteOrg: {
    '': {
      call: (who) => t.api.delete(`/orgs/${org.slug}`, { ...who, body: { confirm: org.slug } }),
      told: /was deleted/,
    },
  },
  restoreOrg: {
    '': {
      prepare: async () => must(await deleteOrg(org.owner)),
      call: (who) => t.api.post(`/orgs/${org.slug}/restore`, who),
      told: /was restored/,
    },
  },
  startProjectTransfer: {
    '': {
      async prepare() {
        const slug = `labs-${org.slug}`;
        must(await t.api.post('/orgs', { cookie: org.owner.cookie, body: { name: 'Labs', slug } }));
        return slug;
      },
      async call(who, organization) {
        const [project] = must(await t.api.get('/projects', who));
        const body = { organization, confirm: project.slug };
        return t.api.post(`/projects/${project.slug}/transfer`, { ...who, body });
      },
      told: /Project: .*[\s\S]*To: labs-/,
    },
  },
  deleteProject: {
    '': {
      async call(who) {
        const [project] = must(await t.api.get('/projects', who));
        return t.api.delete(`/projects/${project.slug}`, { ...who, body: { confirm: project.slug } });
      },
      told: /A project was deleted from[\s\S]*Project: web-shop/,
    },
  },
  purgeDeletion: {
    '': {
      async prepare() {
        const { id } = await push(t.api, org, await createScan(t.api, org));
        return must(await t.api.post('/findings/delete', { ...org.asOwner, body: { ids: [id] } })).id;
      },
      call: (who, id) => t.api.delete(`/deletions/${id}`, who),
      told: /Deleted findings were removed for good from[\s\S]*Findings: 1/,
    },
  },
  updateRetention: {
    shorter: {
      async prepare() {
        const body = { resolved_findings: 90, scans: 30 };
        return must(await t.api.put('/settings/retention', { ...org.asOwner, body })) && undefined;
      },
      call: (who) =>
        t.api.put('/settings/retention', { ...who, body: { resolved_findings: 1, scans: null } }),
      told: /Resolved findings kept for: 1 day, was 90 days\nScans kept for: ever, was 30 days/,
    },
  },
};

/** Operations with a step-up that change nobody's control over an organization. */
const OTHERS = ['declineOwnership', 'createOrgDomain', 'testConnection', 'rotateWebhookSecret'];
/** Operations that only a session may call, and that give nobody control. */
const HARMLESS = [
  ...['resendInvitation', 'revokeToken', 'revokeProjectToken', 'createCiTrust', 'deleteCiTrust'],
  ...['getProjectTransfer', 'cancelProjectTransfer', 'listConnections', 'listOrgDomains', 'getScim'],
  ...['testWebhook', 'redeliver', 'testIntegration', 'redeliverToIntegration'],
  // They give no more than the role in the organization.
  ...['setProjectMember', 'removeProjectMember'],
];

const cases = Object.entries(CHANGES).flatMap(([id, changes]) =>
  Object.entries(changes).map(([name, one]) => [`${id} ${name}`.trim(), one] as const),
);

describe('the operations that change control', () => {
  it('are all in this suite, and every one that tokens are kept away from is accounted for', () => {
    const ofOrgs = Object.entries(endpoints).filter(
      ([, { access, path }]) =>
        (access.kind === 'cookie' && path.includes('/orgs/')) || access.kind === 'cookieOrg',
    );
    const isFresh = ([, { access }]: (typeof ofOrgs)[number]) => stepUpOf(access) !== undefined;
    const fresh = ofOrgs.filter(isFresh).map(([id]) => id);
    expect(fresh.toSorted()).toEqual([...Object.keys(CHANGES), ...OTHERS].toSorted());
    const others = ofOrgs.filter((one) => {
      const { access } = one[1];
      return !isFresh(one) && access.kind === 'cookieOrg' && access.tokens === 'none';
    });
    expect(others.map(([id]) => id).toSorted()).toEqual(HARMLESS.toSorted());
    for (const [id, { access }] of Object.entries(endpoints))
      if (stepUpOf(access) !== undefined)
        expect([id, 'tokens' in access ? access.tokens : 'none']).toEqual([id, 'none']);
  });

  it('name their condition in the description of the API', () => {
    const texts = Object.values(endpoints).map(
      (one) => [titleOf(one), one.describe().description ?? ''] as const,
    );
    expect(
      texts.filter(([, text]) => /within the last 10 minutes for the roles/.test(text)).map(([name]) => name),
    ).toEqual(['POST /api/v1/members/invite']);
  });
});

describe.each(cases)('%s', (_, { prepare, call, told }) => {
  it('needs a step-up, takes no token, and is mailed to all owners once', async () => {
    const personal = must(
      await t.api.post('/profile/tokens', {
        cookie: org.owner.cookie,
        body: { name: 'mine', scopes: ['admin'], expires_in: 30 },
      }),
    ).token;
    const made = (await prepare?.()) ?? '';
    const owners = [org.owner, second];
    const counts = async () => Promise.all(owners.map(async (owner) => (await mailsTo(owner)).length));
    const before = await control();
    const mails = await counts();
    t.advance(11 * MINUTE);
    expect(outcome(await call({ token: personal, org: org.slug }, made))[0]).not.toBeLessThan(400);
    expect(outcome(await call(as(org.owner), made))).toEqual(STEP_UP);
    expect(await control()).toEqual(before);
    expect(await counts()).toEqual(mails);

    must(await stepUp(org.owner));
    must(await call(as(org.owner), made));
    expect(await control()).not.toEqual(before);
    expect(await counts()).toEqual(mails.map((count) => count + 1));
    for (const owner of owners) {
      const mail = (await mailsTo(owner)).at(-1);
      expect(`${mail?.subject}\n${mail?.text}`).toMatch(told);
      expect(mail?.text).toContain('Ada');
    }
  });
});

describe('an old session', () => {
  it('may still make changes that give nobody control, of which no owner hears', async () => {
    const viewer = await addMember(t.api, org, 'viewer');
    const before = (await mailsTo(second)).length;
    t.advance(11 * MINUTE);
    expect((await invite('member')(as(org.owner))).status).toBe(201);
    must(await setRole(viewer, 'member', org.owner));
    must(await remove(viewer, org.owner));
    must(await t.api.patch(`/orgs/${org.slug}`, { cookie: org.owner.cookie, body: { name: 'Other' } }));
    const path = `/projects/${org.projectId}/tokens`;
    must(await t.api.post(path, { ...as(org.owner), body: { name: 'ci' } }));
    expect((await mailsTo(second)).length).toBe(before);
  });

  it('cannot use a role that changes at the same moment', async () => {
    const viewer = await addMember(t.api, org, 'viewer');
    await sql("update shared.memberships set role = 'admin' where user_id = $1", [viewer.id]);
    t.advance(11 * MINUTE);
    expect(outcome(await remove(viewer, org.owner))).toEqual(STEP_UP);
    expect(await roleOf(viewer)).toBe('admin');
  });
});

it('a change without effect is not mailed', async () => {
  const before = (await mailsTo(second)).length;
  must(await flag('require_mfa', false)(org.asOwner));
  must(await t.api.patch('/settings/security', { ...org.asOwner, body: { viewer_tokens_verify: true } }));
  must(await setRole(second, 'owner', org.owner));
  must(await t.api.patch(`/orgs/${org.slug}`, { cookie: org.owner.cookie, body: { slug: org.slug } }));
  // Longer than before.
  const retention = (days: number | null) =>
    t.api.put('/settings/retention', { ...org.asOwner, body: { scans: days } });
  must(await retention(null));
  await sql('update shared.retention set scans = 5 where org_id = $1', [org.id]);
  must(await retention(9));
  expect((await mailsTo(second)).length).toBe(before);
});

describe('the owners of an organization hear', () => {
  it('of a personal token that may do what an admin may, but not of others', async () => {
    const admin = await addMember(t.api, org, 'admin', 'Grace Hopper');
    const elsewhere = await createOrg(t.api);
    const create = (scopes: string[], org_id?: string) =>
      t.api.post('/profile/tokens', {
        cookie: admin.cookie,
        body: { name: 'script', scopes, expires_in: 30, ...(org_id && { org_id }) },
      });
    const before = [(await mailsTo(second)).length, (await mailsTo(elsewhere.owner)).length];
    must(await create(['read']));
    must(await create(['triage'], org.id));
    must(await create(['admin'], org.id));
    must(await create(['admin']));
    const mails = (await mailsTo(second)).slice(before[0]);
    expect(mails.map(({ subject }) => subject)).toEqual(
      Array(2).fill(expect.stringMatching(/^An admin created a personal access token for/)),
    );
    expect(mails[0]?.text).toMatch(/By: Grace Hopper[\s\S]*Personal access token: script\nScopes: admin/);
    expect((await mailsTo(elsewhere.owner)).length).toBe(before[1]);
  });

  it('of a personal token in every organization that it controls', async () => {
    const admin = await addMember(t.api, org, 'admin');
    // More than the service writes to at once. The account joined `org` last.
    const values = Array.from(
      { length: 10 },
      (_, i) => `($1::uuid, '${i}0000000-0000-4000-8000-${org.id.slice(-12)}')`,
    );
    await sql(
      `with made as (
        insert into shared.orgs (id, name, slug, plan, schema_version, created_at)
        select id::uuid, 'Other', 'o' || replace(id, '-', ''), 'free', 0, now() from (values ${values}) v (u, id) returning id)
      insert into shared.memberships (org_id, user_id, role, created_at)
        select id, $1::uuid, 'admin', now() - interval '1 day' from made`,
      [admin.id],
    );
    const create = (org_id?: string) =>
      t.api.post('/profile/tokens', {
        cookie: admin.cookie,
        body: { name: 'script', scopes: ['admin'], expires_in: 30, ...(org_id && { org_id }) },
      });
    const before = (await mailsTo(second)).length;
    expect((await create()).refusal).toBe('400 validation_error/field_invalid org_id');
    expect((await t.api.get('/profile/tokens', { cookie: admin.cookie })).result.tokens).toEqual([]);
    must(await create(org.id));
    expect((await mailsTo(second)).length).toBe(before + 1);
  });

  it('of an admin or owner whose account is deleted, who gets no link', async () => {
    // The organization of the registration, whose only owner it is.
    await sql('delete from shared.orgs where created_by = $1', [second.id]);
    const before = (await mailsTo(org.owner)).length;
    must(await t.api.delete('/auth/me', { cookie: second.cookie, body: { confirm: second.email } }));
    const mails = (await mailsTo(org.owner)).slice(before);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toMatch(/Role: owner\nReason: the account was deleted/);
    expect((await mailsTo(second)).flatMap(({ link }) => (link?.includes('undo-org') ? link : []))).toEqual(
      [],
    );
  });
});

describe('an owner who was removed', () => {
  const linkOf = async (user: TestUser) => (await linkTo(t, user.email)).token;
  /** Nobody has become an owner within the last 72 hours. */
  const areOfLongStanding = () =>
    sql(
      `update shared.memberships set created_at = created_at - interval '4 days', owner_since = owner_since - interval '4 days'
        where org_id = $1`,
      [org.id],
    );

  it('gets a link that only a POST uses, and is an owner again', async () => {
    must(await remove(org.owner, second));
    const mail = (await mailsTo(org.owner)).at(-1);
    expect(mail?.subject).toMatch(/^You are no longer an owner of the organization /);
    expect(mail?.link).toMatch(/\/undo-org-change\?token=[0-9a-f]{64}$/);
    const { token } = await linkTo(t, org.owner.email);
    // A scanner of links follows it.
    for (const path of ['/auth/undo-org-change', `/auth/undo-org-change?token=${token}`])
      expect((await t.api.get(path)).status).toBe(405);
    expect(await roleOf(org.owner)).toBeUndefined();
    const undone = must(await undo(token));
    expect(undone).toEqual({
      undone: ['ownership'],
      organization: { name: expect.any(String), slug: org.slug },
    });
    expect(await roleOf(org.owner)).toBe('owner');
    for (const user of [org.owner, second])
      expect((await subjectsTo(user)).at(-1)).toMatch(/^A former owner has the role again in/);
    expect(outcome(await undo(token))).toEqual(INVALID);
    expect((await t.api.get('/members', as(org.owner))).status).toBe(200);
  });

  it('uses it once, however many requests come at once', async () => {
    must(await remove(org.owner, second));
    const token = await linkOf(org.owner);
    const answers = await Promise.all(Array.from({ length: 4 }, () => undo(token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  it.each([
    ['demoted', (by: TestUser) => setRole(org.owner, 'viewer', by)],
    ['made to leave', () => t.api.post('/members/leave', as(org.owner))],
    ['made to demote themselves', () => setRole(org.owner, 'admin', org.owner)],
  ])('or %s is treated alike', async (_, attack) => {
    must(await attack(second));
    must(await undo(await linkOf(org.owner)));
    expect(await roleOf(org.owner)).toBe('owner');
  });

  it('comes back after the organization was renamed, filled up or deleted, also with a lower role', async () => {
    must(await remove(org.owner, second));
    const token = await linkOf(org.owner);
    must(await t.api.patch(`/orgs/${org.slug}`, { cookie: second.cookie, body: { slug: `${org.slug}-x` } }));
    must(
      await t.api.post('/members/invite', {
        ...as(second),
        body: { email: org.owner.email, role: 'viewer' },
      }),
    );
    const confirm = `${org.slug}-x`;
    must(await t.api.delete(`/orgs/${confirm}`, { cookie: second.cookie, body: { confirm } }));
    const full = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_MAX_MEMBERS_PER_ORG: '1' } });
    expect(must(await full.api.post('/auth/undo-org-change', { body: { token } }))).toMatchObject({
      undone: ['ownership', 'deletion'],
      organization: { slug: confirm },
    });
    expect(await roleOf(org.owner)).toBe('owner');
    expect((await t.api.get('/projects', as(org.owner))).status).toBe(200);
  });

  it('is assigned by rules in all projects again', async () => {
    must(await setRole(org.owner, 'viewer', second));
    const token = await linkOf(org.owner);
    const limited = { ...as(second), body: { project_access: 'assigned' } };
    must(await t.api.patch(`/members/${org.owner.id}`, limited));
    const rule = { name: 'Owner', conditions: { title: ['new*'] }, actions: { assignee_id: org.owner.id } };
    must(await t.api.post('/rules', { ...as(second), body: rule }));
    const scan = await createScan(t.api, org);
    const assignee = async () => {
      const { id } = await push(t.api, org, scan, { title: 'new finding' });
      return must(await t.api.get(`/findings/${id}`, as(second))).assignee_id;
    };
    expect(await assignee()).toBeUndefined();
    must(await undo(token));
    expect(await assignee()).toBe(org.owner.id);
    const [entry] = must(await t.api.get('/audit?action=organization.undone', as(second)));
    expect(entry.changes.project_access).toEqual({ from: 'assigned', to: 'all' });
  });

  it('keeps no mark of a limited member who was removed', async () => {
    const body = { role: 'viewer', project_access: 'assigned' };
    must(await t.api.patch(`/members/${org.owner.id}`, { ...as(second), body }));
    const token = await linkOf(org.owner);
    must(await remove(org.owner, second));
    must(await undo(token));
    const table = `org_${org.id.replaceAll('-', '')}.project_members`;
    expect(await sql(`select project_id from ${table} where user_id = $1`, [org.owner.id])).toEqual([]);
  });

  it('cannot use it after 72 hours', async () => {
    const third = await addMember(t.api, org, 'owner');
    await areOfLongStanding();
    must(await remove(org.owner, second));
    must(await remove(third, second));
    const [early, late] = [await linkOf(org.owner), await linkOf(third)];
    t.advance(71 * HOUR);
    must(await undo(early));
    t.advance(HOUR);
    expect(outcome(await undo(late))).toEqual(INVALID);
  });

  it('gets clear errors when there is nothing to undo', async () => {
    must(await remove(org.owner, second));
    const token = await linkOf(org.owner);
    must(
      await t.api.post('/members/invite', { ...as(second), body: { email: org.owner.email, role: 'owner' } }),
    );
    expect(outcome(await undo(token))).toEqual(CONFLICT);
    must(await remove(org.owner, second));
    // A refusal has not used it up.
    await sql('update shared.users set disabled_at = now() where id = $1', [org.owner.id]);
    expect(outcome(await undo(token))).toEqual(INVALID);
    await sql('update shared.users set disabled_at = null where id = $1', [org.owner.id]);
    must(await undo(token));
    for (const text of ['f3'.repeat(32), 'x', '']) expect(outcome(await undo(text))[0]).toBe(400);
  });

  it('cannot use it when the account or the organization is gone', async () => {
    const third = await addMember(t.api, org, 'owner');
    await areOfLongStanding();
    must(await remove(org.owner, second));
    must(await remove(third, second));
    const [own, gone] = [await linkOf(org.owner), await linkOf(third)];
    await sql('delete from shared.memberships where user_id = $1', [third.id]);
    await sql('delete from shared.users where id = $1', [third.id]);
    expect(outcome(await undo(gone))).toEqual(INVALID);
    await sql('delete from shared.orgs where id = $1', [org.id]);
    expect(outcome(await undo(own))).toEqual(INVALID);
  });

  it('who came back is kept out by an owner of longer standing, but not the other way round', async () => {
    await areOfLongStanding();
    must(await remove(second, org.owner));
    const stash = await linkOf(second);
    must(await undo(stash));
    must(await remove(second, org.owner));
    const last = (await mailsTo(second)).at(-1);
    expect([last?.subject, last?.link]).toEqual([expect.stringMatching(/^You are no longer/), undefined]);
    must(
      await t.api.post('/members/invite', { ...as(org.owner), body: { email: second.email, role: 'owner' } }),
    );
    for (let round = 0; round < 3; round++) {
      must(await remove(org.owner, second));
      must(await undo(await linkOf(org.owner)));
    }
    expect(await roleOf(org.owner)).toBe('owner');
  });

  it('is no newcomer after the attacker has given the role back', async () => {
    await areOfLongStanding();
    must(await setRole(second, 'admin', org.owner));
    must(await setRole(second, 'owner', org.owner));
    await sql(
      "update shared.org_undo_links set expires_at = expires_at - interval '200 hours' where org_id = $1",
      [org.id],
    );
    must(await remove(second, org.owner));
    must(await undo(await linkOf(second)));
  });

  it('is no newcomer after the attacker has invited them again', async () => {
    const invite = async (role: string) =>
      must(await t.api.post('/members/invite', { ...as(second), body: { email: org.owner.email, role } }));
    for (const role of ['viewer', 'owner']) {
      must(await remove(org.owner, second));
      const token = await linkOf(org.owner);
      t.advance(MINUTE);
      await invite(role);
      if (role === 'viewer') must(await undo(token));
      must(await remove(org.owner, second));
      must(await undo(await linkOf(org.owner)));
    }
    expect(await roleOf(org.owner)).toBe('owner');
  });

  it('cannot help accomplices to come back one after the other', async () => {
    await areOfLongStanding();
    must(await remove(second, org.owner));
    must(await undo(await linkOf(second)));
    const accomplice = await addMember(t.api, org, 'viewer');
    t.advance(MINUTE);
    must(await setRole(accomplice, 'owner', second));
    must(await remove(second, org.owner));
    must(await remove(accomplice, org.owner));
    for (const one of [second, accomplice]) expect((await mailsTo(one)).at(-1)?.link).toBeUndefined();
  });

  it('gets the mail at the address that was primary before a thief changed it', async () => {
    const old = org.owner.email;
    const now = `thief-${old}`;
    const at = t.services.clock().toISOString();
    await sql(
      `insert into shared.primary_email_changes (token_hash, user_id, old_email, old_email_verified, new_email, changed_at, expires_at)
        values ($1, $2, $3, true, $4, $5, $5::timestamptz + interval '1 hour')`,
      ['0'.repeat(64), org.owner.id, old, now, at],
    );
    await sql('update shared.user_emails set email = $1 where user_id = $2', [now, org.owner.id]);
    must(await remove(org.owner, second));
    const [mail, other] = [await t.delivered(now), await t.delivered(old)];
    expect([mail.subject, other.subject]).toEqual(Array(2).fill(expect.stringMatching(/^You are no longer/)));
    expect(other.link).toBe(mail.link);
  });

  it('always has a link that works, even if other changes use up the mails', async () => {
    const by = as(second);
    for (let i = 0; i < 4; i++) {
      must(await few.api.patch('/org-features/org_wide_tokens', { ...by, body: { enabled: i % 2 === 0 } }));
      must(await few.api.patch(`/members/${org.owner.id}`, { ...by, body: { role: 'admin' } }));
      must(await few.api.patch(`/members/${org.owner.id}`, { ...by, body: { role: 'owner' } }));
    }
    must(await few.api.delete(`/members/${org.owner.id}`, by));
    await few.services.mail.deliverDue();
    const links = (await mailsTo(org.owner)).flatMap(({ link }) => (link?.includes('undo-org') ? link : []));
    expect(links).toHaveLength(3);
    const token = new URL(links[0] ?? '').searchParams.get('token');
    must(await few.api.post('/auth/undo-org-change', { body: { token } }));
    expect(await roleOf(org.owner)).toBe('owner');
  });

  it('is not found by the link in the database', async () => {
    must(await remove(org.owner, second));
    const token = await linkOf(org.owner);
    const rows = await sql('select * from shared.org_undo_links where user_id = $1', [org.owner.id]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
    const exported = must(await t.api.get('/auth/me/export', { cookie: org.owner.cookie }));
    expect(exported.organization_undo_links).toMatchObject([{ org_id: org.id }]);
  });

  it('keeps the address by which the organization knows the account', async () => {
    const address = newAddress();
    await sql(
      'update shared.memberships set invited_email = $1, confirmed_at = now() where user_id = $2 and org_id = $3',
      [...[address, second.id, org.id]],
    );
    await areOfLongStanding();
    must(await remove(second, org.owner));
    must(await undo(await linkOf(second)));
    const shown = must(await t.api.get('/members', as(org.owner))).find(
      (member: { user_id: string }) => member.user_id === second.id,
    );
    expect(shown).toMatchObject({ email: address, role: 'owner', verified: true });
  });
});

describe('after many harmless changes, which use up the mails of an hour', () => {
  const collectedTo = async (user: { email: string }) => {
    few.advance(HOUR);
    await few.services.mail.deliverDue();
    return t.mails
      .filter(({ recipient, subject }) => recipient === user.email && /change/.test(subject))
      .at(-1);
  };

  it('owners get one mail with all others, also of requests at the same time', async () => {
    const by = as(org.owner);
    const createToken = (name: string) =>
      few.api.post('/tokens', { ...by, body: { name, scopes: ['admin'] } });
    for (let i = 0; i < 3; i++)
      must(await few.api.patch('/org-features/org_wide_tokens', { ...by, body: { enabled: i % 2 === 0 } }));
    for (const answer of await Promise.all(['one', 'two', 'three'].map(createToken))) must(answer);
    // It is being sent.
    await sql('update shared.outgoing_mails set attempts = 1 where collects is not null');
    must(await createToken('four'));
    const before = (await mailsTo(second)).length;
    await collectedTo(second);
    const mails = (await mailsTo(second))
      .slice(before)
      .sort((a, b) => a.subject.localeCompare(b.subject, 'en'));
    expect(mails.map(({ subject }) => subject)).toEqual([
      '3 further changes of an organization that you own',
      'Another change of an organization that you own',
    ]);
    for (const name of ['one', 'two', 'three'])
      expect(mails[0]?.text).toMatch(new RegExp(`An API token was created.*Token: ${name}.*Scopes: admin`));
    expect(mails[1]?.text).toContain('Token: four');
    expect(mails[0]?.link).toBeUndefined();
  });

  it('in organizations of strangers, a verified owner who has not been there gets one further mail from each', async () => {
    const victim = await createUser(t.api);
    await verifyAddress(t, victim.email);
    const attackers = [await createOrg(t.api), await createOrg(t.api)];
    for (const { asOwner } of attackers)
      must(await t.api.post('/members/invite', { ...asOwner, body: { email: victim.email, role: 'owner' } }));
    const before = (await mailsTo(victim)).length;
    for (const { asOwner } of attackers)
      for (let i = 0; i < 5; i++)
        must(
          await few.api.patch('/org-features/org_wide_tokens', {
            ...asOwner,
            body: { enabled: i % 2 === 0 },
          }),
        );
    await collectedTo(victim);
    expect((await mailsTo(victim)).length - before).toBe(3 + 2);
  });

  it('in the organization of an attacker, an unverified owner still gets the link', async () => {
    await sql('update shared.user_emails set verified_at = null where user_id = $1', [org.owner.id]);
    const attacker = await createOrg(t.api);
    const body = { email: org.owner.email, role: 'owner' };
    must(await t.api.post('/members/invite', { ...attacker.asOwner, body }));
    for (let i = 0; i < 5; i++) {
      const { cookie } = attacker.owner;
      must(await few.api.delete(`/orgs/${attacker.slug}`, { cookie, body: { confirm: attacker.slug } }));
      must(await few.api.post(`/orgs/${attacker.slug}/restore`, { cookie }));
    }
    must(await few.api.delete(`/members/${org.owner.id}`, as(second)));
    await collectedTo(org.owner);
    const mails = (await mailsTo(org.owner)).filter(({ subject }) => /further|Another/.test(subject));
    // One for each organization, so that an attacker cannot flood the address.
    expect(mails).toHaveLength(2);
    const own = mails.find(({ text }) => text.includes(org.slug));
    const token = new URL(own?.link ?? '').searchParams.get('token') ?? '';
    must(await undo(token));
    expect(await roleOf(org.owner)).toBe('owner');
  });
});

describe('the deletion of an organization', () => {
  it('is undone by the link of each owner, once', async () => {
    must(await deleteOrg(second));
    const tokens = await Promise.all(
      [org.owner, second].map(async ({ email }) => {
        const { link } = await t.delivered(email);
        return new URL(link ?? '').searchParams.get('token') ?? '';
      }),
    );
    expect((await t.api.get('/projects', as(org.owner))).error).toBe('tenant_error/deleted');
    const answers = await Promise.all([...tokens, tokens[0]].map((token) => undo(token)));
    const oks = answers.filter(({ status }) => status === 200);
    expect(oks.map(({ result }) => result.undone)).toEqual([['deletion']]);
    expect(
      answers.filter(({ status }) => status !== 200).every(({ status }) => [400, 409].includes(status)),
    ).toBe(true);
    expect((await t.api.get('/projects', as(org.owner))).status).toBe(200);
    expect((await subjectsTo(org.owner)).at(-1)).toMatch(/was restored$/);
  });

  it('is not undone when a purge has begun', async () => {
    must(await deleteOrg(org.owner));
    const { token } = await linkTo(t, org.owner.email);
    await sql('update shared.org_deletions set purging = true where org_id = $1', [org.id]);
    expect(outcome(await undo(token))).toEqual(CONFLICT);
  });

  it('that uses up the links cannot keep an owner out who is removed afterwards', async () => {
    must(await deleteOrg(second));
    const { token } = await linkTo(t, org.owner.email);
    must(await t.api.post(`/orgs/${org.slug}/restore`, { cookie: second.cookie }));
    must(await remove(org.owner, second));
    expect(must(await undo(token)).undone).toEqual(['ownership']);
  });
});

describe('the whole attack with a stolen, old cookie of an owner', () => {
  it('needs the password at every step; with a fresh one, the owner gets everything back', async () => {
    const evil = await addMember(t.api, org, 'viewer');
    t.advance(12 * HOUR);
    for (const step of [
      () => t.api.post('/members/invite', { ...as(org.owner), body: { email: newAddress(), role: 'owner' } }),
      () => setRole(evil, 'owner', org.owner),
      () => flag('org_wide_tokens', true)(as(org.owner)),
      () => t.api.post('/tokens', { ...as(org.owner), body: { name: 'x', scopes: ['admin'] } }),
      () => flag('require_mfa', true)(as(org.owner)),
      () => t.api.patch(`/orgs/${org.slug}`, { cookie: org.owner.cookie, body: { slug: 'stolen' } }),
      () => deleteOrg(org.owner),
    ])
      expect(outcome(await step())).toEqual(STEP_UP);
    // The thief knows the password.
    must(await stepUp(org.owner));
    must(await setRole(evil, 'owner', org.owner));
    must(await remove(org.owner, await signedIn(evil)));
    must(await undo((await linkTo(t, org.owner.email)).token));
    must(await remove(evil, org.owner));
    expect([await roleOf(org.owner), await roleOf(evil)]).toEqual(['owner', undefined]);
  });

  const signedIn = async (user: TestUser): Promise<TestUser> => {
    must(await stepUp(user));
    return user;
  };
});
