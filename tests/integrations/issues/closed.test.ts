import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMember, addProject, createScan, must, push } from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { createIssueWorld, ENV, HOUR_MS, type IssueWorld } from './kit.ts';

/* Issues that somebody closes at the tracker, and the rule `on_closed`. */

let t: TestApp;
let w: IssueWorld;

beforeAll(async () => {
  t = await startApp({ env: ENV });
});

beforeEach(async () => {
  w = await createIssueWorld(t);
  await w.patch({ on_closed: 'fixed' });
});

const withIssue = (fields: object = {}) => w.withIssue(fields);
/** Closes or opens the issue at the tracker, which is read the next day. */
async function edit(finding: string, state: 'open' | 'closed', state_reason = 'completed') {
  w.edit({ state, state_reason });
  await w.nextDay();
  const issue = await w.inState(finding, state);
  await w.settle();
  return issue;
}
const reasonOf = async (finding: string, state = 'closed') => (await w.inState(finding, state)).reason;
const changes = async (as: object = w.org.asOwner) => must(await t.api.get('/changes?of=all', as));
const undo = (id: string, as: object = w.org.asOwner) => t.api.post(`/changes/${id}/undo`, as);
const told = () => w.github.requests.filter(({ method }) => method !== 'GET');
const events = () => w.run(`select actor_id from ORG.events where type = 'finding.status_changed'`);

