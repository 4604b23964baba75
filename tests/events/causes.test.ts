import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { openExpiredRisks } from '../../lib/findings/triage/expired-risks.ts';
import { createRule } from '../rules/kit.ts';
import {
  addMember,
  addToken,
  createOrg,
  createScan,
  finding,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Each change writes its event, in the same statement. */

const HOUR_MS = 3_600_000;

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
  await sql(`delete from ${schema()}.events`);
});

const schema = () => orgSchemaName(org.id);
const sql = (text: string) => t.services.database.sql.unsafe(text);
/** The type, actor, subject and findings of each event. */
const events = async () =>
  (
    await sql(
      `select type, actor_id, subject, array_to_json(finding_ids) as findings from ${schema()}.events order by at, type`,
    )
  ).map(({ type, actor_id, subject, findings }) => ({ type, actor_id, subject, findings }));
const types = async () => (await events()).map(({ type }) => type);
const patch = (id: string, body: object) => t.api.patch(`/findings/${id}`, { ...org.asOwner, body });
const make = async () => (await push(t.api, org, scanId)).id as string;

describe('of findings', () => {
  it('a push writes none', async () => {
    await make();
    await push(t.api, org, scanId, { severity: 'critical' });
    expect(await events()).toEqual([]);
  });

  it('a change of status and assignee writes one of each, with its author and the id of the change', async () => {
    const id = await make();
    must(await patch(id, { status: 'confirmed', assignee_id: org.owner.id }));
    const subject = (await events())[0]?.subject;
    expect(await events()).toEqual([
      { type: 'finding.assigned', actor_id: org.owner.id, subject, findings: [id] },
      { type: 'finding.status_changed', actor_id: org.owner.id, subject, findings: [id] },
    ]);
    const noted = await sql(
      `select kind from ${schema()}.finding_events where id in (md5('${subject}${id}status')::uuid, md5('${subject}${id}assignee')::uuid)`,
    );
    expect(noted).toHaveLength(2);
  });

  it('a change of many findings writes one with those that change', async () => {
    const [first, second, third] = [await make(), await make(), await make()] as [string, string, string];
    must(await patch(third, { status: 'fixed' }));
    await sql(`delete from ${schema()}.events`);
    const body = { ids: [first, second, third], status: 'fixed' };
    must(await t.api.patch('/findings', { ...org.asOwner, body }));
    const [event, ...others] = await events();
    expect(others).toEqual([]);
    expect(event?.findings.toSorted()).toEqual([first, second].toSorted());
  });

  it('a note, a due date and a refused change write none', async () => {
    const id = await make();
    must(await patch(id, { note: 'Looking at it.' }));
    must(await patch(id, { due_at: '2030-01-01T00:00:00Z' }));
    expect((await patch(id, { status: 'fixed', if_status: 'confirmed' })).status).toBe(409);
    expect(await events()).toEqual([]);
  });

  it('an undo writes its own', async () => {
    const id = await make();
    must(await patch(id, { status: 'fixed' }));
    const [change] = must(await t.api.get('/changes', org.asOwner));
    must(await t.api.post(`/changes/${change.id}/undo`, org.asOwner));
    expect(await types()).toEqual(['finding.status_changed', 'finding.status_changed']);
    expect(new Set((await events()).map(({ subject }) => subject)).size).toBe(2);
  });

  it('a comment writes one, and its change none', async () => {
    const id = await make();
    const comment = must(
      await t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body: { body: 'A duplicate?' } }),
    );
    must(
      await t.api.patch(`/findings/${id}/comments/${comment.id}`, { ...org.asOwner, body: { body: 'No.' } }),
    );
    expect(await events()).toEqual([
      { type: 'finding.commented', actor_id: org.owner.id, subject: comment.id, findings: [id] },
    ]);
  });

  it('a risk that is no longer accepted writes that it has ended, beside the change of status', async () => {
    const id = await make();
    const accepted_until = new Date(t.services.clock().getTime() + HOUR_MS).toISOString();
    must(await patch(id, { status: 'wontfix', reason: 'risk_accepted', accepted_until }));
    await sql(`delete from ${schema()}.events`);
    t.advance(2 * HOUR_MS);
    await openExpiredRisks(t.services);
    expect(await events()).toEqual([
      { type: 'finding.risk_acceptance_ended', actor_id: null, subject: expect.any(String), findings: [id] },
      { type: 'finding.status_changed', actor_id: null, subject: expect.any(String), findings: [id] },
    ]);
  });

  it('a rule writes those of the new findings that it decides about', async () => {
    const rule = await createRule(t.api, org, {
      conditions: { path: ['src/tests/**'] },
      actions: { status: 'false_positive', assignee_id: org.owner.id },
    });
    await sql(`delete from ${schema()}.events`);
    const findings = ['src/tests/a.ts', 'src/main.ts', 'src/tests/b.ts'].map((file) =>
      finding(org, scanId, { file }),
    );
    const { results } = must(
      await t.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings } }),
    );
    const ids = [results[0].id, results[2].id].toSorted();
    const written = (await events()).map((event) => ({ ...event, findings: event.findings.toSorted() }));
    const of = { actor_id: rule.id, subject: null, findings: ids };
    expect(written).toEqual([
      { type: 'finding.assigned', ...of },
      { type: 'finding.status_changed', ...of },
    ]);
    must(await t.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings } }));
    expect(await events()).toHaveLength(2);
  });
});

describe('of scans', () => {
  const end = (status: string) => t.api.patch(`/agent/scans/${scanId}`, { ...org.asAgent, body: { status } });

  it.each(['completed', 'failed'])(
    'one that ends as %s writes one, however often its end is repeated',
    async (status) => {
      await make();
      must(await end(status));
      must(await end(status));
      expect(await events()).toEqual([
        { type: `scan.${status}`, actor_id: null, subject: scanId, findings: null },
      ]);
    },
  );

  it('findings that it no longer reports are a change of the service', async () => {
    must(await t.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body: { close_after_scans: 1 } }));
    const id = await make();
    must(await end('completed'));
    await sql(`delete from ${schema()}.events`);
    scanId = await createScan(t.api, org);
    await make();
    must(await end('completed'));
    expect((await events()).map(({ type, actor_id, findings }) => [type, actor_id, findings])).toEqual([
      ['finding.status_changed', null, [id]],
      ['scan.completed', null, null],
    ]);
  });
});

describe('of the audit log', () => {
  it('all entries are events', async () => {
    await addMember(t.api, org, 'viewer');
    must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Shop' } }));
    await addToken(t.api, org);
    must(
      await t.api.post('/views', {
        ...org.asOwner,
        body: { name: 'Mine', query: 'severity=high', shared: true },
      }),
    );
    expect(await types()).toEqual(
      expect.arrayContaining(['member.invited', 'project.created', 'token.created', 'view.created']),
    );
    const entries = await sql(
      `select a.id from ${schema()}.audit_entries a join ${schema()}.events e on e.subject = a.id::text and e.type = a.action`,
    );
    expect(entries).toHaveLength(4);
    expect(await events()).toHaveLength(4);
  });
});
