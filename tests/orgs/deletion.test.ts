import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SETTLED_MS, takeOrgPurge } from '../../db/orgs/deletion.ts';
import { purgeOrg } from '../../db/orgs/purge.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { setSetting, unsetSetting } from '../../lib/admin/settings.ts';
import { purgeOrgs } from '../../lib/maintenance/purge-orgs.ts';
import { purgeDeletedOrgs } from '../../lib/orgs/purge.ts';
import {
  addMember,
  createOrg,
  createScan,
  createUser,
  finding,
  must,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* DELETE /orgs/{slug}, POST /orgs/{slug}/restore, and what removes organizations after the grace period. */

const DAY_MS = 24 * 60 * 60 * 1_000;

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

const sql = (text: string) => t.services.database.sql.unsafe(text);
const owner = () => ({ cookie: org.owner.cookie });
const remove = (body: unknown = { confirm: org.slug }, as: object = owner()) =>
  t.api.delete(`/orgs/${org.slug}`, { ...as, body });
const restore = (as: object = owner()) => t.api.post(`/orgs/${org.slug}/restore`, as);
const get = (path: string, as: object = org.asOwner) => t.api.get(path, as);

const member = (role: string) => addMember(t.api, org, role);

const mailsTo = async (email: string) => {
  await t.services.mail.deliverDue();
  return t.mails.filter(({ recipient }) => recipient === email).map(({ subject }) => subject);
};

/** As if the organization had been deleted long ago. */
const age = (days: number) =>
  sql(`update shared.org_deletions set deleted_at = deleted_at - interval '${days} days',
    purge_at = purge_at - interval '${days} days' where org_id = '${org.id}'`);

/** Deletes the organization, and moves it to the end of its grace period, with the owners told. */
async function expire() {
  must(await remove());
  await age(31);
  await sql(`update shared.org_deletions set warned_at = now() where org_id = '${org.id}'`);
}

const schemas = async () =>
  (await sql(`select 1 from pg_namespace where nspname = '${orgSchemaName(org.id)}'`)).length;

/** The tables of `shared` with a row of the organization. */
async function sharedRows(): Promise<string[]> {
  const tables = await sql(
    `select table_name as name from information_schema.columns where table_schema = 'shared' and column_name = 'org_id'`,
  );
  const found: string[] = [];
  for (const { name } of tables)
    if ((await sql(`select 1 from shared.${name} where org_id = '${org.id}'`)).length > 0) found.push(name);
  if ((await sql(`select 1 from shared.orgs where id = '${org.id}'`)).length > 0) found.push('orgs');
  return found;
}

describe('the mails to owners', () => {
  it('of an organization that is deleted and restored again and again are limited, verified or not', async () => {
    const limited = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_MAX_MAILS_PER_HOUR: '3' } });
    const victim = await member('owner');
    await sql(`update shared.user_emails set verified_at = now() where user_id = '${victim.id}'`);
    for (let i = 0; i < 4; i++) {
      must(await limited.api.delete(`/orgs/${org.slug}`, { ...owner(), body: { confirm: org.slug } }));
      must(await limited.api.post(`/orgs/${org.slug}/restore`, owner()));
    }
    await limited.services.mail.deliverDue();
    for (const { email } of [victim, org.owner]) {
      for (const what of [/was deleted$/, /was restored$/]) {
        const notices = [...limited.mails, ...t.mails].filter(
          ({ recipient, subject }) => recipient === email && what.test(subject),
        );
        // The notice about the second owner counts too.
        const isLess = email === org.owner.email && what.test('was restored');
        expect(notices).toHaveLength(isLess ? 2 : 3);
      }
    }
  });

  it('do not go to people who were invited as owners and never came', async () => {
    const email = `nobody-${org.slug}@example.com`;
    must(await t.api.post('/members/invite', { ...org.asOwner, body: { email, role: 'owner' } }));
    must(await remove());
    expect((await mailsTo(email)).filter((subject) => subject.includes('deleted'))).toEqual([]);
    expect((await mailsTo(org.owner.email)).filter((subject) => subject.includes('deleted'))).toHaveLength(1);
  });
});

