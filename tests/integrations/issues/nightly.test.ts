import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { purgeOrgs } from '../../../lib/maintenance/purge-orgs.ts';
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
    await purgeOrgs(t.services);
    await t.services.outbox.run();
    const asked = w.github.requests.length;
    t.advance(DAY_MS + HOUR_MS);
    await Promise.all([purgeOrgs(t.services), purgeOrgs(t.services)]);
    await w.signIn();
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
    expect((await w.unlink(finding, issue.id)).status).toBe(204);
  });
});
