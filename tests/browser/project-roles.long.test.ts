import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  addMember,
  addProject,
  createOrg,
  createScan,
  createUser,
  must,
  push,
  type TestOrg,
  type TestUser,
} from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { age, heading } from './support/login.ts';
import { describePages } from './support/site.ts';

describePages('project roles', (site) => {
  let shop: TestOrg;
  let other: TestOrg;
  /** A finding and a scan in each of the projects. */
  let own: { finding: string; scan: string };
  let hidden: { finding: string };

  beforeAll(async () => {
    shop = await createOrg(site.api);
    other = await addProject(site.api, shop, 'Other project');
    const scan = await createScan(site.api, shop);
    own = {
      scan,
      finding: (await push(site.api, shop, scan, { title: 'In the shop', severity: 'high' })).id,
    };
    const scanOfOther = await createScan(site.api, other);
    hidden = {
      finding: (await push(site.api, other, scanOfOther, { title: 'Elsewhere', severity: 'high' })).id,
    };
  });

  async function openMembers(org = shop): Promise<Page> {
    const page = await site.open(org, '/members');
    await heading(page, 'Members');
    return page;
  }

  async function openAccess(page: Page, name: string) {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('menuitem', { name: 'Project access…' }).click();
    const dialog = page.getByRole('dialog', { name: `Project access of ${name}` });
    await dialog.getByRole('radio', { name: 'Only assigned projects' }).waitFor();
    return dialog;
  }

  /** A member with the access `assigned`, and a role in projects. */
  async function limited(
    role: string,
    roles: Record<string, string>,
    name?: string,
    org = shop,
  ): Promise<TestUser> {
    const member = await addMember(site.api, org, role, name);
    for (const [project, given] of Object.entries(roles)) {
      const path = `/projects/${project}/members/${member.id}`;
      must(await site.api.put(path, { ...org.asOwner, body: { role: given } }));
    }
    const body = { project_access: 'assigned' };
    must(await site.api.patch(`/members/${member.id}`, { ...org.asOwner, body }));
    return member;
  }

  const namesOf = async (user: TestUser, { slug } = shop): Promise<string[]> => {
    const projects = must(await site.api.get('/projects', { cookie: user.cookie, org: slug }));
    return projects.map(({ name }: { name: string }) => name);
  };

  it('are assigned in a dialog that limits the access, and widens it again', async () => {
    const member = await addMember(site.api, shop, 'member', 'Lina Limited');
    const page = await openMembers();
    const row = page.getByRole('row', { name: 'Lina Limited' });
    const dialog = await openAccess(page, 'Lina Limited');
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await dialog.getByRole('radio', { name: 'Only assigned projects' }).check();
    await dialog.getByText('No project is assigned').waitFor();
    await dialog.getByLabel('Role in Web shop').selectOption('Viewer');
    await dialog.getByText('1 project is assigned').waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectAccessible(page);
    const { width = 0 } = (await dialog.boundingBox()) ?? {};
    expect(width).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1280, height: 800 });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The project access of Lina Limited was changed.').waitFor();
    await row.getByText('Assigned projects', { exact: true }).waitFor();
    expect(await namesOf(member)).toEqual(['Web shop']);

    // One request changes the access and all roles.
    const sent: unknown[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() !== 'GET') sent.push([request.method(), pathname, request.postDataJSON()]);
    });
    const again = await openAccess(page, 'Lina Limited');
    expect(await again.getByLabel('Role in Web shop').inputValue()).toBe('viewer');
    await again.getByLabel('Role in Web shop').selectOption('None');
    await again.getByLabel('Role in Other project').selectOption('Member');
    await again.getByRole('button', { name: 'Save' }).click();
    await again.waitFor({ state: 'hidden' });
    const projects = [{ project_id: other.projectId, role: 'member' }];
    expect(sent).toEqual([['PATCH', `/api/v1/members/${member.id}`, { projects }]]);
    expect(await namesOf(member)).toEqual(['Other project']);

    // An assignment by somebody else, while the dialog is open, stays.
    const stale = await openAccess(page, 'Lina Limited');
    const path = `/projects/${shop.projectId}/members/${member.id}`;
    must(await site.api.put(path, { ...shop.asOwner, body: { role: 'viewer' } }));
    await stale.getByLabel('Role in Other project').selectOption('Viewer');
    await stale.getByRole('button', { name: 'Save' }).click();
    await stale.waitFor({ state: 'hidden' });
    expect(await namesOf(member)).toEqual(['Other project', 'Web shop']);

    const last = await openAccess(page, 'Lina Limited');
    await last.getByRole('radio', { name: 'All projects' }).check();
    await last.getByRole('button', { name: 'Save' }).click();
    await row.getByText('Assigned projects', { exact: true }).waitFor({ state: 'hidden' });
    expect(await namesOf(member)).toEqual(['Other project', 'Web shop']);
  });

  it('ask for a step-up where the access of an admin changes', async () => {
    const org = await createOrg(site.api);
    await addMember(site.api, org, 'admin', 'Adam Admin');
    const page = await openMembers(org);
    await age(site, org.owner);
    const dialog = await openAccess(page, 'Adam Admin');
    await dialog.getByRole('radio', { name: 'Only assigned projects' }).check();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Confirm your identity' }).waitFor();
  });

  it('are not offered for owners', async () => {
    const page = await openMembers();
    await page.getByRole('button', { name: 'Actions for Ada Lovelace' }).click();
    await page.getByRole('menuitem', { name: 'Change role' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Project access…' }).count()).toBe(0);
  });

  it('are chosen with an invitation', async () => {
    const user = await createUser(site.api, 'Ina Invited');
    const page = await openMembers();
    await page.getByRole('button', { name: 'Invite' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite a member' });
    await dialog.getByLabel('E-mail').fill(user.email);
    await dialog.getByRole('radio', { name: 'Only assigned projects' }).check();
    await dialog.getByLabel('Role in Web shop').selectOption('Member');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByText(`${user.email} is now a member`).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page
      .getByRole('row', { name: user.email })
      .getByText('Assigned projects', { exact: true })
      .waitFor();
    expect(await namesOf(user)).toEqual(['Web shop']);
  });

  it('let a limited member see one project, on pages that load without a refusal', async () => {
    const { cookie } = await limited('member', { [shop.projectId]: 'viewer' });
    const page = await site.open(shop, '/', { cookie });
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`);
    });
    const { slug } = must(await site.api.get(`/projects/${shop.projectId}`, { ...shop.asOwner }));
    const pages = {
      '/': 'Dashboard',
      '/findings': 'Findings',
      [`/findings/${own.finding}`]: 'In the shop',
      '/scans': 'Scans',
      '/projects': 'Projects',
      [`/projects/${slug}`]: 'Web shop',
      '/metrics': 'Metrics',
      '/members': 'Members',
      '/activity': 'Activity',
      '/settings': 'Settings',
    };
    for (const [path, name] of Object.entries(pages)) {
      await page.goto(site.orgUrl(shop.slug, path));
      await heading(page, name);
      await page.waitForLoadState('networkidle');
      expect(await page.getByText('Elsewhere').count(), path).toBe(0);
      expect(await page.getByText('Other project').count(), path).toBe(0);
      expect(await page.getByRole('button', { name: /^(New project|Invite|New rule)$/ }).count(), path).toBe(
        0,
      );
    }
    await page.goto(site.orgUrl(shop.slug, `/scans/${own.scan}`));
    await page.getByText('In the shop').first().waitFor();
    expect(refused).toEqual([]);
    const nav = page.getByRole('navigation', { name: 'Pages of the organization' });
    expect(await nav.getByRole('link').allInnerTexts()).toEqual([
      ...['Dashboard', 'Findings', 'Scans', 'Projects', 'Metrics', 'Members'],
    ]);

    // Pages about the organization say so.
    for (const path of ['/rules', '/tokens', '/audit']) {
      await page.goto(site.orgUrl(shop.slug, path));
      await page.getByText('Your access is limited to assigned projects.').waitFor();
    }
    expect(refused).toEqual([]);
    // The project of others is as if it did not exist.
    await page.goto(site.orgUrl(shop.slug, `/findings/${hidden.finding}`));
    await heading(page, 'Finding not found');
  });

  it('of a viewer offer no changes', async () => {
    const { cookie } = await limited('member', { [shop.projectId]: 'viewer' });
    const page = await site.open(shop, `/findings/${own.finding}`, { cookie });
    await page.getByText('Your role in this project is viewer').waitFor();
    for (const name of ['Assign to me', 'Comment', 'Confirmed'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0);
    await expectAccessible(page);
    await page.goto(site.orgUrl(shop.slug, '/findings'));
    await page.getByRole('grid', { name: 'Findings' }).getByRole('link', { name: 'In the shop' }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    const { slug } = must(await site.api.get(`/projects/${shop.projectId}`, { ...shop.asOwner }));
    await page.goto(site.orgUrl(shop.slug, `/projects/${slug}`));
    await heading(page, 'Web shop');
    await page.waitForLoadState('networkidle');
    expect(await page.getByText('Upload reports').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Settings' }).count()).toBe(0);
  });

  it('differ by project: only findings of projects with the role can be chosen', async () => {
    const roles = { [shop.projectId]: 'member', [other.projectId]: 'viewer' };
    const { cookie } = await limited('member', roles);
    const page = await site.open(shop, '/findings', { cookie });
    const grid = page.getByRole('grid', { name: 'Findings' });
    const changeable = grid.getByRole('row', { name: 'In the shop' });
    await changeable.getByRole('checkbox').waitFor();
    const row = grid.getByRole('row', { name: 'Elsewhere' });
    await row.waitFor();
    expect(await row.getByRole('checkbox').count()).toBe(0);
    await expectAccessible(page);
    await grid.getByRole('checkbox', { name: 'Select visible findings' }).check();
    await page.getByRole('region', { name: 'Selected findings' }).getByText('1 selected').waitFor();
  });

  it('decide whether the selected findings can be deleted', async () => {
    const roles = { [shop.projectId]: 'admin', [other.projectId]: 'member' };
    const { cookie } = await limited('admin', roles);
    const page = await site.open(shop, '/findings', { cookie });
    const grid = page.getByRole('grid', { name: 'Findings' });
    const bar = page.getByRole('region', { name: 'Selected findings' });
    const ask = bar.getByRole('button', { name: 'Delete…' });
    await grid.getByRole('row', { name: 'In the shop' }).getByRole('checkbox').check();
    await ask.waitFor();
    await grid.getByRole('row', { name: 'Elsewhere' }).getByRole('checkbox').check();
    await bar.getByText('2 selected').waitFor();
    expect(await ask.count()).toBe(0);
  });

  it('say why the findings of a group cannot be changed', async () => {
    const roles = { [shop.projectId]: 'member', [other.projectId]: 'viewer' };
    const { cookie } = await limited('member', roles);
    const page = await site.open(shop, '/findings?group_by=rule', { cookie });
    await page.getByRole('button', { name: 'Triage 1: Elsewhere' }).click();
    await page.getByText('Your role in the projects of these findings does not allow changes.').waitFor();
    await page.getByRole('button', { name: 'Triage 1: In the shop' }).click();
    await page.getByRole('dialog', { name: 'In the shop' }).waitFor();
  });

  async function openPeople(org: TestOrg, cookie = org.owner.cookie) {
    const { slug } = must(await site.api.get(`/projects/${org.projectId}`, org.asOwner));
    const page = await site.open(org, `/projects/${slug}`, { cookie });
    const people = page.getByRole('region', { name: 'People' });
    await people.getByRole('button', { name: 'Assign a member' }).waitFor();
    return { page, people };
  }

  it('are given, changed and taken on the page of the project', async () => {
    const org = await createOrg(site.api);
    const pia = await limited('member', {}, 'Pia People', org);
    const { page, people } = await openPeople(org);
    await people.getByText('Nobody is assigned to this project').waitFor();
    await people.getByRole('link', { name: 'Members' }).waitFor();
    const assign = people.getByRole('button', { name: 'Assign a member' });
    await assign.click();
    const dialog = page.getByRole('dialog', { name: 'Assign a member' });
    await dialog.getByRole('combobox', { name: 'Member' }).fill('Pia');
    await page.keyboard.press('Enter');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Assign', exact: true }).click();
    const row = people.getByRole('row', { name: 'Pia People' });
    const role = row.getByRole('combobox', { name: 'Role of Pia People' });
    await role.waitFor();
    expect(await role.inputValue()).toBe('viewer');
    await assign.and(page.locator(':focus')).waitFor();
    expect(await namesOf(pia, org)).toEqual(['Web shop']);
    // Nobody is left to assign.
    await assign.click();
    await dialog.getByText('You see no other member').waitFor();
    await page.keyboard.press('Escape');

    const stored = async () => must(await site.api.get(`/projects/${org.projectId}/members`, org.asOwner));
    await role.selectOption('Admin');
    await page.getByText('Pia People was assigned to this project as “Admin”.').waitFor();
    await row.getByText('The organization role (Member) is the maximum.').waitFor();
    expect(await stored()).toMatchObject([{ user_id: pia.id, role: 'admin' }]);
    await expectAccessible(page);

    await role.selectOption('Viewer');
    const lower = page.getByRole('dialog', { name: 'Lower the role of Pia People to “Viewer”?' });
    await lower.getByText('API tokens of this member').waitFor();
    await lower.getByRole('button', { name: 'Cancel' }).click();
    expect(await role.inputValue()).toBe('admin');
    await role.selectOption('Viewer');
    await lower.getByRole('button', { name: 'Change role' }).click();
    await expect.poll(stored).toMatchObject([{ user_id: pia.id, role: 'viewer' }]);

    await row.getByRole('button', { name: 'Remove Pia People' }).click();
    const remove = page.getByRole('dialog', { name: 'Remove Pia People from this project?' });
    await remove.getByRole('button', { name: 'Remove' }).click();
    await people.getByText('Nobody is assigned to this project').waitFor();
    await assign.and(page.locator(':focus')).waitFor();
    expect(await stored()).toEqual([]);
  });

  it('warn an admin of a project who gives up the own role', async () => {
    const org = await createOrg(site.api);
    const { cookie } = await limited('admin', { [org.projectId]: 'admin' }, 'Oda Own', org);
    const { page, people } = await openPeople(org, cookie);
    await people.getByRole('button', { name: 'Remove Oda Own' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove Oda Own from this project?' });
    await dialog.getByText('This is your own access. You cannot undo this change yourself.').waitFor();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await heading(page, 'Projects');
    await page.getByText('Your access is limited to assigned projects.').waitFor();
  });
});
