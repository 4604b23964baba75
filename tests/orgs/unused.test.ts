import { beforeAll, describe, expect, it } from 'vitest';
import { purgeDeletedOrgs } from '../../lib/orgs/purge.ts';
import { removeUnverifiedOrgs } from '../../lib/orgs/unverified.ts';
import { createUser, must, type TestUser } from '../support/api/api.ts';
import { verify } from '../support/api/mailed.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Slugs that nobody used are free again, and in strict mode organizations of accounts that do not verify their address go. */

const DAY = 24 * 60 * 60_000;

let t: TestApp;
let strict: TestApp;

beforeAll(async () => {
  t = await startApp();
  const env = { SVC_STRICT: 'on', SVC_AUTH_LIMITS: 'off' };
  strict = await startApp({ databaseUrl: t.databaseUrl, mails: t.mails, env });
});

const sql = (text: string, params: string[] = []) => t.services.database.sql.unsafe(text, params);
const newSlug = () => `unused-${crypto.randomUUID().slice(0, 8)}`;
const create = async (user: TestUser, slug = newSlug()) => ({
  slug,
  user,
  id: must(await t.api.post('/orgs', { cookie: user.cookie, body: { name: slug, slug } })).id as string,
  as: { cookie: user.cookie, org: slug },
});
type Org = Awaited<ReturnType<typeof create>>;

const claim = async (slug: string) => {
  const { cookie } = await createUser(t.api);
  return (await t.api.post('/orgs', { cookie, body: { name: 'Other', slug } })).status;
};
const exists = async ({ id }: Org) => (await sql('select 1 from shared.orgs where id = $1', [id])).length > 0;

const project = async ({ as }: Org) => must(await t.api.post('/projects', { ...as, body: { name: 'Web' } }));
const addToken = async (org: Org) => {
  const { id } = await project(org);
  const { token } = must(await t.api.post(`/projects/${id}/tokens`, { ...org.as, body: { name: 'ci' } }));
  return { id, token };
};
const inviteGuest = (org: Org) =>
  t.api.post('/members/invite', {
    ...org.as,
    body: { email: `guest-${org.slug}@example.com`, role: 'viewer' },
  });

describe('the slug of a purged organization', () => {
  async function purged(org: Org) {
    must(await t.api.delete(`/orgs/${org.slug}`, { ...org.as, body: { confirm: org.slug } }));
    expect(await claim(org.slug)).toBe(409);
    await sql(
      `update shared.org_deletions set purge_at = now() - interval '1 day', warned_at = now() where org_id = $1`,
      [org.id],
    );
    await purgeDeletedOrgs(t.services);
    expect(await exists(org)).toBe(false);
  }

  it.each<[string, (org: Org) => Promise<unknown>, number]>([
    ['is free if it never had a token or another member', async () => {}, 201],
    ['is free with projects', project, 201],
    ['is reserved if it had a token', addToken, 409],
    [
      'is reserved if its token went with the project',
      async (org) => {
        await addToken(org);
        const { id } = must(await t.api.get('/projects/web', org.as));
        await sql(`delete from org_${org.id.replaceAll('-', '')}.api_tokens where project_id = $1`, [id]);
      },
      409,
    ],
    [
      'is reserved if it had another member, also a former one',
      async (org) => {
        const { user_id } = must(await inviteGuest(org));
        must(await t.api.delete(`/members/${user_id}`, org.as));
      },
      409,
    ],
    [
      'is reserved if a process of the previous version made a token',
      async (org) => {
        await addToken(org);
        await sql('update shared.orgs set is_unused = true where id = $1', [org.id]);
      },
      409,
    ],
    [
      'is reserved for organizations of earlier versions',
      (org) => sql('update shared.orgs set is_unused = default where id = $1', [org.id]),
      409,
    ],
  ])('%s', async (_, use, status) => {
    const org = await create(await createUser(t.api));
    await use(org);
    await purged(org);
    expect(await claim(org.slug)).toBe(status);
  });

  it('is free with former slugs', async () => {
    const org = await create(await createUser(t.api));
    const former = org.slug;
    org.slug = newSlug();
    must(await t.api.patch(`/orgs/${former}`, { cookie: org.user.cookie, body: { slug: org.slug } }));
    org.as.org = org.slug;
    await purged(org);
    expect([await claim(former), await claim(org.slug)]).toEqual([201, 201]);
  });
});

