import { beforeAll, describe, expect, test } from 'vitest';
import { createOrg, createScan, finding, must, PASSWORD, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

describe('while the database takes no writes', () => {
  let t: TestApp;
  let org: TestOrg;
  let scanId: string;
  let findingId: string;
  beforeAll(async () => {
    const { api, databaseUrl, services } = await startApp();
    org = await createOrg(api);
    scanId = await createScan(api, org);
    findingId = (await push(api, org, scanId)).id;
    // For connections made from now on: those of another app.
    const name = new URL(databaseUrl).pathname.slice(1);
    await services.database.sql.unsafe(`alter database ${name} set default_transaction_read_only = on`);
    t = await startApp({ databaseUrl });
    // Writes that happen at most once a minute would happen now.
    t.advance(5 * 60_000);
  });

  const refusal = {
    status: 500,
    error: 'server_error/unavailable',
    json: { errors: [{ message: expect.stringContaining('takes no writes') }] },
  };

  test('members read', async () => {
    for (const path of [
      '/auth/me',
      '/profile/sessions',
      '/profile/emails',
      '/profile/mfa/devices',
      '/config/features',
      '/members',
      '/org-features',
      '/tokens',
      `/projects/${org.projectId}/tokens`,
      '/orgs',
      `/orgs/${org.slug}`,
      '/projects',
      '/dashboard/stats',
      '/findings',
      '/findings?per_page=10',
      `/findings/${findingId}`,
      '/scans',
      `/scans/${scanId}`,
    ]) {
      expect([path, (await t.api.get(path, org.asOwner)).status]).toEqual([path, 200]);
    }
  });

  test('agents read', async () => {
    const path = `/agent/findings?project_id=${org.projectId}`;
    expect(must(await t.api.get(path, org.asAgent))).toHaveLength(1);
  });

  test('probes say that the service answers', async () => {
    expect((await t.api.get('//healthz')).status).toBe(200);
    expect((await t.api.get('//readyz')).status).toBe(200);
  });

  test('writes are refused, and told why', async () => {
    const { email } = org.owner;
    const { asOwner, asAgent } = org;
    const answers = [
      await t.api.post('/agent/findings', { ...asAgent, body: finding(org, scanId) }),
      await t.api.patch(`/agent/scans/${scanId}`, { ...asAgent, body: { status: 'completed' } }),
      await t.api.patch(`/findings/${findingId}`, { ...asOwner, body: { status: 'fixed' } }),
      await t.api.post('/projects', { ...asOwner, body: { name: 'Another' } }),
      await t.api.post('/orgs', { ...asOwner, body: { name: 'Another' } }),
      // An export that leaves no entry in the audit log could not be traced.
      await t.api.get('/findings/export.csv', asOwner),
      await t.api.post('/auth/login', { body: { email, password: PASSWORD } }),
      await t.api.post('/auth/register', {
        body: { email: `new-${email}`, password: PASSWORD, name: 'New' },
      }),
    ];
    for (const answer of answers) expect(answer).toMatchObject(refusal);
    expect(answers[0]?.headers.get('retry-after')).toBe('2');
    expect((await t.api.get('//metrics')).text).toContain(`svc_db_writes_refused_total ${answers.length}\n`);
  });
});
