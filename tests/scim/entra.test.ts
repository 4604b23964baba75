import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createOrg, must, type TestOrg } from '../support/api/api.ts';
import { connectProvider, domainFor, GROUP, PATCH, type Provider, USER } from '../support/scim/provider.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* The requests that Microsoft Entra ID sends, after the samples of its documentation. */

let t: TestApp;
let org: TestOrg;
let entra: Provider;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  entra = await connectProvider(t, org);
});

const name = () => `test_user_${crypto.randomUUID().slice(0, 8)}@${domainFor(org)}`;

const newUser = (userName: string) => ({
  schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
  userName,
  active: true,
  emails: [{ primary: true, type: 'work', value: userName }],
  meta: { resourceType: 'User' },
  name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
  roles: [],
});

const created = async (userName = name()) => {
  const answer = await entra.call('POST', '/Users', newUser(userName));
  expect(answer.status).toBe(201);
  return answer.body;
};
const patch = (path: string, Operations: object[]) =>
  entra.call('PATCH', path, { schemas: [PATCH], Operations });
const members = async () => must(await t.api.get('/members', org.asOwner)) as Record<string, unknown>[];

describe('users of Entra ID', () => {
  it('are looked for, created and found', async () => {
    const userName = name();
    const none = await entra.find(`userName eq "${userName}"`);
    expect(none.status).toBe(200);
    expect(none.body).toMatchObject({ totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] });
    const answer = await entra.call('POST', '/Users', newUser(userName));
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('application/scim+json');
    expect(answer.headers.get('location')).toBe(answer.body.meta.location);
    expect(answer.body).toMatchObject({
      userName,
      externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
      active: true,
      name: { formatted: 'givenName familyName', familyName: 'familyName', givenName: 'givenName' },
      emails: [{ type: 'work', value: userName, primary: true }],
      meta: { resourceType: 'User' },
    });
    const { id } = answer.body;
    expect((await entra.call('GET', `/Users/${id}`)).body).toEqual(answer.body);
    for (const filter of [
      `userName eq "${userName.toUpperCase()}"`,
      `emails[type eq "work"].value eq "${userName}"`,
    ])
      expect((await entra.find(filter)).body.Resources).toEqual([answer.body]);
    expect(await members()).toContainEqual(
      expect.objectContaining({ user_id: id, email: userName, role: 'viewer', role_mapped: true }),
    );
    expect((await entra.call('POST', '/Users', newUser(userName))).body).toMatchObject({
      status: '409',
      scimType: 'uniqueness',
    });
  });

  it('change by several values of a patch', async () => {
    const { id } = await created();
    const updated = name();
    const answer = await patch(`/Users/${id}`, [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: updated },
      { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
    ]);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      emails: [{ value: updated }],
      name: { givenName: 'givenName', familyName: 'updatedFamilyName' },
    });
  });

  it('change by a patch without a path', async () => {
    const { id } = await created();
    const answer = await patch(`/Users/${id}`, [
      {
        op: 'Add',
        value: {
          'name.givenName': 'Ada',
          displayName: 'Ada L.',
          'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department': 'Engines',
        },
      },
    ]);
    expect(answer.body).toMatchObject({ name: { givenName: 'Ada' }, displayName: 'Ada L.' });
  });

  it('change by a patch of the flag aadOptscim062020', async () => {
    const { id } = await created();
    const address = name();
    const answer = await entra.call('PATCH', `/Users/${id}?aadOptscim062020`, {
      schemas: [PATCH],
      Operations: [
        {
          op: 'replace',
          value: {
            displayName: 'Bjfe',
            'emails[type eq "work"].value': address,
            'name.familyName': 'Fe',
            'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:employeeNumber': '7',
          },
        },
        {
          op: 'Add',
          path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
          value: 'Engines',
        },
        { op: 'Add', path: 'roles[primary eq "True"].value', value: 'admin' },
        { op: 'Add', path: 'emails[type eq "other"].value', value: 'other@x.example' },
      ],
    });
    expect(answer.body).toMatchObject({
      ...{ displayName: 'Bjfe', name: { familyName: 'Fe' }, emails: [{ value: address }] },
    });
  });

  it('get another userName', async () => {
    const { id } = await created();
    const userName = name();
    const answer = await patch(`/Users/${id}`, [{ op: 'Replace', path: 'userName', value: userName }]);
    expect(answer.body.userName).toBe(userName);
  });

  it.each([false, 'False'])('are disabled by %j, and enabled again', async (value) => {
    const { id } = await created();
    const off = await patch(`/Users/${id}`, [{ op: 'Replace', path: 'active', value }]);
    expect([off.status, off.body.active]).toEqual([200, false]);
    expect(await members()).toContainEqual(expect.objectContaining({ user_id: id, suspended: true }));
    const on = await patch(`/Users/${id}`, [{ op: 'Replace', path: 'active', value: 'True' }]);
    expect(on.body.active).toBe(true);
    expect((await members()).find(({ user_id }) => user_id === id)).not.toHaveProperty('suspended');
  });

  it('are deleted', async () => {
    const { id } = await created();
    expect((await entra.call('DELETE', `/Users/${id}`)).status).toBe(204);
    const gone = await entra.call('GET', `/Users/${id}`);
    expect(gone.body).toMatchObject({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '404',
    });
    expect((await members()).map(({ user_id }) => user_id)).toEqual([org.owner.id]);
  });
});

