import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { must, push } from '../support/api/api.ts';
import { createFiveFindings, type FiveFindings } from '../support/api/five-findings.ts';
import { untilBlocked } from '../support/database/blocked.ts';
import { expectKeptCounts, expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* PATCH /findings with a filter. */

let t: TestApp;
let { org, scanId, ids, statuses }: FiveFindings = {} as FiveFindings;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  ({ org, scanId, ids, statuses } = await createFiveFindings(t.api));
});

const bulk = (body: object, as: object = org.asOwner) => t.api.patch('/findings', { ...as, body });
const SRC = { filter: { path: 'src/**' }, expected_count: 3 };
const idsOf = (some: { id: string }[]) => some.map(({ id }) => ids.indexOf(id));

describe('PATCH /findings with a filter', () => {
  it('changes what matches, newest first, and nothing else', async () => {
    const { updated, failed, conflicts, next } = must(
      await bulk({ ...SRC, status: 'wontfix', reason: 'used_in_tests', note: 'Not shipped.' }),
    );
    expect(idsOf(updated)).toEqual([4, 2, 0]);
    expect(updated[0]).toEqual({ id: ids[4], status: 'wontfix', previous_status: 'open' });
    expect([failed, conflicts, next]).toEqual([[], [], undefined]);
    expect(await statuses()).toBe('wontfix open wontfix open wontfix');
    const [entry] = must(await t.api.get(`/findings/${ids[0]}/activity?per_page=1`, org.asOwner));
    expect(entry).toMatchObject({ kind: 'status', reason: 'used_in_tests', note: 'Not shipped.' });
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('holds a permit for searches while it selects, and for each transaction', async () => {
    const acquire = vi.spyOn(t.services.searchPermits, 'acquire');
    must(await bulk({ ...SRC, note: 'Seen.' }));
    expect(acquire).toHaveBeenCalledTimes(2);
    expect(t.services.searchPermits.inUse()).toBe(0);
  });

  it.each([2, 4, 0])('changes nothing if %i findings are expected', async (expected_count) => {
    const answer = await bulk({ ...SRC, expected_count, status: 'fixed' });
    expect([answer.status, answer.error]).toEqual([409, 'resource_error/conflict']);
    expect(answer.json.errors[0].message).toContain('3 findings');
    expect(answer.badFields).toEqual(['expected_count']);
    expect(await statuses()).toBe('open open open open open');
  });

  it('continues where the request before ended, each finding once', async () => {
    const seen: number[] = [];
    let after: string | undefined;
    for (const _ of [1, 2, 3]) {
      // It still matches after the change, and so do findings that are pushed meanwhile.
      const body = { filter: {}, limit: 2, note: 'Seen.', ...(after ? { after } : { expected_count: 5 }) };
      const result = must(await bulk(body));
      seen.push(...idsOf(result.updated));
      after = result.next;
      await push(t.api, org, scanId);
    }
    expect([seen, after]).toEqual([[4, 3, 2, 1, 0], undefined]);
    for (const id of ids) {
      const { result } = await t.api.get(`/findings/${id}/activity`, org.asOwner);
      expect(result.map(({ kind }: { kind: string }) => kind)).toEqual(['status', 'created']);
    }
  });

  it('lists findings with another status than `if_status`', async () => {
    must(await bulk({ ids: [ids[2]], status: 'confirmed' }));
    const { updated, conflicts } = must(await bulk({ ...SRC, status: 'fixed', if_status: 'open' }));
    expect(idsOf(updated)).toEqual([4, 0]);
    expect(conflicts).toEqual([{ id: ids[2], status: 'confirmed' }]);
  });

  it('takes the filters of the list as JSON', async () => {
    const filter = {
      ...{ severity: ['high'], status: 'open', regressed: false, attention: true, assignee: ['none'] },
      ...{ project_id: org.projectId, q: 'a.ts', overdue: false, found_before: '2999-01-01' },
    };
    expect(idsOf(must(await bulk({ filter, expected_count: 2, status: 'fixed' })).updated)).toEqual([1, 0]);
  });

  it('changes 1,200 findings in chunks', async () => {
    const findings = Array.from({ length: 1_000 }, (_, i) => ({
      ...{ scan_id: scanId, project_id: org.projectId, fingerprint: `many-${i}`, title: 'Many' },
      ...{ severity: 'low', description: 'Many.' },
    }));
    must(await t.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings } }));
    const rest = findings.slice(0, 200).map((one) => ({ ...one, fingerprint: `more-${one.fingerprint}` }));
    must(await t.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings: rest } }));
    const body = { filter: { severity: 'low' }, expected_count: 1_200, status: 'false_positive' };
    const { updated, next } = must(await bulk(body));
    expect([updated.length, next]).toEqual([1_200, undefined]);
    expect(new Set(updated.map(({ id }: { id: string }) => id)).size).toBe(1_200);
    await expectKeptCounts(t.services.database, org);
  });

  it('accepts risks until a time', async () => {
    const accepted_until = new Date(Date.now() + 3_600_000).toISOString();
    must(await bulk({ ...SRC, status: 'wontfix', accepted_until }));
    const found = must(await t.api.get(`/findings/${ids[0]}`, org.asOwner));
    expect(found.accepted_until).toBe(accepted_until);
  });

  it('two people change the same findings once each, and the counts are right', async () => {
    const results = await Promise.all(
      ['fixed', 'wontfix', 'false_positive'].map((status) => bulk({ ...SRC, status, if_status: 'open' })),
    );
    const counts = results.map((answer) => [must(answer).updated.length, answer.result.conflicts.length]);
    expect(counts.toSorted()).toEqual([
      [0, 3],
      [0, 3],
      [3, 0],
    ]);
    await expectKeptCounts(t.services.database, org);
  });

  it('leaves alone what somebody decides between selection and change', async () => {
    const { sql } = t.services.database;
    const findings = `"${orgSchemaName(org.id)}".findings`;
    const [held] = await sql.begin(async (tx) => {
      await tx.unsafe(
        `update ${findings} set status = 'wontfix', change_id = gen_random_uuid() where id = '${ids[2]}'`,
      );
      const answer = bulk({ ...SRC, status: 'false_positive' });
      // The change waits for the decision, which is not visible yet.
      await untilBlocked(sql);
      return [{ answer }] as const;
    });
    const { updated, conflicts } = must(await held.answer);
    expect(idsOf(updated)).toEqual([4, 0]);
    expect(conflicts).toEqual([{ id: ids[2], status: 'wontfix' }]);
  });

  it.each([
    [{ filter: {}, status: 'fixed' }, ['expected_count']],
    [{ filter: {}, expected_count: 5 }, ['status']],
    [{ filter: {}, expected_count: -1, status: 'fixed' }, ['expected_count']],
    [{ filter: {}, expected_count: 5, limit: 5_001, status: 'fixed' }, ['limit']],
    [{ filter: {}, expected_count: 5, limit: 0, status: 'fixed' }, ['limit']],
    [{ filter: {}, after: 'none', status: 'fixed' }, ['after']],
    [{ filter: { severty: ['low'] }, expected_count: 5, status: 'fixed' }, ['filter']],
    [{ filter: { severity: ['worst'] }, expected_count: 5, status: 'fixed' }, ['filter.severity.0']],
    [{ filter: { against: 'x' }, expected_count: 5, status: 'fixed' }, ['filter.scan_id', 'filter.change']],
    [{ filter: {}, ids: ['x'], expected_count: 5, status: 'fixed' }, ['filter']],
    [{ ids: ['x'], expected_count: 5, status: 'fixed' }, ['expected_count']],
    [{ changes: [{ id: 'x', status: 'fixed' }], after: '00000000-0000-7000-8000-000000000000' }, ['after']],
    [{ filter: {}, expected_count: 5, status: 'verified' }, ['status']],
    [{ filter: {}, expected_count: 5, assignee_id: '00000000-0000-7000-8000-000000000000' }, ['assignee_id']],
  ])('refuses %j', async (body, fields) => {
    const answer = await bulk(body);
    expect([answer.status, answer.badFields]).toEqual([400, fields]);
    expect(await statuses()).toBe('open open open open open');
  });
});