describe('an organization of an account that does not verify its address', () => {
  /** Time passes for one organization. */
  const age = ({ id }: Org, days: number) =>
    sql(`update shared.orgs set verify_by = verify_by - interval '${days} days' where id = $1`, [id]);
  const run = (app = strict) => removeUnverifiedOrgs(app.services);
  const purge = async (org: Org) => {
    await sql(`update shared.org_deletions set purge_at = purge_at - interval '1 hour' where org_id = $1`, [
      org.id,
    ]);
    await purgeDeletedOrgs(strict.services);
  };
  const warnings = async ({ user }: Org) => {
    await strict.services.mail.deliverDue();
    return t.mails.filter(
      ({ recipient, subject }) =>
        recipient === user.email && subject.startsWith('Verify your address to keep'),
    ).length;
  };
  const unverified = async () => create(await createUser(t.api));

  it('is removed after 7 days and one mail, and its slug is free', async () => {
    const org = await unverified();
    await age(org, 3);
    await run();
    expect(await warnings(org)).toBe(0);
    await age(org, 1);
    await Promise.all([run(), run()]);
    await run();
    expect(await warnings(org)).toBe(1);
    expect(must(await t.api.get('/projects', org.as))).toEqual([]);
    await age(org, 3);
    await Promise.all([run(), run()]);
    expect((await t.api.get('/projects', org.as)).error).toBe('tenant_error/deleted');
    await purge(org);
    expect(await exists(org)).toBe(false);
    expect(await claim(org.slug)).toBe(201);
  });

  it('stays 3 days after the mail if the service was down', async () => {
    const org = await unverified();
    await age(org, 30);
    await run();
    await run();
    const [row] = await sql('select verify_by from shared.orgs where id = $1', [org.id]);
    expect(new Date(row?.verify_by).getTime()).toBeGreaterThan(Date.now() + 2.9 * DAY);
    expect((await t.api.get('/projects', org.as)).status).toBe(200);
  });

  it('stays in default mode, and without SVC_REQUIRE_VERIFIED_EMAIL', async () => {
    const org = await unverified();
    await age(org, 30);
    await run(t);
    const env = { SVC_STRICT: 'on', SVC_REQUIRE_VERIFIED_EMAIL: 'off' };
    await run(await startApp({ databaseUrl: t.databaseUrl, env }));
    expect(await warnings(org)).toBe(0);
  });

  const useToken = async (org: Org) => {
    const { id, token } = await addToken(org);
    must(await t.api.get(`/agent/findings?project_id=${id}`, { token, org: org.slug }));
  };
  const addConfirmed = async (org: Org) => {
    const guest = await createUser(t.api);
    await verify(t, guest.email);
    must(await t.api.post('/members/invite', { ...org.as, body: { email: guest.email, role: 'viewer' } }));
  };
  it.each<[string, (org: Org) => Promise<unknown>, boolean]>([
    ['goes with a token that nobody used', addToken, false],
    ['goes with a member who never came', inviteGuest, false],
    ['stays if a token was used', useToken, true],
    ['stays if it has another confirmed member', addConfirmed, true],
    [
      'stays if a personal token of a member was used',
      async ({ user, as }) => {
        const body = { name: 'mine', scopes: ['read'], expires_in: 30 };
        const { token } = must(await t.api.post('/profile/tokens', { cookie: user.cookie, body }));
        must(await t.api.get('/projects', { token, org: as.org }));
      },
      true,
    ],
    [
      'stays if the address was verified',
      ({ user }) => sql('update shared.user_emails set verified_at = now() where user_id = $1', [user.id]),
      true,
    ],
  ])('%s, before and after the mail', async (_, use, stays) => {
    const [early, late] = [await unverified(), await unverified()];
    await use(early);
    for (const org of [early, late]) await age(org, 4);
    await run();
    expect([await warnings(early), await warnings(late)]).toEqual([stays ? 0 : 1, 1]);
    await use(late);
    for (const org of [early, late]) {
      await age(org, 3);
      await run();
      const answer = await t.api.get('/projects', org.as);
      expect(answer.error).toBe(stays ? undefined : 'tenant_error/deleted');
      if (stays) continue;
      await purge(org);
      expect(await exists(org)).toBe(false);
    }
  });
});
