import { resolve } from 'node:path';
import { expect } from 'vitest';
import { createWorkspace, startAgent } from '../../support/agent/agent.ts';
import { PASSWORD } from '../../support/api/client.ts';
import { expectAccessible } from './axe.ts';
import type { Site } from './site.ts';

const REPORT = resolve(import.meta.dirname, '../../fixtures/semgrep.json');

/** Browsers know that `*.localhost` is this machine, not every system does. */
const RESOLVE_LOCALHOST = `data:text/javascript,${encodeURIComponent(`
import dns from 'node:dns';
const { lookup } = dns;
dns.lookup = (host, ...rest) => lookup(host.endsWith('.localhost') ? '127.0.0.1' : host, ...rest);`)}`;

/**
 * The first newcomer of a server gets from registering to the first triaged finding by what the pages say.
 * @param hasSubdomains whether organizations are at subdomains of the site
 */
export async function journey(site: Site, { hasSubdomains = false } = {}): Promise<void> {
  const page = await site.visit();
  const button = (name: string | RegExp) => page.getByRole('button', { name });

  await page.goto(site.url);
  await page.getByRole('heading', { level: 1, name: 'Create the first account' }).waitFor();
  expect(await page.getByRole('link', { name: 'Sign in' }).count()).toBe(0);
  expect(await page.title()).toBe('Create the first account · svc-findings');
  await expectAccessible(page);
  await page.getByLabel('Name').fill('Grace Hopper');
  await page.getByLabel('E-mail address').fill('grace@example.com');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await button('Create account').click();
  await page.getByText('Your account is ready').waitFor();
  // Others do not see that there was none.
  const other = await site.visit();
  await other.goto(site.url);
  await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await other.getByRole('link', { name: 'Create an account' }).click();
  await other.getByRole('heading', { level: 1, name: 'Create your account' }).waitFor();
  await page.getByRole('link', { name: 'Open your organization' }).click();
  await page.waitForURL(site.orgUrl('grace-hopper'));

  await page.getByLabel('Project name').fill('Web shop');
  await button('Create project').click();
  await button('Create token').click();
  const commands = await page.getByText(/curl -fsSLO/).innerText();
  expect(commands).toContain(`${new URL(page.url()).origin}/assets/svc-agent.mjs`);
  // The host says it, where there is one for the organization.
  expect(commands.includes('SVC_ORG=')).toBe(!hasSubdomains);
  const env = Object.fromEntries(
    [...commands.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
  );
  const agent = startAgent(['report', REPORT], {
    cwd: createWorkspace(),
    env: { ...env, NODE_OPTIONS: `--import=${RESOLVE_LOCALHOST}` },
  });
  const ended = await agent.ended;
  expect(ended.code).toBe(0);

  // Nothing has to be loaded again.
  await page.getByText(/findings received/).waitFor();
  await page.getByRole('link', { name: 'Open findings' }).click();
  const grid = page.getByRole('grid', { name: 'Findings' });
  const title = await grid.getByRole('link').first().innerText();
  await grid.getByRole('link').first().click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page
    .getByRole('group', { name: 'Set the status' })
    .getByRole('button', { name: 'Confirmed' })
    .click();
  await button('Confirmed').and(page.locator('[aria-pressed=true]')).waitFor();

  const org = { cookie: await cookieOf(page), org: 'grace-hopper' };
  await expect
    .poll(async () => (await site.api.get('/findings?status=confirmed', org)).result)
    .toMatchObject([{ title }]);

  const [scanUrl = ''] = /^http\S+$/m.exec(ended.out) ?? [];
  await page.goto(scanUrl);
  await page.getByRole('heading', { name: 'Changes' }).waitFor();
}

async function cookieOf(page: Awaited<ReturnType<Site['visit']>>): Promise<string | undefined> {
  return (await page.context().cookies()).find(({ name }) => name === 'svc_token')?.value;
}
