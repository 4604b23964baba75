import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { beforeAllAndRetries } from '../support/run/retries.ts';
import { expectAccessible } from './support/axe.ts';
import { intercept } from './support/intercept.ts';
import { describePages } from './support/site.ts';

const DESCRIPTION = `# Summary

The parameter \`q\` reaches the **query**, see [the advisory][1].

\`\`\`ts
const rows = await db.query(sql);
\`\`\`

| Parameter | Checked |
|---|---|
| q | no |

[1]: https://example.com/advisory
`;

const POC = 'import requests\n\n# one request\nprint(requests.get("https://shop.example.com/?q=\'"))\n';

describePages('the page of a finding', (site) => {
  let org: TestOrg;
  let scan: string;

  beforeAllAndRetries(async () => {
    org = await createOrg(site.api);
    scan = await createScan(site.api, org);
  });

  const report = (fields: Record<string, unknown>) => push(site.api, org, scan, fields);
  const attach = async (id: string, body: Record<string, unknown>) =>
    must(await site.api.post(`/agent/findings/${id}/exploits`, { ...org.asAgent, body }));
  const setStatus = async (id: string, status: string) =>
    must(await site.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }));
  const statusOf = async (id: string) => must(await site.api.get(`/findings/${id}`, org.asOwner)).status;

  const open = (id: string, search = '', cookie = org.owner.cookie) =>
    site.open(org, `/findings/${id}${search}`, { cookie });
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();
  const pressed = (page: Page) => page.getByRole('button', { pressed: true }).first().innerText();

  it('tells all that is known of it', async () => {
    const fields = {
      title: 'SQL injection in search',
      severity: 'critical',
      description: DESCRIPTION,
      fingerprint: 'sqli-7f3a',
      cwe: 'CWE-89',
      cve: 'CVE-2026-12345',
      cvss_score: 9.8,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      file: 'src/search.ts',
      line: 42,
      source: 'semgrep',
    };
    const { id } = await report(fields);
    await setStatus(id, 'fixed');
    await report(fields);
    await attach(id, { filename: 'poc.py', language: 'Python', code: POC });
    const page = await open(id);

    await heading(page, 'SQL injection in search');
    await page.getByText(/^Regressed .* seen again after it was fixed/).waitFor();
    await page.getByText('src/search.ts:42').first().waitFor();
    await page.getByText('9.8 by CVSS 3.1, critical').waitFor();
    await page.locator('summary', { hasText: 'Metrics' }).click();
    await page.getByText('Attack vector: Network').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(1280);
    await page.getByText('2 times').waitFor();
    const hrefOf = (name: string | RegExp) => page.getByRole('link', { name }).getAttribute('href');
    expect(await hrefOf(/^CWE-89/)).toBe('https://cwe.mitre.org/data/definitions/89.html');
    expect(await hrefOf(/^CVE-2026-12345/)).toBe('https://www.cve.org/CVERecord?id=CVE-2026-12345');
    expect(await hrefOf('Findings with this CWE')).toBe(`/o/${org.slug}/findings?cwe=CWE-89`);
    expect(await hrefOf('Findings in this file')).toContain('q=src%2Fsearch.ts');
    expect(await hrefOf('Web shop')).toBe(`/o/${org.slug}/projects/web-shop`);

    const advisory = page.getByRole('link', { name: 'the advisory' });
    expect(await advisory.getAttribute('href')).toBe('https://example.com/advisory');
    expect(await advisory.getAttribute('rel')).toBe('noopener noreferrer nofollow');
    await page.getByRole('heading', { level: 3, name: 'Summary' }).waitFor();
    await page.getByRole('cell', { name: 'q', exact: true }).waitFor();

    await page.getByText('This code exploits a vulnerability').waitFor();
    const code = page.getByRole('group', { name: 'poc.py' });
    await code.getByText('import requests').waitFor();
    const wrap = page.getByRole('button', { name: 'Wrap long lines' }).last();
    await wrap.click();
    expect(await wrap.getAttribute('aria-pressed')).toBe('true');
    await expectAccessible(page);
  });

  it('links its file and line to the code, at the commit of the latest scan', async () => {
    const project_id = org.projectId;
    const body = { project_id, scan_id: 'with-commit', persona: 'senku', commit: '4f2a9c1e', name: 'Commit' };
    must(await site.api.post('/agent/scans', { ...org.asAgent, body }));
    const fields = {
      title: 'Linked',
      fingerprint: 'linked',
      file: 'src/[id].ts',
      line: 7,
      description: '```ts\nrun(1)\n```',
    };
    const { id } = await report(fields);
    const setSource = async (source_url: string | null) =>
      must(await site.api.patch(`/projects/${project_id}`, { ...org.asOwner, body: { source_url } }));
    await setSource('https://github.com/acme/web-shop');
    const page = await open(id);
    const links = page.getByRole('link', { name: 'src/[id].ts:7' });
    await links.nth(1).waitFor();
    const root = 'https://github.com/acme/web-shop/blob';
    for (const link of await links.all()) {
      expect(await link.getAttribute('href')).toBe(`${root}/HEAD/src/%5Bid%5D.ts#L7`);
      expect(await link.getAttribute('target')).toBe('_blank');
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    }
    await expectAccessible(page);

    await push(site.api, org, 'with-commit', fields);
    await page.reload();
    await links.nth(1).waitFor();
    expect(await links.first().getAttribute('href')).toBe(`${root}/4f2a9c1e/src/%5Bid%5D.ts#L7`);
    const outside = await report({ title: 'Not in the repository', file: '/etc/passwd', line: 1 });
    await page.goto(site.orgUrl(org.slug, `/findings/${outside.id}`));
    await page.getByText('/etc/passwd:1').first().waitFor();
    expect(await page.getByRole('link', { name: '/etc/passwd:1' }).count()).toBe(0);
    await setSource(null);
    await page.goto(site.orgUrl(org.slug, `/findings/${id}`));
    await page.getByText('src/[id].ts:7').first().waitFor();
    expect(await links.count()).toBe(0);
  });

  it('says CVSS vectors of every version in words, and shows what is none as it is', async () => {
    const page = await site.visit({ cookie: org.owner.cookie });
    for (const [cvss_vector, score, metric] of [
      ['(AV:N/AC:L/Au:N/C:P/I:P/A:P)', '7.5 by CVSS 2.0, high', 'Access vector: Network'],
      [
        'CVSS:3.0/AV:L/AC:H/PR:L/UI:R/S:C/C:L/I:L/A:N/E:P',
        '3.7 by CVSS 3.0, low',
        'Exploit code maturity: Proof of concept',
      ],
      // The temporal score is 9.31, rounded up.
      [
        'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/RL:O',
        '9.4 by CVSS 3.1, critical',
        'Remediation level: Official fix',
      ],
      [
        'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:P/VC:H/VI:L/VA:N/SC:N/SI:N/SA:N',
        '6.0 by CVSS 4.0, medium',
        'Attack requirements: Present',
      ],
      ['CVSS:3.1/AV:N/AC:L', 'Not a CVSS 2.0, 3.0, 3.1 or 4.0 vector', 'CVSS:3.1/AV:N/AC:L'],
      [
        'CVSS:3.1/AV:N/__proto__:x/<script>',
        'Not a CVSS 2.0, 3.0, 3.1 or 4.0 vector',
        '__proto__:x/<script>',
      ],
    ] as const) {
      const { id } = await report({ cvss_vector });
      await page.goto(site.orgUrl(org.slug, `/findings/${id}`));
      await page.getByText(score).waitFor();
      if (score.includes('by CVSS')) await page.locator('summary', { hasText: 'Metrics' }).click();
      await page.getByText(metric).waitFor();
    }
  });

  it('sets its status by buttons and keys, and takes it back', async () => {
    const { id, title } = await report({ title: `Open redirect ${'in/a/long/path/'.repeat(30)}` });
    const page = await site.visit({
      cookie: org.owner.cookie,
      own: true,
      viewport: { width: 360, height: 740 },
    });
    await page.clock.install();
    await page.goto(site.orgUrl(org.slug, `/findings/${id}`));
    await page.getByRole('button', { name: 'Confirmed' }).click();
    const toast = page.getByRole('alert').filter({ hasText: 'Set to Confirmed' });
    await toast.waitFor();
    expect(await statusOf(id)).toBe('confirmed');
    // “Undo” stays, and a long title leaves room for it and for the new status.
    // The pointer on the toast would keep it.
    await page.mouse.move(0, 0);
    await page.clock.fastForward(50_000);
    // A toast that is closed disappears slowly.
    await page.clock.runFor(2_000);
    const undo = await toast.getByRole('button', { name: 'Undo' }).boundingBox();
    const box = await toast.boundingBox();
    if (!undo || !box) throw new Error('the toast is not visible');
    expect(undo.x).toBeGreaterThan(box.x);
    expect(undo.x + undo.width).toBeLessThan(Math.min(360, box.x + box.width));
    expect(box.y + box.height).toBeLessThanOrEqual(740);
    expect((await toast.innerText()).startsWith('Set to Confirmed:')).toBe(true);
    await page.setViewportSize({ width: 1280, height: 800 });

    await page.keyboard.press('f');
    await page.getByRole('alert').filter({ hasText: 'Set to Fixed' }).waitFor();
    expect(await statusOf(id)).toBe('fixed');

    const last = page.getByRole('alert').filter({ hasText: 'Set to Fixed' });
    await last.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Undone. Back to Confirmed: “Open redirect').waitFor();
    await page.keyboard.press('u');
    await page.getByText('Undone. Back to Open: “Open redirect').waitFor();
    expect([await statusOf(id), await pressed(page)]).toEqual(['open', expect.stringContaining('Open')]);
    await heading(page, title);
  });

  it('leaves it to agents to say that a fix is verified, and restores what they said', async () => {
    const { id } = await report({});
    await setStatus(id, 'fixed');
    must(await site.api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status: 'verified' } }));
    const page = await open(id);
    const verified = page.getByRole('button', { name: 'Verified' });
    await verified.waitFor();
    expect(await verified.getAttribute('aria-disabled')).toBe('true');
    await page.keyboard.press('r');
    await page.getByText('Set to Open').waitFor();
    await verified.click({ force: true });
    await page.keyboard.press('u');
    await page.getByText('Undone. Back to Verified').waitFor();
    expect(await statusOf(id)).toBe('verified');
  });

  it('shows the status as it was when the service refuses', async () => {
    const { id } = await report({});
    const page = await open(id);
    await intercept(page, '**/api/v1/findings', async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback();
      const errors = [{ type: 'permission_error', code: 'denied', ref: 'E60001', message: 'Not allowed.' }];
      const headers = { 'x-request-id': 'req_1f2e' };
      await route.fulfill({ status: 403, headers, json: { success: false, errors } });
    });
    await page.getByRole('button', { name: 'Fixed' }).click();
    const toast = page.getByRole('alert').filter({ hasText: 'Not changed: Your role does not allow this' });
    await toast.getByText('Request req_1f2e').waitFor();
    await page.getByRole('button', { name: 'Open', pressed: true }).waitFor();
    expect(await statusOf(id)).toBe('open');
  });

  it('offers a viewer nothing that they may not do', async () => {
    const viewer = await addMember(site.api, org, 'viewer');
    const { id } = await report({});
    const page = await open(id, '', viewer.cookie);
    await page.getByText('Your role is viewer').waitFor();
    expect(await page.getByRole('group', { name: 'Set the status' }).count()).toBe(0);
    await page.keyboard.press('f');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.waitFor();
    expect(await help.getByText('Set status').count()).toBe(0);
    expect(await statusOf(id)).toBe('open');
  });

  it('walks through the list it was opened from, also when triage shortens it', async () => {
    const cwe = 'CWE-1021';
    const ids: string[] = [];
    for (const title of ['First', 'Second', 'Third', 'Fourth']) ids.push((await report({ title, cwe })).id);
    const page = await open(ids[1] ?? '', `?cwe=${cwe}&status=open&sort=created_at&at=2`);
    const place = (text: string) => page.getByRole('status').filter({ hasText: text }).waitFor();
    await place('2 of 4');

    await page.getByRole('link', { name: 'Next' }).click();
    await heading(page, 'Third');
    await place('3 of 4');
    await page.keyboard.press('w');
    await page.getByRole('dialog', { name: /^Triage/ }).waitFor();
    for (const key of ['1', 'Control+Enter']) await page.keyboard.press(key);
    await place('No longer in the list');
    await page.keyboard.press('j');
    await heading(page, 'Fourth');
    await place('3 of 3');
    expect(await page.getByRole('link', { name: 'Next' }).count()).toBe(0);

    await page.keyboard.press('k');
    await heading(page, 'Second');
    await place('2 of 3');
    // The undone finding is before the fourth again.
    await page.keyboard.press('u');
    await page.getByText('Undone. Back to Open: “Third”').waitFor();
    const next = page.getByRole('link', { name: 'Next' });
    await expect.poll(() => next.getAttribute('href')).toContain(ids[2]);
    await place('2 of 4');
    await page.keyboard.press('j');
    await heading(page, 'Third');

    await page.getByRole('link', { name: 'Back to the list' }).click();
    await heading(page, 'Findings');
    await page.getByText('4 findings').waitFor();
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      cwe,
      status: 'open',
      sort: 'created_at',
    });
  });

  it('finds its place again when something was pushed in front of it', async () => {
    const cwe = 'CWE-601';
    const { id } = await report({ title: 'Older', cwe });
    await report({ title: 'Newer', cwe });
    const page = await open(id, `?cwe=${cwe}&at=1`);
    await page.getByRole('status').filter({ hasText: '2 of 2' }).waitFor();
    expect(new URL(page.url()).searchParams.get('at')).toBe('2');
    await page.keyboard.press('k');
    await heading(page, 'Newer');

    for (const title of ['Third', 'Fourth', 'Fifth']) await report({ title, cwe });
    await page.reload();
    await page.getByRole('status').filter({ hasText: '4 of 5' }).waitFor();
    await page.getByRole('link', { name: 'Next' }).waitFor();
    await page.keyboard.press('j');
    await heading(page, 'Older');
  });

  it('is shown without a list when it was not opened from one', async () => {
    const { id, title } = await report({});
    const page = await open(id);
    await heading(page, title);
    expect(await page.getByRole('navigation', { name: 'Findings in the list' }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Exploits' }).count()).toBe(0);
    await page.getByRole('link', { name: 'All findings' }).click();
    await page.getByRole('heading', { level: 1, name: 'Findings' }).waitFor();
  });

  it('shows hostile texts as text', async () => {
    const title = `<img src=x onerror=alert(1)>\u202E${'A'.repeat(460)}`;
    const { id } = await report({
      title,
      file: `src/\u202Egpj.ts`,
      source: '<b>scanner</b>',
      description: [
        '<script>alert(1)</script>',
        'Some <b onclick="alert(2)">bold</b> words',
        '[click](javascript:alert(3)) [data](data:text/html,x) [own](/o/acme/members) [other](//evil.example/)',
        '![pixel](https://evil.example/pixel.png) ![inline](data:image/png;base64,iVBORw0KGgo=)',
        'https://evil.example/auto <javascript:alert(4)>',
      ].join('\n\n'),
    });
    await attach(id, {
      filename: '../../\u202Efdp.sh',
      language: 'html',
      code: '<script>alert(5)</script>\n// \u202E',
    });
    const page = await open(id);
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      return dialog.dismiss();
    });
    await heading(page, title);
    for (const text of [
      '<script>alert(1)</script>',
      'Some <b onclick="alert(2)">bold</b> words',
      'click (javascript:alert(3)) data (data:text/html,x) own (/o/acme/members) other (//evil.example/)',
      'Image: inline (data:image/png;base64,iVBORw0KGgo=)',
      '<b>scanner</b>',
    ]) {
      await page.getByText(text).waitFor();
    }
    const description = page.getByRole('region', { name: 'Description' });
    const links = await description.getByRole('link').all();
    expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual([
      'https://evil.example/pixel.png',
      'https://evil.example/auto',
    ]);
    expect(await description.getByRole('img').count()).toBe(0);
    const exploit = page.getByRole('region', { name: 'Exploits' });
    await exploit.getByText('<script>alert(5)</script>').waitFor();
    await exploit.getByText('// [U+202E]').waitFor();
    expect(dialogs).toEqual([]);
    await expectAccessible(page);

    await page.setViewportSize({ width: 360, height: 740 });
    const width = () => page.evaluate<number>('document.documentElement.scrollWidth');
    // Some elements take their new places a moment later.
    await expect.poll(width, { message: 'nothing widens the page' }).toBeLessThanOrEqual(360);
  });

  it('leads to similar findings, and says what they have in common', async () => {
    const { id } = await report({ title: 'Outdated library', cve: 'CVE-2026-7777', file: 'pom.xml' });
    const other = await report({ title: 'Outdated library too', cve: 'CVE-2026-7777', file: 'go.mod' });
    await report({ title: 'Something else', file: 'pom.xml' });
    const page = await open(id);
    const similar = page.getByRole('region', { name: 'Similar findings' });
    await similar.getByText('Same CVE').waitFor();
    await similar.getByText('Same file').waitFor();
    expect(await similar.getByRole('link').allTextContents()).toEqual([
      'Outdated library too',
      'Something else',
    ]);
    await expectAccessible(page);
    await similar.getByRole('link', { name: 'Outdated library too' }).click();
    await page.waitForURL(`**/findings/${other.id}`);
    await heading(page, 'Outdated library too');
  });

  it('has activity below the text and similar findings below that, and on phones the status in view', async () => {
    const description = 'A long text.\n\n'.repeat(40);
    const { id } = await report({ title: 'Wide', cve: 'CVE-2026-8888', description });
    await report({ title: 'Wide too', cve: 'CVE-2026-8888' });
    const page = await open(id);
    const boxOf = async (name: string) => {
      const region = page.getByRole('region', { name });
      await region.waitFor();
      return (await region.boundingBox()) ?? { x: 0, y: 0, width: 0 };
    };
    const similar = await boxOf('Similar findings');
    const [text, activity, triage] = [
      await boxOf('Description'),
      await boxOf('Activity'),
      await boxOf('Triage'),
    ];
    expect([activity.x, activity.width]).toEqual([text.x, text.width]);
    expect(activity.y).toBeGreaterThan(text.y);
    expect(similar.y).toBeGreaterThan(activity.y);
    expect(triage.x).toBeGreaterThan(text.x + text.width);

    await page.setViewportSize({ width: 360, height: 740 });
    const buttons = page.getByRole('group', { name: 'Set the status' });
    const isInView = async () => {
      const box = await buttons.boundingBox();
      return box !== null && box.y > 500 && Math.round(box.y + box.height) <= 740;
    };
    await expect.poll(isInView).toBe(true);
    // The bar does not cover the end of the page.
    await page.getByRole('link', { name: 'Wide too' }).click({ trial: true });
    expect(await isInView()).toBe(true);
    await buttons.getByRole('button', { name: 'Confirmed' }).click();
    await expect.poll(() => statusOf(id)).toBe('confirmed');
  });

  it('saves exploits as text, by a name that is only a name', async () => {
    const { id } = await report({});
    await attach(id, { filename: '../../etc/\u202Etxt:poc.py', language: 'python', code: POC });
    const page = await open(id);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Download/ }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('_txt_poc.py');
    expect(await readFile(await download.path(), 'utf8')).toBe(POC);
  });

  it('stays quick with texts that were written to be slow', async () => {
    const slow = `${'> '.repeat(3000)}deep\n\n${'*a_ '.repeat(5000)}\n\n`;
    const long = `Paragraph with **words**.\n\n`.repeat(1200);
    const { id } = await report({ title: 'Slow', description: `${slow}${long}The end.` });
    await attach(id, { filename: 'long.js', language: 'js', code: 'call();\n'.repeat(12_000) });
    const page = await open(id);
    await heading(page, 'Slow');
    await page.getByRole('button', { name: /^Show all \(\d+ KB\)/ }).click();
    await page.getByRole('button', { name: 'Confirmed' }).click();
    await page.getByText('Set to Confirmed').waitFor();
    await page.getByText('The end.').waitFor();
    await page.getByRole('button', { name: 'Show all 12,000 lines' }).click();
    await page.getByRole('button', { name: 'Show all 12,000 lines' }).waitFor({ state: 'hidden' });
  });

  it('says that there is no such finding, be it that of another organization', async () => {
    const other = await createOrg(site.api);
    const theirs = await push(site.api, other, await createScan(site.api, other));
    const page = await open('0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07');
    await heading(page, 'Finding not found');
    await page.getByText('It does not exist, or it is not in this organization').waitFor();
    await expectAccessible(page);
    for (const id of [theirs.id, 'x']) {
      await page.goto(site.orgUrl(org.slug, `/findings/${id}`));
      await heading(page, 'Finding not found');
    }
  });
});
