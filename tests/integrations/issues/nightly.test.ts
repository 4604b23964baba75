import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { purgeOrgs } from '../../../lib/maintenance/purge-orgs.ts';
import { recheckAllIssues } from '../../../lib/maintenance/recheck-issues.ts';
import { must } from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { createIssueWorld, ENV, HOUR_MS, type IssueWorld } from './kit.ts';

/* Issues that are read each day, and those that nobody needs any more. */

let t: TestApp;
let w: IssueWorld;

beforeAll(async () => {
  t = await startApp({ env: ENV });
});

beforeEach(async () => {
  w = await createIssueWorld(t);
});

describe('each day', () => {
  const DAY_MS = 24 * HOUR_MS;

  it('issues are read once, and their state is shown', async () => {
    const finding = await w.report();
    must(await w.request(finding));
    const { checked_at } = await w.inState(finding, 'open');
    w.edit({ state: 'closed', state_reason: 'not_planned' });
    await recheckAllIssues(t.services);
    await t.services.outbox.run();
    const asked = w.github.requests.length;
    t.advance(DAY_MS + HOUR_MS);
    await Promise.all([recheckAllIssues(t.services), recheckAllIssues(t.services)]);
    await w.signIn();
    const issue = await w.inState(finding, 'closed');
    expect(Date.parse(issue.checked_at)).toBeGreaterThan(Date.parse(checked_at) + DAY_MS);
    await recheckAllIssues(t.services);
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
    w.edit({ is: 'deleted' });
    await w.nextDay();
    expect(await w.inState(finding, 'gone')).toMatchObject({ reason: expect.stringContaining('not exist') });
    w.edit({ is: undefined });
    await w.nextDay();
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
    await w.nextDay();
    await other.signIn();
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
    await w.later(HOUR_MS);
    expect([w.github.issues, await w.run('select id from ORG.issues')]).toEqual([[], []]);
  });

  it('does not close its issue, which was linked while the tracker was down', async () => {
    const first = await w.withIssue();
    const { id, url } = (await w.issues(first))[0];
    must(await w.unlink(first, id));
    const asked = w.github.requests.length;
    w.github.intercept = () => ({ status: 503, body: {} });
    const second = await w.report();
    must(await w.request(second, { url }));
    await t.services.outbox.run();
    await expect.poll(() => w.github.requests.length).toBeGreaterThan(asked);
    // As a process of an older version does it, without the link.
    await w.run('delete from ORG.findings where id = $1', [second]);
    w.github.intercept = undefined;
    await w.later(HOUR_MS);
    await w.settle();
    expect([w.first()?.state, w.comments()]).toEqual(['open', 0]);
    await purgeOrgs(t.services);
    expect(await w.run('select 1 from ORG.issues union all select 1 from ORG.finding_issues')).toEqual([]);
  });

  it('leaves issues of an organization that was restored without its integrations', async () => {
    const finding = await w.withIssue();
    const { integration: _, ...issue } = (await w.issues(finding))[0];
    await w.run('delete from shared.destinations where id = $1', [w.integration]);
    await purgeOrgs(t.services);
    const reason = 'Its integration does not exist any more.';
    expect(await w.issues(finding)).toEqual([{ ...issue, state: 'gone', reason }]);
    expect((await w.unlink(finding, issue.id)).status).toBe(204);
  });
});

describe('what is pending without a delivery', () => {
  /** An issue whose delivery was lost. */
  async function pending(): Promise<string> {
    w.github.intercept = () => ({ status: 422, body: {} });
    const finding = await w.report();
    must(await w.request(finding));
    await w.inState(finding, 'failed');
    w.github.intercept = undefined;
    await w.run(`update ORG.issues set state = 'pending', outcome = null`);
    return finding;
  }

  it('is created within two hours', async () => {
    const finding = await pending();
    t.advance(2 * HOUR_MS);
    await w.signIn();
    await recheckAllIssues(t.services);
    await w.inState(finding, 'open');
    expect(w.github.issues).toHaveLength(1);
  });

  it('is created when somebody asks for it again', async () => {
    const finding = await pending();
    expect((await w.request(finding)).status).toBe(200);
    t.advance(11 * 60_000);
    expect((await w.request(finding)).status).toBe(202);
    await w.inState(finding, 'open');
    expect(w.github.issues).toHaveLength(1);
  });
});

it('at most 250 deliveries wait for an integration', async () => {
  await w.run(
    `insert into ORG.issues (id, destination_id, key, url, state, told, told_at, checked_at, created_by, created_at)
      select gen_random_uuid(), $1::uuid, n::text, n::text, 'open', 'open', now(), '2020-01-01'::timestamptz, $1::uuid, now() from generate_series(1, 300) n`,
    [w.integration],
  );
  await recheckAllIssues(t.services);
  expect(await w.run(`select id from ORG.events where type = 'issue.requested'`)).toHaveLength(250);
});
