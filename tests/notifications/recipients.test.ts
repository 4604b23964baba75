import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  addMember,
  addProject,
  createOrg,
  createScan,
  createUser,
  must,
  push,
  type TestMember,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { addSubscriber, choose, confirm, flush, mailsTo, run, startMailsOfAll } from './kit.ts';

/* Mails about findings go to members who have chosen them, who reach the project, and who did not cause the event. */

const DAY_MS = 86_400_000;
const ALL_NOW = Object.fromEntries(
  ['assigned', 'mentioned', 'new_critical', 'regressed', 'scan_failed', 'due_soon'].map((kind) => [
    kind,
    'now',
  ]),
);

let t: TestApp;
let org: TestOrg;
let grace: TestMember;

beforeAll(async () => {
  t = await startApp({ env: { SVC_PUBLIC_URL: 'https://findings.example.com' } });
});

beforeEach(async () => {
  org = await createOrg(t.api);
  grace = await addSubscriber(t, org, ALL_NOW);
});

const subjects = (to: { email: string }) => mailsTo(t, to).map(({ subject }) => subject);
const assign = async (id: string, to: string, as: object = org.asOwner) =>
  must(await t.api.patch(`/findings/${id}`, { ...as, body: { assignee_id: to } }));
const mention = async (id: string, who: { id: string }, as: object = org.asOwner) =>
  must(
    await t.api.post(`/findings/${id}/comments`, {
      ...as,
      body: { body: `Please look, @[Grace](${who.id}): https://evil.example` },
    }),
  );
const end = async (scan: string, status = 'completed', of = org) =>
  must(
    await t.api.patch(`/agent/scans/${scan}`, {
      ...of.asAgent,
      body: { status, ...(status === 'failed' && { error_message: 'out of memory' }) },
    }),
  );
const make = async (fields: object = {}, of = org) => {
  const scan = await createScan(t.api, of);
  return { scan, id: (await push(t.api, of, scan, { ...fields })).id as string };
};

/** Causes one event of each kind, in a project. */
async function causeAll(to: TestMember, of = org, as: object = org.asOwner): Promise<void> {
  const { scan, id } = await make({ severity: 'critical' }, of);
  await end(scan, 'completed', of);
  await assign(id, to.id, as);
  await mention(id, to, as);
  const failed = await createScan(t.api, of);
  await end(failed, 'failed', of);
}

const CAUSED = [
  '1 new critical finding: Web shop',
  'A finding was assigned to you: SQL injection in search',
  'A scan failed: Web shop',
  'You were mentioned: SQL injection in search',
];

it('of each kind are one mail, and its links lead to the web UI', async () => {
  await causeAll(grace);
  await flush(t, org);
  expect(subjects(grace).toSorted()).toEqual(CAUSED);
  const [assigned] = mailsTo(t, grace).filter(({ subject }) => subject.startsWith('A finding was'));
  expect(assigned?.text).toContain('Ada Lovelace assigned to you:');
  expect(assigned?.link).toMatch(
    new RegExp(`^https://findings\\.example\\.com/o/${org.slug}/findings/[0-9a-f-]{36}$`),
  );
  const [failed] = mailsTo(t, grace).filter(({ subject }) => subject.startsWith('A scan'));
  expect(failed?.text).toContain('Its error: out of memory');
});

it('of findings that are due come three days before, when they are overdue, and once each', async () => {
  await flush(t, org);
  const { id } = await make();
  const { id: fixed } = await make({ title: 'Fixed meanwhile' });
  await assign(id, grace.id);
  await assign(fixed, grace.id);
  const due_at = new Date(t.services.clock().getTime() + 4 * DAY_MS).toISOString();
  for (const one of [id, fixed])
    must(await t.api.patch(`/findings/${one}`, { ...org.asOwner, body: { due_at } }));
  must(await t.api.patch(`/findings/${fixed}`, { ...org.asOwner, body: { status: 'false_positive' } }));
  await flush(t, org);
  const before = subjects(grace).length;
  const soon = () => subjects(grace).slice(before);
  t.advance(DAY_MS - 60_000);
  await flush(t, org);
  expect(soon()).toEqual([]);
  t.advance(120_000);
  await flush(t, org);
  await flush(t, org);
  const first = 'A finding is due within three days: SQL injection in search';
  expect(soon()).toEqual([first]);
  t.advance(10_000);
  await flush(t, org);
  expect(soon()).toEqual([first]);
  t.advance(3 * DAY_MS);
  await flush(t, org);
  await flush(t, org);
  expect(soon()).toEqual([first, 'A finding is overdue: SQL injection in search']);
});