describe('an issue that somebody closes at the tracker', () => {
  it('changes no finding by default, and the reason is shown each day', async () => {
    await w.patch({ on_closed: 'nothing' });
    const finding = await withIssue();
    const { reason } = await edit(finding, 'closed');
    expect(reason).toContain('changes no finding');
    await w.nextDay();
    expect(await w.inState(finding, 'closed')).toMatchObject({ reason });
    // The rule is not applied to what was closed before.
    await w.patch({ on_closed: 'fixed' });
    await w.nextDay();
    expect(await reasonOf(finding)).toContain('closed again');
    expect(await w.statusOf(finding)).toBe('open');
  });

  it.each(['close', 'comment'])(
    'sets its findings to fixed, and is not told so (%s)',
    async (on_resolved) => {
      await w.patch({ on_resolved });
      const findings = [await w.report(), await w.report(), await w.report()];
      const [open = '', confirmed = '', dismissed = ''] = findings;
      must(await w.many(findings));
      await w.inState(open, 'open');
      await w.triage(confirmed, { status: 'confirmed' });
      await w.triage(dismissed, { status: 'wontfix' });
      await w.settle();
      const requests = told().length;
      const before = (await events()).length;
      expect(await edit(open, 'closed')).not.toHaveProperty('reason');
      expect(await Promise.all(findings.map(w.statusOf))).toEqual(['fixed', 'fixed', 'wontfix']);
      await w.nextDay();
      await w.settle();
      expect([told().length, w.comments()]).toEqual([requests, 0]);
      expect((await events()).slice(before)).toEqual([{ actor_id: null }]);
      const [entry] = must(await t.api.get(`/findings/${confirmed}/activity`, w.org.asOwner));
      expect(entry).toMatchObject({
        kind: 'status',
        from: 'confirmed',
        to: 'fixed',
        actor: { type: 'system' },
      });
      expect(entry.note).toContain('issue 1 of Web shop');
    },
  );

  it('makes a change that admins can undo', async () => {
    const finding = await withIssue();
    await edit(finding, 'closed');
    const [change] = await changes();
    expect(change).toMatchObject({
      ...{ finding_id: finding, findings: 1, can_undo: true },
      what: { status: { to: 'fixed' } },
    });
    expect(change.actor).toEqual({ type: 'system' });
    expect(must(await t.api.get('/changes', w.org.asOwner))).toEqual([]);
    const { as } = await addMember(t.api, w.org, 'member');
    expect(await changes(as)).toMatchObject([{ id: change.id, can_undo: false }]);
    expect((await undo(change.id, as)).status).toBe(403);
    must(await undo(change.id));
    expect(await w.statusOf(finding)).toBe('open');
    // The decision is not overruled by the same closing.
    for (let day = 0; day < 2; day++) {
      await w.nextDay();
      expect(await reasonOf(finding)).toContain('closed again');
    }
    expect([await w.statusOf(finding), told().length]).toEqual(['open', 1]);
  });

  it('counts once for each closing', async () => {
    const finding = await withIssue();
    await edit(finding, 'closed');
    await w.triage(finding, { status: 'open' });
    await w.settle();
    await edit(finding, 'open');
    expect(await w.statusOf(finding)).toBe('open');
    await edit(finding, 'closed');
    expect(await w.statusOf(finding)).toBe('fixed');
  });

  it('is opened again when a scan reports a finding again', async () => {
    const fields = { fingerprint: 'sqli' };
    const finding = await withIssue(fields);
    await w.complete();
    await edit(finding, 'closed');
    await w.scanAgain(fields);
    await w.settle();
    await w.inState(finding, 'open');
    const { status, regressed } = must(await t.api.get(`/findings/${finding}`, w.org.asOwner));
    expect([status, regressed, w.first()?.state, w.comments()]).toEqual(['fixed', true, 'open', 1]);
    // Closed again, the regressed finding is fixed, too.
    await edit(finding, 'closed');
    expect(await w.find(finding)).toMatchObject({ status: 'fixed', regressed: false });
  });

  it('changes findings of the projects of the integration only', async () => {
    const other = await addProject(t.api, w.org);
    const findings = [await w.report(), (await push(t.api, other, await createScan(t.api, other))).id];
    const [own = '', foreign = ''] = findings;
    must(await w.many(findings));
    await w.inState(own, 'open');
    await w.patch({ project_ids: [w.org.projectId] });
    expect(await edit(own, 'closed')).not.toHaveProperty('reason');
    expect(await Promise.all(findings.map(w.statusOf))).toEqual(['fixed', 'open']);
    await w.triage(foreign, { status: 'fixed' });
    await w.settle();
    expect(await w.inState(own, 'closed')).not.toHaveProperty('reason');
    expect(told()).toHaveLength(1);
  });

  it.each(['not_planned', 'duplicate'])('does not count if it was closed as %s', async (reason) => {
    const finding = await withIssue();
    expect((await edit(finding, 'closed', reason)).reason).toContain('changes no finding');
    expect(await w.statusOf(finding)).toBe('open');
  });

  it('does not count if it was only linked, because strangers may close theirs', async () => {
    const first = await withIssue();
    must(await w.unlink(first, (await w.issues(first))[0].id));
    w.edit({ state: 'closed', state_reason: 'completed' });
    const second = await w.report();
    must(await w.request(second, { url: `${w.github.url}/acme/web-shop/issues/1` }));
    expect(await reasonOf(second)).toContain('changes no finding');
    await edit(second, 'open');
    await edit(second, 'closed');
    expect(await w.statusOf(second)).toBe('open');
  });

  it('does not count if this service has closed it, also if the answer was lost', async () => {
    const finding = await withIssue();
    let isDown = false;
    w.github.intercept = ({ method }) => {
      if (isDown) return { status: 503, body: {} };
      isDown = method === 'PATCH';
      return isDown ? 'lost' : undefined;
    };
    await w.triage(finding, { status: 'fixed' });
    await w.settle();
    await expect.poll(() => w.first()?.state).toBe('closed');
    await w.settle();
    expect(await reasonOf(finding, 'open')).toContain('503');
    await w.triage(finding, { status: 'open' });
    w.github.intercept = undefined;
    await w.later(HOUR_MS);
    await w.settle();
    expect(await reasonOf(finding)).toContain('regression');
    await w.nextDay();
    await w.inState(finding, 'closed');
    expect(await w.statusOf(finding)).toBe('open');
  });
});
