import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeFindings } from '../../db/findings/triage/triage.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { expectKeptCounts, expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;
let scanId: string;
/** Three open findings. */
let a: string;
let b: string;
let c: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
});

beforeEach(async () => {
  [a, b, c] = (await pushMany(3)) as [string, string, string];
});

const pushMany = (count: number) =>
  Promise.all(Array.from({ length: count }, async () => (await push(t.api, org, scanId)).id as string));
const triage = (changes: unknown, as: object = org.asOwner) =>
  t.api.patch('/findings', { ...as, body: { changes } });
const statusesOf = (...ids: string[]) =>
  Promise.all(ids.map(async (id) => must(await t.api.get(`/findings/${id}`, org.asOwner)).status));
const nobodys = '00000000-0000-7000-8000-000000000000';

describe('PATCH /findings', () => {
  it('sets each finding to its own status, and says what it was before', async () => {
    must(await t.api.patch(`/findings/${b}`, { ...org.asOwner, body: { status: 'confirmed' } }));
    const changes = [
      { id: c, status: 'fixed' },
      { id: a, status: 'wontfix' },
      { id: b, status: 'false_positive' },
    ];
    const { updated, failed } = must(await triage(changes));
    expect(updated).toEqual([
      { id: c, status: 'fixed', previous_status: 'open' },
      { id: a, status: 'wontfix', previous_status: 'open' },
      { id: b, status: 'false_positive', previous_status: 'confirmed' },
    ]);
    expect(failed).toEqual([]);
    expect(await statusesOf(a, b, c)).toEqual(['wontfix', 'false_positive', 'fixed']);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('does to a finding what PATCH /findings/{id} does', async () => {
    const again = async (id: string, fingerprint: string) => {
      must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
      return (await push(t.api, org, scanId, { fingerprint })).regressed;
    };
    for (const id of [a, b]) {
      const { fingerprint } = must(await t.api.get(`/findings/${id}`, org.asOwner));
      expect(await again(id, fingerprint)).toBe(true);
    }
    for (const status of ['confirmed', 'confirmed', 'wontfix']) {
      t.advance(1_000);
      must(await triage([{ id: a, status }]));
      const one = must(await t.api.patch(`/findings/${b}`, { ...org.asOwner, body: { status } }));
      const { regressed, status_changed_at } = must(await t.api.get(`/findings/${a}`, org.asOwner));
      expect([status, regressed]).toEqual([one.status, one.regressed]);
      expect(Math.abs(Date.parse(status_changed_at) - Date.parse(one.status_changed_at))).toBeLessThan(900);
    }
  });

  it('changes the others when some do not exist', async () => {
    const other = await createOrg(t.api);
    const foreign = (await push(t.api, other, await createScan(t.api, other))).id;
    const missing = [foreign, nobodys, 'no id at all', "'; drop table findings; --"];
    const { updated, failed } = must(
      await triage([a, ...missing, b].map((id) => ({ id: id.toUpperCase(), status: 'fixed' }))),
    );
    expect(updated.map(({ id }: { id: string }) => id)).toEqual([a, b]);
    expect(failed).toEqual(
      missing.map((id) => ({
        id: id.toLowerCase(),
        code: 'not_found',
        message: 'The finding does not exist.',
      })),
    );
    expect(await statusesOf(a, b, c)).toEqual(['fixed', 'fixed', 'open']);
    expect(must(await t.api.get(`/findings/${foreign}`, other.asOwner)).status).toBe('open');
    await expectKeptCounts(t.services.database, org);
    await expectKeptCounts(t.services.database, other);
  });

  it('takes 500 changes', async () => {
    const many = await pushMany(250);
    const made = Array.from({ length: 250 }, () => crypto.randomUUID());
    const { updated, failed } = must(
      await triage([...many, ...made].map((id) => ({ id, status: 'confirmed' }))),
    );
    expect([updated.length, failed.length]).toEqual([250, 250]);
    await expectKeptCounts(t.services.database, org);
  });

  it.each([
    ['no changes', () => [], 'changes'],
    ['501', () => Array.from({ length: 501 }, () => change(crypto.randomUUID())), 'changes'],
    ['a finding twice', () => [change(a), change(b), change(a.toUpperCase())], 'changes.2.id'],
    ['a status that is for agents to say', () => [change(a), change(b, 'verified')], 'changes.1.status'],
    ['a long id', () => [change(a), change('x'.repeat(37))], 'changes.1.id'],
    ['no object', () => [change(a), null], 'changes.1'],
  ])('refuses %s, and changes nothing', async (_, changes, field) => {
    const answer = await triage(changes());
    expect(answer.refusal).toBe(`400 validation_error/field_invalid ${field}`);
    expect(await statusesOf(a, b)).toEqual(['open', 'open']);
  });

  it('says what is missing', async () => {
    const nothing = await t.api.patch('/findings', { ...org.asOwner, body: {} });
    expect([nothing.error, nothing.badFields]).toEqual(['validation_error/field_required', ['changes']]);
    const half = await triage([{ id: a }, { status: 'open' }]);
    expect([half.error, half.badFields]).toEqual([
      'validation_error/field_required',
      ['changes.0.status', 'changes.1.id'],
    ]);
  });
});

describe('at the same time', () => {
  it('the same findings in different order are changed by one after the other', async () => {
    const ids = await pushMany(60);
    const { database } = t.services;
    const tables = defineOrgTables(orgSchemaName(org.id));
    const statuses = ['fixed', 'confirmed', 'wontfix', 'open'] as const;
    for (let round = 0; round < 8; round++) {
      const answers = await Promise.all(
        statuses.map((status, i) => {
          const inOrder = i % 2 ? ids : ids.toReversed();
          const changes = inOrder.map((id) => ({ id, status }));
          const changer = { now: new Date(), actorId: null, changeId: crypto.randomUUID() };
          return changeFindings(database.sql, tables, changes, changer);
        }),
      );
      // Each saw what another, or the round before, had left in all of them: none came in between.
      const seen = answers.map((answer) => new Set(answer.map((one) => one.previous_status)));
      expect(seen.map(({ size }) => size)).toEqual([1, 1, 1, 1]);
      expect(new Set(await statusesOf(...ids)).size).toBe(1);
    }
    await expectKeptCounts(database, org);
  });
});

const change = (id: string, status = 'fixed') => ({ id, status });
