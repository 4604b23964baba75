import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { createIssueWorld, ENV, HOUR_MS, type IssueWorld, MINUTE_MS, TOKEN } from './kit.ts';

/* Issues that are created for findings, at a fake of GitHub. */

let t: TestApp;
let w: IssueWorld;

beforeAll(async () => {
  t = await startApp({ env: ENV });
});

beforeEach(async () => {
  w = await createIssueWorld(t);
});

describe('an issue', () => {
  it('is created with the finding, and shown with its state', async () => {
    const finding = await w.report({ title: 'SQL injection', file: 'src/search.ts', line: 7 });
    const answer = await w.request(finding);
    expect([answer.status, answer.result]).toEqual([
      202,
      {
        ...{ id: expect.any(String), state: 'pending', finding_count: 1, created_by: w.org.owner.id },
        integration: { id: w.integration, kind: 'github', name: 'Web shop' },
        created_at: expect.any(String),
      },
    ]);
    const issue = await w.inState(finding, 'open');
    const url = `${w.github.url}/acme/web-shop/issues/1`;
    expect(issue).toEqual({ ...answer.result, state: 'open', key: '1', url, checked_at: expect.any(String) });
    expect(w.github.issues).toHaveLength(1);
    expect(w.github.issues[0]).toMatchObject({ title: 'SQL injection' });
    expect(w.github.issues[0]?.body).toContain('src/search.ts:7');
    expect(w.github.issues[0]?.body).toContain(`/o/${w.org.slug}/findings/${finding}`);
    expect(must(await t.api.get(`/findings/${finding}/issues/${issue.id}`, w.org.asOwner))).toEqual(issue);
    const [entry] = await w.audit();
    expect(entry).toMatchObject({
      ...{ action: 'issue.created', target: { type: 'issue', id: issue.id } },
      changes: { integration_id: { to: w.integration }, finding_ids: { to: [finding] } },
    });
  });

  it('is one, however often and at once it is asked for', async () => {
    const finding = await w.report();
    const answers = await Promise.all(Array.from({ length: 8 }, () => w.request(finding)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(7).fill(200), 202]);
    expect(new Set(answers.map(({ result }) => result.id)).size).toBe(1);
    await w.inState(finding, 'open');
    expect((await w.request(finding)).status).toBe(200);
    await w.later(HOUR_MS);
    expect(w.github.issues).toHaveLength(1);
    expect(await w.actions()).toEqual(['issue.created']);
  });

  it('is one of several findings', async () => {
    const findings = [
      await w.report({ severity: 'low', title: 'Minor' }),
      await w.report({ severity: 'critical', title: 'Worst' }),
    ];
    const [first = '', second = ''] = findings;
    const answer = await w.many(findings);
    expect([answer.status, answer.result.finding_count]).toEqual([202, 2]);
    const issue = await w.inState(first, 'open');
    expect(await w.issues(second)).toEqual([issue]);
    expect(w.github.issues.map(({ title }) => title)).toEqual(['Worst (and 1 more)']);
    // The same findings have it already; another set would get a second one.
    expect((await w.many(findings)).status).toBe(200);
    expect((await w.many([...findings, await w.report()])).status).toBe(409);
    expect((await w.unlink(first, issue.id)).status).toBe(204);
    expect(await w.issues(first)).toEqual([]);
    expect((await w.issues(second))[0]).toMatchObject({ finding_count: 1 });
    expect((await w.many(findings)).status).toBe(409);
  });

  it.each<[string, (finding: string) => Promise<unknown>]>([
    ['a duplicate', (id) => w.triage(id, { status: 'false_positive', reason: 'duplicate' })],
    ['a resolved finding', (id) => w.triage(id, { status: 'fixed' })],
    [
      'a finding of a branch only',
      (id) => w.run('update ORG.findings set proposed = true where id = $1', [id]),
    ],
  ])('is not created for %s without force', async (_, prepare) => {
    const finding = await w.report();
    await prepare(finding);
    for (const answer of [await w.request(finding), await w.many([await w.report(), finding])]) {
      expect(answer.status).toBe(409);
      expect(answer.text).toContain('force');
    }
    expect(await w.issues(finding)).toEqual([]);
    expect((await w.request(finding, { force: true })).status).toBe(202);
    await w.inState(finding, 'open');
  });
});

