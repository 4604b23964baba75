import { beforeAll, expect, it, vi } from 'vitest';
import {
  type Answer,
  addMember,
  addToken,
  createOrg,
  createScan,
  must,
  push,
  type TestMember,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let api: TestApp['api'];

beforeAll(async () => {
  t = await startApp();
  ({ api } = t);
});

const outcome = ({ status, error }: Answer) => [status, error];
const DENIED = [403, 'permission_error/denied'];

/** A member with a role, and an API token they have made. */
async function join(org: TestOrg, role: string): Promise<TestMember & { token: string }> {
  const member = await addMember(api, org, role);
  const { token } = await addToken(api, { ...org, asOwner: member.as });
  return { ...member, token };
}

const set = (as: object, viewer_tokens_verify: unknown) =>
  api.patch('/settings/security', { ...as, body: { viewer_tokens_verify } });
const read = async (as: object) => must(await api.get('/settings/security', as));
const verifying = (viewer_tokens_verify: boolean) => expect.objectContaining({ viewer_tokens_verify });

it('any member reads the settings, admins and owners change them', async () => {
  const org = await createOrg(api);
  const [viewer, member, admin] = await Promise.all(
    ['viewer', 'member', 'admin'].map((role) => join(org, role)),
  );
  for (const user of [viewer, member, admin]) expect(await read(user?.as ?? {})).toEqual(verifying(true));
  for (const user of [viewer, member]) expect(outcome(await set(user?.as ?? {}, false))).toEqual(DENIED);
  expect(must(await set(admin?.as ?? {}, false))).toEqual(verifying(false));
  expect(await read(viewer?.as ?? {})).toEqual(verifying(false));
  expect(must(await set(org.asOwner, true))).toEqual(verifying(true));
  for (const body of ['yes', undefined, null]) expect((await set(org.asOwner, body)).status).toBe(400);
});

it('tokens of viewers confirm fixes, until that is switched off', async () => {
  const org = await createOrg(api);
  const [viewer, member] = [await join(org, 'viewer'), await join(org, 'member')];
  const { id } = await push(api, org, await createScan(api, org));
  const update = (token: string, status: string) =>
    api.patch(`/agent/findings/${id}`, { token, org: org.slug, body: { status } });
  // The attack, which the contract's default allows: who may only read confirms a fix.
  expect((await update(viewer.token, 'verified')).status).toBe(200);
  expect((await update(viewer.token, 'open')).status).toBe(200);

  must(await set(org.asOwner, false));
  expect(outcome(await update(viewer.token, 'verified'))).toEqual(DENIED);
  expect(must(await api.get(`/findings/${id}`, org.asOwner)).status).toBe('open');
  expect((await update(viewer.token, 'open')).status, 'reopening is no confirmation').toBe(200);
  for (const token of [member.token, org.token]) expect((await update(token, 'verified')).status).toBe(200);

  // The current role of the creator counts.
  must(await update(org.token, 'open'));
  expect((await api.delete(`/members/${member.id}`, org.asOwner)).status).toBe(204);
  expect(outcome(await update(member.token, 'verified'))).toEqual(DENIED);
  must(await set(org.asOwner, true));
  expect((await update(member.token, 'verified')).status).toBe(200);
});

it('cost other changes no statement', async () => {
  const org = await createOrg(api);
  const { id } = await push(api, org, await createScan(api, org));
  must(await api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status: 'open' } }));
  const asked = vi.spyOn(t.services.database.of({ id: org.id, account: org.owner.id }).db, 'select');
  must(await api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status: 'open' } }));
  const forOpen = asked.mock.calls.length;
  must(await api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status: 'verified' } }));
  expect(asked.mock.calls.length - forOpen).toBe(forOpen + 1);
});
