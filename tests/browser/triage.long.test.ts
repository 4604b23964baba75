import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { heading } from './support/login.ts';
import { describePages } from './support/site.ts';

const DAY_MS = 24 * 60 * 60_000;

describePages('the triage of a finding', (site) => {
  let org: TestOrg;
  let scan: string;
  let colleague: { cookie: string; org: string };

  beforeAll(async () => {
    org = await createOrg(site.api);
    scan = await createScan(site.api, org);
    const user = await addMember(site.api, org, 'member', 'Grace Hopper');
    colleague = user.as;
  });

  const report = async (fields: Record<string, unknown> = {}) =>
    (await push(site.api, org, scan, fields)).id as string;
  const read = async (id: string) => must(await site.api.get(`/findings/${id}`, org.asOwner));
  const change = async (id: string, body: object, as: object = org.asOwner) =>
    must(await site.api.patch(`/findings/${id}`, { ...as, body }));

  async function open(id: string, search = ''): Promise<Page> {
    const page = await site.open(org, `/findings/${id}${search}`);
    await page.getByRole('group', { name: 'Set the status' }).waitFor();
    return page;
  }
  const form = (page: Page) => page.getByRole('dialog', { name: /^Triage/ });
  const timeline = (page: Page) => page.getByRole('list', { name: 'Activity, newest first' });
  const toast = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text });
  const press = async (page: Page, ...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };

  it('takes comments in Markdown, which their author edits and deletes', async () => {
    const id = await report();
    must(await site.api.post(`/findings/${id}/comments`, { ...colleague, body: { body: 'Not mine.' } }));
    const page = await open(id);
    const theirs = timeline(page).getByRole('listitem').filter({ hasText: 'Not mine.' });
    await theirs.waitFor();
    expect(await theirs.getByRole('button').count()).toBe(0);

    await press(page, 'm');
    await page.keyboard.type('Fixed in **2.4**? <img src=x onerror=alert(1)>');
    await press(page, 'Control+Enter');
    const own = timeline(page).getByRole('listitem').filter({ hasText: 'Fixed in 2.4?' });
    await own.getByText('2.4', { exact: true }).waitFor();
    await own.getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await own.locator('img').count()).toBe(0);

    await own.getByRole('button', { name: 'Edit comment' }).click();
    await page.getByRole('textbox', { name: 'Edit comment' }).fill('Fixed in 2.5.');
    await page.getByRole('button', { name: 'Save' }).click();
    const edited = timeline(page).getByRole('listitem').filter({ hasText: 'Fixed in 2.5.' });
    await edited.getByText(', edited').waitFor();
    await expectAccessible(page);

    await edited.getByRole('button', { name: 'Delete comment' }).click();
    const question = page.getByRole('dialog', { name: 'Delete this comment?' });
    await question.getByRole('button', { name: 'Delete comment' }).click();
    await edited.waitFor({ state: 'hidden' });
    const activity = must(await site.api.get(`/findings/${id}/activity`, org.asOwner));
    expect(activity.map(({ note }: { note?: string }) => note).filter(Boolean)).toEqual(['Not mine.']);
  });

  it('asks for a reason by keys alone, and shows the decision with its note in the activity', async () => {
    const id = await report();
    const page = await open(id);
    await press(page, 'p');
    await form(page).waitFor();
    await press(page, 'Control+Enter');
    await form(page).getByText('Choose a reason.').waitFor();
    await expectAccessible(page);
    await press(page, '2');
    await form(page).getByLabel('Note').fill('Only in fixtures.');
    await press(page, 'Control+Enter');
    await toast(page, 'Set to False positive (used in tests)').waitFor();
    const entry = timeline(page).getByRole('listitem').filter({ hasText: 'Only in fixtures.' });
    await entry.getByText('from Open to False positive (used in tests)').waitFor();
    expect(await read(id)).toMatchObject({ status: 'false_positive', reason: 'used_in_tests' });
  });

  it('assigns the finding to oneself with a key, and to another member with a due date', async () => {
    const id = await report();
    const page = await open(id);
    await press(page, 'a');
    await toast(page, 'Assigned to you').waitFor();
    expect((await read(id)).assignee_id).toBe(org.owner.id);

    await press(page, 'e');
    await form(page).getByRole('combobox', { name: 'Assignee' }).click();
    await page.getByRole('option', { name: /^Grace Hopper/ }).click();
    await form(page).getByLabel('Due date').fill('2020-01-31');
    await form(page).getByRole('button', { name: 'Apply' }).click();
    await toast(page, 'Assigned to Grace Hopper, due on Jan 31, 2020').waitFor();
    await page.getByText('Overdue since Jan 31, 2020').waitFor();
    const { status, due_at } = await read(id);
    expect([status, due_at.slice(0, 9)]).toEqual(['open', '2020-01-3']);
  });

  it('accepts a risk until a date in the future, and keeps it when something else is changed', async () => {
    const id = await report();
    const page = await open(id);
    await press(page, 'w');
    await form(page).getByRole('button', { name: 'Risk accepted' }).click();
    await form(page).getByRole('button', { name: '90 days', pressed: true }).waitFor();
    await form(page).getByRole('button', { name: 'A date' }).click();
    const until = form(page).getByLabel('Accept the risk until this date');
    await until.fill('2020-01-31');
    await form(page).getByRole('button', { name: 'Apply' }).click();
    await form(page).getByText('Choose a date in the future.').waitFor();
    const day = new Date(Date.now() + 40 * DAY_MS).toISOString().slice(0, 10);
    await until.fill(day);
    await form(page).getByRole('button', { name: 'Apply' }).click();
    await toast(page, "Set to Won't fix until").waitFor();
    await page.getByText(/^Risk accepted until \w{3} \d/).waitFor();
    const { status, reason, accepted_until } = await read(id);
    expect([status, reason]).toEqual(['wontfix', 'risk_accepted']);
    expect(Math.abs(Date.parse(accepted_until) - Date.parse(day))).toBeLessThan(2 * DAY_MS);

    await press(page, 'e');
    await form(page).getByLabel('Note').fill('Agreed with the owner.');
    await form(page).getByRole('button', { name: 'Apply' }).click();
    await toast(page, 'Note added').waitFor();
    expect((await read(id)).accepted_until).toBe(accepted_until);
  });

  it('says at once that a decision was not saved while the server is down, also for the first one', async () => {
    const id = await report();
    const page = await site.visit({ cookie: org.owner.cookie, own: true, expected: /net::ERR_FAILED/ });
    const ahead = page.waitForEvent('requestfinished', (request) => request.url().includes('/Toasts-'));
    await page.goto(site.orgUrl(org.slug, `/findings/${id}`));
    await page.getByRole('group', { name: 'Set the status' }).waitFor();
    await ahead;
    await intercept(page, '**/*', (route) => route.abort());
    await press(page, 'c');
    await toast(page, 'The server cannot be reached').waitFor();
    await page.getByRole('button', { name: /^Open/, pressed: true }).waitFor();
    await page.unroute('**/*');
    expect((await read(id)).status).toBe('open');
  });

  it('says so as well while the code of messages cannot be loaded', async () => {
    const id = await report();
    const page = await site.visit({ cookie: org.owner.cookie, own: true, expected: /net::ERR_FAILED/ });
    await intercept(page, '**/assets/ui/Toasts-*.js', (route) => route.abort());
    await page.goto(site.orgUrl(org.slug, `/findings/${id}`));
    await page.getByRole('group', { name: 'Set the status' }).waitFor();
    await intercept(page, '**/*', (route) => route.abort());
    await press(page, 'c');
    const message = toast(page, 'The server cannot be reached');
    await message.waitFor();
    await page.unroute('**/*');
    await page.unroute('**/assets/ui/Toasts-*.js');
    // The code of messages takes over.
    await page.locator('[data-place]').filter({ has: message }).waitFor();
    await message.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(async () => (await read(id)).status).toBe('confirmed');
  });

  it('shows what someone else has decided meanwhile, instead of overwriting it', async () => {
    const id = await report();
    const page = await open(id);
    await change(id, { status: 'wontfix', reason: 'no_fix_available', note: 'Vendor is gone.' }, colleague);
    await press(page, 'f');
    const dialog = page.getByRole('dialog', { name: 'Someone else has changed this finding' });
    await dialog.getByText("Grace Hopper set it to Won't fix (no fix available)").waitFor();
    await dialog.getByText('Vendor is gone.').waitFor();
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Keep theirs' }).click();
    await page.getByRole('button', { name: /^Won't fix/, pressed: true }).waitFor();
    expect((await read(id)).status).toBe('wontfix');

    await change(id, { status: 'confirmed' }, colleague);
    await press(page, 'f');
    await dialog.getByText('Grace Hopper set it to Confirmed').waitFor();
    await dialog.getByRole('button', { name: 'Apply my change anyway' }).click();
    await toast(page, 'Set to Fixed').waitFor();
    expect((await read(id)).status).toBe('fixed');
  });

  it('undoes a change on another page, by the message and by the key', async () => {
    const id = await report({ title: 'Found again' });
    const page = await open(id);
    await press(page, 'a');
    await toast(page, 'Assigned to you').waitFor();
    await press(page, 'c');
    await toast(page, 'Set to Confirmed').waitFor();
    await page.getByRole('link', { name: 'Scans' }).click();
    await page.getByRole('heading', { level: 1, name: 'Scans' }).waitFor();
    await toast(page, 'Set to Confirmed').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone. Back to Open: “Found again”').waitFor();
    expect(await read(id)).toMatchObject({ status: 'open', assignee_id: org.owner.id });

    await page.getByRole('link', { name: 'Findings', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Findings' }).waitFor();
    await press(page, 'u');
    await expect.poll(async () => (await read(id)).assignee_id).toBeUndefined();
  });

  it('resolves a regressed finding again, and undoes that', async () => {
    const fields = { fingerprint: 'regressed', title: 'Regressed' };
    const id = await report(fields);
    await change(id, { status: 'fixed' });
    await report(fields);
    const page = await open(id);
    const badge = page.getByText('seen again after it was fixed');
    await badge.waitFor();
    await page.getByRole('group', { name: 'Set the status' }).getByRole('button', { name: 'Fixed' }).click();
    await timeline(page).getByText('changed the status from Regressed to Fixed').waitFor();
    await badge.waitFor({ state: 'hidden' });

    await press(page, 'u');
    await page.getByText('Undone. Back to Regressed: “Regressed”').waitFor();
    await badge.waitFor();
    await timeline(page).getByText('changed the status from Fixed to Regressed').waitFor();
    expect(await read(id)).toMatchObject({ status: 'fixed', regressed: true });
  });

  it('undoes older changes from the list of recent changes of everybody, and keeps later ones', async () => {
    const [id, other] = [await report({ title: 'First' }), await report({ title: 'Second' })];
    must(
      await site.api.patch('/findings', {
        ...org.asOwner,
        body: { ids: [id, other], status: 'false_positive', reason: 'duplicate' },
      }),
    );
    await change(other, { status: 'confirmed' }, colleague);
    const page = await open(id);
    await page.getByRole('button', { name: /^Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Recent changes' }).click();
    const list = page.getByRole('list', { name: 'Recent changes, newest first' });
    await list.getByRole('listitem').first().getByText('Second').waitFor();
    await list
      .getByRole('listitem')
      .first()
      .getByText(/^Grace Hopper, /)
      .waitFor();
    const row = list.getByRole('listitem').filter({ hasText: 'First and 1 other' });
    await row.getByText('Set to False positive (duplicate)').waitFor();
    await row.getByText(/^You, /).waitFor();
    await expectAccessible(page);
    await row.getByRole('button', { name: /^Undo/ }).click();
    await page.getByText('1 finding restored. 1 finding kept: changed by someone else since.').waitFor();
    await row.getByText('Undone').waitFor();
    expect([(await read(id)).status, (await read(other)).status]).toEqual(['open', 'confirmed']);
    await press(page, 'Escape');
    await page.getByRole('button', { name: /^Open/, pressed: true }).waitFor();
  });

  it('goes to the next finding and back to the list with keys, and leaves one step in the history', async () => {
    const cwe = 'CWE-1188';
    for (const title of ['One', 'Two', 'Three']) await report({ title, cwe });
    const page = await site.open(org, `/findings?cwe=${cwe}&sort=created_at`);
    await page.getByRole('grid').getByText('One').click();
    const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await heading('One');
    for (const [key, title] of [
      ['j', 'Two'],
      ['j', 'Three'],
      ['k', 'Two'],
    ] as const) {
      await page.getByRole('status').filter({ hasText: 'of 3' }).waitFor();
      await expect
        .poll(async () => {
          await press(page, key);
          return page.getByRole('heading', { level: 1 }).innerText();
        })
        .toBe(title);
    }
    await page.goBack();
    await heading('Findings');
    await page.goForward();
    await heading('Two');
    await press(page, 'e');
    await form(page).waitFor();
    await press(page, 'Escape');
    await form(page).waitFor({ state: 'hidden' });
    await heading('Two');
    await press(page, 'Escape');
    await heading('Findings');
    expect(new URL(page.url()).searchParams.get('cwe')).toBe(cwe);
  });

  it('keeps the keyboard in the form after “Assign to me”, and closes the form with its page', async () => {
    const id = await report();
    const page = await open(id);
    await press(page, 'e');
    await form(page).getByRole('button', { name: 'Assign to me' }).click();
    await press(page, 'Control+Enter');
    await form(page).waitFor({ state: 'hidden' });
    await expect.poll(async () => (await read(id)).assignee_id).toBeTruthy();

    await page.getByRole('link', { name: 'Scans' }).click();
    await heading(page, 'Scans');
    await page.goBack();
    await page.getByRole('group', { name: 'Set the status' }).waitFor();
    await press(page, 'e');
    await form(page).waitFor();
    await page.goBack();
    await form(page).waitFor({ state: 'hidden' });
  });

  it('prints everything about the finding, and nothing else', async () => {
    const lines = Array.from({ length: 300 }, (_, i) => `line ${i + 1}`);
    const id = await report({
      description: `Why.\n\n**Fix**\n\nLike this.\n\n**Details**\n\n\`\`\`\n${lines.join('\n')}\n\`\`\``,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    });
    const page = await site.open(org, `/findings/${id}`, { own: true, colorScheme: 'dark' });
    const region = (name: string) => page.getByRole('region', { name });
    await region('How to fix').getByText('Like this.').waitFor();
    const scheme = () => page.evaluate<string>('document.documentElement.dataset.mantineColorScheme');
    expect(await scheme()).toBe('dark');
    await page.getByRole('button', { name: 'Show all 300 lines' }).waitFor();

    await page.emulateMedia({ media: 'print' });
    await page.getByText('line 300').waitFor();
    await page.getByText('Attack vector: Network').waitFor();
    await page.getByText(id).waitFor();
    await page.getByRole('navigation').first().waitFor({ state: 'hidden' });
    for (const name of ['Confirmed', 'Comment', 'Assign to me'])
      expect(await page.getByRole('button', { name }).filter({ visible: true }).count(), name).toBe(0);
    expect(await scheme()).toBe('light');
    await page.emulateMedia({ media: 'screen' });
    await expect.poll(scheme).toBe('dark');
  });
});
