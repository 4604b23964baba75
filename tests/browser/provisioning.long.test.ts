import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { addMember, createOrg, must, type TestOrg, type TestUser } from '../support/api/client.ts';
import { PATCH } from '../support/scim/provider.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages } from './support/site.ts';

describePages('provisioning', (site) => {
  let org: TestOrg;
  let member: TestUser;

  beforeAll(async () => {
    org = await createOrg(site.api);
    member = await addMember(site.api, org, 'viewer', 'Grace Hopper');
  });

  /** Sends a request of an identity provider. */
  async function send(token: string, method: string, path: string, body?: object) {
    const answer = await fetch(`${site.url}/scim/v2${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
      body: body ? JSON.stringify(body) : null,
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  const addGroup = async (token: string, displayName: string, members: { value: string }[]) => {
    const answer = await send(token, 'POST', '/Groups', { displayName, members });
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  };

  const cardOf = (page: Page) => page.getByRole('region', { name: 'Provisioning (SCIM)' });

  /** Reads the token in the dialog that shows it once, and closes the dialog. */
  async function takeToken(page: Page): Promise<string> {
    const dialog = page.getByRole('dialog', { name: 'New SCIM token' });
    const token = await dialog.getByText(/^scim_[0-9a-f]{32}$/).innerText();
    await dialog.getByRole('button', { name: 'Copy token' }).waitFor();
    await expectAccessible(page);
    await dialog.getByLabel('I have stored the token').check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'hidden' });
    return token;
  }

  const confirm = (page: Page, question: string, answer: string) =>
    page.getByRole('dialog', { name: question }).getByRole('button', { name: answer }).click();

  it('is set up, shows the groups with their roles, and is ended', async () => {
    const page = await site.open(org, '/settings');
    const card = cardOf(page);
    await card.getByText('No token: the identity provider cannot change members.').waitFor();
    await card.getByText(/\/scim\/v2$/).waitFor();
    await card.getByRole('button', { name: 'Copy base URL' }).waitFor();
    expect(await card.getByText('Groups received').count()).toBe(0);
    await card.getByRole('button', { name: 'Create token' }).click();
    const first = await takeToken(page);
    await card.getByText(`${first.slice(0, 13)}…`).waitFor();
    await card.getByText(/^Created .* by Ada Lovelace$/).waitFor();
    await card.getByText('Not used yet').waitFor();
    await card.getByText('None yet. Assign or push groups at the identity provider.').waitFor();

    await addGroup(first, 'Security', [{ value: member.id }]);
    await addGroup(first, 'Büro <b>Süd</b>', []);
    const body = {
      ...{ name: 'Login', issuer: 'https://login.example', client_id: 'x' },
      // Names are compared exactly.
      role_mapping: [
        { group: 'Security', role: 'member' },
        { group: 'büro <b>süd</b>', role: 'admin' },
      ],
    };
    must(await site.api.post('/settings/connections', { ...org.asOwner, body }));
    await page.reload();
    await card.getByText(/^Last used /).waitFor();
    const table = card.getByRole('table', { name: 'Groups received' });
    await table.getByRole('row', { name: 'Security 1 Member' }).waitFor();
    await table.getByRole('row', { name: 'Büro <b>Süd</b> 0 No role: not mapped' }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 780 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);

    await card.getByRole('button', { name: 'Replace token' }).click();
    await page.getByText('Pause provisioning at the identity provider first.').waitFor();
    await expectAccessible(page);
    await confirm(page, 'Replace the token?', 'Replace token');
    const second = await takeToken(page);
    expect((await send(first, 'GET', '/Users')).status).toBe(401);
    expect((await send(second, 'GET', '/Users')).status).toBe(200);

    await card.getByRole('button', { name: 'Remove token' }).click();
    await confirm(page, 'Remove the token?', 'Remove token');
    await card.getByText('No token: the identity provider cannot change members.').waitFor();
    // Groups stay.
    await table.getByRole('row', { name: 'Security 1 Member' }).waitFor();
    expect((await send(second, 'GET', '/Users')).status).toBe(401);
  });

  it('follows a change of the mapping without a reload', async () => {
    const { token } = must(await site.api.post('/settings/scim/token', org.asOwner));
    await addGroup(token, 'Operations', []);
    const page = await site.open(org, '/settings');
    const row = (role: string) => cardOf(page).getByRole('row', { name: `Operations 0 ${role}` });
    await row('No role: not mapped').waitFor();
    await page.getByRole('button', { name: 'Add connection' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add connection' });
    await dialog.getByLabel('Name').fill('Operations login');
    await dialog.getByLabel('Issuer').fill('https://operations.example');
    await dialog.getByLabel('Client ID').fill('x');
    await dialog.getByLabel('Roles by group').fill('Operations = admin');
    await dialog.getByText('Groups received by provisioning count too').waitFor();
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await row('Admin').waitFor();
  });

  it('marks members that it deactivated', async () => {
    const { token } = must(await site.api.post('/settings/scim/token', org.asOwner));
    const operation = { op: 'replace', path: 'active', value: false };
    const body = { schemas: [PATCH], Operations: [operation] };
    const answer = await send(token, 'PATCH', `/Users/${member.id}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const page = await site.open(org, '/members');
    const row = page.getByRole('row', { name: 'Grace Hopper' });
    await row.getByText('Deactivated').hover();
    await page.getByText('The identity provider has taken all access').waitFor();
    await expectAccessible(page);
  });
});
