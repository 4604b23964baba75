import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { describePages } from './support/site.ts';

const FIX = 'Bind the values as parameters.';

describePages('the preview of a finding', (site) => {
  let org: TestOrg;
  let ids: string[];

  beforeEach(async () => {
    org = await createOrg(site.api);
    const scan = await createScan(site.api, org);
    ids = [];
    // The list shows the newest first: Preview 1 is the first one.
    for (const n of [5, 4, 3, 2, 1]) {
      const description = `SQL is put together from **text ${n}**.\n\n## How to fix\n\n${FIX}\n`;
      const body = { title: `Preview ${n}`, file: `src/search-${n}.ts`, line: 44, description };
      ids[n] = (await push(site.api, org, scan, body)).id;
    }
  });

  async function open(query = '', { cookie = org.owner.cookie, width = 1440, height = 900 } = {}) {
    const page = await site.open(org, `/findings?sort=-created_at${query}`, {
      cookie,
      viewport: { width, height },
    });
    await row(page, 1).waitFor();
    return page;
  }
  const row = (page: Page, n: number) =>
    page
      .getByRole('grid', { name: 'Findings' })
      .getByRole('row')
      .filter({ hasText: `Preview ${n}` });
  const panel = (page: Page) => page.getByRole('complementary', { name: 'Preview' });
  const shows = (page: Page, n: number) =>
    panel(page)
      .getByRole('heading', { level: 2, name: `Preview ${n}` })
      .waitFor();
  const isClosed = (page: Page) => panel(page).waitFor({ state: 'detached' });
  const previewed = (page: Page) => new URL(page.url()).searchParams.get('preview');
  const hasFocus = (page: Page, n: number) =>
    expect
      .poll(() => page.evaluate<string>("document.activeElement.closest('[data-index]')?.textContent ?? ''"))
      .toContain(`Preview ${n}`);

  it('follows the keys, closes with Space and Escape, and leaves the focus in the list', async () => {
    const page = await open();
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await shows(page, 1);
    await panel(page).getByText(FIX).waitFor();
    await panel(page).getByText('text 1').waitFor();
    await panel(page).getByRole('group', { name: 'Set the status' }).waitFor();
    expect(previewed(page)).toBe(ids[1]);
    await hasFocus(page, 1);
    await expectAccessible(page);

    await page.keyboard.press('j');
    await shows(page, 2);
    await hasFocus(page, 2);
    await page.keyboard.press('ArrowUp');
    await shows(page, 1);
    await page.keyboard.press('Space');
    await isClosed(page);
    expect(previewed(page)).toBeNull();
    await hasFocus(page, 1);

    // Escape closes the preview first, and then clears the selection.
    await page.keyboard.press('x');
    await page.keyboard.press('Space');
    await shows(page, 1);
    await page.keyboard.press('Escape');
    await isClosed(page);
    await page.getByText('1 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('1 selected').waitFor({ state: 'detached' });
    await page.keyboard.press('Shift+Space');
    await page.getByText('1 selected').waitFor();
    expect(await panel(page).count()).toBe(0);
  });

  it('reads only the finding on which the user rests', async () => {
    const page = await open();
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await shows(page, 1);
    await panel(page).getByText(FIX).waitFor();
    const read: string[] = [];
    page.on('request', (request) => {
      const id = /\/findings\/([0-9a-f-]{36})$/.exec(new URL(request.url()).pathname)?.[1];
      if (id) read.push(id);
    });
    // No timer runs between these keys.
    await page.evaluate(`(async () => {
      for (let i = 0; i < 4; i++) {
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', code: 'KeyJ', bubbles: true }));
        for (let turn = 0; turn < 20; turn++) await null;
      }
    })()`);
    await shows(page, 5);
    await panel(page).getByText('text 5').waitFor();
    expect(read).toEqual([ids[5]]);
  });

  it('moves on to the next finding after triage, whose keys and buttons act on the shown one', async () => {
    const page = await open('&status=open');
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await shows(page, 1);
    await page.keyboard.press('f');
    await shows(page, 2);
    await panel(page).getByRole('button', { name: 'Confirmed' }).click();
    await shows(page, 3);
    await page.keyboard.press('a');
    await panel(page).getByRole('button', { name: 'Unassign me' }).waitFor();
    await page.keyboard.press('e');
    await page.getByRole('dialog', { name: 'Triage “Preview 3”' }).waitFor();
    await page.keyboard.press('Escape');
    const all: { title: string; status: string; assignee_id?: string }[] = must(
      await site.api.get('/findings', org.asOwner),
    );
    const byTitle = new Map(all.map((one) => [one.title, one]));
    expect(byTitle.get('Preview 1')?.status).toBe('fixed');
    expect(byTitle.get('Preview 2')?.status).toBe('confirmed');
    expect(byTitle.get('Preview 3')).toMatchObject({ status: 'open', assignee_id: org.owner.id });
  });

  it('opens with a click on a row, not with one on its link, its checkbox or selected text', async () => {
    const page = await open();
    const file = row(page, 2).getByText('src/search-2.ts');
    await file.click();
    await shows(page, 2);
    await row(page, 3).getByText('src/search-3.ts').click();
    await shows(page, 3);
    await panel(page).getByRole('button', { name: 'Close the preview' }).click();
    await isClosed(page);
    await hasFocus(page, 3);

    await row(page, 2).getByRole('checkbox').click();
    await page.getByText('1 selected').waitFor();
    const box = await file.boundingBox();
    if (!box) throw new Error('the file is not visible');
    await page.mouse.move(box.x + 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 60, box.y + box.height / 2, { steps: 4 });
    await page.mouse.up();
    expect(await page.evaluate('getSelection().toString()')).not.toBe('');
    expect(await panel(page).count()).toBe(0);

    await row(page, 4).getByRole('link', { name: 'Preview 4' }).click();
    await page.getByRole('heading', { level: 1, name: 'Preview 4' }).waitFor();
  });

  it('closes with Back, opens with its address, and Enter opens the page', async () => {
    const page = await open();
    await row(page, 2).getByText('src/search-2.ts').click();
    await shows(page, 2);
    await page.keyboard.press('j');
    await shows(page, 3);
    await page.goBack();
    await isClosed(page);
    expect(new URL(page.url()).pathname).toContain('/findings');
    await page.goForward();
    await shows(page, 3);

    await page.reload();
    await shows(page, 3);
    await hasFocus(page, 3);
    await page.keyboard.press('j');
    await shows(page, 4);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Preview 4' }).waitFor();
    await page.goBack();
    await shows(page, 4);
    await panel(page).getByRole('link', { name: 'Preview 4' }).click();
    await page.getByRole('heading', { level: 1, name: 'Preview 4' }).waitFor();
    await page.getByText('4 of 5').waitFor();
  });

  it('stays open in another order, and with a filter that the finding matches', async () => {
    const page = await open();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await shows(page, 2);
    await page.getByLabel('Sort order').focus();
    await page.getByLabel('Sort order').selectOption({ label: 'Oldest first' });
    await row(page, 5).and(page.locator('[aria-rowindex="2"]')).waitFor();
    await shows(page, 2);
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('SELECT');

    // The list continues at the previewed finding, which is the last but one now.
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('j');
    await shows(page, 1);
    await page.keyboard.press('k');
    await shows(page, 2);

    await page.getByRole('search').getByRole('button', { name: 'Severity' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'High' }).click();
    await page.keyboard.press('Escape');
    await shows(page, 2);
    expect(previewed(page)).toBe(ids[2]);

    await page.getByLabel('Search or filter findings').fill('Preview 4');
    await isClosed(page);
    await expect.poll(() => previewed(page)).toBeNull();
  });

  it('tells that a finding does not exist', async () => {
    const page = await open('&preview=0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07');
    await panel(page).getByText('Not found').waitFor();
    await page.keyboard.press('Escape');
    await isClosed(page);
  });

  it('covers a part of the list in a narrow window, and is left out on phones', async () => {
    const page = await open('', { width: 1000 });
    await row(page, 1).getByText('src/search-1.ts').click();
    await shows(page, 1);
    const grid = page.getByRole('grid', { name: 'Findings' });
    const [list, drawer] = [await grid.boundingBox(), await panel(page).boundingBox()];
    expect((drawer?.x ?? 0) + (drawer?.width ?? 0)).toBeCloseTo((list?.x ?? 0) + (list?.width ?? 0), -1);
    expect(drawer?.x).toBeGreaterThan((list?.x ?? 0) + 200);
    await expectAccessible(page);

    const phone = await open('', { width: 360, height: 740 });
    await row(phone, 2).getByText('Web shop').click();
    await phone.getByRole('heading', { level: 1, name: 'Preview 2' }).waitFor();
  });

  it('shows viewers everything but triage', async () => {
    const viewer = await addMember(site.api, org, 'viewer');
    const page = await open('', { cookie: viewer.cookie });
    const grid = page.getByRole('grid', { name: 'Findings' });
    expect(await grid.getByRole('checkbox').count()).toBe(0);
    expect(await grid.getByRole('button', { name: /Status:/ }).count()).toBe(0);
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await shows(page, 1);
    await panel(page).getByText('Your role is viewer.').waitFor();
    expect(
      await panel(page)
        .getByRole('button', { name: /Confirmed|Assign|Edit/ })
        .count(),
    ).toBe(0);
    await page.keyboard.press('Shift+Space');
    for (const key of ['f', 'a', 'e', 'x']) await page.keyboard.press(key);
    await page.keyboard.press('j');
    await shows(page, 2);
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(must(await site.api.get('/findings?status=open&assignee=none', org.asOwner))).toHaveLength(5);
  });
});