describe('a deleted organization', () => {
  it('is closed to members and tokens at once, in all processes, and looks unchanged when it is restored', async () => {
    const other = await startApp({ databaseUrl: t.databaseUrl });
    const admin = await member('admin');
    const scan = await createScan(t.api, org);
    must(await t.api.post('/agent/findings', { ...org.asAgent, body: finding(org, scan) }));
    const personal = must(
      await t.api.post('/profile/tokens', {
        ...owner(),
        body: { name: 'mine', scopes: ['admin'], expires_in: 30 },
      }),
    ).token;
    // Both processes know the organization and its token.
    for (const { api } of [t, other]) must(await api.get('/projects', org.asOwner));
    must(await other.api.post('/agent/findings', { ...org.asAgent, body: finding(org, scan) }));
    const before = must(await get('/findings'));

    expect((await remove()).status).toBe(204);
    for (const { api } of [t, other]) {
      for (const as of [
        org.asOwner,
        { cookie: admin.cookie, org: org.slug },
        { token: personal, org: org.slug },
      ]) {
        const answer = await api.get('/projects', as);
        expect([answer.status, answer.error]).toEqual([403, 'tenant_error/deleted']);
      }
      const pushed = await api.post('/agent/findings', { ...org.asAgent, body: finding(org, scan) });
      expect([pushed.status, pushed.error]).toEqual([403, 'tenant_error/deleted']);
      const stranger = await createUser(api);
      expect((await api.get('/projects', { cookie: stranger.cookie, org: org.slug })).error).toBe(
        'tenant_error/not_member',
      );
      expect((await api.get('/projects', { org: org.slug })).status).toBe(401);
    }

    expect(must(await restore())).toMatchObject({ id: org.id, slug: org.slug, role: 'owner' });
    expect(must(await get('/findings'))).toEqual(before);
    for (const { api } of [t, other]) {
      expect((await api.get('/projects', { cookie: admin.cookie, org: org.slug })).status).toBe(200);
      expect((await api.get('/projects', { token: personal, org: org.slug })).status).toBe(200);
      expect((await api.post('/agent/findings', { ...org.asAgent, body: finding(org, scan) })).status).toBe(
        201,
      );
    }
  });

  it('is shown to its owners only, with the time of its removal', async () => {
    const admin = await member('admin');
    must(await remove());
    const [listed] = must(await get('/orgs', owner())).filter(({ id }: { id: string }) => id === org.id);
    expect(Date.parse(listed.purge_at) - Date.parse(listed.deleted_at)).toBe(30 * DAY_MS);
    expect(must(await get(`/orgs/${org.slug}`, owner())).deleted_at).toBe(listed.deleted_at);
    // Clients that do not know deleted organizations never see one.
    const me = must(await get('/auth/me', owner()));
    expect(me.orgs.map(({ id }: { id: string }) => id)).not.toContain(org.id);
    const seen = must(await get('/orgs', { cookie: admin.cookie }));
    expect(seen.map(({ id }: { id: string }) => id)).not.toContain(org.id);
    expect((await get(`/orgs/${org.slug}`, { cookie: admin.cookie })).status).toBe(404);
    expect((await restore({ cookie: admin.cookie })).status).toBe(404);
  });

  it('cannot be changed or deleted again', async () => {
    must(await remove());
    expect((await remove()).error).toBe('tenant_error/deleted');
    const renamed = await t.api.patch(`/orgs/${org.slug}`, { ...owner(), body: { name: 'X' } });
    expect(renamed.error).toBe('tenant_error/deleted');
  });

  it('does not give tokens back that were revoked, and suspends none that others have', async () => {
    const revoked = must(
      await t.api.post(`/projects/${org.projectId}/tokens`, { ...org.asOwner, body: { name: 'old' } }),
    );
    must(await t.api.delete(`/projects/${org.projectId}/tokens/${revoked.info.id}`, org.asOwner));
    const other = await createOrg(t.api);
    must(await remove());
    expect((await get('/agent/findings?project_id=x', { token: revoked.token, org: org.slug })).error).toBe(
      'token_error/invalid',
    );
    must(await restore());
    expect((await get('/agent/findings?project_id=x', { token: revoked.token, org: org.slug })).error).toBe(
      'token_error/invalid',
    );
    await createScan(t.api, other);
  });

  it('gets no token by a request that was under way', async () => {
    const create = (i: number) =>
      t.api.post(`/projects/${org.projectId}/tokens`, { ...org.asOwner, body: { name: `t${i}` } });
    const answers = await Promise.all([create(1), create(2), remove(), create(3), create(4)]);
    const tokens = answers.flatMap(({ status, result }) => (status === 201 ? [result.token] : []));
    for (const token of tokens) {
      const answer = await get(`/agent/findings?project_id=${org.projectId}`, { token, org: org.slug });
      expect(answer.error).toBe('tenant_error/deleted');
    }
  });
});

