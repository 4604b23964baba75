import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { describePages } from './support/site.ts';

describePages('rules', (site) => {
  let org: TestOrg;
  let scan: string;

  beforeEach(async () => {
    org = await createOrg(site.api);
    scan = await createScan(site.api, org);
  });

  const report = (title: string, file: string) =>
    push(site.api, org, scan, { title, file, fingerprint: `${title} ${file}`, source: 'semgrep' });
  const statuses = async () => {
    const all: { file: string; status: string }[] = must(await site.api.get('/findings', org.asOwner));
    return Object.fromEntries(all.map(({ file, status }) => [file, status]));
  };
  const open = (path: string, cookie = org.owner.cookie) => site.open(org, path, { cookie });
  const item = (page: Page, name: string) =>
    page.getByRole('list', { name: 'Rules' }).getByRole('listitem').filter({ hasText: name });
  const act = async (page: Page, rule: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${rule}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };

  it('are made from a finding, previewed, applied and undone', async () => {
    const { id } = await report('Weak hash', 'src/test/a.ts');
    await report('Weak hash', 'src/test/b.ts');
    await report('Weak hash', 'src/main.ts');
    const page = await open(`/findings/${id}`);
    await page.getByRole('link', { name: 'Create a rule for findings like this' }).click();
    await page.getByRole('heading', { level: 1, name: 'New rule' }).waitFor();
    await page.getByText('2 open findings would be changed now.').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).fill('Tests');
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'False positive' }).click();
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByText('Choose a reason.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("data-path")')).toBe('reason');
    await page.getByRole('combobox', { name: 'Reason' }).click();
    await page.getByRole('option', { name: 'Used in tests' }).click();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Create rule' }).click();

    await item(page, 'Tests').getByText('set to False positive (used in tests)').waitFor();
    await expectAccessible(page);
    expect(await statuses()).toEqual({
      'src/test/a.ts': 'open',
      'src/test/b.ts': 'open',
      'src/main.ts': 'open',
    });
    await report('Weak hash', 'src/test/c.ts');
    expect((await statuses())['src/test/c.ts']).toBe('false_positive');
    await item(page, 'Tests').getByText('No new finding has matched').waitFor();
    await page.reload();
    await item(page, 'Tests').getByText('1 new finding matched, the last').waitFor();

    await act(page, 'Tests', 'Apply to existing findings…');
    const question = page.getByRole('dialog', { name: 'Apply “Tests” to 2 findings?' });
    await question.getByText('src/test/a.ts').waitFor();
    await question.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('“Tests” has changed 2 findings.').waitFor();
    expect(await statuses()).toMatchObject({ 'src/test/a.ts': 'false_positive', 'src/main.ts': 'open' });

    await act(page, 'Tests', 'Undo its changes…');
    await page.getByRole('dialog').getByRole('button', { name: 'Undo changes' }).click();
    await page.getByText('3 findings restored.').waitFor();
    // A rule can have the name of a person.
    const finding = await open(`/findings/${id}`);
    await finding.getByText(/^Tests \(rule\) changed the status from Open to False positive/).waitFor();
    expect(new Set(Object.values(await statuses()))).toEqual(new Set(['open']));
  });

  it('made from a confirmed finding show that it matches', async () => {
    const { id } = await report('Weak hash', 'src/main.ts');
    must(await site.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'confirmed' } }));
    const page = await open(`/rules/new?from=${id}`);
    await page.getByText('1 finding matches. It has been decided already').waitFor();
    await page.getByRole('link', { name: 'Weak hash' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Status' }).inputValue()).toBe('Confirmed');
  });

  it('accept risks for 90 days, and ask before unsaved values are lost', async () => {
    const page = await open('/rules/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Accepted');
    await page.getByRole('combobox', { name: 'Title', exact: true }).fill('weak *');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: "Won't fix" }).click();
    await page.getByRole('combobox', { name: 'Reason' }).click();
    await page.getByRole('option', { name: 'Risk accepted' }).click();
    expect(await page.getByLabel('Accept the risk for').inputValue()).toBe('90 days');
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Cancel' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.getByText('Your changes to the rule are lost.').waitFor();
    await question.getByRole('button', { name: 'Stay on this page' }).click();
    await page.getByRole('button', { name: 'Create rule' }).click();
    await item(page, 'Accepted').getByText("set to Won't fix for 90 days (risk accepted)").waitFor();
    expect(must(await site.api.get('/rules', org.asOwner)).rules[0].actions.accept_days).toBe(90);

    await item(page, 'Accepted').getByRole('link', { name: 'Accepted' }).click();
    await page.getByLabel('Accept the risk for').fill('');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await item(page, 'Accepted').getByText('for 90 days').waitFor();
  });

  it('are ordered, disabled, edited and deleted', async () => {
    for (const name of ['First', 'Second']) {
      const body = { name, conditions: { severity: ['high'] }, actions: { due_days: 30 } };
      must(await site.api.post('/rules', { ...org.asOwner, body }));
    }
    const page = await open('/rules');
    const names = () => page.getByRole('list', { name: 'Rules' }).getByRole('link').allInnerTexts();
    await item(page, 'First')
      .getByText('If severity is high: make it due 30 days after it is found.')
      .waitFor();
    await act(page, 'Second', 'Move up');
    await expect.poll(names).toEqual(['Second', 'First']);

    await page.getByRole('switch', { name: 'Enable First' }).click({ force: true });
    const stored = async () => must(await site.api.get('/rules', org.asOwner)).rules;
    await expect
      .poll(async () => (await stored()).map(({ enabled }: { enabled: boolean }) => enabled))
      .toEqual([true, false]);

    await page.getByRole('link', { name: 'First' }).click();
    await page.getByRole('combobox', { name: 'File', exact: true }).fill('docs/**');
    await page.getByRole('combobox', { name: 'CWE', exact: true }).fill('no weakness');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/^It must/).waitFor();
    await page.getByRole('combobox', { name: 'CWE', exact: true }).press('Backspace');
    await page.getByRole('button', { name: 'Save' }).click();
    await item(page, 'First').getByText('If severity is high and file matches docs/**').waitFor();

    await act(page, 'First', 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete rule' }).click();
    await expect.poll(names).toEqual(['Second']);
  });

  it('change existing findings when they are saved, if the user says so', async () => {
    await report('Old finding', 'a.ts');
    const page = await open('/rules/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
    await page.getByRole('combobox', { name: 'Title', exact: true }).fill('old *');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Assignee' }).fill('Ada');
    await page.getByRole('option', { name: /^Ada Lovelace/ }).click();
    await page.getByLabel('Also change the 1 open finding that matches now').check();
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByText('“Mine” is saved. 1 finding changed.').waitFor();
    const [found] = must(await site.api.get('/findings', org.asOwner));
    expect(found.assignee_id).toBe(org.owner.id);
  });

  it('are kept when they cannot be applied', async () => {
    await report('Old finding', 'a.ts');
    const page = await open('/rules/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
    await page.getByRole('combobox', { name: 'Title', exact: true }).fill('old *');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Confirmed' }).click();
    await page.getByLabel('Also change the 1 open finding that matches now').check();
    // A finding that the user was not told about arrives meanwhile.
    await intercept(page, '**/api/v1/rules', async (route) => {
      if (route.request().method() === 'POST') await report('Old cache', 'b.ts');
      await route.continue();
    });
    await page.getByRole('button', { name: 'Create rule' }).click();
    const toast = page.getByRole('alert').filter({ hasText: '“Mine” is saved, but was not applied' });
    await toast.getByText('Apply to existing findings…').waitFor();
    await item(page, 'Mine').waitFor();
    expect(must(await site.api.get('/rules', org.asOwner)).rules).toHaveLength(1);
    expect(new Set(Object.values(await statuses()))).toEqual(new Set(['open']));

    await act(page, 'Mine', 'Apply to existing findings…');
    await page.getByRole('dialog', { name: 'Apply “Mine” to 2 findings?' }).getByText('b.ts').waitFor();
  });

  it('change as many findings as the form says, also while its values change', async () => {
    await report('Old finding', 'a.ts');
    await report('Old cache', 'b.ts');
    const page = await open('/rules/new');
    await page.getByRole('textbox', { name: 'Name' }).fill('Mine');
    await page.getByRole('combobox', { name: 'Title', exact: true }).fill('old *');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Status' }).click();
    await page.getByRole('option', { name: 'Confirmed' }).click();
    await page.getByLabel('Also change the 2 open findings that match now').check();

    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await intercept(page, '**/api/v1/rules/preview', async (route) => {
      await held;
      await route.continue();
    });
    const asked = page.waitForRequest('**/api/v1/rules/preview');
    await page.getByRole('combobox', { name: 'File', exact: true }).fill('a.*');
    await page.keyboard.press('Enter');
    const submit = page.getByRole('button', { name: 'Create rule' });
    // Before and while the preview of these values is read.
    expect(await submit.isDisabled()).toBe(true);
    expect(await page.getByText('2 open findings').count()).toBe(0);
    await asked;
    expect(await submit.isDisabled()).toBe(true);
    await page.keyboard.press('Control+Enter');
    expect(must(await site.api.get('/rules', org.asOwner)).rules).toEqual([]);
    release();
    await page.getByLabel('Also change the 1 open finding that matches now').waitFor();
    await submit.click();
    await page.getByText('“Mine” is saved. 1 finding changed.').waitFor();
    expect(await statuses()).toEqual({ 'a.ts': 'confirmed', 'b.ts': 'open' });
  });

  it('are not shown to members', async () => {
    const { id } = await report('Weak hash', 'a.ts');
    const user = await addMember(site.api, org, 'member');
    const page = await open('/rules', user.cookie);
    await page.getByText('Your role does not allow this').waitFor();
    expect(await page.getByRole('link', { name: 'New rule' }).count()).toBe(0);
    await page.goto(site.orgUrl(org.slug, `/findings/${id}`));
    await page.getByRole('heading', { level: 1, name: 'Weak hash' }).waitFor();
    expect(await page.getByRole('link', { name: /Create a rule/ }).count()).toBe(0);
  });
});
