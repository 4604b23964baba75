import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { purgeOrgs } from '../../lib/maintenance/purge-orgs.ts';
import { addMember, addProject, createOrg, createScan, must, PASSWORD, push } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { createIssueWorld, ENV, type IssueWorld, TOKEN } from './issues-kit.ts';

/* Issues of findings, at a fake of GitHub. */

let t: TestApp;
let w: IssueWorld;

beforeAll(async () => {
  t = await startApp({ env: ENV });
});

beforeEach(async () => {
  w = await createIssueWorld(t);
});

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const integrations = async () => must(await t.api.get('/integrations', w.org.asOwner));
const triage = async (finding: string, body: object) =>
  must(await t.api.patch(`/findings/${finding}`, { ...w.org.asOwner, body }));
const unlink = (finding: string, issue: string, as = w.org.asOwner) =>
  t.api.delete(`/findings/${finding}/issues/${issue}`, as);
const many = (finding_ids: string[], fields: object = {}, as = w.org.asOwner) =>
  t.api.post('/findings/issues', { ...as, body: { finding_ids, integration_id: w.integration, ...fields } });
const audit = async () => must(await t.api.get('/audit?action=issue.created,issue.unlinked', w.org.asOwner));
const actions = async () => (await audit()).map(({ action }: { action: string }) => action);
/** Signs the owner in again, later. */
async function signIn({ org } = w) {
  const body = { email: org.owner.email, password: PASSWORD };
  const { cookie } = await t.api.post('/auth/login', { body });
  Object.assign(org.asOwner, { cookie });
}
/** Lets the outbox work until nothing is due, some time later. */
async function later(ms: number) {
  t.advance(ms);
  await t.services.outbox.run();
}

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
    const [entry] = await audit();
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
    await later(HOUR_MS);
    expect(w.github.issues).toHaveLength(1);
    expect(await actions()).toEqual(['issue.created']);
  });

  it('is one of several findings', async () => {
    const findings = [
      await w.report({ severity: 'low', title: 'Minor' }),
      await w.report({ severity: 'critical', title: 'Worst' }),
    ];
    const [first = '', second = ''] = findings;
    const answer = await many(findings);
    expect([answer.status, answer.result.finding_count]).toEqual([202, 2]);
    const issue = await w.inState(first, 'open');
    expect(await w.issues(second)).toEqual([issue]);
    expect(w.github.issues.map(({ title }) => title)).toEqual(['Worst (and 1 more)']);
    // The same findings have it already; another set would get a second one.
    expect((await many(findings)).status).toBe(200);
    expect((await many([...findings, await w.report()])).status).toBe(409);
    expect((await unlink(first, issue.id)).status).toBe(204);
    expect(await w.issues(first)).toEqual([]);
    expect((await w.issues(second))[0]).toMatchObject({ finding_count: 1 });
    expect((await many(findings)).status).toBe(409);
  });

  it('is linked by its address, and read', async () => {
    const finding = await w.report();
    w.github.issues.push({
      ...{ number: 1, title: 'Known', body: null, labels: [], state: 'closed', state_reason: 'completed' },
      ...{ created_at: t.services.clock().toISOString(), comments: [] },
    });
    const url = `${w.github.url}/acme/web-shop/issues/1`;
    const answer = await w.request(finding, { url });
    expect([answer.status, answer.result]).toMatchObject([202, { key: '1', url, state: 'pending' }]);
    expect(await w.inState(finding, 'closed')).toMatchObject({ key: '1', url, status: expect.any(String) });
    // Another finding of the same issue, and the same request again.
    const other = await w.report();
    expect((await w.request(other, { url })).result).toMatchObject({
      id: answer.result.id,
      finding_count: 2,
    });
    expect((await w.request(other, { url })).status).toBe(200);
    expect((await w.request(other, { url: `${url}2` })).status).toBe(409);
    expect(w.github.issues).toHaveLength(1);
    expect((await audit()).at(-1)).toMatchObject({ changes: { url: { to: url } } });
  });

  it.each([
    ['another repository', (base: string) => `${base}/acme/other/issues/1`],
    ['another host', () => 'https://github.evil.example/acme/web-shop/issues/1'],
    ['a host that begins the same', (base: string) => `${base}.evil.example/acme/web-shop/issues/1`],
    ['credentials before another host', (base: string) => `${base}@evil.example/acme/web-shop/issues/1`],
    ['a path that leads elsewhere', (base: string) => `${base}/acme/web-shop/issues/../../../user`],
    ['no number', (base: string) => `${base}/acme/web-shop/issues/x`],
    ['a script', () => 'javascript:alert(1)'],
    ['no address', () => 'issue 12'],
  ])('of %s is not linked', async (_, url) => {
    const finding = await w.report();
    const answer = await w.request(finding, { url: url(w.github.url) });
    expect([answer.status, answer.badFields]).toEqual([400, ['url']]);
    expect([await w.issues(finding), w.github.requests]).toEqual([[], []]);
  });

  it.each<[string, (finding: string) => Promise<unknown>]>([
    ['a duplicate', (id) => triage(id, { status: 'false_positive', reason: 'duplicate' })],
    ['a resolved finding', (id) => triage(id, { status: 'fixed' })],
    [
      'a finding of a branch only',
      (id) => w.run('update ORG.findings set proposed = true where id = $1', [id]),
    ],
  ])('is not created for %s without force', async (_, prepare) => {
    const finding = await w.report();
    await prepare(finding);
    for (const answer of [await w.request(finding), await many([await w.report(), finding])]) {
      expect(answer.status).toBe(409);
      expect(answer.text).toContain('force');
    }
    expect(await w.issues(finding)).toEqual([]);
    expect((await w.request(finding, { force: true })).status).toBe(202);
    await w.inState(finding, 'open');
  });

  it('stays at the tracker when it is unlinked', async () => {
    const finding = await w.report();
    const { id } = must(await w.request(finding));
    await w.inState(finding, 'open');
    expect((await unlink(finding, id)).status).toBe(204);
    expect((await unlink(finding, id)).status).toBe(404);
    expect([await w.issues(finding), await w.run('select id from ORG.issues')]).toEqual([[], []]);
    expect(w.github.issues.map(({ state }) => state)).toEqual(['open']);
    expect(await actions()).toEqual(['issue.unlinked', 'issue.created']);
  });
});

