import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMember, addProject, createOrg, createScan, must, push } from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { createIssueWorld, ENV, HOUR_MS, type IssueWorld } from './kit.ts';

/* The members, organizations and integrations that an issue is for. */

let t: TestApp;
let w: IssueWorld;

beforeAll(async () => {
  t = await startApp({ env: ENV });
});

beforeEach(async () => {
  w = await createIssueWorld(t);
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
    expect(await status(w.many([finding], {}, viewer.as))).toBe(403);
    expect(await status(w.unlink(finding, issue, viewer.as))).toBe(403);
    expect(must(await t.api.get(`/findings/${finding}/issues`, viewer.as))).toMatchObject({
      ...{ integrations: [], issues: [{ id: issue }] },
    });
    expect(must(await t.api.get(`/findings/${finding}/issues`, member.as)).integrations).toEqual([
      { id: w.integration, kind: 'github', name: 'Web shop' },
    ]);

    // The count of a shared issue has findings in reach only, and nobody sends findings out of reach again.
    const shared = await w.report();
    w.github.intercept = () => ({ status: 422, body: {} });
    must(await w.many([shared, hidden]));
    const failed = await w.inState(shared, 'failed');
    expect(failed.finding_count).toBe(2);
    expect((await w.issues(shared, member.as))[0].finding_count).toBe(1);
    expect(await status(w.request(shared, {}, member.as))).toBe(409);
    w.github.intercept = undefined;

    // A finding out of reach is as one that does not exist.
    for (const id of [hidden, missing]) {
      const answers = [w.request(id, {}, member.as), w.many([finding, id], {}, member.as)];
      const read = t.api.get(`/findings/${id}/issues`, member.as);
      for (const answer of [...answers, read]) expect((await answer).text).toContain('resource_error');
      expect(await Promise.all([...answers, read].map(status))).toEqual([404, 404, 404]);
    }
    expect(await status(t.api.get(`/findings/${hidden}/issues/${issue}`, w.org.asOwner))).toBe(404);
    expect(await status(w.unlink(hidden, issue))).toBe(404);

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
    await w.later(HOUR_MS);
    expect(await w.inState(finding, 'failed')).toMatchObject({ reason: expect.stringContaining('projects') });
    expect(w.github.issues).toEqual([]);
  });
});