it('tell of regressed findings', async () => {
  const { id } = await make({ fingerprint: 'again' });
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
  const scan = await createScan(t.api, org);
  await push(t.api, org, scan, { fingerprint: 'again' });
  await push(t.api, org, scan, { severity: 'critical' });
  await end(scan);
  await flush(t, org);
  // One mail for one event.
  expect(subjects(grace)).toEqual(['1 new critical finding and 1 regressed finding: Web shop']);
});

describe('do not go to', () => {
  it('the member who caused the event', async () => {
    const { id } = await make();
    await assign(id, grace.id, grace.as);
    await mention(id, grace, grace.as);
    await flush(t, org);
    expect(subjects(grace)).toEqual([]);
  });

  it('a member who has chosen others, or none any more', async () => {
    await choose(t, grace, { ...ALL_NOW, new_critical: 'off', mentioned: 'off', scan_failed: 'off' });
    await causeAll(grace);
    await flush(t, org);
    expect(subjects(grace)).toEqual(['A finding was assigned to you: SQL injection in search']);
    await choose(t, grace, { assigned: 'off', regressed: 'off', due_soon: 'off' });
    await causeAll(grace);
    await flush(t, org);
    expect(subjects(grace)).toHaveLength(1);
  });

  it('a member who does not reach the project, whom the dashboard shows no mention either', async () => {
    const other = await addProject(t.api, org);
    const assigned = [{ project_id: org.projectId, role: 'member' }];
    const { id } = await make({ severity: 'critical' }, other);
    await mention(id, grace);
    await flush(t, org);
    expect(subjects(grace)).toEqual(['You were mentioned: SQL injection in search']);
    const mentions = async () => must(await t.api.get('/findings?mentions=me&page=1', grace.as)).length;
    expect(await mentions()).toBe(1);

    must(
      await t.api.patch(`/members/${grace.id}`, {
        ...org.asOwner,
        body: { role: 'member', project_access: 'assigned', projects: assigned },
      }),
    );
    const before = mailsTo(t, grace).length;
    await mention(id, grace);
    const scan = await createScan(t.api, other);
    await push(t.api, other, scan, { severity: 'critical' });
    await end(scan, 'completed', other);
    await flush(t, org);
    expect(mailsTo(t, grace)).toHaveLength(before);
    expect(await mentions()).toBe(0);
    // The project that is assigned.
    await causeAll(grace);
    await flush(t, org);
    expect(subjects(grace).slice(before).toSorted()).toEqual(CAUSED);
  });

  it.each([
    ['suspended', 'update shared.memberships set suspended_at = now() where user_id = $1'],
    ['held', 'update shared.memberships set is_held = true where user_id = $1'],
    [
      'not confirmed',
      "update shared.memberships set confirmed_at = null, invited_email = 'other@example.com' where user_id = $1",
    ],
    ['not verified', 'update shared.user_emails set verified_at = null where user_id = $1'],
    ['disabled', 'update shared.users set disabled_at = now() where id = $1'],
    ['gone', 'delete from shared.memberships where user_id = $1'],
    // Anybody can invite any address.
    [
      'invited and was never there',
      'update shared.memberships set confirmed_at = created_at where user_id = $1',
    ],
  ])('a member who is %s', async (_, statement) => {
    const { scan, id } = await make({ severity: 'critical' });
    await run(t, "update shared.destinations set due_at = null, enabled = false where kind = 'mail'");
    await run(t, "update shared.destinations set enabled = true where kind = 'mail'");
    await assign(id, grace.id);
    await run(t, statement, [grace.id]);
    await end(scan);
    await flush(t, org);
    expect(subjects(grace).filter((subject) => subject.includes('critical'))).toEqual([]);
  });

  it('a member without the second factor that the organization requires', async () => {
    must(await t.api.patch('/org-features/require_mfa', { ...org.asOwner, body: { enabled: true } }));
    const enroll = (id: string) => run(t, 'update shared.users set mfa_enabled = true where id = $1', [id]);
    await enroll(org.owner.id);
    await causeAll(grace);
    await flush(t, org);
    expect(subjects(grace)).toEqual([]);
    await enroll(grace.id);
    await causeAll(grace);
    await flush(t, org);
    expect(subjects(grace).toSorted()).toEqual(CAUSED);
  });

  it('a member who does not sign in at the provider that the organization requires', async () => {
    await run(
      t,
      `insert into shared.sso_connections (id, org_id, name, issuer, client_id, scopes, claims, domains, role_mapping, enabled, require_sso, trust_mfa, created_at, updated_at)
        values (gen_random_uuid(), $1, 'IdP', 'https://idp.example', 'x', 'openid', '{}', '{}', '[]', true, true, false, now(), now())`,
      [org.id],
    );
    await causeAll(grace);
    await flush(t, org);
    expect(subjects(grace)).toEqual([]);
    await run(
      t,
      `insert into shared.identities (id, user_id, org_id, issuer, subject, email, created_at, last_used_at)
        values (gen_random_uuid(), $1, $2, 'https://idp.example', $3, 'g@idp.example', now(), now())`,
      [grace.id, org.id, grace.id],
    );
    await causeAll(grace);
    await flush(t, org);
    expect(subjects(grace).toSorted()).toEqual(CAUSED);
  });

  it('members of other organizations', async () => {
    const other = await createOrg(t.api);
    const stranger = await addSubscriber(t, other, ALL_NOW);
    await causeAll(grace);
    await flush(t, org);
    await flush(t, other);
    expect(subjects(stranger)).toEqual([]);
    expect(subjects(grace)).toHaveLength(4);
  });
});