describe('a tracker', () => {
  it('that is down for a day gets one issue when it is back', async () => {
    w.github.intercept = () => ({ status: 503, body: { message: 'Down' } });
    const finding = await w.report();
    must(await w.request(finding));
    for (let hour = 0; hour < 24; hour++) await later(HOUR_MS);
    await signIn();
    expect(await w.inState(finding, 'pending')).toMatchObject({ reason: expect.stringContaining('503') });
    w.github.intercept = undefined;
    await later(HOUR_MS);
    const issue = await w.inState(finding, 'open');
    expect([issue.reason, w.github.issues.length]).toEqual([undefined, 1]);
    expect((await integrations())[0]).toMatchObject({ enabled: true });
  });

  it('whose answer is lost gets no second issue', async () => {
    let lost = 0;
    w.github.intercept = ({ method }) => (method === 'POST' && lost++ === 0 ? 'lost' : undefined);
    const finding = await w.report();
    must(await w.request(finding));
    await t.services.outbox.run();
    await expect.poll(() => lost).toBe(1);
    await later(HOUR_MS);
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
    for (let hour = 0; hour < 5; hour++) await later(HOUR_MS);
    expect(w.github.requests).toHaveLength(asked);
    expect((await integrations())[0]).not.toHaveProperty('failures');
    w.github.intercept = undefined;
    expect((await w.request(finding)).status).toBe(202);
    expect(await w.inState(finding, 'open')).not.toHaveProperty('reason');
    expect(w.github.issues).toHaveLength(1);
  });

  it('that does not accept the token is switched off, and the owner is told', async () => {
    w.github.intercept = () => ({ status: 401, body: { message: `Bad credentials ${TOKEN}` } });
    const finding = await w.report();
    must(await w.request(finding));
    for (let i = 0; i < 3; i++) await later(HOUR_MS);
    await expect
      .poll(async () => (await integrations())[0])
      .toMatchObject({
        ...{ enabled: false, disabled_reason: 'unauthorized', failures: 3 },
      });
    expect(await w.issues(finding)).toMatchObject([
      { state: 'pending', reason: expect.stringMatching(/off/) },
    ]);
    await t.services.mail.deliverDue();
    const mail = t.mails.findLast(({ recipient }) => recipient === w.org.owner.email);
    expect(mail?.text).toContain('does not accept the token');
    expect(JSON.stringify([mail, await integrations(), await w.issues(finding)])).not.toContain(TOKEN);
    const refused = await w.request(await w.report());
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('switched off')]);
    // With another token, the pending issue is created.
    await signIn();
    w.github.intercept = undefined;
    must(
      await t.api.patch(`/integrations/${w.integration}`, {
        ...w.org.asOwner,
        body: { token: TOKEN, enabled: true },
      }),
    );
    await later(MINUTE_MS);
    await w.inState(finding, 'open');
    expect(w.github.issues).toHaveLength(1);
  });

  it.each<[string, () => unknown]>([
    ['deleted', () => Object.assign(w.github.issues[0] ?? {}, { is: 'deleted' })],
    ['moved', () => Object.assign(w.github.issues[0] ?? {}, { is: 'transferred' })],
    [
      'out of reach',
      () => {
        w.github.intercept = () => ({ status: 404, body: { message: 'Not Found' } });
      },
    ],
  ])('tells that a linked issue is %s', async (_, change) => {
    const first = await w.report();
    must(await w.request(first));
    const { url } = await w.inState(first, 'open');
    await change();
    const second = await w.report();
    must(await w.request(second, { url }));
    expect(await w.inState(second, 'gone')).toMatchObject({ reason: expect.any(String) });
    // 410 of an issue is not 410 of the tracker.
    expect((await integrations())[0]).toMatchObject({ enabled: true });
  });

  it('of another project does not answer for issues of the former one', async () => {
    const first = await w.report();
    must(await w.request(first));
    const { url } = await w.inState(first, 'open');
    await w.patch({ project: 'acme/other' });
    const asked = w.github.requests.length;
    const second = await w.report();
    expect((await w.request(second, { url })).badFields).toEqual(['url']);
    await w.run(
      `insert into ORG.events (id, at, type, subject) select gen_random_uuid(), $1, 'issue.requested', id from ORG.issues`,
      [t.services.clock().toISOString()],
    );
    expect(await w.inState(first, 'gone')).toMatchObject({
      reason: expect.stringContaining('another project'),
    });
    expect(w.github.requests).toHaveLength(asked);
  });
});