describe('a tracker', () => {
  it('that is down for a day gets one issue when it is back', async () => {
    w.github.intercept = () => ({ status: 503, body: { message: 'Down' } });
    const finding = await w.report();
    must(await w.request(finding));
    for (let hour = 0; hour < 24; hour++) await w.later(HOUR_MS);
    await w.signIn();
    expect(await w.inState(finding, 'pending')).toMatchObject({ reason: expect.stringContaining('503') });
    w.github.intercept = undefined;
    await w.later(HOUR_MS);
    const issue = await w.inState(finding, 'open');
    expect([issue.reason, w.github.issues.length]).toEqual([undefined, 1]);
    expect((await w.integrations())[0]).toMatchObject({ enabled: true });
  });

  it('that is back gets no issue of findings that were resolved meanwhile', async () => {
    w.github.intercept = () => ({ status: 503, body: {} });
    const finding = await w.report();
    must(await w.request(finding));
    await t.services.outbox.run();
    await expect.poll(() => w.github.requests.length).toBe(1);
    await w.triage(finding, { status: 'fixed' });
    w.github.intercept = undefined;
    await w.later(HOUR_MS);
    expect(await w.inState(finding, 'failed')).toMatchObject({ reason: expect.stringContaining('resolved') });
    expect((await w.request(finding)).status).toBe(409);
    must(await w.request(finding, { force: true }));
    await w.inState(finding, 'open');
    expect(w.github.issues).toHaveLength(1);
  });

  it('whose answer is lost gets no second issue', async () => {
    let lost = 0;
    w.github.intercept = ({ method }) => (method === 'POST' && lost++ === 0 ? 'lost' : undefined);
    const finding = await w.report();
    must(await w.request(finding));
    await t.services.outbox.run();
    await expect.poll(() => lost).toBe(1);
    await w.later(HOUR_MS);
    await w.inState(finding, 'open');
    expect(w.github.issues).toHaveLength(1);
  });

  it('that refuses an issue is not asked again until somebody does', async () => {
    w.github.intercept = ({ method }) =>
      method === 'POST' ? { status: 422, body: { message: 'Validation Failed' } } : undefined;
    const finding = await w.report();
    must(await w.request(finding));
    expect(await w.inState(finding, 'failed')).toMatchObject({
      reason: expect.stringContaining('Validation Failed'),
    });
    const asked = w.github.requests.length;
    for (let hour = 0; hour < 5; hour++) await w.later(HOUR_MS);
    expect(w.github.requests).toHaveLength(asked);
    expect((await w.integrations())[0]).not.toHaveProperty('failures');
    w.github.intercept = undefined;
    expect((await w.request(finding)).status).toBe(202);
    expect(await w.inState(finding, 'open')).not.toHaveProperty('reason');
    expect(w.github.issues).toHaveLength(1);
  });

  it('that does not accept the token is switched off, and the owner is told', async () => {
    w.github.intercept = () => ({ status: 401, body: { message: `Bad credentials ${TOKEN}` } });
    const finding = await w.report();
    must(await w.request(finding));
    for (let i = 0; i < 3; i++) await w.later(HOUR_MS);
    await expect
      .poll(async () => (await w.integrations())[0])
      .toMatchObject({
        ...{ enabled: false, disabled_reason: 'unauthorized', failures: 3 },
      });
    expect(await w.issues(finding)).toMatchObject([
      { state: 'pending', reason: expect.stringMatching(/off/) },
    ]);
    await t.services.mail.deliverDue();
    const mail = t.mails.findLast(({ recipient }) => recipient === w.org.owner.email);
    expect(mail?.text).toContain('does not accept the token');
    expect(JSON.stringify([mail, await w.integrations(), await w.issues(finding)])).not.toContain(TOKEN);
    const refused = await w.request(await w.report());
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('switched off')]);
    // With another token, the pending issue is created.
    await w.signIn();
    w.github.intercept = undefined;
    must(
      await t.api.patch(`/integrations/${w.integration}`, {
        ...w.org.asOwner,
        body: { token: TOKEN, enabled: true },
      }),
    );
    await w.later(MINUTE_MS);
    await w.inState(finding, 'open');
    expect(w.github.issues).toHaveLength(1);
  });
});

describe('the event', () => {
  it('is for trackers only', async () => {
    const finding = await w.report();
    must(await w.request(finding));
    await w.inState(finding, 'open');
    const [event] = await w.run(`select seq from ORG.events where type = 'issue.requested'`);
    const feed = await t.services.eventFeeds.follow(await orgRow());
    const { events } = await feed.read(Number(event.seq) - 1);
    feed.close();
    const audience = { isAdmin: true };
    expect(events.map(({ bodyFor }) => bodyFor(audience)).filter(Boolean)).toEqual([]);
    const hook = { url: 'https://hooks.acme.example', events: ['issue.requested'] };
    expect((await t.api.post('/webhooks', { ...w.org.asOwner, body: hook })).status).toBe(400);
  });

  it('of one integration is nothing to another', async () => {
    const second = { kind: 'github', name: 'B', url: w.github.url, project: 'acme/web-shop', token: TOKEN };
    const { id } = must(await t.api.post('/integrations', { ...w.org.asOwner, body: second }));
    const finding = await w.report();
    must(await w.request(finding));
    await w.inState(finding, 'open');
    await w.later(MINUTE_MS);
    expect(must(await t.api.get(`/integrations/${id}/deliveries`, w.org.asOwner))).toEqual([]);
    must(await w.request(finding, { integration_id: id }));
    await expect
      .poll(async () => (await w.issues(finding)).map(({ state }) => state))
      .toEqual(['open', 'open']);
    expect(w.github.issues).toHaveLength(2);
  });
});

const orgRow = async () => {
  const org = await t.services.orgs.named(w.org.slug);
  if (!org) throw new Error('the organization is missing');
  return org;
};
