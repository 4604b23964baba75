import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  addMember,
  createOrg,
  createScan,
  createUser,
  must,
  push,
  type TestOrg,
} from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages } from './support/site.ts';

describePages('mentions of members', (site) => {
  let org: TestOrg;
  const users: Record<string, { id: string; cookie: string; email: string }> = {};

  beforeAll(async () => {
    org = await createOrg(site.api);
    for (const name of ['Grace Hopper', 'Grace <b>Kelly</b>']) {
      const user = await addMember(site.api, org, 'member', name);
      // Using the organization accepts the invitation, which makes the name known.
      must(await site.api.get('/members', user.as));
      users[name] = user;
    }
  });

  async function open(path: string, cookie = org.owner.cookie): Promise<Page> {
    const page = await site.open(org, path, { cookie });
    await page.getByRole('heading', { level: 1 }).waitFor();
    return page;
  }
  const pushNew = async (title: string) =>
    (await push(site.api, org, await createScan(site.api, org), { title })).id;

  it('suggests members after @, and highlights those that were mentioned', async () => {
    const id = await pushNew('Open redirect');
    const notes = async () =>
      must(await site.api.get(`/findings/${id}/activity`, org.asOwner)).flatMap(
        ({ note }: { note?: string }) => note ?? [],
      );
    const page = await open(`/findings/${id}`);
    const field = page.getByRole('textbox', { name: 'Comment' });
    const members = page.getByRole('listbox', { name: 'Members' });
    await field.focus();
    await page.keyboard.type('Ask @grace');
    await members.getByRole('option').nth(1).waitFor();
    await page.getByRole('status').filter({ hasText: '2 members to mention' }).waitFor();
    const selected = async () =>
      (await members.getByRole('option', { selected: true }).innerText()).split('\n')[0];
    const first = await selected();
    await page.keyboard.press('ArrowDown');
    expect(await selected()).not.toBe(first);
    await page.keyboard.press('ArrowUp');
    expect(await selected()).toBe(first);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await members.waitFor({ state: 'hidden' });
    expect(await field.inputValue()).toBe('Ask @grace');
    await field.and(page.locator(':focus')).waitFor();

    await page.keyboard.type(' hop');
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('Ask @Grace Hopper ');
    await page.keyboard.type('or @kel');
    await members.getByRole('option', { name: 'Grace <b>Kelly</b>' }).click();
    await page.keyboard.type('about ada@example.com');
    await page.keyboard.press('Enter');
    await page.keyboard.type('`@Grace Hopper`');
    await page.keyboard.press('Control+Enter');
    const comment = page.getByRole('list', { name: 'Activity, newest first' }).getByRole('listitem').first();
    await comment.locator('bdi', { hasText: '@Grace Hopper' }).waitFor();
    await comment.locator('bdi', { hasText: '@Grace <b>Kelly</b>' }).waitFor();
    expect(await comment.getByRole('link', { name: 'Grace' }).count()).toBe(0);
    expect(await notes()).toEqual([
      `Ask @[Grace Hopper](${users['Grace Hopper']?.id}) or @[Grace <b>Kelly</b>](${users['Grace <b>Kelly</b>']?.id}) about ada@example.com\n\`@Grace Hopper\``,
    ]);
    await expectAccessible(page);

    // The editor shows names, and keeps whom they mean.
    await comment.getByRole('button', { name: 'Edit comment' }).click();
    const edited = page.getByRole('textbox', { name: 'Edit comment' });
    expect(await edited.inputValue()).toContain('Ask @Grace Hopper or @Grace <b>Kelly</b> about');
    await edited.fill('Only @Grace Hopper');
    await page.getByRole('button', { name: 'Save' }).click();
    await comment.locator('bdi', { hasText: '@Grace Hopper' }).waitFor();
    expect(await notes()).toEqual([`Only @[Grace Hopper](${users['Grace Hopper']?.id})`]);
  });

  it('leads mentioned members to the finding', async () => {
    const grace = users['Grace Hopper'];
    const id = await pushNew('Path traversal');
    const body = `Is this fixed, @[Grace](${grace?.id})?`;
    must(await site.api.post(`/findings/${id}/comments`, { ...org.asOwner, body: { body } }));
    const page = await open('/findings', grace?.cookie);
    const tab = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Mentions me' });
    await expect.poll(() => tab.innerText()).toMatch(/[1-9]$/);
    await tab.click();
    await page.getByRole('link', { name: 'Path traversal' }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('mentions')).toBe('me');
    const others = await open('/findings?mentions=me', org.owner.cookie);
    await others.getByText('No findings in this view').first().waitFor();
  });

  it('shows no mention where a text imitates one', async () => {
    const id = await pushNew('Imitated mention');
    const { id: stranger } = await createUser(site.api, 'A stranger');
    const body = `@[Somebody](${stranger}) <mark>@Root</mark>`;
    must(await site.api.post(`/findings/${id}/comments`, { ...org.asOwner, body: { body } }));
    const page = await open(`/findings/${id}`);
    const comment = page.getByRole('list', { name: 'Activity, newest first' }).getByRole('listitem').first();
    await comment.getByText('@Somebody <mark>@Root</mark>').waitFor();
    expect(await comment.locator('mark').count()).toBe(0);
  });
});