describe('nobody', () => {
  it('creates or unlinks one without the role and the reach', async () => {
    const other = await addProject(t.api, w.org);
    const hidden = (await push(t.api, other, await createScan(t.api, other))).id;
    const finding = await w.report();
    const issue = must(await w.request(finding)).id;
    const viewer = await addMember(t.api, w.org, 'viewer');
    const member = await addMember(t.api, w.org, 'member');
    await w.run(`update shared.memberships set project_access = 'assigned' where user_id = $1`, [member.id]);
    await w.run(`insert into ORG.project_members values ($1, $2, 'member', now())`, [
      member.id,
      w.org.projectId,
    ]);
    const stranger = await createOrg(t.api);
    const foreign = { ...stranger.asOwner };
    const missing = randomUUID();
    const status = async (answer: Promise<{ status: number }>) => (await answer).status;

    expect(await status(w.request(finding, {}, viewer.as))).toBe(403);
    expect(await status(many([finding], {}, viewer.as))).toBe(403);
    expect(await status(unlink(finding, issue, viewer.as))).toBe(403);
    expect(must(await t.api.get(`/findings/${finding}/issues`, viewer.as))).toMatchObject({
      ...{ integrations: [], issues: [{ id: issue }] },
    });
    expect(must(await t.api.get(`/findings/${finding}/issues`, member.as)).integrations).toEqual([
      { id: w.integration, kind: 'github', name: 'Web shop' },
    ]);

    // A finding out of reach is as one that does not exist.
    for (const id of [hidden, missing]) {
      const answers = [w.request(id, {}, member.as), many([finding, id], {}, member.as)];
      const read = t.api.get(`/findings/${id}/issues`, member.as);
      for (const answer of [...answers, read]) expect((await answer).text).toContain('resource_error');
      expect(await Promise.all([...answers, read].map(status))).toEqual([404, 404, 404]);
    }
    expect(await status(t.api.get(`/findings/${hidden}/issues/${issue}`, w.org.asOwner))).toBe(404);
    expect(await status(unlink(hidden, issue))).toBe(404);

    // Another organization has neither the finding nor the integration.
    expect(await status(w.request(finding, {}, foreign))).toBe(404);
    const own = (await push(t.api, stranger, await createScan(t.api, stranger))).id;
    const answer = await w.request(own, {}, foreign);
    expect([answer.status, answer.badFields]).toEqual([400, ['integration_id']]);
    await w.inState(finding, 'open');
    expect(w.github.issues).toHaveLength(1);
  });

  it('creates one at an integration of other projects, of another kind, or that is off', async () => {
    const other = await addProject(t.api, w.org);
    const finding = await w.report();
    await w.patch({ project_ids: [other.projectId] });
    const usable = async () =>
      must(await t.api.get(`/findings/${finding}/issues`, w.org.asOwner)).integrations;
    const refused = async (fields: object = {}) => (await w.request(finding, fields)).badFields;
    expect([await usable(), await refused()]).toEqual([[], ['integration_id']]);
    const chat = { kind: 'slack', name: 'x', url: 'https://hooks.acme.example/x', enabled: false };
    const { id } = must(await t.api.post('/integrations', { ...w.org.asOwner, body: chat }));
    expect(await refused({ integration_id: id })).toEqual(['integration_id']);
    await w.patch({ project_ids: null, enabled: false });
    expect([await usable(), (await w.request(finding)).status]).toEqual([[], 409]);
    expect(w.github.requests).toEqual([]);
  });

  it('gets a finding sent whose project the integration has lost meanwhile', async () => {
    const other = await addProject(t.api, w.org);
    w.github.intercept = () => ({ status: 503, body: {} });
    const finding = await w.report();
    must(await w.request(finding));
    await t.services.outbox.run();
    await expect.poll(() => w.github.requests.length).toBe(1);
    await w.patch({ project_ids: [other.projectId] });
    w.github.intercept = undefined;
    await later(HOUR_MS);
    expect(await w.inState(finding, 'failed')).toMatchObject({ reason: expect.stringContaining('projects') });
    expect(w.github.issues).toEqual([]);
  });
});