describe('groups of Entra ID', () => {
  const newGroup = async (displayName = 'displayName') => {
    const answer = await entra.call('POST', '/Groups', {
      schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName,
      meta: { resourceType: 'Group' },
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ displayName, members: [] });
    return answer.body.id as string;
  };
  const membersOf = async (id: string) =>
    ((await entra.call('GET', `/Groups/${id}`)).body.members as { value: string }[]).map(
      ({ value }) => value,
    );

  it('are created, found without members, and renamed', async () => {
    const id = await newGroup();
    const read = await entra.call('GET', `/Groups/${id}?excludedAttributes=members`);
    expect(read.body.displayName).toBe('displayName');
    expect(read.body).not.toHaveProperty('members');
    const query = `excludedAttributes=members&filter=${encodeURIComponent('displayName eq "displayName"')}`;
    const found = await entra.call('GET', `/Groups?${query}`);
    expect(found.body).toMatchObject({ totalResults: 1, Resources: [{ id }] });
    const renamed = await patch(`/Groups/${id}`, [
      { op: 'Replace', path: 'displayName', value: '1879db59-3bdf-4490-ad68-ab880a269474updatedDisplayName' },
    ]);
    expect(renamed.status).toBe(204);
    expect((await entra.call('GET', `/Groups/${id}`)).body.displayName).toContain('updatedDisplayName');
  });

  it('get and lose members', async () => {
    const id = await newGroup();
    const [one, two] = [(await created()).id, (await created()).id];
    expect(
      (await patch(`/Groups/${id}`, [{ op: 'Add', path: 'members', value: [{ $ref: null, value: one }] }]))
        .status,
    ).toBe(204);
    await patch(`/Groups/${id}`, [{ op: 'add', path: 'members', value: [{ value: two }] }]);
    expect((await membersOf(id)).toSorted()).toEqual([one, two].toSorted());
    expect((await entra.call('GET', `/Users/${one}`)).body.groups).toMatchObject([{ value: id }]);
    // Both forms are sent, by applications of different age.
    await patch(`/Groups/${id}`, [{ op: 'Remove', path: 'members', value: [{ $ref: null, value: one }] }]);
    await patch(`/Groups/${id}`, [{ op: 'Remove', path: `members[value eq "${two}"]` }]);
    expect(await membersOf(id)).toEqual([]);
    expect((await entra.call('DELETE', `/Groups/${id}`)).status).toBe(204);
    expect((await entra.call('GET', `/Groups/${id}`)).status).toBe(404);
  });
});
