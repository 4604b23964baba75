import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMember, createOrg, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;
type As = { cookie: string; org: string };

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

/** A member of the organization. */
async function join(role: string): Promise<As & { id: string }> {
  const { id, as } = await addMember(t.api, org, role);
  return { id, ...as };
}
const asOf = ({ cookie, org }: As) => ({ cookie, org });
const save = (as: As, fields: object = {}) =>
  t.api.post('/views', { ...asOf(as), body: { name: 'Mine', query: 'status=open', ...fields } });
const change = (as: As, id: string, body: object) => t.api.patch(`/views/${id}`, { ...asOf(as), body });
const namesOf = async (as: As) =>
  must(await t.api.get('/views', asOf(as))).map(({ name }: { name: string }) => name);

describe('a saved view', () => {
  it('has what was saved, and its owner', async () => {
    const query = 'severity=critical,high&status=open&q=a%20b&sort=-priority&page=2';
    const view = must(await save(org.asOwner, { name: ' Mine ', query, shared: null }));
    expect(view).toEqual({
      id: expect.any(String),
      name: 'Mine',
      query,
      shared: false,
      owner_id: org.owner.id,
      created_at: expect.any(String),
    });
    expect(must(await t.api.get('/views', org.asOwner))).toEqual([view]);
    const changed = must(await change(org.asOwner, view.id, { query: '', shared: true }));
    expect(changed).toEqual({ ...view, query: '', shared: true });
    expect((await t.api.delete(`/views/${view.id}`, org.asOwner)).status).toBe(204);
    expect(await namesOf(org.asOwner)).toEqual([]);
    expect((await t.api.delete(`/views/${view.id}`, org.asOwner)).error).toBe('resource_error/not_found');
  });

  it.each([
    ['no name', { name: undefined }, 'name'],
    ['a blank name', { name: '  ' }, 'name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
    ['no query', { query: undefined }, 'query'],
    ['a query of 2,001 characters', { query: `q=${'x'.repeat(1_999)}` }, 'query'],
    ['a parameter that the list does not have', { query: 'status=open&colour=red' }, 'query'],
    ['a parameter of every object', { query: 'constructor=1' }, 'query'],
    ['a value that the list refuses', { query: 'status=opened' }, 'query'],
    ['half a comparison', { query: 'against=nightly' }, 'query'],
    ['a parameter twice that the list takes once', { query: 'q=a&q=b' }, 'query'],
    ['a query that is no text', { query: { status: 'open' } }, 'query'],
    ['shared that is no boolean', { shared: 'yes' }, 'shared'],
  ])('is refused with %s', async (_, fields, field) => {
    const answer = await save(org.asOwner, fields);
    expect([answer.status, answer.badFields]).toEqual([400, [field]]);
    expect(await namesOf(org.asOwner)).toEqual([]);
  });

  it('is not changed by a request that changes nothing or something invalid', async () => {
    const { id } = must(await save(org.asOwner));
    for (const body of [{}, { name: '' }, { query: 'colour=red' }, { shared: 1 }, { owner_id: id }])
      expect((await change(org.asOwner, id, body)).status).toBe(400);
    expect(await namesOf(org.asOwner)).toEqual(['Mine']);
  });

  it('is seen by its owner only, unless it is shared', async () => {
    const member = await join('member');
    const { id } = must(await save(member, { name: 'Private' }));
    must(await save(member, { name: 'Shared', shared: true }));
    expect(await namesOf(member)).toEqual(['Private', 'Shared']);
    expect(await namesOf(org.asOwner)).toEqual(['Shared']);
    expect(await namesOf(await join('viewer'))).toEqual(['Shared']);
    // Also for an owner of the organization.
    expect((await change(org.asOwner, id, { name: 'Taken' })).error).toBe('resource_error/not_found');
    expect((await change(org.asOwner, id, { shared: true })).error).toBe('resource_error/not_found');
    expect((await t.api.delete(`/views/${id}`, org.asOwner)).error).toBe('resource_error/not_found');
  });

  it('that is shared is changed by its owner and by admins only', async () => {
    const [owner, member, admin, viewer] = [
      await join('member'),
      await join('member'),
      await join('admin'),
      await join('viewer'),
    ];
    const { id } = must(await save(owner, { shared: true }));
    for (const as of [member, viewer]) {
      expect((await change(as, id, { name: 'Taken' })).error).toBe('permission_error/denied');
      expect((await t.api.delete(`/views/${id}`, asOf(as))).error).toBe('permission_error/denied');
    }
    for (const [as, name] of [[admin, 'By an admin'] as const, [owner, 'By its owner'] as const])
      expect(must(await change(as, id, { name }))).toMatchObject({ name, owner_id: owner.id });
    expect((await t.api.delete(`/views/${id}`, asOf(admin))).status).toBe(204);
  });

  it('of a viewer is private', async () => {
    const viewer = await join('viewer');
    expect((await save(viewer, { shared: true })).error).toBe('permission_error/denied');
    const { id } = must(await save(viewer));
    expect((await change(viewer, id, { shared: true })).error).toBe('permission_error/denied');
    expect(must(await change(viewer, id, { name: 'Still private' })).shared).toBe(false);
  });

  it('that a viewer shared as a member no longer changes for others, but can be private again', async () => {
    const member = await join('member');
    const { id } = must(await save(member, { shared: true }));
    must(await t.api.patch(`/members/${member.id}`, { ...org.asOwner, body: { role: 'viewer' } }));
    for (const body of [{ name: 'Taken' }, { query: 'status=fixed' }])
      expect((await change(member, id, body)).error).toBe('permission_error/denied');
    expect(must(await change(member, id, { shared: false }))).toMatchObject({ shared: false });
    expect(await namesOf(org.asOwner)).toEqual([]);
  });
});

it('a member has at most 100 views, however many are saved at once', async () => {
  const member = await join('member');
  must(await save(member));
  const answers = await Promise.all(Array.from({ length: 105 }, () => save(member)));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(99);
  expect(answers.filter(({ error }) => error === 'resource_error/conflict')).toHaveLength(6);
  expect(await namesOf(member)).toHaveLength(100);
  // The limit is of each member.
  must(await save(org.asOwner));
});

it.each([
  ['leaves', (as: As) => t.api.post('/members/leave', asOf(as))],
  ['is removed', (as: As & { id: string }) => t.api.delete(`/members/${as.id}`, org.asOwner)],
])('the private views of a member who %s are deleted, shared ones stay for admins', async (_, end) => {
  const member = await join('member');
  must(await save(member, { name: 'Private' }));
  const { id } = must(await save(member, { name: 'Shared', shared: true }));
  must(await save(org.asOwner, { name: "Somebody else's" }));
  expect((await end(member)).status).toBeLessThan(300);
  expect(await namesOf(org.asOwner)).toEqual(['Shared', "Somebody else's"]);
  const kept = await t.services.database.sql.unsafe(
    `select name from "org_${org.id.replaceAll('-', '')}".saved_views order by name`,
  );
  expect(kept.map(({ name }) => name)).toEqual(['Shared', "Somebody else's"]);
  expect((await change(member, id, { name: 'Mine' })).error).toBe('tenant_error/not_member');
  expect(must(await change(org.asOwner, id, { name: 'Ours' })).owner_id).toBe(member.id);
});
