import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { createIssueWorld, ENV, type IssueWorld } from './kit.ts';

/* The rules of an integration for issues whose findings are resolved or regress. */

let t: TestApp;
let w: IssueWorld;

beforeAll(async () => {
  t = await startApp({ env: ENV });
});

beforeEach(async () => {
  w = await createIssueWorld(t);
});

describe('when all findings of an issue are resolved', () => {
  it('it is closed once, and opened again for a reported regression only', async () => {
    const fields = { fingerprint: 'sqli' };
    const finding = await w.report(fields);
    await w.complete();
    must(await w.request(finding));
    await w.inState(finding, 'open');
    await w.triage(finding, { status: 'fixed' });
    await w.settle();
    await w.inState(finding, 'closed');
    expect([w.first()?.state_reason, w.comments()]).toEqual(['completed', 1]);
    // Somebody opens it there: that is nobody's echo, and it stays, with the reason on each day.
    w.edit({ state: 'open' });
    for (let day = 0; day < 2; day++) {
      await w.nextDay();
      expect(await w.inState(finding, 'open')).toMatchObject({ reason: expect.stringContaining('open at') });
    }
    expect([w.first()?.state, w.comments(), await w.statusOf(finding)]).toEqual(['open', 1, 'fixed']);
    w.edit({ state: 'closed' });
    await w.scanAgain(fields);
    expect(await w.find(finding)).toMatchObject({ status: 'fixed', regressed: true });
    await w.settle();
    await w.inState(finding, 'open');
    expect([w.first()?.state, w.comments()]).toEqual(['open', 2]);
    await w.settle();
    expect(w.comments()).toBe(2);
  });

  it('it is closed also when a completed scan has closed them', async () => {
    const body = { close_after_scans: 1 };
    must(await t.api.patch(`/projects/${w.org.projectId}`, { ...w.org.asOwner, body }));
    const fields = { fingerprint: 'sqli' };
    const finding = await w.report(fields);
    await w.complete();
    must(await w.request(finding));
    await w.inState(finding, 'open');
    await w.scanAgain({ fingerprint: 'xss' });
    expect(await w.statusOf(finding)).toBe('fixed');
    await w.settle();
    await w.inState(finding, 'closed');
    expect([w.first()?.state, w.first()?.state_reason, w.comments()]).toEqual(['closed', 'completed', 1]);
    await w.scanAgain(fields);
    await w.settle();
    expect([await w.statusOf(finding), w.first()?.state, w.comments()]).toEqual(['fixed', 'open', 2]);
  });

  it('it waits for the last one, and stays closed when somebody opens a finding here', async () => {
    const findings = [await w.report(), await w.report()];
    const [one = '', two = ''] = findings;
    must(await w.many(findings));
    await w.inState(one, 'open');
    await w.triage(one, { status: 'fixed' });
    await w.settle();
    expect([w.first()?.state, w.comments()]).toEqual(['open', 0]);
    await w.triage(two, { status: 'false_positive', reason: 'not_exploitable' });
    await w.settle();
    await w.inState(two, 'closed');
    expect([w.first()?.state_reason, w.comments()]).toEqual(['not_planned', 1]);
    await w.triage(two, { status: 'open' });
    await w.settle();
    expect(await w.inState(two, 'closed')).toMatchObject({ reason: expect.stringContaining('regression') });
    expect([w.first()?.state, w.comments()]).toEqual(['closed', 1]);
  });

  it.each<[string, number, string]>([
    ['comment', 1, 'open'],
    ['nothing', 0, 'open'],
  ])('the rule %s is followed', async (on_resolved, count, state) => {
    await w.patch({ on_resolved });
    const finding = await w.report();
    must(await w.request(finding));
    await w.inState(finding, 'open');
    await w.triage(finding, { status: 'fixed' });
    await w.settle();
    expect([w.comments(), w.first()?.state]).toEqual([count, state]);
    const { reason } = await w.inState(finding, 'open');
    expect(reason).toContain(on_resolved === 'nothing' ? 'does nothing' : 'comments');
  });

  it('a tracker that refuses to close it is quoted, and asked again the next day', async () => {
    const finding = await w.report();
    must(await w.request(finding));
    await w.inState(finding, 'open');
    w.github.intercept = ({ method }) =>
      method === 'PATCH' ? { status: 403, body: { message: 'Resource not accessible' } } : undefined;
    await w.triage(finding, { status: 'fixed' });
    await w.settle();
    expect(await w.inState(finding, 'open')).toMatchObject({
      reason: expect.stringContaining('not accessible'),
    });
    w.github.intercept = undefined;
    await w.nextDay();
    expect(await w.inState(finding, 'closed')).not.toHaveProperty('reason');
  });

  it('one that was resolved when it got the issue leaves it open', async () => {
    const finding = await w.report();
    await w.triage(finding, { status: 'fixed' });
    must(await w.request(finding, { force: true }));
    await w.inState(finding, 'open');
    await w.settle();
    expect([w.first()?.state, w.comments()]).toEqual(['open', 0]);
  });
});
