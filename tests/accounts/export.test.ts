import { setTimeout } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readMentions, START } from '../../db/accounts/mentions.ts';
import { readActivityOf, readFindingsOf } from '../../db/accounts/records.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import {
  addMember,
  createOrg,
  createScan,
  must,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { silentLog } from '../support/server/log.ts';

/* GET /auth/me/export. */

let t: TestApp;
let org: TestOrg;
let ada: TestUser;
let finding: string;

const sql = (text: string) => t.services.database.sql.unsafe(text);
const read = async (user = ada) => must(await t.api.get('/auth/me/export', { cookie: user.cookie }));
// biome-ignore lint/suspicious/noExplicitAny: as must()
const inOrg = (exported: any, { slug } = org) =>
  exported.organizations.find((one: { slug: string }) => one.slug === slug);
const comment = (body: string, user: object) =>
  t.api.post(`/findings/${finding}/comments`, { ...user, body: { body } });

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  ada = await addMember(t.api, org, 'admin');
  finding = (await push(t.api, org, await createScan(t.api, org))).id;
});

describe('the export', () => {
  it('has what is stored about the person, and no secret', async () => {
    const { cookie, id, email } = ada;
    const mine = { cookie, org: org.slug };
    await sql(`update shared.user_emails set verified_at = now() where user_id = '${id}'`);
    const { secret } = must(
      await t.api.post('/profile/mfa/devices/totp', { cookie, body: { name: 'Phone' } }),
    );
    const { recovery_codes } = must(await t.api.post('/profile/mfa/enable', { cookie }));
    const body = { name: 'weekly', scopes: ['read'], expires_in: 1 };
    const { token } = must(await t.api.post('/profile/tokens', { cookie, body }));
    const tokens = `/projects/${org.projectId}/tokens`;
    const agent = must(await t.api.post(tokens, { ...mine, body: { name: 'ci' } })).token;
    must(
      await t.api.patch(`/findings/${finding}`, { ...mine, body: { assignee_id: id, status: 'confirmed' } }),
    );
    must(await comment('Mine', mine));
    must(await comment(`@[Ada](${id})`, org.asOwner));
    must(await comment('Nobody mentioned', org.asOwner));
    must(await t.api.post('/views', { ...mine, body: { name: 'View', query: 'q=x', shared: false } }));
    const rule = { name: 'Rule', conditions: { title: ['x*'] }, actions: { assignee_id: id } };
    must(await t.api.post('/rules', { ...mine, body: rule }));
    const report = `/projects/${org.projectId}/reports?name=mine`;
    const file = { findings: [{ title: 'From a report', severity: 'low' }] };
    must(await t.api.post(report, { ...mine, body: file }));

    const answer = await t.api.get('/auth/me/export', { cookie });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-disposition')).toMatch(
      /^attachment; filename="account-[\d-]+\.json"$/,
    );
    const exported = must(answer);
    expect(exported).toMatchObject({
      account: { id, name: 'Ada Lovelace', has_password: true, mfa_enabled: true },
      emails: [{ email, is_primary: true }],
      sessions: [{ user_agent: expect.any(String) }],
      mfa_devices: expect.arrayContaining([expect.objectContaining({ name: 'Phone', type: 'totp' })]),
      personal_tokens: [{ name: 'weekly', scopes: ['read'] }],
      mailed_links: expect.arrayContaining([expect.objectContaining({ purpose: 'verify_email', email })]),
    });
    expect(exported.recovery_codes).toHaveLength(8);
    expect(exported.memberships).toHaveLength(2);
    expect(inOrg(exported)).toMatchObject({
      api_tokens: [{ name: 'ci', revoked: false }],
      saved_views: [{ name: 'View' }],
      rules: [{ name: 'Rule' }],
      assigned_findings: [{ id: finding }],
      imported_findings: [{ title: 'From a report' }],
      changes: [{ what: { status: { to: 'confirmed' }, assignee_id: id } }],
    });
    const activity: { kind: string; note?: string; by_you: boolean }[] = inOrg(exported).activity;
    expect(
      activity.filter(({ kind }) => kind === 'comment').map(({ note, by_you }) => [note, by_you]),
    ).toEqual([
      ['Mine', true],
      [`@[Ada](${id})`, false],
    ]);
    expect(activity.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['status', 'assignee']));
    const [{ password_hash }] = (await sql(
      `select password_hash from shared.users where id = '${id}'`,
    )) as unknown as [{ password_hash: string }];
    for (const hidden of [token, agent, secret, password_hash, cookie, ...recovery_codes])
      expect(answer.text).not.toContain(hidden);
  });

  it('has nothing of other people and of organizations that the person has left', async () => {
    const secret = `only for members ${org.slug}`;
    must(await comment(`${secret} @[Ada](${ada.id})`, org.asOwner));
    expect(JSON.stringify(await read())).toContain(secret);
    must(await t.api.delete(`/members/${ada.id}`, org.asOwner));
    const exported = await read();
    expect(inOrg(exported)).toBeUndefined();
    expect(JSON.stringify(exported)).not.toContain(secret);
    expect(JSON.stringify(await read(org.owner))).not.toContain(ada.email);
  });

  it('leaves out organizations whose rules keep the person out', async () => {
    must(await comment(`secret @[Ada](${ada.id})`, org.asOwner));
    must(await t.api.patch('/org-features/require_mfa', { ...org.asOwner, body: { enabled: true } }));
    expect(inOrg(await read())).toEqual({
      ...{ id: org.id, slug: org.slug, name: org.slug },
      left_out: 'mfa_required_by_org',
    });
    await sql(`update shared.orgs set schema_version = schema_version - 1 where id = '${org.id}'`);
    expect(inOrg(await read())).toMatchObject({ left_out: 'being_migrated' });
    await sql(`update shared.orgs set schema_version = schema_version + 1 where id = '${org.id}'`);
    const strict = await startApp({
      ...{ databaseUrl: t.databaseUrl },
      env: { SVC_STRICT: 'on', SVC_AUTH_LIMITS: 'off' },
    });
    await sql(`update shared.user_emails set verified_at = now() where user_id = '${ada.id}'`);
    const pending = must(await strict.api.get('/auth/me/export', { cookie: ada.cookie }));
    expect(inOrg(pending)).toMatchObject({ left_out: 'membership_pending' });
  });

  it('leaves out deleted organizations, which nobody can read', async () => {
    const secret = `only while it is there ${org.slug}`;
    must(await comment(`${secret} @[Ada](${ada.id})`, org.asOwner));
    must(await t.api.delete(`/orgs/${org.slug}`, { cookie: org.owner.cookie, body: { confirm: org.slug } }));
    for (const user of [ada, org.owner]) {
      const exported = await read(user);
      expect(inOrg(exported)).toEqual({
        ...{ id: org.id, slug: org.slug, name: org.slug },
        left_out: 'deleted',
      });
      expect(JSON.stringify(exported)).not.toContain(secret);
    }
    // As while it is being purged: its tables are gone, or going.
    await sql(`update shared.org_deletions set purging = true where org_id = '${org.id}'`);
    await sql(`drop schema "${orgSchemaName(org.id)}" cascade`);
    expect(inOrg(await read())).toMatchObject({ left_out: 'deleted' });
    await sql(`delete from shared.orgs where id = '${org.id}'`);
  });

  it('says of organizations that the person created and left only that they were created', async () => {
    const body = { email: ada.email, role: 'owner' };
    await t.api.post('/members/invite', { ...org.asOwner, body });
    must(await t.api.patch(`/members/${ada.id}`, { ...org.asOwner, body: { role: 'owner' } }));
    must(await t.api.post('/members/leave', org.asOwner));
    const mine = { cookie: ada.cookie };
    must(await t.api.patch(`/orgs/${org.slug}`, { ...mine, body: { name: 'New name' } }));
    const exported = await read(org.owner);
    expect(exported.created_organizations).toContainEqual({ id: org.id });
    expect(JSON.stringify(exported)).not.toContain('New name');
  });

  it('reads nothing for a HEAD request', async () => {
    const answer = await t.app.request('http://localhost/api/v1/auth/me/export', {
      method: 'HEAD',
      headers: { cookie: `svc_token=${ada.cookie}` },
    });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(answer.headers.get('content-disposition')).toContain('attachment');
  });

  it('is refused while three others of the account are not read to their ends', async () => {
    const begin = (user: TestUser) =>
      t.app.request('http://localhost/api/v1/auth/me/export', {
        headers: { cookie: `svc_token=${user.cookie}` },
      });
    const begun = await Promise.all([begin(ada), begin(ada), begin(ada)]);
    expect(begun.map(({ status }) => status)).toEqual([200, 200, 200]);
    const refused = await t.api.get('/auth/me/export', { cookie: ada.cookie });
    expect([refused.status, refused.error]).toEqual([429, 'rate_limit_error/exceeded']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    must(await t.api.get('/auth/me/export', { cookie: org.owner.cookie }));
    // One is read, one is given up.
    await begun[0]?.text();
    await begun[1]?.body?.cancel();
    for (const answer of await Promise.all([begin(ada), begin(ada)])) expect(answer.status).toBe(200);
  });

  it('that its reader gives up is no error of the server', async () => {
    const errors: string[] = [];
    const log = { ...silentLog, error: (message: string) => errors.push(message) };
    const other = await startApp({ databaseUrl: t.databaseUrl, log });
    const answer = await other.app.request('http://localhost/api/v1/auth/me/export', {
      headers: { cookie: `svc_token=${ada.cookie}` },
    });
    const reader = answer.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    // The next part is being read.
    await reader?.cancel();
    await setTimeout(100);
    expect(errors).toEqual([]);
  });

  it('is complete when it is long', async () => {
    await sql(`insert into "${orgSchemaName(org.id)}".finding_events (finding_id, at, id, kind, actor_id, note)
      select '${finding}', now() - n * interval '1 second', gen_random_uuid(), 'comment', '${ada.id}', repeat('x', 100)
      from generate_series(1, 12000) n`);
    const mine = { cookie: ada.cookie, org: org.slug };
    must(await t.api.patch(`/findings/${finding}`, { ...mine, body: { status: 'confirmed' } }));
    must(await t.api.post(`/projects/${org.projectId}/tokens`, { ...mine, body: { name: 'ci' } }));
    for (const [table, change] of [
      ['changes', `'{}'`],
      ['api_tokens', `jsonb_build_object('token_hash', gen_random_uuid(), 'revoked', true)`],
    ])
      await sql(`insert into "${orgSchemaName(org.id)}".${table}
        select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid()) || ${change})).*
        from "${orgSchemaName(org.id)}".${table} r, generate_series(1, 1200)`);
    const { activity, changes, api_tokens } = inOrg(await read());
    expect([activity.length, changes.length, api_tokens.length]).toEqual([12_001, 1_201, 1_201]);
    const ids = [...changes, ...api_tokens].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('pages', () => {
  it('of every size have each entry once', async () => {
    const tables = defineOrgTables(orgSchemaName(org.id));
    const { sql: client } = t.services.database;
    for (let i = 0; i < 7; i++)
      must(await comment(i % 2 === 0 ? `${i} @[Ada](${ada.id})` : `${i}`, org.asOwner));
    await sql(`update "${orgSchemaName(org.id)}".findings set created_by = '${ada.id}'`);
    for (const limit of [1, 2, 3, 7, 8]) {
      const found: string[] = [];
      for await (const { note } of readActivityOf(client, tables, ada.id, undefined, limit))
        found.push(note ?? '');
      expect(
        found.map((note) => note[0]),
        `${limit}`,
      ).toEqual(['0', '2', '4', '6']);
      const mentions: string[] = [];
      for (let after: typeof START | undefined = START; after; ) {
        const page = await readMentions(client, tables, { userIds: [ada.id], after, limit });
        mentions.push(...page.mentions.map(({ note }) => note));
        after = page.next;
      }
      expect(mentions, `${limit}`).toEqual(found);
      const imported: string[] = [];
      for await (const { id } of readFindingsOf(client, tables, ada.id, undefined, limit)) imported.push(id);
      expect(imported).toEqual([finding]);
    }
  });
});
