import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createOrg, createScan, finding, must } from '../support/api/client.ts';
import { limit } from '../support/run/limits.ts';
import { describePages } from './support/site.ts';

const form = (page: Page) => page.getByRole('dialog', { name: /^Triage/ });

describePages('a working morning', (site) => {
  it('triages a hundred findings by keyboard, with reasons', { timeout: limit(180_000) }, async () => {
    const org = await createOrg(site.api);
    const scan = await createScan(site.api, org);
    const findings = [
      ...Array.from({ length: 40 }, (_, i) => ({ title: `Only ${i}`, severity: 'low', file: `src/${i}.ts` })),
      ...Array.from({ length: 20 }, (_, i) => ({ title: `Test ${i}`, severity: 'medium' })),
      ...Array.from({ length: 40 }, (_, i) => ({ title: `Rule ${i % 5}`, severity: 'critical' })),
    ].map((fields) => finding(org, scan, fields));
    must(await site.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings } }));
    const list = async (search = ''): Promise<Record<string, unknown>[]> =>
      must(await site.api.get(`/findings${search}`, org.asOwner));
    const left = async () => (await list('?attention=true')).length;
    const page = await site.open(org, '/findings?attention=true&sort=-priority&group_by=rule');
    const { keyboard } = page;
    const said = (text: string) =>
      page
        .getByRole('status')
        .filter({ hasText: text })
        .waitFor()
        .catch(async (cause) => {
          throw new Error(`not ${text}: ${await page.locator('body').innerText()}`, { cause });
        });

    // Eight findings of a rule are one row.
    for (let rule = 0; rule < 5; rule++) {
      await said(`${100 - 8 * rule} findings in ${65 - rule} groups`);
      await keyboard.press('j');
      await expect.poll(() => page.evaluate('document.activeElement.innerText')).toContain('8 findings');
      await keyboard.press('p');
      await form(page).waitFor();
      await keyboard.press('2');
      await keyboard.press('Control+Enter');
      await form(page).waitFor({ state: 'hidden' });
    }
    await said('60 findings in 60 groups');
    expect(await left()).toBe(60);

    // A range of rows gets an assignee and a reason.
    await page.getByLabel('Group findings').selectOption('');
    const rows = page.getByRole('grid', { name: 'Findings' }).getByRole('row', { name: /Test/ });
    await rows.first().waitFor();
    await keyboard.press('j');
    await keyboard.press('x');
    for (let i = 1; i < 20; i++) await keyboard.press('j');
    await keyboard.press('Shift+X');
    await page.getByText('20 selected').waitFor();
    await keyboard.press('w');
    await form(page).waitFor();
    await keyboard.press('4');
    await form(page).getByRole('combobox', { name: 'Assignee' }).focus();
    await keyboard.type('Ada');
    await page.getByRole('option', { name: /^Ada Lovelace/ }).waitFor();
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await keyboard.press('Control+Enter');
    await said('40 findings');

    // The rest, one after another.
    for (let i = 0; i < 40; i++) {
      await said(`${40 - i} finding`);
      await keyboard.press('j');
      if (i % 2 === 0) await keyboard.press('f');
      else {
        await keyboard.press('p');
        await form(page).waitFor();
        await keyboard.press('1');
        await keyboard.press('Control+Enter');
        await form(page).waitFor({ state: 'hidden' });
      }
    }
    await page.getByText('Nothing needs attention').waitFor();
    await expect.poll(left).toBe(0);
    const counted: Record<string, number> = {};
    for (const { status, reason, assignee_id } of await list()) {
      const kind = `${status} ${reason ?? ''} ${assignee_id ? 'assigned' : ''}`;
      counted[kind] = (counted[kind] ?? 0) + 1;
    }
    expect(counted).toEqual({
      'false_positive used_in_tests ': 40,
      'wontfix used_in_tests assigned': 20,
      'false_positive not_exploitable ': 20,
      'fixed  ': 20,
    });
  });
});
