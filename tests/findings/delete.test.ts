import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readRevision } from '../../db/findings/counts/revision.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { runDeletions } from '../../lib/deletions/run.ts';
import { purgeOrgs } from '../../lib/maintenance/purge-orgs.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { untilBlocked } from '../support/database/blocked.ts';
import { expectNothingLeft, expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* DELETE /findings/{id} and DELETE /scans/{id}; deletions that can be undone. */

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

/** Everything that a deletion moves, as it is stored. */
async function stored() {
  const schema = orgSchemaName(org.id);
  const tables = [
    ...['scans', 'series', 'sightings', 'findings', 'finding_refs', 'finding_events', 'exploits'],
    ...['rule_changes', 'finding_counts where count <> 0', 'scan_counts where count <> 0'],
  ];
  const read = async (table: string) => {
    const rows = await t.services.database.sql.unsafe(
      `select row_to_json(t)::text as row from (select * from "${schema}".${table}) t order by 1`,
    );
    return [table, rows.map(({ row }) => row)] as const;
  };
  return Object.fromEntries(await Promise.all(tables.map(read)));
}
const deleteScan = (scan: string, body: object, as: object = org.asOwner) =>
  t.api.post(`/scans/${scan}/delete`, { ...as, body });
const deleteMany = (body: object, as: object = org.asOwner) =>
  t.api.post('/findings/delete', { ...as, body });
const undo = (id: string) => t.api.post(`/deletions/${id}/undo`, org.asOwner);
const fingerprints = async () =>
  must(await get('/findings'))
    .map(({ fingerprint }: { fingerprint: string }) => fingerprint)
    .toSorted();
const WITH = { with_findings: true };
const inOrg = (text: string) =>
  t.services.database.sql.unsafe(text.replaceAll('$org', `"${orgSchemaName(org.id)}"`));

describe('a deletion of a scan with its findings', () => {
  it('takes what no other scan has reported, and its undo restores every row', async () => {
    await furnish();
    const only = await push(t.api, org, await createScan(t.api, org, 'third'), {
      ...{ fingerprint: 'only', title: 'Weak hash', description: 'Quotes " and \\ and ünïcode' },
    });
    const body = { filename: 'poc.py', language: 'python', code: "print('\\n')" };
    must(await t.api.post(`/agent/findings/${only.id}/exploits`, { ...org.asAgent, body }));
    const comment = { body: `Ask @[Ada](${org.owner.id})` };
    must(await t.api.post(`/findings/${only.id}/comments`, { ...org.asOwner, body: comment }));
    await push(t.api, org, 'third', { fingerprint: 'weak', title: 'Weak cipher' });
    must(await triage({ ids: [only.id], status: 'confirmed', assignee_id: org.owner.id }));
    await end('third');
    const before = await stored();
    expect(must(await get('/scans/third/delete/preview'))).toEqual({ findings: 1, triaged: 1 });
    for (const expected_count of [0, 2]) {
      const refused = await deleteScan('third', { ...WITH, expected_count });
      expect([refused.status, refused.badFields]).toEqual([409, ['expected_count']]);
    }
    expect(await stored()).toEqual(before);

    const deletion = must(await deleteScan('third', { ...WITH, expected_count: 1 }));
    expect(deletion).toMatchObject({
      ...{ state: 'deleted', selected: 1, findings: 1, restored: 0, actor_id: org.owner.id },
      scan: { id: 'third', project_id: org.projectId },
    });
    expect(await fingerprints()).toEqual(['other', 'weak']);
    expect((await get('/scans/third')).status).toBe(404);
    expect((await get(`/findings/${only.id}`)).status).toBe(404);
    await expectRight();
    expect(must(await get('/deletions'))).toEqual([deletion]);

    expect(must(await undo(deletion.id))).toMatchObject({ state: 'restored', findings: 1, restored: 1 });
    expect(await stored()).toEqual(before);
    await expectRight();
    expect((await undo(deletion.id)).error).toBe('resource_error/conflict');
    expect(await rows('deleted_findings')).toBe(0);
  });

  it('ends the series with its last scan, and its undo begins it again', async () => {
    const target = { ref: 'release' };
    for (const scan of ['main', 'release']) {
      const body = { scan_id: scan, project_id: org.projectId, persona: 'senku' };
      must(
        await t.api.post('/agent/scans', {
          ...org.asAgent,
          body: { ...body, ...(scan === 'release' && { target }) },
        }),
      );
      await push(t.api, org, scan, { fingerprint: 'both' });
      await push(t.api, org, scan, { fingerprint: scan });
      await end(scan);
    }
    const refs = () =>
      inOrg(
        'select finding_id, series_id, missing_since from $org.finding_refs order by finding_id, series_id',
      );
    const before = await refs();
    const { id } = must(await deleteScan('release', WITH));
    expect(await fingerprints()).toEqual(['both', 'main']);
    expect(await rows('series')).toBe(1);
    must(await undo(id));
    expect(await refs()).toEqual(before);
    expect(must(await get('/scans/release/changes'))).toBeDefined();
    await expectRight();
  });

  it('leaves a scan that runs, and a scan of the same id that was registered since', async () => {
    await createScan(t.api, org, 'mine');
    await push(t.api, org, 'mine', { fingerprint: 'a' });
    expect((await deleteScan('mine', WITH)).error).toBe('resource_error/conflict');
    await end('mine');
    const { id } = must(await deleteScan('mine', WITH));
    await createScan(t.api, org, 'mine');
    await push(t.api, org, 'mine', { fingerprint: 'b' });
    expect(must(await undo(id))).toMatchObject({ restored: 1 });
    expect(must(await get('/scans/mine'))).toMatchObject({ status: 'running' });
    expect(await fingerprints()).toEqual(['a', 'b']);
    await end('mine');
    await expectRight();
  });

  it('keeps the findings unless they are wanted', async () => {
    const { id } = await furnish();
    const before = await stored();
    const deletion = must(await deleteScan('second', { with_findings: false }));
    expect(deletion).toMatchObject({ state: 'deleted', selected: 0 });
    expect((await get(`/findings/${id}`)).status).toBe(200);
    await expectRight();
    must(await undo(deletion.id));
    expect(await stored()).toEqual(before);
  });
});

describe('a deletion of findings', () => {
  const SEVERAL = 600;
  /** More findings than one batch has. */
  async function several() {
    const scan = await createScan(t.api, org, 'many');
    const findings = Array.from({ length: SEVERAL }, (_, i) => ({
      ...{ scan_id: scan, project_id: org.projectId, fingerprint: `many-${i}`, title: 'Many' },
      ...{ severity: 'low', description: 'Many.' },
    }));
    must(await t.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings } }));
    await end(scan);
  }

  it('takes all that match, and its undo restores them', async () => {
    const { id } = await furnish();
    await several();
    const before = await stored();
    expect((await deleteMany({ filter: { severity: 'low' }, expected_count: 1 })).badFields).toEqual([
      'expected_count',
    ]);
    const deletion = must(await deleteMany({ filter: {}, expected_count: SEVERAL + 2 }));
    expect(deletion).toMatchObject({ state: 'deleted', selected: SEVERAL + 2, findings: SEVERAL + 2 });
    expect(must(await get('/findings'))).toEqual([]);
    await expectRight();
    expect(must(await undo(deletion.id))).toMatchObject({ state: 'restored', restored: SEVERAL + 2 });
    expect(await stored()).toEqual(before);
    await expectRight();
    expect((await get(`/findings/${id}`)).status).toBe(200);
  });

  it('is left to the periodic task by a process that dies, and continues where it was', async () => {
    await several();
    const body = { filter: { severity: 'low' }, expected_count: SEVERAL };
    const broken = t.services.database.sql.begin;
    let begins = 0;
    const dies = async (...args: Parameters<typeof broken>) => {
      // The selection and the first batch succeed.
      if (++begins > 2) throw new Error('killed');
      return await broken.apply(t.services.database.sql, args);
    };
    const spied = vi.spyOn(t.services.database, 'of').mockImplementation(() => {
      const sql = Object.assign(Object.create(t.services.database.sql), { begin: dies });
      return { ...t.services.database, sql } as never;
    });
    const { id } = must(await deleteMany(body));
    spied.mockRestore();
    const [{ findings, state }] = must(await get('/deletions'));
    expect([findings < SEVERAL, state]).toEqual([true, 'deleting']);
    await expectRight();
    await t.services.database.sql.unsafe(
      `update shared.deletion_jobs set lease_until = now() - interval '1 s'`,
    );
    await Promise.all([runDeletions(t.services), runDeletions(t.services)]);
    expect(must(await get(`/deletions/${id}`))).toMatchObject({ state: 'deleted', findings: SEVERAL });
    expect(await fingerprints()).toEqual([]);
    await expectRight();
  });

  it('leaves a finding that was pushed again out of the undo', async () => {
    const { id } = await furnish();
    const deletion = must(await deleteMany({ filter: {}, expected_count: 2 }));
    const scan = await createScan(t.api, org);
    const pushed = await push(t.api, org, scan, { fingerprint: 'weak' });
    expect(pushed.id).not.toBe(id);
    expect(must(await undo(deletion.id))).toMatchObject({ findings: 2, restored: 1 });
    expect((await get(`/findings/${id}`)).status).toBe(404);
    expect(await fingerprints()).toEqual(['other', 'weak']);
    await end(scan);
    await expectRight();
  });

  it('is undone once by two requests, while findings are pushed', async () => {
    await several();
    const { id } = must(await deleteMany({ filter: {}, expected_count: SEVERAL }));
    const scan = await createScan(t.api, org);
    const pushes = Array.from({ length: 30 }, (_, i) =>
      push(t.api, org, scan, { fingerprint: `many-${i * 20}` }),
    );
    const undone = await Promise.all([undo(id), undo(id)]);
    await Promise.all(pushes);
    await end(scan);
    expect(undone.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await fingerprints()).toHaveLength(SEVERAL);
    await expectRight();
  });

  it('moves large findings a few at a time, and leaves one that is too large to copy', async () => {
    const scan = await createScan(t.api, org);
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await push(t.api, org, scan, { fingerprint: `large-${i}` })).id);
    const [largest, ...others] = ids;
    await inOrg(`insert into $org.exploits (id, finding_id, filename, language, code, created_at)
      select gen_random_uuid(), f.id, 'poc.py', 'python', repeat('x', 500000), now()
      from $org.findings f, generate_series(1, case when f.id = '${largest}' then 17 else 9 end)`);
    const before = await stored();
    const deletion = must(await deleteMany({ filter: {}, expected_count: 3 }));
    await runDeletions(t.services);
    expect(must(await get(`/deletions/${deletion.id}`))).toMatchObject({ state: 'deleted', findings: 2 });
    expect(must(await get('/findings')).map(({ id }: { id: string }) => id)).toEqual([largest]);
    must(await undo(deletion.id));
    await runDeletions(t.services);
    expect(must(await get(`/deletions/${deletion.id}`))).toMatchObject({
      ...{ state: 'restored', restored: others.length },
    });
    expect(await stored()).toEqual(before);
  });

  it('waits with its undo while the project is being transferred', async () => {
    const { id } = await furnish();
    const deletion = must(await deleteMany({ filter: {}, expected_count: 2 }));
    await inOrg(`update $org.deletions set state = 'restoring'`);
    await inOrg(`update $org.projects set transfer = 'out'`);
    await t.services.database.sql.unsafe(
      `insert into shared.deletion_jobs values ('${org.id}', '${deletion.id}', now())`,
    );
    await runDeletions(t.services);
    expect(await rows('deleted_findings')).toBe(2);
    await inOrg(`update $org.projects set transfer = null`);
    await t.services.database.sql.unsafe(
      `update shared.deletion_jobs set lease_until = now() - interval '1 s'`,
    );
    await runDeletions(t.services);
    expect([(await get(`/findings/${id}`)).status, await rows('deleted_findings')]).toEqual([200, 0]);
  });

  it('accepts a risk again until its time', async () => {
    const scan = await createScan(t.api, org);
    const { id } = await push(t.api, org, scan);
    const accepted_until = new Date(t.services.clock().getTime() + 3_600_000).toISOString();
    must(await triage({ ids: [id], status: 'wontfix', reason: 'risk_accepted', accepted_until }));
    const deletion = must(await deleteMany({ ids: [id] }));
    await t.services.database.sql.unsafe(`delete from shared.accepted_risks where org_id = '${org.id}'`);
    must(await undo(deletion.id));
    const risks = await t.services.database.sql.unsafe(
      `select finding_id from shared.accepted_risks where org_id = '${org.id}'`,
    );
    expect(risks.map(({ finding_id }) => finding_id)).toEqual([id]);
  });

  it('can be undone for 30 days, or until it is purged or its project is deleted', async () => {
    await furnish();
    const { id } = must(await deleteMany({ filter: {}, expected_count: 2 }));
    await inOrg(`update $org.deletions set state = 'restoring'`);
    expect((await remove(`/deletions/${id}`)).status).toBe(409);
    await inOrg(`update $org.deletions set state = 'deleted'`);
    expect((await remove(`/deletions/${id}`)).status).toBe(204);
    expect((await undo(id)).status).toBe(404);
    expect([await rows('deletions'), await rows('deleted_findings')]).toEqual([0, 0]);

    const scan = await createScan(t.api, org);
    await push(t.api, org, scan);
    must(await deleteMany({ filter: {}, expected_count: 1 }));
    const old = '00000000-0000-7000-8000-000000000001';
    await inOrg(`update $org.deletions set id = '${old}', at = at - interval '31 days'`);
    await inOrg(`update $org.deleted_findings set deletion_id = '${old}'`);
    expect((await undo(old)).status).toBe(404);
    await purgeOrgs(t.services);
    await runDeletions(t.services);
    expect([await rows('deletions'), await rows('deleted_findings')]).toEqual([0, 0]);

    await push(t.api, org, scan);
    must(await deleteMany({ filter: {}, expected_count: 1 }));
    const project = must(await get('/projects'))[0];
    must(
      await t.api.delete(`/projects/${project.slug}`, { ...org.asOwner, body: { confirm: project.slug } }),
    );
    expect(await rows('deleted_findings')).toBe(0);
  });
});
