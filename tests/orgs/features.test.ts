import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setFlag } from '../../lib/admin/flags.ts';
import { provisionOrgFlag } from '../../lib/admin/org-flags.ts';
import {
  type Answer,
  addMember,
  createOrg,
  createUser,
  must,
  PASSWORD,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { verify } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
});

const outcome = ({ status, error }: Answer) => [status, error];

const member = (role: string) => addMember(t.api, org, role);

/** Verifies a user's address, which then serves as a second factor. */
async function enableMfa({ email, cookie }: TestUser) {
  // An invited user has newer mails than the one to verify the address by.
  const { emails } = must(await t.api.get('/profile/emails', { cookie }));
  must(await t.api.post(`/profile/emails/${emails[0].id}/send-verification`, { cookie }));
  await verify(t, email);
  must(await t.api.post('/profile/mfa/enable', { cookie }));
}

describe('the feature flags of an organization', () => {
  beforeAll(async () => {
    org = await createOrg(t.api);
  });

  beforeEach(async () => {
    for (const [flag] of AS_MADE) await provision(flag, true);
    await set('org_wide_tokens', false);
  });

  const list = async (who: object = org.asOwner) => must(await t.api.get('/org-features', who));
  const set = (flag: string, enabled: unknown, who: object = org.asOwner) =>
    t.api.patch(`/org-features/${flag}`, { ...who, body: { enabled } });
  const provision = (flag: string, provisioned: boolean) =>
    provisionOrgFlag({ ...t.services, migrations: t.services.orgMigrations }, org.slug, flag, provisioned);
  /** Every flag as `[name, provisioned, enabled]`. */
  const states = async () =>
    (await list()).map((flag: Record<string, unknown>) => [flag.name, flag.provisioned, flag.enabled]);

  const NOT_PROVISIONED = [403, 'permission_error/feature_not_provisioned'];
  const MFA_REQUIRED = [403, 'permission_error/mfa_required_by_org'];
  const AS_MADE: [string, boolean, boolean][] = [
    ['org_wide_tokens', true, false],
    ['require_mfa', true, false],
  ];

  it('are listed by name, for a viewer as for the owner', async () => {
    const flags = ['org_wide_tokens', 'require_mfa'].map((name) => ({
      name,
      provisioned: true,
      enabled: false,
      description: expect.stringMatching(/./),
    }));
    expect(await list()).toEqual(flags);
    expect(await list((await member('viewer')).as)).toEqual(flags);
  });

  it('are switched on and off by the owner, each for itself', async () => {
    for (const enabled of [true, true, false, false]) {
      const answer = await set('org_wide_tokens', enabled);
      expect([answer.status, typeof answer.json.message, answer.result]).toEqual([200, 'string', undefined]);
      expect(await states()).toEqual([
        ['org_wide_tokens', true, enabled],
        ['require_mfa', true, false],
      ]);
    }
  });

  it('are provisioned by administrators only', async () => {
    await provision('org_wide_tokens', false);
    const body = { enabled: true, provisioned: true };
    const answer = await t.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body });
    expect(outcome(answer)).toEqual(NOT_PROVISIONED);
    expect(await states()).toContainEqual(['org_wide_tokens', false, false]);
  });

  it.each(['signup', 'REQUIRE_MFA', '__proto__', 'x'.repeat(101), 'a%00'])(
    'do not include %s',
    async (flag) => {
      expect(outcome(await set(flag, true))).toEqual(NOT_PROVISIONED);
      expect(await states()).toEqual(AS_MADE);
    },
  );

  it.each([true, false])('that are withdrawn are not switched to %s', async (enabled) => {
    must(await set('org_wide_tokens', !enabled));
    await provision('org_wide_tokens', false);
    expect(outcome(await set('org_wide_tokens', enabled))).toEqual(NOT_PROVISIONED);
    expect(await states()).toContainEqual(['org_wide_tokens', false, !enabled]);
    await provision('org_wide_tokens', true);
    expect((await set('org_wide_tokens', enabled)).status).toBe(200);
  });

  describe('with require_mfa', () => {
    beforeEach(async () => {
      org = await createOrg(t.api);
    });

    const projects = (who: object) => t.api.get('/projects', who);

    it('refuse members without MFA from the next request on, whatever their role', async () => {
      const people = [await member('viewer'), await member('admin'), await member('owner')];
      for (const { as } of people) expect((await projects(as)).status).toBe(200);
      must(await set('require_mfa', true));
      for (const who of [...people.map(({ as }) => as), org.asOwner])
        expect(outcome(await projects(who))).toEqual(MFA_REQUIRED);
      expect(outcome(await set('require_mfa', false))).toEqual(MFA_REQUIRED);
    });

    it('admit users who switch MFA on', async () => {
      const person = await member('viewer');
      must(await set('require_mfa', true));
      await enableMfa(person);
      expect((await projects(person.as)).status).toBe(200);
    });

    it('open again when an owner with MFA switches it off', async () => {
      await enableMfa(org.owner);
      const { as } = await member('member');
      must(await set('require_mfa', true));
      expect(outcome(await projects(as))).toEqual(MFA_REQUIRED);
      must(await set('require_mfa', false));
      expect((await projects(as)).status).toBe(200);
    });

    it('ask for it only while it is provisioned', async () => {
      must(await set('require_mfa', true));
      expect(outcome(await projects(org.asOwner))).toEqual(MFA_REQUIRED);
      await provision('require_mfa', false);
      expect((await projects(org.asOwner)).status).toBe(200);
      expect(await states()).toContainEqual(['require_mfa', false, true]);
      await provision('require_mfa', true);
      expect(outcome(await projects(org.asOwner))).toEqual(MFA_REQUIRED);
    });
  });
});

