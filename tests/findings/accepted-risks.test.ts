import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { openExpiredRisks } from '../../lib/findings/triage/expired-risks.ts';
import { createRule, IN_TESTS } from '../rules/kit.ts';
import { createOrg, createScan, finding, must, PASSWORD, push, type TestOrg } from '../support/api/api.ts';
import { expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* A risk is accepted until a time. Then the finding is open again. */

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
});

const inMs = (ms: number) => new Date(t.services.clock().getTime() + ms).toISOString();
const make = async () => (await push(t.api, org, scanId)).id as string;
const patch = (id: string, body: object) => t.api.patch(`/findings/${id}`, { ...org.asOwner, body });
const accept = async (id: string, ms: number) =>
  must(await patch(id, { status: 'wontfix', reason: 'risk_accepted', accepted_until: inMs(ms) }));
const read = async (id: string) => must(await t.api.get(`/findings/${id}`, org.asOwner));
const run = () => openExpiredRisks(t.services);
const notes = async () =>
  (await t.services.database.sql.unsafe(`select 1 from shared.accepted_risks where org_id = '${org.id}'`))
    .length;

describe('a finding whose risk is accepted', () => {
  it('is open again when the time has come, by the service', async () => {
    const id = await make();
    await accept(id, HOUR_MS);
    await run();
    expect(await read(id)).toMatchObject({ status: 'wontfix', reason: 'risk_accepted' });
    t.advance(HOUR_MS + MINUTE_MS);
    await run();
    const opened = await read(id);
    expect(opened).toMatchObject({ status: 'open' });
    expect(opened).not.toHaveProperty('accepted_until');
    expect(opened).not.toHaveProperty('reason');
    const [status] = must(await t.api.get(`/findings/${id}/activity`, org.asOwner)).filter(
      ({ kind }: { kind: string }) => kind === 'status',
    );
    expect(status).toMatchObject({ from: 'wontfix', to: 'open', actor: { type: 'system' } });
    expect(await notes()).toBe(0);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('stays accepted for longer if the time was extended', async () => {
    const id = await make();
    await accept(id, HOUR_MS);
    await accept(id, 3 * HOUR_MS);
    t.advance(2 * HOUR_MS);
    await run();
    expect(await read(id)).toMatchObject({ status: 'wontfix' });
    t.advance(HOUR_MS);
    await run();
    expect(await read(id)).toMatchObject({ status: 'open' });
    expect(await notes()).toBe(0);
  });

  it('is noted only if it exists, so that nobody can fill the table of all organizations', async () => {
    const change = { status: 'wontfix', accepted_until: inMs(HOUR_MS) };
    const ids = Array.from({ length: 500 }, () => crypto.randomUUID());
    const body = { ids, ...change };
    expect(must(await t.api.patch('/findings', { ...org.asOwner, body })).failed).toHaveLength(500);
    expect((await patch(ids[0] as string, change)).status).toBe(404);
    expect(await notes()).toBe(0);
  });

  it('keeps its time if a change of it is refused', async () => {
    const id = await make();
    await accept(id, HOUR_MS);
    const accepted_until = inMs(9 * HOUR_MS);
    const refused = await patch(id, { status: 'wontfix', accepted_until, if_status: 'open' });
    expect(refused.status).toBe(409);
    t.advance(HOUR_MS + MINUTE_MS);
    await run();
    expect(await read(id)).toMatchObject({ status: 'open' });
  });

  it('is left alone after it was triaged otherwise', async () => {
    const id = await make();
    await accept(id, HOUR_MS);
    must(await patch(id, { status: 'wontfix', reason: 'mitigated', accepted_until: null }));
    const fixed = await make();
    await accept(fixed, HOUR_MS);
    must(await patch(fixed, { status: 'fixed' }));
    t.advance(2 * HOUR_MS);
    await run();
    expect([(await read(id)).status, (await read(fixed)).status]).toEqual(['wontfix', 'fixed']);
    expect(await notes()).toBe(0);
  });

  it('is opened once by two processes, and many of them at a time', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, make));
    const body = { ids, status: 'wontfix', accepted_until: inMs(HOUR_MS) };
    must(await t.api.patch('/findings', { ...org.asOwner, body }));
    t.advance(HOUR_MS + MINUTE_MS);
    await Promise.all([run(), run(), run()]);
    for (const id of ids) {
      const entries = must(await t.api.get(`/findings/${id}/activity`, org.asOwner));
      expect(entries.filter(({ to }: { to?: string }) => to === 'open')).toHaveLength(1);
    }
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('is opened at once, however many there are', async () => {
    const count = 600;
    const findings = Array.from({ length: count }, () => finding(org, scanId));
    const { results } = must(
      await t.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings } }),
    );
    const ids: string[] = results.map(({ id }: { id: string }) => id);
    for (const part of [ids.slice(0, count / 2), ids.slice(count / 2)]) {
      const body = { ids: part, status: 'wontfix', accepted_until: inMs(HOUR_MS) };
      must(await t.api.patch('/findings', { ...org.asOwner, body }));
    }
    t.advance(HOUR_MS + MINUTE_MS);
    await run();
    expect(await notes()).toBe(0);
    for (const id of [ids.at(0), ids.at(-1)]) expect((await read(id as string)).status).toBe('open');
  });

  it('is noted until a change that is still to come is over', async () => {
    const id = await make();
    await accept(id, MINUTE_MS);
    t.advance(MINUTE_MS);
    await run();
    expect(await read(id)).toMatchObject({ status: 'open' });
    // A change that began before could be committed only now.
    expect(await notes()).toBe(1);
    t.advance(3 * MINUTE_MS);
    await run();
    expect(await notes()).toBe(0);
  });

  it('and that moves to another organization at this moment does not hold up the others', async () => {
    const acceptIn = async (of: TestOrg) => {
      const { id } = await push(t.api, of, await createScan(t.api, of));
      const body = { status: 'wontfix', accepted_until: inMs(HOUR_MS) };
      must(await t.api.patch(`/findings/${id}`, { ...of.asOwner, body }));
      return id as string;
    };
    // The older organization comes first.
    const [moving, other] = [await createOrg(t.api), await createOrg(t.api)];
    const [locked, id] = [await acceptIn(moving), await acceptIn(other)];
    t.advance(HOUR_MS + MINUTE_MS);
    await t.services.database.sql
      .begin(async (tx) => {
        await tx.unsafe(`delete from "${orgSchemaName(moving.id)}".findings where id = '${locked}'`);
        await tx.unsafe(`delete from shared.accepted_risks where finding_id = '${locked}'`);
        await Promise.race([run(), new Promise((resolve) => setTimeout(resolve, 5_000))]);
        expect(must(await t.api.get(`/findings/${id}`, other.asOwner))).toMatchObject({ status: 'open' });
        throw new Error('undone');
      })
      .catch((error) => expect(error.message).toBe('undone'));
    await run();
    expect(must(await t.api.get(`/findings/${locked}`, moving.asOwner))).toMatchObject({ status: 'open' });
  });

  it('of an organization that cannot be changed does not hold up the others', async () => {
    const broken = await createOrg(t.api);
    const scan = await createScan(t.api, broken);
    const stuck = (await push(t.api, broken, scan)).id;
    const body = { status: 'wontfix', accepted_until: inMs(HOUR_MS) };
    must(await t.api.patch(`/findings/${stuck}`, { ...broken.asOwner, body }));
    const id = await make();
    await accept(id, HOUR_MS);
    t.advance(HOUR_MS + MINUTE_MS);
    const { sql } = t.services.database;
    const schema = orgSchemaName(broken.id);
    await sql.unsafe(`alter table "${schema}".finding_events rename to away`);
    await run();
    expect(await read(id)).toMatchObject({ status: 'open' });
    await sql.unsafe(`alter table "${schema}".away rename to finding_events`);
    t.advance(6 * MINUTE_MS);
    await run();
    expect(must(await t.api.get(`/findings/${stuck}`, broken.asOwner))).toMatchObject({ status: 'open' });
  });
});

