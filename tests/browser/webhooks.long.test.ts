import { beforeAll, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../events/outbox-kit.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/client.ts';
import { expectAccessible } from './support/axe.ts';
import { describePagesOf } from './support/site.ts';

/* Webhooks in the settings of an organization, and the page with their deliveries. */

const env = {
  SVC_OUTBOUND_ALLOW: '127.0.0.0/8',
  SVC_ENCRYPTION_KEY: 'an encryption key for tests of webhooks',
};

describePagesOf({ env })('webhooks', (site) => {
  let org: TestOrg;
  let receiver: Receiver;

  beforeAll(async () => {
    org = await createOrg(site.api);
  });

  it('are added, tested, rotated and deleted, and what fails is sent again', async () => {
    receiver = await startReceiver();
    const page = await site.open(org, '/settings');
    const card = page.getByRole('region', { name: 'Webhooks' });
    await card.getByText('No webhooks yet').waitFor();
    await card.getByRole('button', { name: 'Add webhook' }).click();
    const form = page.getByRole('dialog', { name: 'Add webhook' });
    await form.getByLabel('Address').fill('http://10.0.0.1/hook');
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/must begin with https:/i).waitFor();
    await form.getByLabel('Address').fill(receiver.url);
    await form.getByLabel('Findings assigned').check();
    await form.getByLabel('Audit log').check();
    await form.getByRole('button', { name: 'Save' }).click();

    const secret = page.getByRole('dialog', { name: 'Secret of the webhook' });
    await secret.getByText(/^whsec_/).waitFor();
    await expectAccessible(page);
    await secret.getByLabel('I have stored the secret').check();
    await secret.getByRole('button', { name: 'Done' }).click();
    await card.getByText('4 kinds of events').waitFor();
    await expectAccessible(page);

    await card.getByRole('button', { name: `Actions for ${receiver.url}` }).click();
    await page.getByRole('menuitem', { name: 'Send a test' }).click();
    await page.getByText('The test is on its way.').waitFor();
    await card.getByRole('link', { name: 'Deliveries' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Test' });
    await row.getByText('Delivered').first().waitFor();
    await expectAccessible(page);

    receiver.answer = (response) => response.writeHead(503).end('Out of order');
    const scan = await createScan(site.api, org);
    await push(site.api, org, scan, { severity: 'high' });
    must(await site.api.patch(`/agent/scans/${scan}`, { ...org.asAgent, body: { status: 'completed' } }));
    const typesReceived = () => receiver.received.map(({ body }) => body.type);
    await expect.poll(typesReceived).toContain('scan.completed');
    await page.reload();
    const failed = page.getByRole('row').filter({ hasText: 'scan.completed' });
    await failed.getByText('503 after').first().waitFor();
    await failed.getByText('Response').first().click();
    await failed.getByText('Out of order').first().waitFor();
    await expectAccessible(page);
    receiver.answer = (response) => response.end();
    await failed.getByRole('button', { name: 'Send again' }).first().click();
    await failed.getByText('Delivered').first().waitFor();
    const sent = receiver.received.filter(({ body }) => body.type === 'scan.completed');
    expect(sent.length).toBeGreaterThan(1);
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1);

    await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click();
    await page.getByRole('menuitem', { name: 'Replace the secret' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click();
    await secret.getByText(/^whsec_/).waitFor();
    await secret.getByLabel('I have stored the secret').check();
    await secret.getByRole('button', { name: 'Done' }).click();
    await expect.poll(typesReceived).toContain('webhook.secret_rotated');

    await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await card.getByText('No webhooks yet').waitFor();
  });

  it('beside them, integrations are added, tested, edited without their address, and deleted', async () => {
    receiver = await startReceiver();
    const page = await site.open(org, '/settings');
    const card = page.getByRole('region', { name: 'Integrations' });
    await card.getByText('No integrations yet').waitFor();
    await card.getByRole('button', { name: 'Add integration' }).click();
    const form = page.getByRole('dialog', { name: 'Add integration' });
    await form.getByRole('link', { name: 'Instructions of Slack' }).waitFor();
    await form.getByLabel('Service').click();
    await page.getByRole('option', { name: 'Mattermost' }).click();
    await form.getByRole('link', { name: 'Instructions of Mattermost' }).waitFor();
    await form.getByLabel('Name').fill('Security team');
    await form.getByLabel('Address').fill(receiver.url);
    await expectAccessible(page);
    await form.getByRole('button', { name: 'Save' }).click();
    await card.getByText(/^Mattermost · 127\.0\.0\.1:\d+$/).waitFor();
    await expectAccessible(page);

    await card.getByRole('button', { name: 'Actions for Security team' }).click();
    await page.getByRole('menuitem', { name: 'Edit' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit integration' });
    expect(await edit.getByLabel('Address').inputValue()).toBe('');
    await edit.getByLabel('Name').fill('Everybody');
    await edit.getByRole('button', { name: 'Save' }).click();
    await card.getByText('Everybody').waitFor();

    await card.getByRole('link', { name: 'Deliveries' }).click();
    await page.getByRole('button', { name: 'Actions for Everybody' }).click();
    await page.getByRole('menuitem', { name: 'Send a test' }).click();
    await expect.poll(() => receiver.received[0]?.body.text).toMatch(/svc-findings is connected/);
    const row = page.getByRole('row').filter({ hasText: 'Test' });
    await row.getByText('Delivered').first().waitFor();
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Actions for Everybody' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await card.getByText('No integrations yet').waitFor();
  });
});
