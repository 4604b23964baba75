import { beforeAll, describe, expect, it } from 'vitest';
import { SEVERITIES } from '../../db/schema/values.ts';
import { eventsOf } from '../events/kit.ts';
import { createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Findings that were fixed and are seen again need attention, although their status is the one that somebody set. */

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
});

interface Listed {
  id: string;
  fingerprint: string;
  regressed: boolean;
  regressed_at?: string;
  updated_at: string;
  status_changed_at: string;
}

const list = async (query: string): Promise<Listed[]> =>
  must(await t.api.get(`/findings?${query}`, org.asOwner));
const prints = async (query: string) => (await list(query)).map(({ fingerprint }) => fingerprint);
const seen = async (fingerprint: string, fields: Record<string, unknown> = {}): Promise<Listed> =>
  await push(t.api, org, scanId, { fingerprint, ...fields });
const triage = async (id: string, status: string): Promise<Listed> =>
  must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }));

/** Pushes a finding, sets its status, and pushes it again. */
async function seenAgainAfter(status: string, fingerprint: string, fields = {}): Promise<Listed> {
  const { id } = await seen(fingerprint, fields);
  await triage(id, status);
  return await seen(fingerprint, fields);
}

describe('a finding that is seen again after it was fixed', () => {
  it('says since when', async () => {
    const again = await seenAgainAfter('fixed', 'since');
    expect(again).toMatchObject({ regressed: true, status: 'fixed', regressed_at: again.updated_at });
    t.advance(1_000);
    // Further pushes do not change it, nor does reopening.
    expect((await seen('since')).regressed_at).toBe(again.regressed_at);
    expect(await triage(again.id, 'open')).toMatchObject({
      regressed: true,
      regressed_at: again.regressed_at,
    });
    const settled = await triage(again.id, 'fixed');
    expect(settled.regressed).toBe(false);
    expect(settled).not.toHaveProperty('regressed_at');
  });

  it('is noted once, also if a later push changes its severity', async () => {
    const { id } = await seenAgainAfter('fixed', 'noted', { severity: 'high' });
    await seen('noted', { severity: 'low' });
    const entries: { kind: string }[] = must(await t.api.get(`/findings/${id}/activity`, org.asOwner));
    expect(entries.filter(({ kind }) => kind === 'regressed')).toHaveLength(1);
    expect(entries.filter(({ kind }) => kind === 'severity')).toHaveLength(1);
  });

  it('is resolved again with the status that it has, which can be undone', async () => {
    const before = await seenAgainAfter('fixed', 'resolved-again');
    const url = `/findings/${before.id}`;
    const read = async (): Promise<Listed> => must(await t.api.get(url, org.asOwner));
    const events = eventsOf(t, org);
    await events.forget();
    t.advance(60_000);
    const body = { changes: [{ id: before.id, status: 'fixed' }] };
    const { change_id } = must(await t.api.patch('/findings', { ...org.asOwner, body }));
    const fixed = await read();
    expect(fixed).toMatchObject({ status: 'fixed', regressed: false, status_changed_at: fixed.updated_at });
    const id = before.id;
    expect(must(await t.api.post(`/changes/${change_id}/undo`, org.asOwner)).restored).toEqual([
      { id, status: 'fixed', previous_status: 'fixed', regressed: true },
    ]);
    const { status_changed_at, regressed_at } = before;
    expect(await read()).toMatchObject({ regressed: true, status_changed_at, regressed_at });

    const steps = [
      { from: 'fixed', to: 'regressed' },
      { from: 'regressed', to: 'fixed' },
    ];
    const entries: { kind: string }[] = must(await t.api.get(`${url}/activity`, org.asOwner));
    expect(entries.slice(0, 2)).toMatchObject(steps.map((step) => ({ kind: 'status', ...step })));
    const told = (await events.rendered()).map(({ data }) => (data as { findings?: unknown[] }).findings);
    expect(told).toHaveLength(2);
    expect(told).toMatchObject(
      expect.arrayContaining(steps.map((status) => [expect.objectContaining({ id, status })])),
    );
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('that gets a note only stays regressed', async () => {
    const { id } = await seenAgainAfter('fixed', 'noted-only');
    expect(
      must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { note: 'Later.' } })).regressed,
    ).toBe(true);
    const [entry] = must(await t.api.get(`/findings/${id}/activity`, org.asOwner));
    expect(entry).toMatchObject({ kind: 'status', from: 'fixed', to: 'fixed', note: 'Later.' });
  });

  it('is not one that was set aside', async () => {
    for (const status of ['false_positive', 'wontfix'])
      expect(await seenAgainAfter(status, `aside-${status}`)).toMatchObject({ regressed: false, status });
  });
});

