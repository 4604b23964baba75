import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addProject, must } from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { createIssueWorld, ENV, type IssueWorld, TOKEN } from './kit.ts';

/* Findings with issues that scans report again, which keep their status and get the flag `regressed`. */

let t: TestApp;
let w: IssueWorld;

beforeAll(async () => {
  t = await startApp({ env: ENV });
});

beforeEach(async () => {
  w = await createIssueWorld(t);
});

const A = { fingerprint: 'a' };
const B = { fingerprint: 'b' };

/** The state and the comments of the issue at the tracker. */
const there = () => [w.first()?.state, w.comments()];

/** Reports two findings that share an issue. */
async function withShared(): Promise<[string, string]> {
  const findings: [string, string] = [await w.report(A), await w.report(B)];
  await w.complete();
  must(await w.many(findings));
  await w.inState(findings[0], 'open');
  return findings;
}

async function fix(...findings: string[]) {
  for (const finding of findings) await w.triage(finding, { status: 'fixed' });
  await w.settle();
}

describe('a regressed finding', () => {
  it('gets an issue, which is closed and opened again as that of others', async () => {
    const finding = await w.report(A);
    await w.complete();
    await fix(finding);
    await w.scanAgain(A);
    expect(await w.find(finding)).toMatchObject({ status: 'fixed', regressed: true });
    expect((await w.request(finding)).status).toBe(202);
    await w.inState(finding, 'open');
    await fix(finding);
    await w.inState(finding, 'closed');
    expect(there()).toEqual(['closed', 1]);
    await w.scanAgain(A);
    await w.settle();
    await w.inState(finding, 'open');
    expect(there()).toEqual(['open', 2]);
  });

  it('that is fixed again explains nothing about an issue that could not be opened', async () => {
    const finding = await w.withIssue(A);
    await w.complete();
    await fix(finding);
    w.github.intercept = ({ method }) =>
      method === 'PATCH' ? { status: 403, body: { message: 'Resource not accessible' } } : undefined;
    await w.scanAgain(A);
    await w.settle();
    expect(await w.inState(finding, 'closed')).toMatchObject({
      reason: expect.stringContaining('not accessible'),
    });
    w.github.intercept = undefined;
    await fix(finding);
    expect(await w.inState(finding, 'closed')).not.toHaveProperty('reason');
  });

  it('keeps its issue open when the others are resolved', async () => {
    const [a, b] = await withShared();
    await fix(a);
    await w.scanAgain(A);
    await fix(b);
    expect(there()).toEqual(['open', 0]);
  });

  it('opens an issue that was left closed when somebody opened another finding', async () => {
    const [a, b] = await withShared();
    await fix(a, b);
    expect(there()).toEqual(['closed', 1]);
    await w.triage(a, { status: 'open' });
    await w.settle();
    expect(there()).toEqual(['closed', 1]);
    await w.scanAgain(B);
    await w.settle();
    await w.inState(b, 'open');
    expect(there()).toEqual(['open', 2]);
  });

  it('is news once: not after an undo, and not for an issue that it is linked to', async () => {
    const finding = await w.report(A);
    await w.complete();
    await fix(finding);
    await w.scanAgain(A);
    must(await w.request(finding));
    await w.inState(finding, 'open');
    await fix(finding);
    await w.inState(finding, 'closed');
    const [change] = must(await t.api.get('/changes', w.org.asOwner));
    must(await t.api.post(`/changes/${change.id}/undo`, w.org.asOwner));
    expect(await w.find(finding)).toMatchObject({ regressed: true });
    await w.settle();
    expect(await w.inState(finding, 'closed')).toMatchObject({
      reason: expect.stringContaining('regression'),
    });

    const [{ id, url }] = await w.issues(finding);
    const other = await w.report(B);
    must(await w.request(other, { url }));
    must(await w.unlink(finding, id));
    await fix(other);
    must(await w.request(finding, { url }));
    await w.settle();
    expect(there()).toEqual(['closed', 1]);
  });

  it('is told when its scan fails', async () => {
    const finding = await w.withIssue(A);
    await w.complete();
    await fix(finding);
    const scan = await w.regress(A);
    must(await t.api.patch(`/agent/scans/${scan}`, { ...w.org.asAgent, body: { status: 'failed' } }));
    await w.settle();
    expect(there()).toEqual(['open', 2]);
  });
});

describe('a tracker that refuses', () => {
  it('a comment has the issue closed, and the reason says so', async () => {
    const finding = await w.withIssue();
    w.github.intercept = ({ path }) =>
      path.endsWith('/comments') ? { status: 403, body: { message: 'Locked' } } : undefined;
    await fix(finding);
    const { reason } = await w.inState(finding, 'closed');
    expect(reason).toMatch(/comment was not added.*Locked/);
  });

  it('is not asked again at each scan', async () => {
    await w.patch({ on_resolved: 'comment' });
    const finding = await w.withIssue(A);
    await w.complete();
    w.github.intercept = ({ method }) => (method === 'POST' ? { status: 403, body: {} } : undefined);
    await fix(finding);
    const asked = w.github.requests.length;
    for (let scan = 0; scan < 2; scan++) {
      await w.scanAgain(B);
      await w.settle();
    }
    expect(w.github.requests).toHaveLength(asked);
    expect(w.comments()).toBe(0);
  });
});

describe('an integration', () => {
  it('tells nothing about findings of projects that it has lost', async () => {
    const finding = await w.withIssue(A);
    await w.complete();
    await fix(finding);
    expect(there()).toEqual(['closed', 1]);
    const { projectId } = await addProject(t.api, w.org);
    await w.patch({ project_ids: [projectId] });
    const asked = w.github.requests.length;
    await w.scanAgain(A);
    await w.settle();
    await w.nextDay();
    expect(await w.inState(finding, 'closed')).toMatchObject({ reason: expect.stringContaining('projects') });
    expect(w.github.requests).toHaveLength(asked);
  });

  it('goes on after a fault of the service', async () => {
    const [first, second] = [await w.report(A), await w.report(B)];
    await w.run(`update shared.destinations set tracker = tracker - 'labels' where id = $1`, [w.integration]);
    must(await w.request(first));
    expect(await w.inState(first, 'failed')).toMatchObject({
      reason: expect.stringContaining('unexpectedly'),
    });
    await w.patch({ labels: [], token: TOKEN });
    must(await w.request(second));
    await w.inState(second, 'open');
    expect((await w.integrations())[0]).not.toHaveProperty('failures');
  });
});
