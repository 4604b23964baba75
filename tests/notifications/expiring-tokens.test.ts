import { beforeAll, beforeEach, expect, it } from 'vitest';
import { changeSettings } from '../../lib/notifications/change.ts';
import { tellOfExpiringTokens } from '../../lib/notifications/expiring-tokens.ts';
import { createOrg, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { choose, confirm, mailsTo, run } from './kit.ts';

const DAY_MS = 86_400_000;

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp({ env: { SVC_PUBLIC_URL: 'https://findings.example.com' } });
});

beforeEach(async () => {
  org = await createOrg(t.api);
  await confirm(t, org.owner.id);
  must(await t.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
});

async function tell(): Promise<string[]> {
  await Promise.all([tellOfExpiringTokens(t.services), tellOfExpiringTokens(t.services)]);
  await tellOfExpiringTokens(t.services);
  await t.services.mail.deliverDue();
  return mailsTo(t, org.owner)
    .map(({ subject }) => subject)
    .toSorted();
}

const personal = async (name: string, expires_in: number) =>
  must(await t.api.post('/profile/tokens', { ...org.asOwner, body: { name, expires_in } })).info.id;
const ofOrg = async (name: string, expires_in: number, project = '') =>
  must(
    await t.api.post(project ? `/projects/${project}/tokens` : '/tokens', {
      ...org.asOwner,
      body: { name, expires_in },
    }),
  ).info.id;

it('are told of once, a week before, by one of several processes', async () => {
  await choose(t, org.owner, { token_expiring: 'now' });
  const since = t.services.clock().getTime();
  await personal('laptop', 30);
  await personal('short', 6);
  await ofOrg('export', 30);
  await ofOrg('pipeline', 30, org.projectId);
  const revoked = await ofOrg('revoked', 30);
  must(await t.api.delete(`/tokens/${revoked}`, org.asOwner));
  expect(await tell()).toEqual([]);
  t.advance(since + 23 * DAY_MS - t.services.clock().getTime() - 60_000);
  expect(await tell()).toEqual([]);
  t.advance(120_000);
  const expected = ['export', 'laptop', 'pipeline'].map((name) => `An access token expires soon: ${name}`);
  expect(await tell()).toEqual(expected);
  t.advance(DAY_MS);
  expect(await tell()).toEqual(expected);
  const text = mailsTo(t, org.owner)
    .map((mail) => mail.text)
    .join();
  expect(text).toContain(`https://findings.example.com/o/${org.slug}/tokens`);
  expect(text).not.toMatch(/svcp?_[0-9a-f]{20}/);
});

it('are told of at once to somebody who chooses it later, and not to others', async () => {
  await personal('laptop', 30);
  await ofOrg('export', 30);
  t.advance(27 * DAY_MS);
  expect(await tell()).toEqual([]);
  // The session has expired meanwhile.
  await changeSettings(t.services.database.db, org.owner.id, t.services.clock(), (before) => ({
    ...before,
    kinds: { ...before.kinds, token_expiring: 'now' },
  }));
  expect(await tell()).toHaveLength(2);
});

it('of an organization are told to creators who may still see them', async () => {
  await choose(t, org.owner, { token_expiring: 'now' });
  await ofOrg('export', 30);
  await ofOrg('pipeline', 30, org.projectId);
  t.advance(24 * DAY_MS);
  await run(t, "update shared.memberships set role = 'member' where user_id = $1 and org_id = $2", [
    org.owner.id,
    org.id,
  ]);
  expect(await tell()).toEqual(['An access token expires soon: pipeline']);
  await run(t, "update shared.memberships set role = 'admin' where user_id = $1 and org_id = $2", [
    org.owner.id,
    org.id,
  ]);
  expect(await tell()).toHaveLength(2);
});

it('are left out of a daily mail to a creator who does not see them any more', async () => {
  await choose(t, org.owner, { token_expiring: 'daily' });
  await ofOrg('export', 30);
  await ofOrg('pipeline', 30, org.projectId);
  t.advance(24 * DAY_MS);
  expect(await tell()).toEqual([]);
  await run(t, "update shared.memberships set role = 'member' where user_id = $1 and org_id = $2", [
    org.owner.id,
    org.id,
  ]);
  t.advance(DAY_MS);
  await t.services.mail.deliverDue();
  const [mail] = mailsTo(t, org.owner);
  expect(mail?.subject).toBe('Daily summary: 1 notice about findings');
  expect(mail?.text).toContain('The token pipeline');
  expect(mail?.text).not.toContain('The token export');
});