describe('a rule that accepts risks for some days', () => {
  /** Sessions last longer. */
  const DAYS = 1;
  const DAY_MS = 24 * HOUR_MS;
  /** Lets days pass, after which the session of the owner is over. */
  async function pass(ms: number) {
    t.advance(ms);
    const body = { email: org.owner.email, password: PASSWORD };
    org.asOwner.cookie = (await t.api.post('/auth/login', { body })).cookie as string;
  }
  const ACCEPT = { status: 'wontfix', reason: 'risk_accepted', note: 'Only in tests.', accept_days: DAYS };
  /** The organization of each test: rules would decide about the findings of the others. */
  let org: TestOrg;
  let scanId: string;
  const read = async (id: string) => must(await t.api.get(`/findings/${id}`, org.asOwner));
  const activity = async (id: string) => must(await t.api.get(`/findings/${id}/activity`, org.asOwner));
  const notes = () =>
    t.services.database.sql.unsafe<{ finding_id: string; due_at: Date }[]>(
      `select finding_id, due_at from shared.accepted_risks where org_id = '${org.id}'`,
    );

  beforeEach(async () => {
    org = await createOrg(t.api);
    scanId = await createScan(t.api, org);
  });

  it.each(['postgres', 'citus'] as const)(
    'opens its new findings when they have passed, and never accepts them again in pushes (%s)',
    async (engine) => {
      const app = await startApp({ databaseUrl: t.databaseUrl, engine });
      const rule = await createRule(t.api, org, { actions: ACCEPT });
      const file = 'lib/test/a.ts';
      const pushed = await push(app.api, org, scanId, { file, fingerprint: 'one' });
      const findings = [finding(org, scanId, { file }), finding(org, scanId, { file: 'lib/a.ts' })];
      must(await app.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings } }));
      const report = { findings: [{ title: 'Weak hash', severity: 'low', description: 'x', file }] };
      const query = `project_id=${org.projectId}`;
      must(await app.api.post(`/agent/reports?${query}`, { ...org.asAgent, body: report }));
      expect(pushed).toMatchObject({ status: 'wontfix', reason: 'risk_accepted', deduplicated: false });
      expect(Date.parse(pushed.accepted_until) - Date.parse(pushed.created_at)).toBe(DAYS * DAY_MS);
      const accepted = must(await t.api.get('/findings?status=wontfix', org.asOwner));
      expect(accepted).toHaveLength(3);
      const { deduplicated: _, ...shown } = pushed;
      expect(accepted).toContainEqual(shown);
      const entry = (await activity(pushed.id)).find(
        ({ kind }: { kind: string }) => kind === 'accepted_until',
      );
      expect(entry).toMatchObject({ to: pushed.accepted_until, actor: { type: 'rule', id: rule.id } });
      // A repeated push of a known finding writes no note.
      await push(app.api, org, scanId, { file, fingerprint: 'one' });
      const noted = await notes();
      expect(noted.map((note) => note.finding_id).sort()).toEqual(
        accepted.map(({ id }: { id: string }) => id).sort(),
      );

      await pass(DAYS * DAY_MS + MINUTE_MS);
      await run();
      for (const { id } of accepted) {
        const opened = await read(id);
        expect(opened.status).toBe('open');
        for (const field of ['accepted_until', 'reason']) expect(opened).not.toHaveProperty(field);
      }
      expect(await notes()).toEqual([]);
      for (let i = 0; i < 2; i++) {
        const again = await push(app.api, org, scanId, { file, fingerprint: 'one' });
        expect(again).toMatchObject({ id: pushed.id, status: 'open', regressed: false, deduplicated: true });
      }
      await run();
      expect((await activity(pushed.id)).map(({ kind, to }: Record<string, string>) => [kind, to])).toEqual(
        expect.arrayContaining([['status', 'open']]),
      );
      expect((await read(pushed.id)).status).toBe('open');
      // Nobody decided it again: an undo of the rule has nothing left.
      expect(must(await t.api.post(`/rules/${rule.id}/undo`, org.asOwner))).toMatchObject({ restored: 0 });
      await expectRightCounts(t.services.database, t.api, org);
    },
  );

  it('accepts existing findings from when it is applied, also once more after they are open again', async () => {
    const { id } = await push(t.api, org, scanId, { file: 'lib/test/a.ts' });
    const rule = await createRule(t.api, org, { actions: ACCEPT });
    await pass(2 * DAY_MS);
    const body = { conditions: IN_TESTS, actions: ACCEPT };
    for (let i = 0; i < 2; i++) {
      expect(must(await t.api.post('/rules/preview', { ...org.asOwner, body })).total).toBe(1);
      const since = t.services.clock().getTime();
      expect(must(await t.api.post(`/rules/${rule.id}/apply`, org.asOwner)).updated).toBe(1);
      const accepted = await read(id);
      expect(accepted).toMatchObject({ status: 'wontfix', reason: 'risk_accepted' });
      const days = (Date.parse(accepted.accepted_until) - since) / DAY_MS;
      expect([Math.round(days), days >= DAYS]).toEqual([DAYS, true]);
      const [recent] = must(await t.api.get('/changes', org.asOwner));
      expect(recent.what.accepted_until).toBe(accepted.accepted_until);
      await pass(DAYS * DAY_MS + MINUTE_MS);
      await run();
      expect((await read(id)).status).toBe('open');
    }
  });

  it('leaves no end behind in a finding that its undo opens', async () => {
    const rule = await createRule(t.api, org, { actions: ACCEPT });
    const { id } = await push(t.api, org, scanId, { file: 'lib/test/a.ts' });
    expect(must(await t.api.post(`/rules/${rule.id}/undo`, org.asOwner)).restored).toBe(1);
    expect(await read(id)).toMatchObject({ status: 'open' });
    expect(await read(id)).not.toHaveProperty('accepted_until');
    await pass(DAYS * DAY_MS + MINUTE_MS);
    await run();
    expect(await notes()).toEqual([]);
  });

  it('writes a finding and its note together or not at all', async () => {
    await createRule(t.api, org, { actions: ACCEPT });
    const { sql } = t.services.database;
    const check = `check (org_id <> '${org.id}') not valid`;
    await sql.unsafe(`alter table shared.accepted_risks add constraint fails ${check}`);
    const body = finding(org, scanId, { file: 'lib/test/a.ts' });
    const failed = await t.api.post('/agent/findings', { ...org.asAgent, body });
    await sql.unsafe('alter table shared.accepted_risks drop constraint fails');
    expect(failed.status).toBe(500);
    expect(must(await t.api.get('/findings', org.asOwner))).toEqual([]);
    await expectRightCounts(t.services.database, t.api, org);
  });
});