describe('the deletion', () => {
  it.each<[string, unknown, string]>([
    ['without `confirm`', {}, 'validation_error/field_required'],
    ['with another slug', { confirm: 'other' }, 'validation_error/field_invalid'],
    ['without a body', undefined, 'validation_error/invalid_body'],
  ])('needs the slug: %s', async (_, body, error) => {
    const answer = await t.api.delete(`/orgs/${org.slug}`, {
      ...owner(),
      ...(body !== undefined && { body }),
    });
    expect([answer.status, answer.error]).toEqual([400, error]);
    expect((await get('/projects')).status).toBe(200);
  });

  it.each(['admin', 'member', 'viewer'])('is refused to a %s', async (role) => {
    const { cookie } = await member(role);
    expect((await remove(undefined, { cookie })).error).toBe('permission_error/denied');
    expect((await restore({ cookie })).error).toBe('permission_error/denied');
  });

  it('needs MFA where the organization requires it', async () => {
    must(await t.api.patch('/org-features/require_mfa', { ...org.asOwner, body: { enabled: true } }));
    expect((await remove()).error).toBe('permission_error/mfa_required_by_org');
  });

  it('is undone only with MFA where the organization requires it', async () => {
    must(await remove());
    await sql(`insert into "${orgSchemaName(org.id)}".feature_flags values ('require_mfa', true, true, '')`);
    expect((await restore()).error).toBe('permission_error/mfa_required_by_org');
    expect((await get(`/orgs/${org.slug}`, owner())).result.deleted_at).toEqual(expect.any(String));
  });

  it('takes place once when it is asked for several times at once, and so does the restoration', async () => {
    const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).toSorted();
    expect(statuses(await Promise.all([remove(), remove(), remove()]))).toEqual([204, 403, 403]);
    expect(statuses(await Promise.all([restore(), restore(), restore()]))).toEqual([200, 409, 409]);
    const subjects = await mailsTo(org.owner.email);
    expect(subjects.filter((subject) => subject.includes('was deleted'))).toHaveLength(1);
    expect(subjects.filter((subject) => subject.includes('was restored'))).toHaveLength(1);
  });

  it('is mailed to all owners and nobody else', async () => {
    const [second, admin] = [await member('owner'), await member('admin')];
    must(await remove());
    expect(await mailsTo(second.email)).toContainEqual(expect.stringContaining('was deleted'));
    expect(await mailsTo(org.owner.email)).toContainEqual(expect.stringContaining('was deleted'));
    expect(await mailsTo(admin.email)).not.toContainEqual(expect.stringContaining('was deleted'));
  });
});