describe('when all findings of an issue are resolved', () => {
  /** Ends a scan that reports a finding again. */
  const scanAgain = async (fields: Record<string, unknown>) => {
    const scan = await createScan(t.api, w.org);
    await push(t.api, w.org, scan, fields);
    must(await t.api.patch(`/agent/scans/${scan}`, { ...w.org.asAgent, body: { status: 'completed' } }));
  };
  const statusOf = async (finding: string) =>
    must(await t.api.get(`/findings/${finding}`, w.org.asOwner)).status;
  const first = () => w.github.issues[0];
  const comments = () => first()?.comments.length;
  async function settle() {
    for (let i = 0; i < 3; i++) await later(MINUTE_MS);
  }

  it('it is closed once, and opened again for a reported regression only', async () => {
    const fields = { fingerprint: 'sqli' };
    const finding = await w.report(fields);
    must(await t.api.patch(`/agent/scans/${w.scan}`, { ...w.org.asAgent, body: { status: 'completed' } }));
    must(await w.request(finding));
    await w.inState(finding, 'open');
    await triage(finding, { status: 'fixed' });
    await settle();
    await w.inState(finding, 'closed');
    expect([first()?.state_reason, comments()]).toEqual(['completed', 1]);
    // Somebody opens it there: that is nobody's echo, and it stays.
    Object.assign(first() ?? {}, { state: 'open' });
    await purgeOrgs(t.services);
    t.advance(25 * HOUR_MS);
    await signIn();
    await purgeOrgs(t.services);
    await w.inState(finding, 'open');
    expect([first()?.state, comments(), await statusOf(finding)]).toEqual(['open', 1, 'fixed']);
    Object.assign(first() ?? {}, { state: 'closed' });
    await scanAgain(fields);
    expect(await statusOf(finding)).toBe('open');
    await settle();
    await w.inState(finding, 'open');
    expect([first()?.state, comments()]).toEqual(['open', 2]);
    await settle();
    expect(comments()).toBe(2);
  });

  it('it waits for the last one, and stays closed when somebody opens a finding here', async () => {
    const findings = [await w.report(), await w.report()];
    const [one = '', two = ''] = findings;
    must(await many(findings));
    await w.inState(one, 'open');
    await triage(one, { status: 'fixed' });
    await settle();
    expect([first()?.state, comments()]).toEqual(['open', 0]);
    await triage(two, { status: 'false_positive', reason: 'not_exploitable' });
    await settle();
    await w.inState(two, 'closed');
    expect([first()?.state_reason, comments()]).toEqual(['not_planned', 1]);
    await triage(two, { status: 'open' });
    await settle();
    expect(await w.inState(two, 'closed')).toMatchObject({ reason: expect.stringContaining('regression') });
    expect([first()?.state, comments()]).toEqual(['closed', 1]);
  });

  it.each<[string, number, string]>([
    ['comment', 1, 'open'],
    ['nothing', 0, 'open'],
  ])('the rule %s is followed', async (on_resolved, count, state) => {
    await w.patch({ on_resolved });
    const finding = await w.report();
    must(await w.request(finding));
    await w.inState(finding, 'open');
    await triage(finding, { status: 'fixed' });
    await settle();
    expect([comments(), first()?.state]).toEqual([count, state]);
    const { reason } = await w.inState(finding, 'open');
    if (on_resolved === 'nothing') expect(reason).toContain('does nothing');
  });

  it('a tracker that refuses to close it is quoted, and asked again the next day', async () => {
    const finding = await w.report();
    must(await w.request(finding));
    await w.inState(finding, 'open');
    w.github.intercept = ({ method }) =>
      method === 'PATCH' ? { status: 403, body: { message: 'Resource not accessible' } } : undefined;
    await triage(finding, { status: 'fixed' });
    await settle();
    expect(await w.inState(finding, 'open')).toMatchObject({
      reason: expect.stringContaining('not accessible'),
    });
    w.github.intercept = undefined;
    t.advance(25 * HOUR_MS);
    await signIn();
    await purgeOrgs(t.services);
    expect(await w.inState(finding, 'closed')).not.toHaveProperty('reason');
  });

  it('one that was resolved when it got the issue leaves it open', async () => {
    const finding = await w.report();
    await triage(finding, { status: 'fixed' });
    must(await w.request(finding, { force: true }));
    await w.inState(finding, 'open');
    await settle();
    expect([first()?.state, comments()]).toEqual(['open', 0]);
  });
});

