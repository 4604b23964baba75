import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { endPass, takeErasures } from '../../db/accounts/erasure.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { eraseAccounts } from '../../lib/accounts/deletion/erase.ts';
import {
  createOrg,
  createScan,
  createUser,
  must,
  PASSWORD,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/api.ts';
import { expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* DELETE /auth/me, and what erases deleted accounts. */

let t: TestApp;
/** An organization that Zaphod is a member of. */
let org: TestOrg;
/** Somebody who owns everything that Zaphod owned. */
let heir: TestUser;
let zaphod: TestUser;
let finding: string;

/** The name of Zaphod, which nobody else has. */
let NAME: string;
const sql = (text: string) => t.services.database.sql.unsafe(text);
const in_ = ({ id }: { id: string }) => `"${orgSchemaName(id)}"`;
const as = ({ cookie }: { cookie?: string | undefined }) => ({ cookie, org: org.slug });
const remove = (user = zaphod, body: unknown = { confirm: user.email }) =>
  t.api.delete('/auth/me', { cookie: user.cookie, body });
const erasures = async () =>
  (await sql(`select * from shared.account_erasures where user_id = '${zaphod.id}'`)).length;
/** As if the process that holds the leases had died, and the time between two passes had gone by. */
const expireLeases = () =>
  sql(
    `update shared.account_erasures set lease_until = now() - interval '1 second' where user_id = '${zaphod.id}'`,
  );

/** Erases until nothing is left to do: on a busy machine a request does not complete the first pass. */
async function eraseFully(): Promise<void> {
  for (let turns = 0; turns < 5 && (await erasures()) > 0; turns++) {
    await expireLeases();
    await eraseAccounts(t.services);
  }
  expect(await erasures()).toBe(0);
}

/** Makes the heir an owner of everything that a user owns. */
async function handOver(user: TestUser): Promise<void> {
  for (const { slug } of must(await t.api.get('/orgs', { cookie: user.cookie })))
    must(
      await t.api.post('/members/invite', {
        ...{ cookie: user.cookie, org: slug },
        body: { email: heir.email, role: 'owner' },
      }),
    );
}

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  heir = await createUser(t.api, 'Trillian Astra');
  NAME = `Zaphod ${heir.id}`;
  zaphod = await createUser(t.api, NAME);
  // An organization keeps its name, which its owners can change.
  await sql(`update shared.orgs set name = 'Heart of Gold' where name like '${NAME}%'`);
  await handOver(zaphod);
  must(await t.api.post('/members/invite', { ...org.asOwner, body: { email: zaphod.email, role: 'admin' } }));
  finding = (await push(t.api, org, await createScan(t.api, org))).id;
});

/** Everything that a person may leave behind. @returns a personal token and an API token */
async function leaveTraces() {
  const { cookie, id } = zaphod;
  const mine = as(zaphod);
  await sql(`update shared.user_emails set verified_at = now() where user_id = '${id}'`);
  must(await t.api.post('/profile/mfa/devices/totp', { cookie, body: { name: `${NAME}'s phone` } }));
  must(await t.api.post('/profile/mfa/enable', { cookie }));
  must(await t.api.post('/auth/forgot-password', { body: { email: zaphod.email } }));
  const token = { name: `${NAME}'s script`, scopes: ['read'], expires_in: 30 };
  const { token: personal } = must(await t.api.post('/profile/tokens', { cookie, body: token }));
  const tokens = `/projects/${org.projectId}/tokens`;
  const { token: agent } = must(await t.api.post(tokens, { ...mine, body: { name: 'ci' } }));
  const patch = (body: object) => t.api.patch(`/findings/${finding}`, { ...mine, body });
  must(await patch({ assignee_id: id }));
  must(await patch({ status: 'confirmed', note: 'Seen it' }));
  must(await t.api.post(`/findings/${finding}/comments`, { ...mine, body: { body: 'By me' } }));
  const comment = `@[${NAME}](${id}) and @[Ada](${org.owner.id}), \`@[${NAME}](${id})\``;
  must(await t.api.post(`/findings/${finding}/comments`, { ...org.asOwner, body: { body: comment } }));
  for (const shared of [true, false])
    must(await t.api.post('/views', { ...mine, body: { name: 'View', query: 'q=x', shared } }));
  const rule = { name: 'Rule', conditions: { title: ['x*'] }, actions: { assignee_id: id } };
  must(await t.api.post('/rules', { ...mine, body: rule }));
  await sql(
    `insert into ${orgSchemaName(org.id)}.project_members values ('${id}', '${org.projectId}', 'viewer', now())`,
  );
  // Rows that others stored about the address.
  await sql(`insert into shared.user_emails (id, user_id, email, created_at)
      values (gen_random_uuid(), '${heir.id}', '${zaphod.email}', now() - interval '1 minute');
    insert into shared.memberships (org_id, user_id, role, invited_email, created_at)
      values ('${org.id}', '${heir.id}', 'viewer', '${zaphod.email}', now() - interval '1 minute');
    insert into shared.mail_queue (id, recipient, subject, html, text, next_attempt_at, created_at)
      values (gen_random_uuid(), '${zaphod.email}', 'Old', '', '', now() + interval '1 hour', now() - interval '1 minute')`);
  return { personal, agent };
}