describe('the purge', () => {
  it('tells the owners 3 days before, once', async () => {
    must(await remove());
    await purgeDeletedOrgs(t.services);
    const near = async () =>
      (await mailsTo(org.owner.email)).filter((subject) => subject.includes('removed for good'));
    expect(await near()).toEqual([]);
    await age(28);
    await Promise.all([purgeDeletedOrgs(t.services), purgeDeletedOrgs(t.services)]);
    await purgeDeletedOrgs(t.services);
    expect(await near()).toHaveLength(1);
    expect(await schemas()).toBe(1);
  });

  it('waits 2 days if the owners could not be told before', async () => {
    must(await remove());
    await age(40);
    await purgeDeletedOrgs(t.services);
    expect(await schemas()).toBe(1);
    const { purge_at } = must(await get(`/orgs/${org.slug}`, owner()));
    expect(Date.parse(purge_at)).toBeGreaterThan(Date.now() + 1.9 * DAY_MS);
    expect((await restore()).status).toBe(200);
  });

  it('removes the schema and all rows after the grace period, and others keep theirs', async () => {
    const other = await createOrg(t.api);
    await sql(
      `insert into shared.accepted_risks select '${org.id}', gen_random_uuid(), now(), now() from generate_series(1, 6000)`,
    );
    const { database } = t.services;
    await setSetting(database, `quota.storage.${org.slug}`, '1GiB');
    await expire();
    await purgeDeletedOrgs(t.services);
    expect(await schemas()).toBe(0);
    expect(await sharedRows()).toEqual([]);
    const key = `quota.storage.${org.id}`;
    expect(await unsetSetting(database, key)).toEqual({ key, changed: true });
    expect((await get(`/orgs/${org.slug}`, owner())).status).toBe(404);
    for (const answer of [await restore(), await remove()]) expect(answer.status).toBe(404);
    expect((await get('/projects')).error).toBe('tenant_error/not_found');
    expect((await get('/projects', other.asOwner)).status).toBe(200);
    await createScan(t.api, other);
    // Its slug stays reserved: agents may still send findings to it.
    const again = await t.api.post('/orgs', { ...owner(), body: { name: 'X', slug: org.slug } });
    expect([again.status, again.error]).toEqual([409, 'tenant_error/slug_taken']);
    await purgeOrgs(t.services);
  });

  it('does not touch organizations in their grace period', async () => {
    must(await remove());
    await age(29);
    await sql(`update shared.org_deletions set warned_at = now() where org_id = '${org.id}'`);
    await purgeDeletedOrgs(t.services);
    expect(await schemas()).toBe(1);
    expect((await restore()).status).toBe(200);
  });

  it('is done once by processes that all believe in their lease', async () => {
    await expire();
    expect(await takeOrgPurge(t.services.database.sql, new Date())).toBe(org.id);
    expect(await takeOrgPurge(t.services.database.sql, new Date())).toBeUndefined();
    const purge = () => purgeOrg(t.services.database.sql, org.id, new Date());
    const purged = await Promise.all([purge(), purge(), purge()]);
    expect(purged.filter(Boolean)).toEqual([org.slug]);
    expect(await sharedRows()).toEqual([]);
  });

  it('is completed by another process if one dies after any statement', async () => {
    let died = 0;
    for (let statements = 1; ; statements++) {
      org = await createOrg(t.api);
      await expire();
      expect(await takeOrgPurge(t.services.database.sql, new Date())).toBe(org.id);
      const completed = await purgeOrg(mortal(statements), org.id, new Date()).catch(() => undefined);
      if (completed) break;
      died++;
      // Members cannot come back to an organization that is half removed.
      expect((await restore()).status, `after ${statements}`).toBe(404);
      await purgeDeletedOrgs(t.services);
      expect(await schemas(), 'while the lease lasts').toBe(1);
      await sql(`update shared.org_deletions set lease_until = now() - interval '1 s'`);
      await purgeDeletedOrgs(t.services);
      expect([await schemas(), await sharedRows()], `after ${statements}`).toEqual([0, []]);
    }
    expect(died).toBeGreaterThan(5);
  });

  /** A client that dies in front of a statement. */
  function mortal(statements: number) {
    let left = statements;
    const wrap = (client: object): object =>
      new Proxy(client, {
        get(target, key) {
          const value = Reflect.get(target, key);
          if (key === 'unsafe')
            return (...args: unknown[]) => {
              if (--left < 0) throw new Error('died');
              return value.apply(target, args);
            };
          if (key === 'begin')
            return (work: (tx: object) => unknown) => value.call(target, (tx: object) => work(wrap(tx)));
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
    return wrap(t.services.database.sql) as typeof t.services.database.sql;
  }

  it('and a restoration at the same time: one of them wins', async () => {
    await expire();
    const [, restored] = await Promise.all([purgeDeletedOrgs(t.services), restore()]);
    const rows = await sharedRows();
    if (restored.status === 200)
      expect([await schemas(), rows.includes('org_deletions')]).toEqual([1, false]);
    // 409 if the restoration finds the organization while it is being removed.
    else expect([[404, 409].includes(restored.status), await schemas(), rows]).toEqual([true, 0, []]);
  });

  it('is tried again later if a backup holds a table', async () => {
    await expire();
    await t.services.database.sql.begin(async (holder) => {
      await holder.unsafe(`lock table "${orgSchemaName(org.id)}".findings in access share mode`);
      await purgeDeletedOrgs(t.services);
      expect(await schemas()).toBe(1);
    });
    await sql(`update shared.org_deletions set lease_until = now() - interval '1 s'`);
    await purgeDeletedOrgs(t.services);
    expect(await schemas()).toBe(0);
    expect(SETTLED_MS).toBeGreaterThan(60_000);
  }, 60_000);
});