describe('the destination of an organization', () => {
  const count = async (of: { id: string }) =>
    (await run(t, "select from shared.destinations where org_id = $1 and kind = 'mail'", [of.id])).length;

  it('exists while a member has chosen mails, until the next event', async () => {
    const other = await addSubscriber(t, org, { assigned: 'daily' });
    const off = Object.fromEntries(Object.keys(ALL_NOW).map((kind) => [kind, 'off']));
    const happen = async () => {
      const { scan } = await make();
      await end(scan);
      await flush(t, org);
    };
    expect(await count(org)).toBe(1);
    await choose(t, grace, off);
    await happen();
    expect(await count(org)).toBe(1);
    await choose(t, other, off);
    await happen();
    expect(await count(org)).toBe(0);
    await Promise.all([choose(t, grace, ALL_NOW), choose(t, other, { assigned: 'weekly' })]);
    expect(await count(org)).toBe(1);
  });

  it('begins a few minutes after a person has joined who has chosen mails', async () => {
    const joined = await createOrg(t.api);
    must(
      await t.api.post('/members/invite', {
        ...joined.asOwner,
        body: { email: grace.email, role: 'member' },
      }),
    );
    await startMailsOfAll(t);
    expect(await count(joined)).toBe(0);
    await confirm(t, grace.id);
    const own = must(await t.api.post('/orgs', { cookie: grace.cookie, body: { name: 'Own' } }));
    expect(await startMailsOfAll(t)).toEqual(expect.arrayContaining([joined.id, own.id]));
    expect(await count(joined)).toBe(1);
    expect(await count(own)).toBe(1);
    expect(await startMailsOfAll(t)).toEqual([]);
  });

  it('begins again in an organization that was restored from a backup, and learns of new events', async () => {
    await run(t, "delete from shared.destinations where org_id = $1 and kind = 'mail'", [org.id]);
    await startMailsOfAll(t);
    expect(await count(org)).toBe(1);
    await run(t, "update shared.destinations set events = '{scan.failed}' where org_id = $1", [org.id]);
    await startMailsOfAll(t);
    await causeAll(grace);
    await flush(t, org);
    expect(subjects(grace).toSorted()).toEqual(CAUSED);
  });

  it('ends with the first event after the last such member has left', async () => {
    must(await t.api.post('/members/leave', grace.as));
    expect(await count(org)).toBe(1);
    const { scan } = await make();
    await end(scan);
    await flush(t, org);
    expect(await count(org)).toBe(0);
    const [position] = await run(t, 'select check_at from shared.event_positions where org_id = $1', [
      org.id,
    ]);
    expect(position?.check_at).toBe(null);
  });

  it('is not made for people who have chosen nothing', async () => {
    const quiet = await createOrg(t.api);
    const member = await addMember(t.api, quiet);
    await confirm(t, member.id);
    await choose(t, member, { hour: 9 });
    await choose(t, await createUser(t.api), { assigned: 'off' });
    expect(await count(quiet)).toBe(0);
    expect(t.services.followedOrgs.ids.has(quiet.id)).toBe(false);
  });
});
