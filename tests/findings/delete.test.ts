import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readRevision } from '../../db/findings/counts/revision.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { untilBlocked } from '../support/database/blocked.ts';
import { expectNothingLeft, expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* DELETE /findings/{id} and DELETE /scans/{id}. */

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

const get = (path: string) => t.api.get(path, org.asOwner);
const remove = (path: string, as: object = org.asOwner) => t.api.delete(path, as);
const end = async (scanId: string, status = 'completed') =>
  must(await t.api.patch(`/agent/scans/${scanId}`, { ...org.asAgent, body: { status } }));
const triage = (body: object) => t.api.patch('/findings', { ...org.asOwner, body });
const revision = () => readRevision(t.services.database.sql, defineOrgTables(orgSchemaName(org.id)));
const rows = async (table: string) => {
  const [row] = await t.services.database.sql.unsafe(
    `select count(*)::int as n from "${orgSchemaName(org.id)}".${table}`,
  );
  return row?.n as number;
};
const expectRight = async () => {
  await expectRightCounts(t.services.database, t.api, org);
  await expectNothingLeft(t.services.database, org);
};

/** A finding with everything that refers to it, in an ended scan that saw it again. */
async function furnish() {
  const rule = { name: 'Ours', conditions: { title: ['Weak*'] }, actions: { due_days: 3 } };
  const { id: ruleId } = must(await t.api.post('/rules', { ...org.asOwner, body: rule }));
  const [first, second] = [await createScan(t.api, org, 'first'), await createScan(t.api, org, 'second')];
  const fields = { fingerprint: 'weak', title: 'Weak cipher' };
  const { id } = await push(t.api, org, first, fields);
  await push(t.api, org, second, fields);
  await push(t.api, org, second, { fingerprint: 'other', severity: 'low' });
  const exploit = { filename: 'poc.py', language: 'python', code: 'print(1)' };
  must(await t.api.post(`/agent/findings/${id}/exploits`, { ...org.asAgent, body: exploit }));
  const body = { body: `Look @[Ada](${org.owner.id})` };
  must(await t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body }));
  await end(first);
  await end(second);
  return { id: id as string, ruleId: ruleId as string };
}

describe('a finding', () => {
  it('is deleted with all that belongs to it, and counts no more', async () => {
    const { id, ruleId } = await furnish();
    const before = await revision();
    expect((await remove(`/findings/${id}`)).status).toBe(204);
    for (const path of ['', '/activity', '/similar', '/exploits'])
      expect((await get(`/findings/${id}${path}`)).error, path).toBe('resource_error/not_found');
    expect((await remove(`/findings/${id}`)).error).toBe('resource_error/not_found');
    expect(
      must(await get('/findings')).map(({ fingerprint }: { fingerprint: string }) => fingerprint),
    ).toEqual(['other']);
    expect(must(await get('/findings?mentions=me'))).toEqual([]);
    for (const table of ['exploits', 'rule_changes', 'finding_events']) expect(await rows(table)).toBe(0);
    expect(must(await get('/scans/first')).summary).toMatchObject({ total: 0, high: 0 });
    expect(must(await get('/scans/second'))).toMatchObject({
      finding_count: 1,
      summary: { total: 1, high: 0, low: 1 },
    });
    await expectRight();
    expect(await revision()).not.toBe(before);
    const undone = await t.api.post(`/rules/${ruleId}/undo`, { ...org.asOwner, body: {} });
    expect(must(undone)).toMatchObject({ restored: 0 });
  });

  it('is a new one when it is pushed again', async () => {
    const { id } = await furnish();
    must(await triage({ ids: [id], status: 'wontfix', reason: 'mitigated' }));
    must(await remove(`/findings/${id}`));
    const scan = await createScan(t.api, org);
    const pushed = await push(t.api, org, scan, { fingerprint: 'weak' });
    expect(pushed).toMatchObject({ deduplicated: false, status: 'open', seen_count: 1, scan_id: scan });
    expect(pushed.id).not.toBe(id);
    expect(pushed).not.toHaveProperty('reason');
    await expectRight();
  });

  it('is left out when a change that contains it is undone', async () => {
    const scan = await createScan(t.api, org);
    const [a, b] = [
      await push(t.api, org, scan, { title: 'A' }),
      await push(t.api, org, scan, { title: 'B' }),
    ];
    const { change_id } = must(await triage({ ids: [a.id, b.id], status: 'fixed' }));
    must(await remove(`/findings/${a.id}`));
    expect(must(await get('/changes'))).toMatchObject([{ findings: 2, finding_id: b.id, title: 'B' }]);
    const undone = must(await t.api.post(`/changes/${change_id}/undo`, org.asOwner));
    expect(undone).toMatchObject({ restored: [{ id: b.id, status: 'open' }], conflicts: [] });

    const { change_id: second } = must(await triage({ ids: [b.id], status: 'fixed' }));
    must(await remove(`/findings/${b.id}`));
    const [change] = must(await get('/changes'));
    expect(change).not.toHaveProperty('finding_id');
    expect(change).not.toHaveProperty('title');
    expect((await t.api.post(`/changes/${second}/undo`, org.asOwner)).error).toBe('resource_error/conflict');
    await expectRight();
  });

  it('is deleted once by two requests at the same time, and pushes at that time are kept', async () => {
    const scan = await createScan(t.api, org);
    for (let round = 0; round < 10; round++) {
      const fingerprint = `print-${round}`;
      const { id } = await push(t.api, org, scan, { fingerprint });
      const deletions = [0, 1, 2].map(() => remove(`/findings/${id}`));
      const again = push(t.api, org, scan, { fingerprint });
      const statuses = (await Promise.all(deletions)).map(({ status }) => status);
      expect(statuses.toSorted()).toEqual([204, 404, 404]);
      const { id: kept, deduplicated } = await again;
      // A push before the deletion is of the finding that is deleted.
      expect((await get(`/findings/${kept}`)).status).toBe(deduplicated ? 404 : 200);
    }
    await expectRight();
  });

  it('waits for a comment that is being written, and removes it', async () => {
    const { id } = await furnish();
    const { sql } = t.services.database;
    const schema = orgSchemaName(org.id);
    const { comment, deletion } = await sql.begin(async (tx) => {
      // The counts, which the comment writes last.
      await tx.unsafe(`select 1 from "${schema}".finding_counts for update`);
      const comment = t.api.post(`/findings/${id}/comments`, { ...org.asOwner, body: { body: 'Late' } });
      await untilBlocked(sql);
      const deletion = remove(`/findings/${id}`);
      await untilBlocked(sql, 2);
      return { comment, deletion };
    });
    expect([(await comment).status, (await deletion).status]).toEqual([201, 204]);
    await expectRight();
  });
});