describe('each day', () => {
  const DAY_MS = 24 * HOUR_MS;

  it('issues are read once, and their state is shown', async () => {
    const finding = await w.report();
    must(await w.request(finding));
    const { checked_at } = await w.inState(finding, 'open');
    Object.assign(w.github.issues[0] ?? {}, { state: 'closed', state_reason: 'not_planned' });
    await purgeOrgs(t.services);
    await t.services.outbox.run();
    const asked = w.github.requests.length;
    t.advance(DAY_MS + HOUR_MS);
    await Promise.all([purgeOrgs(t.services), purgeOrgs(t.services)]);
    await signIn();
    const issue = await w.inState(finding, 'closed');
    expect(Date.parse(issue.checked_at)).toBeGreaterThan(Date.parse(checked_at) + DAY_MS);
    await purgeOrgs(t.services);
    await t.services.outbox.run();
    expect(w.github.requests).toHaveLength(asked + 1);
    // The finding stays as it is, and so does the issue.
    expect(must(await t.api.get(`/findings/${finding}`, w.org.asOwner)).status).toBe('open');
    expect(w.github.issues).toMatchObject([{ state: 'closed', comments: [] }]);
  });

  it('tells of deleted ones, and of those that are back', async () => {
    const finding = await w.report();
    must(await w.request(finding));
    await w.inState(finding, 'open');
    Object.assign(w.github.issues[0] ?? {}, { is: 'deleted' });
    t.advance(DAY_MS + HOUR_MS);
    await purgeOrgs(t.services);
    await signIn();
    expect(await w.inState(finding, 'gone')).toMatchObject({ reason: expect.stringContaining('not exist') });
    Object.assign(w.github.issues[0] ?? {}, { is: undefined });
    t.advance(DAY_MS + HOUR_MS);
    await purgeOrgs(t.services);
    await signIn();
    expect(await w.inState(finding, 'open')).not.toHaveProperty('reason');
  });

  it('a tracker that is down keeps those of others not waiting', async () => {
    const other = await createIssueWorld(t);
    const [own, others] = [await w.report(), await other.report()];
    must(await w.request(own));
    must(await other.request(others));
    await w.inState(own, 'open');
    await other.inState(others, 'open');
    w.github.intercept = () => ({ status: 503, body: {} });
    Object.assign(other.github.issues[0] ?? {}, { state: 'closed', state_reason: 'completed' });
    t.advance(DAY_MS + HOUR_MS);
    await purgeOrgs(t.services);
    await signIn();
    await signIn(other);
    await other.inState(others, 'closed');
    expect(await w.inState(own, 'open')).toMatchObject({ reason: expect.stringContaining('503') });
  });
});

