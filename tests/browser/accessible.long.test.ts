import { beforeAll, expect, it } from 'vitest';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { limit } from '../support/run/limits.ts';
import { expectAccessible } from './support/axe.ts';
import { shiftsOf, watchShifts } from './support/shifts.ts';
import { describePages } from './support/site.ts';

/* Every page, with content. Dialogs are tested with what they are for. */

describePages('every page', (site) => {
  let org: TestOrg;
  let paths: string[];

  beforeAll(async () => {
    org = await createOrg(site.api);
    const first = await createScan(site.api, org);
    const fields = {
      ...{ title: 'Regressed', fingerprint: 'regressed', cwe: 'CWE-89', file: 'src/search.ts', line: 2 },
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      description: 'Text.\n\n```js\nconst a = 1;\nrun(a);\n```\n\n- a\n- list\n\n**Fix**\n\nUpgrade.',
    };
    const regressed = await push(site.api, org, first, fields);
    const exploit = { filename: 'poc.py', language: 'python', code: 'print(1)\n' };
    must(await site.api.post(`/agent/findings/${regressed.id}/exploits`, { ...org.asAgent, body: exploit }));
    const change = (id: string, body: object) => site.api.patch(`/findings/${id}`, { ...org.asOwner, body });
    must(await change(regressed.id, { status: 'fixed' }));
    const scan = await createScan(site.api, org);
    await push(site.api, org, scan, fields);
    const overdue = await push(site.api, org, scan, { title: 'Overdue', severity: 'critical' });
    must(await change(overdue.id, { assignee_id: org.owner.id, due_at: '2020-01-01T00:00:00Z' }));
    const accepted = await push(site.api, org, scan, { title: 'Accepted', severity: 'medium' });
    must(await change(accepted.id, { status: 'wontfix', reason: 'risk_accepted', note: 'Agreed.' }));
    const completed = { ...org.asAgent, body: { status: 'completed' } };
    for (const id of [first, scan]) must(await site.api.patch(`/agent/scans/${id}`, completed));
    const rule = { name: 'Tests', conditions: { path: ['**/test/**'] }, actions: { due_days: 30 } };
    const { id: ruleId } = must(await site.api.post('/rules', { ...org.asOwner, body: rule }));
    const { slug } = must(await site.api.get(`/projects/${org.projectId}`, org.asOwner));
    const own = [
      '',
      '/findings',
      '/findings?sort=-created_at&group_by=rule',
      '/metrics',
      '/scans',
      '/projects',
    ];
    const settings = [
      '/members',
      '/rules',
      '/rules/new',
      `/rules/${ruleId}`,
      '/tokens',
      '/settings',
      '/audit',
      '/activity',
      '/nothing',
    ];
    const single = [regressed, overdue, accepted].map(({ id }) => `/findings/${id}`);
    const project = [`/projects/${slug}`, `/projects/${slug}/settings`, `/scans/${scan}`];
    const made = await site.api.post('/orgs', { cookie: org.owner.cookie, body: { name: 'Empty' } });
    const empty: { slug: string } = must(made);
    const asOwner = { cookie: org.owner.cookie, org: empty.slug };
    must(await site.api.post('/projects', { ...asOwner, body: { name: 'First' } }));
    paths = [
      ...[...own, ...settings, ...single, ...project].map((path) => site.orgUrl(org.slug, path)),
      site.orgUrl(empty.slug),
      site.orgUrl(empty.slug, '/metrics'),
      ...['/profile', '/profile/mfa', '/orgs', '/nothing'].map((path) => site.url + path),
    ];
  });

  it('has no barriers, in light and in dark colours', { timeout: limit(180_000) }, async () => {
    const page = await site.visit({ cookie: org.owner.cookie, own: true });
    for (const path of paths) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      await expectAccessible(page);
    }
    await page.goto(`${site.url}/api/v1/docs`);
    await page.getByRole('link', { name: 'Back to the web UI' }).waitFor();
    await page.locator('.opblock-tag').first().waitFor();
    await expectAccessible(page);
    expect(await page.locator('html.dark-mode').count()).toBe(1);
    await page.locator('#operations-tag-Scans').click();
    await page.locator('.opblock-summary-control').first().click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    await expectAccessible(page);
    await page.setViewportSize({ width: 360, height: 780 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    const stranger = await site.visit({ own: true });
    for (const path of ['/login', '/register', '/forgot-password']) {
      await stranger.goto(site.url + path);
      await stranger.getByRole('heading', { level: 1 }).waitFor();
      await expectAccessible(stranger);
    }
  });

  it.each([1280, 360])(
    'moves nothing that is shown, at %i px',
    { timeout: limit(180_000) },
    async (width) => {
      const page = await site.visit({
        cookie: org.owner.cookie,
        own: true,
        viewport: { width, height: 740 },
      });
      await watchShifts(page);
      const moving = [];
      for (const path of paths) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.waitForLoadState('networkidle');
        await page.locator('.mantine-Skeleton-root, [data-waiting]').first().waitFor({ state: 'detached' });
        const { sum, shifts } = await shiftsOf(page);
        if (sum > 0.02) moving.push({ path, sum, shifts });
      }
      expect(moving).toEqual([]);
    },
  );
});
