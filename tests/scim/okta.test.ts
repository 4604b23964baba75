import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrg, type TestOrg } from '../support/api/api.ts';
import { connectProvider, domainFor, GROUP, PATCH, type Provider, USER } from '../support/scim/provider.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* The requests that Okta sends, after the samples of its documentation and its published test suite. */

let t: TestApp;
let org: TestOrg;
let okta: Provider;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  okta = await connectProvider(t, org);
});

const name = () => `test.user.${crypto.randomUUID().slice(0, 8)}@${domainFor(org)}`;

const newUser = (userName = name()) => ({
  schemas: [USER],
  userName,
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: userName, type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  password: '1mz050nq',
  active: true,
});

const created = async () => (await okta.call('POST', '/Users', newUser())).body;

it('tests the connection', async () => {
  const answer = await okta.call('GET', '/Users?startIndex=1&count=2');
  expect(answer.body).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: 1,
    itemsPerPage: 1,
    startIndex: 1,
  });
  const [first] = answer.body.Resources;
  const read = await okta.call('GET', `/Users/${first.id}`);
  expect(read.body).toMatchObject({
    ...{ id: first.id, userName: org.owner.email, active: true, emails: [{ value: org.owner.email }] },
    name: { givenName: 'Ada', familyName: 'Lovelace' },
  });
  for (const path of ['/ServiceProviderConfig', '/ResourceTypes', '/Schemas', `/Schemas/${USER}`])
    expect((await okta.call('GET', path)).status).toBe(200);
  expect((await okta.call('GET', '/Users/00000000-0000-4000-8000-000000000000')).body).toMatchObject({
    status: '404',
    detail: expect.any(String),
  });
});

describe('users of Okta', () => {
  it('are created, read, and never get a password', async () => {
    const body = newUser();
    const filter = `userName eq "${body.userName}"`;
    expect((await okta.find(filter)).body.totalResults).toBe(0);
    const made = await okta.call('POST', '/Users', body);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ userName: body.userName, displayName: 'Test User', active: true });
    expect(made.body).not.toHaveProperty('password');
    const login = await t.api.post('/auth/login', {
      body: { email: body.userName, password: body.password },
    });
    expect(login.status).toBe(401);
    expect((await okta.call('POST', '/Users', body)).body).toMatchObject({
      scimType: 'uniqueness',
      status: '409',
    });
  });

  it('are replaced as a whole', async () => {
    const user = await created();
    const replaced = await okta.call('PUT', `/Users/${user.id}`, {
      ...user,
      name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
      displayName: undefined,
    });
    expect(replaced.status).toBe(200);
    expect(replaced.body).toMatchObject({ displayName: 'Another User', active: true });
    const off = await okta.call('PUT', `/Users/${user.id}`, { ...replaced.body, active: false });
    expect(off.body.active).toBe(false);
  });

  it('are deactivated and activated by a patch without a path', async () => {
    const { id } = await created();
    for (const active of [false, true]) {
      const answer = await okta.call('PATCH', `/Users/${id}`, {
        schemas: [PATCH],
        Operations: [{ op: 'replace', value: { active } }],
      });
      expect([answer.status, answer.body.active]).toEqual([200, active]);
    }
  });

  it('are listed page by page', async () => {
    const made = [await created(), await created(), await created()];
    const ids: string[] = [];
    for (let startIndex = 1; startIndex <= 4; startIndex += 2) {
      const { body } = await okta.call('GET', `/Users?startIndex=${startIndex}&count=2`);
      expect(body).toMatchObject({ totalResults: 4, itemsPerPage: 2, startIndex });
      ids.push(...body.Resources.map(({ id }: { id: string }) => id));
    }
    expect(ids.toSorted()).toEqual([org.owner.id, ...made.map(({ id }) => id)].toSorted());
  });
});

it('groups are created with members, renamed, replaced and deleted', async () => {
  const [one, two] = [await created(), await created()];
  const made = await okta.call('POST', '/Groups', {
    schemas: [GROUP],
    displayName: 'Test SCIMv2',
    members: [{ value: one.id, display: one.userName }],
  });
  expect(made.status).toBe(201);
  const { id } = made.body;
  const renamed = await okta.call('PATCH', `/Groups/${id}`, {
    schemas: [PATCH],
    Operations: [{ op: 'replace', value: { id, displayName: 'Test SCIMv2 renamed' } }],
  });
  expect(renamed.status).toBe(204);
  const both = await okta.call('PATCH', `/Groups/${id}`, {
    schemas: [PATCH],
    Operations: [
      { op: 'remove', path: `members[value eq "${one.id}"]` },
      { op: 'add', path: 'members', value: [{ value: two.id, display: two.userName }] },
    ],
  });
  expect(both.status).toBe(204);
  expect((await okta.call('GET', `/Groups/${id}`)).body).toMatchObject({
    displayName: 'Test SCIMv2 renamed',
    members: [{ value: two.id }],
  });
  for (const members of [[], [{ value: one.id }]]) {
    const pushed = await okta.call('PATCH', `/Groups/${id}`, {
      schemas: [PATCH],
      Operations: [{ op: 'replace', path: 'members', value: members }],
    });
    expect(pushed.status).toBe(204);
    expect((await okta.call('GET', `/Groups/${id}`)).body.members).toMatchObject(members);
  }
  const replaced = await okta.call('PUT', `/Groups/${id}`, {
    schemas: [GROUP],
    id,
    displayName: 'Test SCIMv2',
    members: [{ value: one.id }, { value: two.id }],
  });
  expect(replaced.body.members).toHaveLength(2);
  expect((await okta.call('DELETE', `/Groups/${id}`)).status).toBe(204);
});