describe('a scan', () => {
  it('is deleted, and its findings stay', async () => {
    const { id } = await furnish();
    const before = await revision();
    expect((await remove('/scans/second')).status).toBe(204);
    for (const path of ['/scans/second', '/scans/second/changes'])
      expect((await get(path)).error).toBe('resource_error/not_found');
    expect((await remove('/scans/second')).error).toBe('resource_error/not_found');
    expect(must(await get(`/findings/${id}`))).toMatchObject({ scan_id: 'first', last_scan_id: 'second' });
    expect(must(await get('/findings'))).toHaveLength(2);
    expect(must(await get('/scans')).map(({ scan_id }: { scan_id: string }) => scan_id)).toEqual(['first']);
    await expectRight();
    expect(await revision()).not.toBe(before);
    const body = { scan_id: 'second', project_id: org.projectId, fingerprint: 'x', title: 'x' };
    const late = { ...body, severity: 'low', description: 'x' };
    expect((await t.api.post('/agent/findings', { ...org.asAgent, body: late })).error).toBe(
      'resource_error/not_found',
    );
  });

  it('is skipped by comparisons', async () => {
    for (const scan of ['a', 'b', 'c']) {
      await createScan(t.api, org, scan);
      await push(t.api, org, scan, { fingerprint: 'always' });
      if (scan !== 'c') await push(t.api, org, scan, { fingerprint: scan });
      await end(scan);
      t.advance(1_000);
    }
    const against = async () => {
      const { against: other, gone } = must(await get('/scans/c/changes'));
      return [other?.scan_id, gone];
    };
    expect(await against()).toEqual(['b', 1]);
    must(await remove('/scans/b'));
    expect(await against()).toEqual(['a', 1]);
    must(await remove('/scans/a'));
    expect((await against())[0]).toBeUndefined();
  });

  it('is not deleted while it runs', async () => {
    const scan = await createScan(t.api, org);
    await push(t.api, org, scan);
    const answer = await remove(`/scans/${scan}`);
    expect([answer.status, answer.error]).toEqual([409, 'resource_error/conflict']);
    await end(scan, 'failed');
    expect((await remove(`/scans/${scan}`)).status).toBe(204);
    await expectRight();
  });
});
