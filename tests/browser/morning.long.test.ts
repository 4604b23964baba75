import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { openExpiredRisks } from '../../lib/findings/triage/expired-risks.ts';
import { createOrg, createScan, createUser, must, type TestOrg } from '../support/api/client.ts';
import { limit } from '../support/run/limits.ts';
import { startApp } from '../support/server/app.ts';
import { intercept } from './support/intercept.ts';
import { describePages, type Site, startSite } from './support/site.ts';

/* The work of one morning, each part in an organization of its own. */

const DAY_MS = 24 * 60 * 60_000;

describePages('a working morning', () => {
  let site: Site;
  let org: TestOrg;

  beforeAll(async () => {
    site = await startSite();
  });

  /** Pushes findings, the last one of which is at the top of a list. */
  async function report(findings: { title: string; severity?: string; file?: string }[]): Promise<void> {
    const scan_id = await createScan(site.api, org);
    const body = {
      findings: findings.map((fields, i) => ({
        ...{ scan_id, project_id: org.projectId, fingerprint: `${fields.title} ${i}`, severity: 'high' },
        ...{ description: 'To be decided.', ...fields },
      })),
    };
    const { failed } = must(await site.api.post('/agent/findings/batch', { ...org.asAgent, body }));
    expect(failed).toBe(0);
  }

  async function open(search = '', cookie = org.owner.cookie): Promise<Page> {
    const page = await site.visit({ cookie });
    await page.goto(site.orgUrl(org.slug, `/findings${search}`));
    return page;
  }
  const grid = (page: Page) => page.getByRole('grid', { name: 'Findings' });
  const form = (page: Page) => page.getByRole('dialog', { name: /^Triage/ });
  const list = async (search = ''): Promise<Record<string, unknown>[]> =>
    must(await site.api.get(`/findings${search}`, org.asOwner));
  const left = async () => (await list('?attention=true')).length;
  it('triages a hundred findings by keyboard, with reasons', { timeout: limit(180_000) }, async () => {
    org = await createOrg(site.api);
    await report([
      ...Array.from({ length: 40 }, (_, i) => ({ title: `Only ${i}`, severity: 'low', file: `src/${i}.ts` })),
      ...Array.from({ length: 20 }, (_, i) => ({ title: `Test ${i}`, severity: 'medium' })),
      ...Array.from({ length: 40 }, (_, i) => ({ title: `Rule ${i % 5}`, severity: 'critical' })),
    ]);
    const page = await open('?attention=true&sort=-priority&group_by=rule');
    const { keyboard } = page;
    const said = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();

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
    const rows = grid(page).getByRole('row', { name: /Test/ });
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

  it('two people work through one list, and no decision is lost', { timeout: limit(90_000) }, async () => {
    org = await createOrg(site.api);
    const mei = await createUser(site.api, 'Mei');
    must(
      await site.api.post('/members/invite', { ...org.asOwner, body: { email: mei.email, role: 'member' } }),
    );
    await report(Array.from({ length: 8 }, (_, i) => ({ title: `Shared ${i}` })));
    const [ada, other] = await Promise.all([open(), open('', mei.cookie)]);
    for (const page of [ada, other]) await grid(page).getByRole('link').first().waitFor();

    // Neither sees the other's decision before the own one is stored.
    const pages = [ada, other] as const;
    for (const page of pages) {
      await intercept(page, '**/api/v1/revision', (route) => route.fulfill({ status: 304 }));
      await page.getByLabel('Select visible findings').check();
    }
    await Promise.all([ada.keyboard.press('f'), other.keyboard.press('c')]);

    const conflict = (page: Page) =>
      page.getByRole('dialog', { name: 'Someone else has changed 8 findings' });
    await Promise.race(pages.map((page) => conflict(page).waitFor()));
    const [second, winner] = (await conflict(ada).isVisible()) ? [ada, 'confirmed'] : [other, 'fixed'];
    await conflict(second).getByRole('button', { name: 'Keep theirs' }).click();
    await conflict(second).waitFor({ state: 'hidden' });
    for (const { id, status } of await list()) {
      const entries: { kind: string }[] = must(await site.api.get(`/findings/${id}/activity`, org.asOwner));
      expect([status, ...entries.map(({ kind }) => kind)]).toEqual([winner, 'status', 'created']);
    }
  });

  it('accepts a risk until tomorrow, when it is open again', { timeout: limit(60_000) }, async () => {
    org = await createOrg(site.api);
    await report([{ title: 'Accepted until tomorrow' }]);
    const page = await open();
    await grid(page).getByRole('link').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('w');
    await form(page).getByRole('button', { name: 'Risk accepted' }).click();
    await form(page).getByRole('button', { name: 'A date' }).click();
    const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
    await form(page).getByLabel('Accept the risk until this date').fill(tomorrow);
    await page.keyboard.press('Control+Enter');
    await page.getByText('Nothing needs attention').waitFor();
    await expect.poll(() => list()).toMatchObject([{ status: 'wontfix', reason: 'risk_accepted' }]);

    const later = await startApp({ databaseUrl: site.databaseUrl });
    await openExpiredRisks(later.services);
    expect(await left()).toBe(0);
    later.advance(2 * DAY_MS);
    await openExpiredRisks(later.services);
    await grid(page)
      .getByRole('row', { name: /Accepted until tomorrow/ })
      .waitFor({ timeout: limit(12_000) });
    const [finding] = await list();
    expect(finding).toMatchObject({ status: 'open' });
    const [entry] = must(await site.api.get(`/findings/${finding?.id}/activity`, org.asOwner));
    expect(entry).toMatchObject({ actor: { type: 'system' } });
  });
});