describe('the global feature flags', () => {
  let user: TestUser;

  beforeAll(async () => {
    org = await createOrg(t.api);
    user = await createUser(t.api);
  });

  afterEach(async () => {
    await setFlag(t.services.database, 'signup', true);
    await setFlag(t.services.database, 'invite_only', false);
  });

  const list = async () => must(await t.api.get('/config/features', { cookie: user.cookie }));
  const register = (email: string) =>
    t.api.post('/auth/register', { body: { email, password: PASSWORD, name: 'Grace Hopper' } });

  it('are listed by name, for everybody who is signed in', async () => {
    expect(await list()).toEqual(
      [
        ['invite_only', false],
        ['public_api', false],
        ['scan_docker_mode', false],
        ['signup', true],
      ].map(([name, enabled]) => ({ name, enabled, description: expect.stringMatching(/./) })),
    );
  });

  it('are as they are at the moment', async () => {
    for (const enabled of [true, false]) {
      await setFlag(t.services.database, 'invite_only', enabled);
      expect(await list()).toContainEqual(expect.objectContaining({ name: 'invite_only', enabled }));
    }
  });

  it.each([
    ['signup', false],
    ['invite_only', true],
  ])('close registration with %s %s, but not to invited users', async (flag, enabled) => {
    await setFlag(t.services.database, flag, enabled);
    const email = `guest-${flag.replace('_', '-')}@example.com`;
    const closed = [403, 'permission_error/feature_disabled'];
    expect(outcome(await register(email))).toEqual(closed);

    const invite = (email: string) =>
      t.api.post('/members/invite', { ...org.asOwner, body: { email, role: 'member' } });
    expect((await invite(email)).status).toBe(201);
    expect(outcome(await register(email))).toEqual(closed);

    const token = new URL((await t.delivered(email)).link ?? '').searchParams.get('token');
    must(await t.api.post('/auth/reset-password', { body: { token, password: PASSWORD } }));
    const { cookie } = await t.api.post('/auth/login', { body: { email, password: PASSWORD } });
    expect((await t.api.get('/members', { cookie, org: org.slug })).status).toBe(200);
  });

  it('allow inviting existing accounts while registration is closed', async () => {
    await setFlag(t.services.database, 'signup', false);
    const body = { email: user.email, role: 'member' };
    expect(must(await t.api.post('/members/invite', { ...org.asOwner, body })).user_id).toBe(user.id);
  });
});
