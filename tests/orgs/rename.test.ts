import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addMember,
  createOrg,
  createScan,
  createUser,
  finding,
  must,
  type TestOrg,
} from '../support/api/api.ts';
import { untilBlocked } from '../support/database/blocked.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* PATCH /orgs/{slug}. */

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

let made = 0;
const fresh = () => `renamed-${++made}`;
const owner = () => ({ cookie: org.owner.cookie });
const rename = (body: unknown, as: object = owner(), slug = org.slug) =>
  t.api.patch(`/orgs/${slug}`, { ...as, body });

const member = (role: string) => addMember(t.api, org, role);

describe('the name', () => {
  it('is changed by admins, and nothing else changes', async () => {
    const before = must(await t.api.get(`/orgs/${org.slug}`, owner()));
    const changed = must(await rename({ name: '  Acme & Sons  ' }, await member('admin')));
    expect(changed).toEqual({ ...before, name: 'Acme & Sons', role: 'admin' });
  });

  it.each([
    ['member', 'name', 403, 'permission_error/denied'],
    ['viewer', 'name', 403, 'permission_error/denied'],
    ['admin', 'slug', 403, 'permission_error/denied'],
  ])('of a %s who changes the %s: %i', async (role, field, status, error) => {
    const answer = await rename({ [field]: 'other-name' }, await member(role));
    expect([answer.status, answer.error]).toEqual([status, error]);
  });

  it.each([{}, { name: '' }, { name: 7 }, { slug: 'A' }, { slug: 'no' }, { slug: null }])(
    'refuses %j',
    async (body) => {
      expect((await rename(body)).status).toBe(400);
    },
  );

  it('needs MFA where the organization requires it', async () => {
    must(await t.api.patch('/org-features/require_mfa', { ...org.asOwner, body: { enabled: true } }));
    expect((await rename({ name: 'Mine' })).error).toBe('permission_error/mfa_required_by_org');
  });
});

describe('the slug', () => {
  it('is changed by owners, and the former one still leads to the organization', async () => {
    const slug = fresh();
    expect(must(await rename({ slug })).slug).toBe(slug);
    for (const named of [slug, org.slug]) {
      expect(must(await t.api.get(`/orgs/${named}`, owner())).slug).toBe(slug);
      expect((await t.api.get('/projects', { ...owner(), org: named })).status).toBe(200);
      const scan = await createScan(t.api, { ...org, asAgent: { ...org.asAgent, org: named } });
      const as = { ...org.asAgent, org: named };
      expect((await t.api.post('/agent/findings', { ...as, body: finding(org, scan) })).status).toBeLessThan(
        300,
      );
    }
  });

  it('is never given to another organization, not even after a second change', async () => {
    must(await rename({ slug: fresh() }));
    must(await rename({ slug: fresh() }));
    const other = await createUser(t.api);
    const taken = await t.api.post('/orgs', { cookie: other.cookie, body: { name: 'X', slug: org.slug } });
    expect([taken.status, taken.error]).toEqual([409, 'tenant_error/slug_taken']);
    const second = await createOrg(t.api);
    const renamed = await rename({ slug: org.slug }, { cookie: second.owner.cookie }, second.slug);
    expect([renamed.status, renamed.error]).toEqual([409, 'tenant_error/slug_taken']);
    expect(must(await t.api.get(`/orgs/${second.slug}`, { cookie: second.owner.cookie })).slug).toBe(
      second.slug,
    );
    // A slug that is made from the name gets a suffix.
    const made = must(await t.api.post('/orgs', { cookie: other.cookie, body: { name: org.slug } }));
    expect(made.slug).not.toBe(org.slug);
  });

  it('can be the former one of the same organization', async () => {
    const slug = fresh();
    must(await rename({ slug }));
    expect(must(await rename({ slug: org.slug })).slug).toBe(org.slug);
    expect(must(await rename({ slug })).slug).toBe(slug);
    expect(must(await rename({ slug })).slug).toBe(slug);
  });

  it('is neither reserved nor that of another organization', async () => {
    const other = await createOrg(t.api);
    expect((await rename({ slug: 'admin' })).error).toBe('tenant_error/slug_reserved');
    expect((await rename({ slug: other.slug })).error).toBe('tenant_error/slug_taken');
  });

  it('goes to one of several organizations that want it at once', async () => {
    const slug = fresh();
    const orgs = [org, await createOrg(t.api), await createOrg(t.api)];
    const answers = await Promise.all(
      orgs.map((one) => rename({ slug }, { cookie: one.owner.cookie }, one.slug)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  it('that is given up goes to nobody who asks for it at the same time', async () => {
    const user = await createUser(t.api);
    const [renamed, made] = await Promise.all([
      rename({ slug: fresh() }),
      t.api.post('/orgs', { cookie: user.cookie, body: { name: 'X', slug: org.slug } }),
    ]);
    expect([renamed.status, made.status]).toEqual([200, 409]);
  });

  it('cannot be used to keep many slugs from others', async () => {
    const limited = await startApp({
      databaseUrl: t.databaseUrl,
      env: { SVC_MAX_FORMER_SLUGS_PER_ORG: '2' },
    });
    const change = (slug: string) => limited.api.patch(`/orgs/${org.slug}`, { ...owner(), body: { slug } });
    const kept = [fresh(), fresh()];
    for (const slug of kept) must(await change(slug));
    const wanted = fresh();
    const refused = await change(wanted);
    expect([refused.status, refused.error]).toEqual([409, 'resource_error/conflict']);
    expect(must(await t.api.get(`/orgs/${org.slug}`, owner())).slug).toBe(kept[1]);
    // A former one of its own takes no further slug, and the refused one is free.
    must(await change(org.slug));
    const other = await createUser(t.api);
    must(await t.api.post('/orgs', { cookie: other.cookie, body: { name: 'X', slug: wanted } }));
  });

  it('has a limit that requests at the same time cannot exceed together', async () => {
    const limited = await startApp({
      databaseUrl: t.databaseUrl,
      env: { SVC_MAX_FORMER_SLUGS_PER_ORG: '1' },
    });
    const answers = await Promise.all(
      [fresh(), fresh(), fresh()].map((slug) =>
        limited.api.patch(`/orgs/${org.slug}`, { ...owner(), body: { slug } }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  it.each([
    ['is demoted', `update shared.memberships set role = 'viewer'`, 403],
    ['leaves', 'delete from shared.memberships', 404],
  ])('is not changed by an owner who %s at the same time', async (_, change, status) => {
    const { sql } = t.services.database;
    let renaming: Promise<{ status: number }> | undefined;
    await sql.begin(async (tx) => {
      // As what changes members does.
      await tx.unsafe(`select 1 from shared.orgs where id = '${org.id}' for no key update`);
      renaming = rename({ slug: fresh(), name: 'Mine' });
      await untilBlocked(sql);
      await tx.unsafe(`${change} where org_id = '${org.id}' and user_id = '${org.owner.id}'`);
    });
    expect((await renaming)?.status).toBe(status);
    const [row] = await sql.unsafe(`select name, slug from shared.orgs where id = '${org.id}'`);
    expect(row).toMatchObject({ name: org.slug, slug: org.slug });
  });
});