describe('what is deleted', () => {
  it('takes its issues along', async () => {
    const [first, second] = [await w.report(), await w.report()];
    for (const finding of [first, second]) must(await w.request(finding));
    await w.inState(first, 'open');
    await w.inState(second, 'open');
    must(await t.api.delete(`/findings/${first}`, w.org.asOwner));
    expect(await w.run('select finding_id from ORG.finding_issues')).toEqual([{ finding_id: second }]);
    await purgeOrgs(t.services);
    expect(await w.run('select id from ORG.issues')).toHaveLength(1);
    must(await t.api.delete(`/integrations/${w.integration}`, w.org.asOwner));
    expect(await w.issues(second)).toEqual([]);
    expect(await w.run('select id from ORG.issues')).toEqual([]);
    expect(w.github.issues.map(({ state }) => state)).toEqual(['open', 'open']);
  });

  it('is not created any more', async () => {
    w.github.intercept = () => ({ status: 503, body: {} });
    const finding = await w.report();
    must(await w.request(finding));
    await t.services.outbox.run();
    await expect.poll(() => w.github.requests.length).toBe(1);
    must(await t.api.delete(`/findings/${finding}`, w.org.asOwner));
    await purgeOrgs(t.services);
    w.github.intercept = undefined;
    await later(HOUR_MS);
    expect([w.github.issues, await w.run('select id from ORG.issues')]).toEqual([[], []]);
  });

  it('was pending for too long, is given up', async () => {
    await w.patch({ enabled: true });
    const finding = await w.report();
    must(await w.request(finding));
    await w.inState(finding, 'open');
    await w.run(`update ORG.issues set state = 'pending', checked_at = now() - interval '31 days'`);
    await purgeOrgs(t.services);
    expect(await w.issues(finding)).toMatchObject([{ state: 'failed', reason: expect.any(String) }]);
  });

  it('leaves issues of an organization that was restored without its integrations', async () => {
    const finding = await w.report();
    must(await w.request(finding));
    const { integration: _, ...issue } = await w.inState(finding, 'open');
    await w.run('delete from shared.destinations where id = $1', [w.integration]);
    await purgeOrgs(t.services);
    expect(await w.issues(finding)).toEqual([issue]);
    expect((await unlink(finding, issue.id)).status).toBe(204);
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
    await later(MINUTE_MS);
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