/** Columns that keep the id of a deleted account, which names nobody. */
const KEPT_IDS = [
  ...['api_tokens.created_by', 'changes.actor_id', 'events.actor_id', 'finding_events.actor_id'],
];
const IDS_OF_HISTORY = [
  ...KEPT_IDS,
  ...['audit_entries.actor_id', 'audit_entries.changes', 'audit_entries.target_id'],
  ...['finding_events.from', 'finding_events.to', 'saved_views.owner_id'],
];

/** Where a text is stored: tables and columns of `shared` and of the organization. */
async function placesOf(text: string): Promise<string[]> {
  const found: string[] = [];
  const tables = await sql(`select table_schema as schema, table_name as name from information_schema.tables
    where table_schema in ('shared', '${orgSchemaName(org.id)}')`);
  const rows = tables.map(
    ({ schema, name }) => `select '${name}' as name, to_jsonb(t)::text as row from "${schema}"."${name}" t`,
  );
  for (const { name, row } of await sql(rows.join(' union all ')))
    for (const [column, value] of Object.entries(JSON.parse(row as string)))
      if (JSON.stringify(value)?.toLowerCase().includes(text.toLowerCase())) found.push(`${name}.${column}`);
  return [...new Set(found)].sort();
}

describe('an account', () => {
  it('is erased from all tables and queues, and decisions stay', async () => {
    const { personal, agent } = await leaveTraces();
    expect(await placesOf(NAME)).toContain('finding_events.note');
    expect((await remove()).status).toBe(204);

    // At once, however busy the machine is.
    expect(await placesOf(NAME)).not.toContain('users.name');
    expect(await placesOf(zaphod.email)).toContain('account_erasures.emails');
    await eraseFully();
    expect(await placesOf(NAME)).toEqual([]);
    expect(await placesOf(zaphod.email)).toEqual([]);
    expect((await placesOf(zaphod.id)).filter((place) => !IDS_OF_HISTORY.includes(place))).toEqual([]);

    for (const path of ['/auth/me', '/profile/sessions'])
      expect((await t.api.get(path, { cookie: zaphod.cookie })).status, path).toBe(401);
    expect((await t.api.get('/auth/me', { token: personal })).error).toBe('token_error/invalid');
    const login = { body: { email: zaphod.email, password: PASSWORD } };
    expect((await t.api.post('/auth/login', login)).error).toBe('auth_error/invalid_credentials');
    // It belongs to the organization.
    const findings = `/agent/findings?project_id=${org.projectId}`;
    expect((await t.api.get(findings, { token: agent, org: org.slug })).status).toBe(200);

    const shown = must(await t.api.get(`/findings/${finding}`, org.asOwner));
    expect(shown).toMatchObject({ status: 'confirmed' });
    expect(shown.assignee_id).toBeUndefined();
    const activity: { kind: string; actor: object; note?: string; mentions?: object[] }[] = must(
      await t.api.get(`/findings/${finding}/activity`, org.asOwner),
    );
    expect(activity.filter(({ kind }) => kind === 'comment')).toMatchObject([
      {
        note: `@Deleted user and @[Ada](${org.owner.id}), \`@Deleted user\``,
        mentions: [{ id: org.owner.id }],
      },
      { note: 'By me', actor: { type: 'user', id: zaphod.id } },
    ]);
    for (const { actor } of activity) expect(Object.values(actor)).not.toContain(NAME);
    expect(
      must(await t.api.get('/members', org.asOwner)).map(({ name }: { name: string }) => name),
    ).not.toContain(NAME);
    expect(must(await t.api.get('/views', org.asOwner))).toMatchObject([{ shared: true }]);
    const { rules } = must(await t.api.get('/rules', org.asOwner));
    expect(rules[0]).toMatchObject({ name: 'Rule', enabled: false, actions: {} });
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('gets a last mail, and its address is free for an account that sees nothing of it', async () => {
    await leaveTraces();
    const answer = await remove();
    expect(answer.headers.get('set-cookie')).toMatch(/^svc_token=;.*Max-Age=0/);
    expect(await t.delivered(zaphod.email)).toMatchObject({ subject: 'Your account was deleted' });

    const again = must(
      await t.api.post('/auth/register', {
        body: { email: zaphod.email, password: PASSWORD, name: 'Zaphod II' },
      }),
    ).user;
    const { cookie } = await t.api.post('/auth/login', { body: { email: zaphod.email, password: PASSWORD } });
    await eraseFully();
    expect(again.id).not.toBe(zaphod.id);
    expect(must(await t.api.get('/orgs', { cookie }))).toHaveLength(1);
    expect((await t.api.get('/findings', { cookie, org: org.slug })).error).toBe('tenant_error/not_member');
    expect(must(await t.api.get('/profile/tokens', { cookie })).tokens).toEqual([]);
    expect(must(await t.api.get('/profile/mfa/devices', { cookie }))).toMatchObject({ devices: [] });
    // The second pass leaves what the new account has.
    expect(must(await t.api.get('/profile/emails', { cookie })).emails).toHaveLength(1);
    expect(await t.delivered(zaphod.email)).toMatchObject({ subject: /Verify/ });
  });

  it('is not deleted without a `confirm` that is its primary address', async () => {
    const { cookie } = zaphod;
    must(await t.api.post('/profile/emails', { cookie, body: { email: 'second@example.com' } }));
    const bodies: [object, string][] = [
      [{ body: {} }, 'validation_error/field_required'],
      [{}, 'validation_error/invalid_body'],
      [{ body: { confirm: 'other@example.com' } }, 'validation_error/field_invalid'],
      [{ body: { confirm: 'second@example.com' } }, 'validation_error/field_invalid'],
      [{ body: { confirm: 1 } }, 'validation_error/field_invalid'],
    ];
    for (const [body, error] of bodies) {
      expect((await t.api.delete('/auth/me', { cookie, ...body })).error, JSON.stringify(body)).toBe(error);
      expect((await t.api.get('/auth/me', { cookie })).status).toBe(200);
      expect(await erasures()).toBe(0);
    }
  });

  it('takes the primary address in other letters', async () => {
    expect((await remove(zaphod, { confirm: ` ${zaphod.email.toUpperCase()} ` })).status).toBe(204);
  });

  it('stays while an organization would be without an owner who can sign in', async () => {
    const [own] = must(await t.api.get('/orgs', { cookie: zaphod.cookie })).filter(
      ({ role }: { role: string }) => role === 'owner',
    );
    await sql(`update shared.users set disabled_at = now() where id = '${heir.id}'`);
    const refused = await remove();
    expect([refused.status, refused.error]).toEqual([409, 'resource_error/conflict']);
    expect(refused.json.errors[0].details).toEqual([{ field: 'orgs', message: own.slug }]);
    await sql(`update shared.users set disabled_at = null where id = '${heir.id}'`);
    expect((await remove()).status).toBe(204);
  });

  it('may go as the only owner of an organization that is deleted', async () => {
    const ford = await createUser(t.api, 'Ford Prefect');
    const [{ slug }] = must(await t.api.get('/orgs', { cookie: ford.cookie }));
    expect((await remove(ford)).error).toBe('resource_error/conflict');
    must(await t.api.delete(`/orgs/${slug}`, { cookie: ford.cookie, body: { confirm: slug } }));
    expect((await remove(ford)).status).toBe(204);
    expect(
      await sql(
        `select from shared.org_deletions d join shared.orgs o on o.id = d.org_id where slug = '${slug}'`,
      ),
    ).toHaveLength(1);
  });

  it('that has not verified its address erases nothing that others get at that address', async () => {
    await t.services.mail.enqueue(t.services.database.db, zaphod.email, {
      subject: 'To the owner of the mailbox',
      html: '',
      text: '',
    });
    expect((await remove()).status).toBe(204);
    await t.services.mail.deliverDue();
    expect(
      t.mails.filter(({ recipient }) => recipient === zaphod.email).map(({ subject }) => subject),
    ).toContain('To the owner of the mailbox');
  });
});

describe('at the same instant', () => {
  it('one of several deletions succeeds, and the others find no session', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove()));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([204, 401, 401, 401, 401]);
  });

  it('two owners cannot both go', async () => {
    const other = await createUser(t.api);
    await handOver(other);
    const { slug, id } = must(
      await t.api.post('/orgs', {
        cookie: zaphod.cookie,
        body: { name: 'Both', slug: `both-${other.id.slice(-8)}` },
      }),
    );
    must(
      await t.api.post('/members/invite', {
        ...{ cookie: zaphod.cookie, org: slug },
        body: { email: other.email, role: 'owner' },
      }),
    );
    const answers = await Promise.all([remove(zaphod), remove(other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
    expect(await sql(`select 1 from shared.memberships where org_id = '${id}'`)).toHaveLength(1);
  });

  it('sign-ins, invitations and new organizations do not outlive it', async () => {
    const { email, cookie } = zaphod;
    const slug = `late-${zaphod.id.slice(-8)}`;
    const [removed, ...others] = await Promise.all([
      remove(),
      t.api.post('/auth/login', { body: { email, password: PASSWORD } }),
      t.api.post('/orgs', { cookie, body: { name: 'Late', slug } }),
      t.api.post('/profile/tokens', { cookie, body: { name: 'late', scopes: ['read'], expires_in: 1 } }),
      t.api.patch(`/findings/${finding}`, { ...org.asOwner, body: { assignee_id: zaphod.id } }),
    ]);
    // Creating the organization may come first: then it needs another owner.
    expect([204, 409]).toContain(removed.status);
    for (const { status, text } of others) expect(status, text).toBeLessThan(500);
    if (removed.status === 409) return;
    await eraseFully();
    expect((await placesOf(zaphod.id)).filter((place) => !IDS_OF_HISTORY.includes(place))).toEqual([]);
  });
});

describe('after a crash', () => {
  /** Fails the n-th statement with this text, as if the process died there. */
  function dieAt(part: string, nth = 1) {
    const { sql: client } = t.services.database;
    let seen = 0;
    const { unsafe } = client;
    return vi.spyOn(client, 'unsafe').mockImplementation(((text: string, ...rest: []) => {
      if (text.includes(part) && ++seen >= nth) throw new Error('died here');
      return unsafe.call(client, text, ...rest);
    }) as typeof unsafe);
  }

  it.each([
    ['before the mails', 'user_emails" where email in'],
    ['before the address in other accounts', '"memberships" set invited_email'],
    ['before the first organization', 'from "shared"."orgs" where schema_version'],
    ['before the views', 'saved_views" where owner_id'],
    ['before the rules', 'rules" set actions'],
    ['before the assigned findings', 'where assignee_id ='],
    ['before the changes', 'changes" set fields'],
    ['before the comments', 'row_number() over (order by finding_id'],
    ['before a comment is changed', 'set note ='],
    ['before the end of the pass', 'passes = passes + 1'],
  ])('%s, another process goes on', async (_, part) => {
    await leaveTraces();
    const died = dieAt(part);
    expect((await remove()).status).toBe(204);
    expect(died).toHaveBeenCalled();
    died.mockRestore();
    // Signed out at once, whatever is left.
    expect((await t.api.get('/auth/me', { cookie: zaphod.cookie })).status).toBe(401);
    expect(await erasures()).toBe(1);
    await eraseFully();
    for (const text of [NAME, zaphod.email]) expect(await placesOf(text), text).toEqual([]);
    expect((await placesOf(zaphod.id)).filter((place) => !IDS_OF_HISTORY.includes(place))).toEqual([]);
  });

  it('in an organization that was left before, another process goes on where it was', async () => {
    await leaveTraces();
    await sql(`delete from shared.memberships where user_id = '${zaphod.id}' and org_id = '${org.id}'`);
    const died = dieAt('from "shared"."orgs" where schema_version');
    expect((await remove()).status).toBe(204);
    died.mockRestore();
    expect(await placesOf(NAME)).toEqual(['audit_names.name', 'finding_events.note']);
    const { sql: client } = t.services.database;
    const before = `(select id from shared.orgs where id < '${org.id}' order by id desc limit 1)`;
    await sql(`update shared.account_erasures set done_org_id = ${before} where user_id = '${zaphod.id}'`);
    await expireLeases();
    expect(await takeErasures(client, { userId: zaphod.id })).toMatchObject([{ passes: 0 }]);
    await expireLeases();
    await eraseAccounts(t.services);
    expect(await placesOf(NAME)).toEqual([]);
  });

  it('nothing is deleted if the transaction fails', async () => {
    await leaveTraces();
    await sql(`create function shared.refuse() returns trigger language plpgsql as 'begin raise exception $$no$$; end';
      create trigger refuse before insert on shared.account_erasures for each row execute function shared.refuse()`);
    try {
      expect((await remove()).status).toBe(500);
    } finally {
      await sql('drop trigger refuse on shared.account_erasures; drop function shared.refuse()');
    }
    expect((await t.api.get('/findings', as(zaphod))).status).toBe(200);
    expect((await remove()).status).toBe(204);
  });

  it('two processes that erase one account do no harm', async () => {
    await leaveTraces();
    const died = dieAt('from "shared"."orgs" where schema_version');
    await remove();
    died.mockRestore();
    await expireLeases();
    await Promise.all([eraseAccounts(t.services), eraseAccounts(t.services), eraseAccounts(t.services)]);
    await eraseFully();
    expect(await placesOf(NAME)).toEqual([]);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('an organization whose schema is behind is erased when it is migrated', async () => {
    await leaveTraces();
    await sql(`update shared.orgs set schema_version = schema_version - 1 where id = '${org.id}'`);
    expect((await remove()).status).toBe(204);
    for (let pass = 0; pass < 3; pass++) {
      await expireLeases();
      await eraseAccounts(t.services);
    }
    expect(await placesOf(NAME)).toEqual(['audit_names.name', 'finding_events.note']);
    await sql(`update shared.orgs set schema_version = schema_version + 1 where id = '${org.id}'`);
    await eraseFully();
    expect(await placesOf(NAME)).toEqual([]);
  });

  it('a lease keeps other processes away', async () => {
    const died = dieAt('from "shared"."orgs" where schema_version');
    await remove();
    died.mockRestore();
    const { sql: client } = t.services.database;
    expect(await takeErasures(client, { userId: zaphod.id })).toEqual([]);
    await expireLeases();
    expect(await takeErasures(client, { userId: zaphod.id })).toMatchObject([
      { userId: zaphod.id, passes: 0 },
    ]);
    expect(await takeErasures(client, { userId: zaphod.id })).toEqual([]);
    await endPass(client, [zaphod.id], t.services.orgMigrations.length);
    expect(await erasures()).toBe(1);
  });
});

it('undoing a change does not assign a finding to a deleted account', async () => {
  const { id } = zaphod;
  const bulk = (assignee_id: string | null) =>
    t.api.patch('/findings', { ...org.asOwner, body: { ids: [finding], assignee_id } });
  must(await bulk(id));
  const { change } = must(await bulk(null));
  expect(must(await t.api.get('/changes', org.asOwner))).not.toEqual([]);
  await remove();
  await eraseFully();
  const { status } = await t.api.post(`/changes/${change}/undo`, org.asOwner);
  expect(status).toBeLessThan(500);
  expect(must(await t.api.get(`/findings/${finding}`, org.asOwner)).assignee_id).toBeUndefined();
  expect(await sql(`select 1 from ${in_(org)}.changes where fields::text like '%${id}%'`)).toEqual([]);
});