describe('GET /findings', () => {
  beforeAll(async () => {
    org = await createOrg(t.api);
    scanId = await createScan(t.api, org);
    await seen('open-low', { severity: 'low' });
    await seen('open-critical', { severity: 'critical' });
    await seenAgainAfter('fixed', 'again-low', { severity: 'low' });
    await seenAgainAfter('fixed', 'again-high', { severity: 'high' });
    const { id } = await seenAgainAfter('fixed', 'reopened', { severity: 'medium' });
    await triage(id, 'confirmed');
    await triage((await seen('fixed')).id, 'fixed');
    await triage((await seen('false')).id, 'false_positive');
  });

  it('selects those that have regressed, and the others', async () => {
    expect((await prints('regressed=true')).toSorted()).toEqual(['again-high', 'again-low', 'reopened']);
    expect((await prints('regressed=true&page=1')).toSorted()).toEqual([
      'again-high',
      'again-low',
      'reopened',
    ]);
    expect((await prints('regressed=false')).toSorted()).toEqual([
      'false',
      'fixed',
      'open-critical',
      'open-low',
    ]);
    expect(await prints('regressed=true&status=confirmed&page=1')).toEqual(['reopened']);
    expect(await prints(`regressed=true&severity=low&project_id=${org.projectId}&page=1`)).toEqual([
      'again-low',
    ]);
  });

  const ATTENTION = ['again-high', 'reopened', 'again-low', 'open-critical', 'open-low'];

  it.each(['', '&page=1', '&q=s', '&q=s&page=1'])(
    'selects those that need attention, first those that have regressed, then by severity%s',
    async (how) => {
      expect(await prints(`attention=true&sort=-priority${how}`)).toEqual(ATTENTION);
      expect(await prints(`attention=true&sort=priority${how}`)).toEqual(ATTENTION.toReversed());
    },
  );

  it('has the same order across pages', async () => {
    const pages = await Promise.all(
      [1, 2, 3, 4].map((page) => prints(`attention=true&sort=-priority&per_page=2&page=${page}`)),
    );
    expect(pages).toEqual([ATTENTION.slice(0, 2), ATTENTION.slice(2, 4), ATTENTION.slice(4), []]);
  });

  it.each(['regressed=yes', 'attention=1', 'sort=regressed'])('refuses %s', async (query) => {
    const answer = await t.api.get(`/findings?${query}`, org.asOwner);
    expect([answer.status, answer.error]).toEqual([400, 'validation_error/invalid_request']);
  });

  it('and the dashboard count them', async () => {
    await expectRightCounts(t.services.database, t.api, org);
    const [project] = must(await t.api.get('/dashboard/projects', org.asOwner));
    const none = Object.fromEntries(SEVERITIES.map((severity) => [severity, 0]));
    expect(project.regressed).toEqual({ ...none, total: 3, high: 1, medium: 1, low: 1 });
    expect(project.attention).toEqual({ ...none, total: 5, critical: 1, high: 1, medium: 1, low: 2 });
  });
});

describe('a push and a triage at the same instant', () => {
  it('count a regression once', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, (_, i) => seen(`race-${i}`)));
    for (let round = 0; round < 5; round++)
      await Promise.all(
        made.flatMap(({ id }, i) => [
          triage(id, i % 2 ? 'fixed' : 'verified').catch(() => {}),
          seen(`race-${i}`),
        ]),
      );
    await expectRightCounts(t.services.database, t.api, org);
  });
});
