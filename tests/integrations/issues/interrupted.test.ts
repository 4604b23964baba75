import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { must, push } from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { createIssueWorld, ENV, HOUR_MS, type IssueWorld, TOKEN } from './kit.ts';

/* Issues whose tracker is not asked. */

let t: TestApp;
let w: IssueWorld;

beforeAll(async () => {
  t = await startApp({ env: ENV });
});

beforeEach(async () => {
  w = await createIssueWorld(t);
});

describe('an issue that is asked for', () => {
  it('waits while its integration is off, and is created the day after it is on again', async () => {
    const kick = vi.spyOn(t.services.outbox, 'kick').mockImplementation(() => {});
    const finding = await w.report();
    must(await w.request(finding));
    await w.patch({ enabled: false });
    kick.mockRestore();
    await w.settle();
    expect(w.github.requests).toEqual([]);
    expect((await w.issues(finding))[0]).toMatchObject({
      state: 'pending',
      reason: expect.stringContaining('switched off'),
    });
    await w.patch({ enabled: true });
    await w.nextDay();
    await w.inState(finding, 'open');
    expect(w.github.issues).toHaveLength(1);
  });

  it('says that the token cannot be opened, and is created with another one', async () => {
    await w.run(`update shared.destinations set secret = 'not sealed by this key' where id = $1`, [
      w.integration,
    ]);
    const finding = await w.report();
    must(await w.request(finding));
    await w.settle();
    expect(w.github.requests).toEqual([]);
    const reason = 'The token of this integration cannot be opened. Enter it again.';
    expect((await w.issues(finding))[0]).toMatchObject({ state: 'pending', reason });
    await w.patch({ token: TOKEN });
    await w.later(HOUR_MS);
    expect(await w.inState(finding, 'open')).not.toHaveProperty('reason');
  });
});

describe('an open issue', () => {
  it('is not touched by scans of a branch that is not tracked', async () => {
    const finding = await w.withIssue({ fingerprint: 'seen' });
    await w.complete();
    await w.triage(finding, { status: 'fixed' });
    await w.settle();
    expect([w.first()?.state, w.comments()]).toEqual(['closed', 1]);
    const { requests } = w.github;
    const calls = requests.length;
    t.advance(HOUR_MS);
    must(
      await t.api.patch(`/projects/${w.org.projectId}`, { ...w.org.asOwner, body: { default_ref: 'main' } }),
    );
    const scan = 'of a branch';
    const body = {
      scan_id: scan,
      project_id: w.org.projectId,
      persona: 'sharingan',
      target: { ref: 'feature' },
    };
    must(await t.api.post('/agent/scans', { ...w.org.asAgent, body }));
    await push(t.api, w.org, scan, { fingerprint: 'seen' });
    must(await t.api.patch(`/agent/scans/${scan}`, { ...w.org.asAgent, body: { status: 'completed' } }));
    await w.settle();
    expect(await w.find(finding)).toMatchObject({ status: 'fixed', regressed: false });
    expect(requests.length).toBe(calls);
  });
});
