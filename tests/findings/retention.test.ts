import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  FIRST_SCAN,
  KEPT_SCANS,
  readExpired,
  readExpiredScans,
  removeExpired,
  type ScanPosition,
} from '../../db/retention/expire.ts';
import { LEASE_MS, takeRetention, takeRetentionOf } from '../../db/retention/settings.ts';
import { defineOrgTables, type OrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { removeAllExpired, takeTurn } from '../../lib/retention/expire.ts';
import { createOrg, createScan, createUser, finding, must, type TestOrg } from '../support/api/api.ts';
import { expectKeptCounts, expectNothingLeft, expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* GET and PUT /settings/retention, and the task that removes what has expired. */

let t: TestApp;
let org: TestOrg;
let tables: OrgTables;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
  tables = defineOrgTables(orgSchemaName(org.id));
});

const sql = (text: string) =>
  t.services.database.sql.unsafe(text.replaceAll('@', `"${orgSchemaName(org.id)}"`));
const client = () => t.services.database.sql;
const put = (body: unknown, as: object = org.asOwner) => t.api.put('/settings/retention', { ...as, body });
const preview = (body: unknown) => t.api.post('/settings/retention/preview', { ...org.asOwner, body });
const fingerprints = async () =>
  (await sql('select fingerprint from @.findings order by 1')).map(({ fingerprint }) => fingerprint);

async function pushAll(names: readonly string[], scan?: string): Promise<string> {
  const scanId = scan ?? (await createScan(t.api, org));
  for (let i = 0; i < names.length; i += 500) {
    const findings = names.slice(i, i + 500).map((name) => finding(org, scanId, { fingerprint: name }));
    must(await t.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings } }));
  }
  return scanId;
}

const numbered = (count: number) => Array.from({ length: count }, (_, i) => `fp-${i}`);

/** Gives findings a status, as of 100 days ago. The counts are those of the API. */
async function resolve(status: string, names: readonly string[]) {
  const rows = await sql(
    `select id from @.findings where fingerprint = any ('{${names.join(',')}}') order by id`,
  );
  const ids = rows.map(({ id }) => id);
  // Only agents confirm fixes.
  if (status === 'verified')
    for (const id of ids)
      must(await t.api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status } }));
  for (let i = 0; status !== 'verified' && i < ids.length; i += 500)
    must(await t.api.patch('/findings', { ...org.asOwner, body: { ids: ids.slice(i, i + 500), status } }));
  await age(names);
}

const age = (names: readonly string[]) =>
  sql(`update @.findings set status_changed_at = now() - interval '100 days',
    last_seen_at = now() - interval '100 days' where fingerprint = any ('{${names.join(',')}}')`);

/** Old scans that have ended, the newest first. */
async function oldScans(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const id = await createScan(t.api, org);
    must(await t.api.patch(`/agent/scans/${id}`, { ...org.asAgent, body: { status: 'completed' } }));
    ids.unshift(id);
  }
  // One by one: Citus takes no time that is calculated from a column.
  for (const [age, id] of ids.entries())
    await sql(`update @.scans set created_at = now() - interval '100 days ${age} s', completed_at = now() - interval '100 days'
      where scan_id = '${id}'`);
  return ids;
}

async function expectRight() {
  await expectNothingLeft(t.services.database, org);
  await expectRightCounts(t.services.database, t.api, org);
}

describe('the settings', () => {
  it('keep everything unless an admin decides otherwise', async () => {
    const get = (as: object = org.asOwner) => t.api.get('/settings/retention', as);
    expect(must(await get())).toEqual({ resolved_findings: null, scans: null });
    expect(must(await put({ resolved_findings: 90, scans: 30 }))).toEqual({
      resolved_findings: 90,
      scans: 30,
    });
    expect(must(await put({ scans: 7 }))).toEqual({ resolved_findings: null, scans: 7 });
    expect(must(await get())).toEqual({ resolved_findings: null, scans: 7 });
    const other = await createOrg(t.api);
    expect(must(await get(other.asOwner))).toEqual({ resolved_findings: null, scans: null });
    for (const [role, status] of [
      ['admin', 200],
      ['member', 403],
      ['viewer', 403],
    ] as const) {
      const user = await createUser(t.api);
      must(await t.api.post('/members/invite', { ...org.asOwner, body: { email: user.email, role } }));
      const as = { cookie: user.cookie, org: org.slug };
      expect((await put({ scans: 7 }, as)).status, role).toBe(status);
      const body = { scans: 7 };
      expect((await t.api.post('/settings/retention/preview', { ...as, body })).status, role).toBe(status);
      expect((await get(as)).status).toBe(200);
    }
    expect((await put({ scans: 7 }, { ...other.asOwner, org: org.slug })).error).toBe(
      'tenant_error/not_member',
    );
  });

  it.each([{}, { scans: 0 }, { scans: 1.5 }, { scans: '7' }, { resolved_findings: -1 }, { scans: 3_651 }])(
    'refuse %j',
    async (body) => {
      for (const answer of [await put(body), await preview(body)]) expect(answer.status).toBe(400);
    },
  );
});

describe('resolved findings', () => {
  it('are removed after their time, and no others', async () => {
    const names = ['fixed', 'verified', 'wontfix', 'false_positive', 'confirmed'];
    await pushAll([...names, 'open', 'fresh', 'seen', 'accepted', 'regressed']);
    for (const status of names) await resolve(status, [status]);
    await age(['open']);
    await resolve('fixed', ['fresh', 'seen', 'accepted', 'regressed']);
    await sql(`update @.findings set status_changed_at = now() where fingerprint = 'fresh'`);
    // Still reported: the next report would make it a new finding, without the decision.
    await sql(`update @.findings set last_seen_at = now() where fingerprint = 'seen'`);
    await sql(
      `update @.findings set accepted_until = now() + interval '9 days' where fingerprint = 'accepted'`,
    );
    await sql(`update @.findings set regressed = true where fingerprint = 'regressed';
      update @.finding_counts set regressed = 1 where status = 'fixed'`);

    expect(must(await preview({ resolved_findings: 99 }))).toEqual({ resolved_findings: 4, scans: 0 });
    expect(must(await preview({ resolved_findings: 101 }))).toEqual({ resolved_findings: 0, scans: 0 });
    must(await put({ resolved_findings: 99 }));
    await removeAllExpired(t.services);
    expect(await fingerprints()).toEqual(
      ['accepted', 'confirmed', 'fresh', 'open', 'regressed', 'seen'].toSorted(),
    );
    await expectRight();
  });

  it('stay in other organizations, and while the organization is deleted', async () => {
    await pushAll(['a']);
    await resolve('fixed', ['a']);
    must(await put({ resolved_findings: 30 }));
    const cookie = { cookie: org.owner.cookie };
    must(await t.api.delete(`/orgs/${org.slug}`, { ...cookie, body: { confirm: org.slug } }));
    const other = await createOrg(t.api);
    must(await t.api.put('/settings/retention', { ...other.asOwner, body: { resolved_findings: 30 } }));
    await removeAllExpired(t.services);
    expect(await fingerprints()).toEqual(['a']);
    must(await t.api.post(`/orgs/${org.slug}/restore`, cookie));
    await removeAllExpired(t.services);
    expect(await fingerprints()).toEqual([]);
  });

  it('stay if they are reported between the look and the removal', async () => {
    const scan = await pushAll(['again', 'gone']);
    await resolve('false_positive', ['again', 'gone']);
    const before = new Date(Date.now() - 30 * 24 * 60 * 60_000);
    const { batches } = await readExpired(client(), tables, null, before);
    expect(batches[0]).toHaveLength(2);
    await pushAll(['again'], scan);
    expect(await removeExpired(client(), tables, batches[0] ?? [], before)).toBe(1);
    expect(await fingerprints()).toEqual(['again']);
    await expectKeptCounts(t.services.database, org);
  });

  it('are removed in turns of several processes, one of which dies, with right counts all the time', async () => {
    const names = numbered(1_500);
    await pushAll([...names, 'open']);
    await resolve('fixed', names);
    must(await put({ resolved_findings: 30 }));
    const first = await takeRetention(client(), 0);
    expect(first?.org_id).toBe(org.id);
    if (!first) return;
    // It dies after a batch, with its lease: nobody else touches the rows until it ends.
    const before = new Date(Date.now() - 30 * 24 * 60 * 60_000);
    const { batches } = await readExpired(client(), tables, null, before);
    await removeExpired(client(), tables, batches[0] ?? [], before);
    await expectKeptCounts(t.services.database, org);
    await removeAllExpired(t.services);
    expect((await fingerprints()).length).toBe(1_501 - 50);
    await sql(`update shared.retention set due_at = now() - interval '1 s' where org_id = '${org.id}'`);
    // Short turns, each of which goes on where the last one ended.
    let turns = 0;
    for (let turn = await takeRetention(client(), 0); turn; turn = await takeRetention(client(), 0)) {
      turns++;
      await takeTurn({ ...t.services, tables }, turn, 1);
      await expectKeptCounts(t.services.database, org);
    }
    expect(turns).toBeGreaterThan(3);
    expect(await fingerprints()).toEqual(['open']);
    await expectRight();
    expect(LEASE_MS).toBeGreaterThan(30_000);
  });

  it('are removed by two processes at once that both believe in their lease, during pushes', async () => {
    const names = numbered(1_000);
    await pushAll(names);
    await resolve('fixed', names);
    must(await put({ resolved_findings: 30 }));
    const run = await takeRetention(client(), 0);
    if (!run) throw new Error('nothing is due');
    const pushes = pushAll(Array.from({ length: 200 }, (_, i) => `new-${i}`));
    const removed = await Promise.all([1, 2, 3].map(() => takeTurn({ ...t.services, tables }, run, 60_000)));
    await pushes;
    expect(removed.reduce((sum, { findings }) => sum + findings, 0)).toBe(1_000);
    expect(await fingerprints()).toHaveLength(200);
    await expectRight();
  });
});

describe('a run', () => {
  const run = () => takeRetention(client(), 0);

  it('begins when the days are changed, also during another run, and again after a day', async () => {
    must(await put({ resolved_findings: 30 }));
    const first = await run();
    expect(first?.org_id).toBe(org.id);
    expect(await run()).toBeUndefined();
    must(await put({ resolved_findings: 20 }));
    const second = await run();
    expect(second).toMatchObject({ resolved_findings: 20, position: null });
    // The end of the first does not end the second.
    if (first) await takeTurn({ ...t.services, tables }, first, 1_000);
    const due = async () =>
      (
        await sql(`select due_at > now() + interval '23 hours' as later from shared.retention
        where org_id = '${org.id}'`)
      )[0]?.later;
    expect(await due()).toBe(false);
    if (second) await takeTurn({ ...t.services, tables }, second, 1_000);
    expect(await due()).toBe(true);
    expect(await takeRetentionOf(client(), org.id)).toBeDefined();
    expect(await takeRetentionOf(client(), org.id)).toBeUndefined();
  });

  it('does not begin without days, or in a schema of an older version', async () => {
    must(await put({ resolved_findings: null, scans: null }));
    expect(await run()).toBeUndefined();
    must(await put({ scans: 9 }));
    expect(await takeRetention(client(), 10_000)).toBeUndefined();
    expect(await run()).toBeDefined();
  });
});

describe('scans', () => {
  it('are removed after their time, except for those that run and the newest of each project', async () => {
    const scans = await oldScans(KEPT_SCANS + 4);
    const running = await createScan(t.api, org);
    // It reported something that is still open, and saw something again.
    const oldest = scans.at(-1) as string;
    await pushAll(['first'], scans[0]);
    await pushAll(['first', 'own'], oldest);
    await sql(`update @.scans set completed_at = now() where scan_id = '${scans.at(-2)}'`);
    expect(must(await preview({ scans: 30 }))).toEqual({ resolved_findings: 0, scans: 4 });
    must(await put({ scans: 30 }));
    await removeAllExpired(t.services);
    const kept = (await sql('select scan_id from @.scans')).map(({ scan_id }) => scan_id);
    expect(kept.toSorted()).toEqual([running, ...scans.slice(0, KEPT_SCANS - 1), scans.at(-2)].toSorted());
    expect(await fingerprints()).toEqual(['first', 'own']);
    expect((await sql('select * from @.sightings')).length).toBe(0);
    await expectKeptCounts(t.services.database, org);
  });

  it('take with them what only they say about findings: where these are present, and proposals of branches', async () => {
    must(await t.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body: { default_ref: 'main' } }));
    const scan = async (target: object, names: string[]) => {
      const { id: scan_id } = t.services.nextId();
      const body = { scan_id, project_id: org.projectId, persona: 'senku', target };
      must(await t.api.post('/agent/scans', { ...org.asAgent, body }));
      await pushAll(names, scan_id);
      must(await t.api.patch(`/agent/scans/${scan_id}`, { ...org.asAgent, body: { status: 'completed' } }));
      return scan_id;
    };
    const branch = await scan({ ref: 'feature' }, ['both', 'proposed', 'again']);
    const ended = await scan({ ref: 'main', path: 'api' }, ['both', 'ended']);
    const kept: string[] = [];
    for (let i = 0; i < KEPT_SCANS; i++) kept.push(await scan({ ref: 'main' }, ['both']));
    // Scans of branches do not count among the newest ones of a project.
    for (let i = 0; i < KEPT_SCANS; i++) await scan({ ref: 'other' }, ['both', 'again']);
    for (const id of [branch, ended, ...kept])
      await sql(`update @.scans set created_at = now() - interval '100 days', completed_at = now() - interval '99 days'
        where scan_id = '${id}'`);
    await age(['both', 'proposed', 'again', 'ended']);
    expect(must(await preview({ resolved_findings: 30, scans: 30 }))).toEqual({
      resolved_findings: 0,
      scans: 2,
    });
    must(await put({ resolved_findings: 30, scans: 30 }));
    await removeAllExpired(t.services);
    expect(await fingerprints()).toEqual(['again', 'both', 'ended']);
    const state =
      await sql(`select fingerprint, missing_since is not null as missing, proposed from @.findings
      order by 1`);
    expect(state.map(({ missing, proposed }) => [missing, proposed])).toEqual([
      [false, true],
      [false, null],
      [true, null],
    ]);
    expect(await sql('select ref from @.series order by ref')).toEqual([{ ref: 'main' }, { ref: 'other' }]);
    expect(await sql('select 1 from @.finding_refs')).toHaveLength(3);
    await expectKeptCounts(t.services.database, org);
  });

  it('are found behind any number of old ones that stay, by an index', async () => {
    const scans = await oldScans(KEPT_SCANS + 1);
    // Their agents died. More than are read at once.
    await sql(`insert into @.scans (scan_id, project_id, persona, name, status, created_at)
      select 'dead-' || i, '${org.projectId}', 'senku', 'x', 'running', now() - interval '300 days' + i * interval '1 second'
      from generate_series(1, 12000) i`);
    await sql(`insert into @.scan_counts (project_id, status, count) values ('${org.projectId}', 'running', 12000)
      on conflict (project_id, status) do update set count = excluded.count`);
    await sql('analyze @.scans');
    const before = new Date(Date.now() - 50 * 24 * 60 * 60 * 1_000);
    const pages: string[][] = [];
    for (let position: ScanPosition | null = FIRST_SCAN; position; ) {
      const page = await readExpiredScans(client(), tables, position, before);
      pages.push(page.expired);
      position = page.next;
    }
    expect(pages).toHaveLength(4);
    // Dead scans are older, and all of them have newer ones.
    expect(pages.flat()).toEqual([scans.at(-1)]);
    must(await put({ scans: 50 }));
    await removeAllExpired(t.services);
    expect(await sql(`select 1 from @.scans where status <> 'running'`)).toHaveLength(KEPT_SCANS);
    await expectKeptCounts(t.services.database, org);
  });

  it('of the same moment are each looked at once', async () => {
    const scans = await oldScans(KEPT_SCANS + 5);
    await sql(`update @.scans set created_at = now() - interval '100 days'`);
    must(await put({ scans: 30 }));
    await removeAllExpired(t.services);
    const kept = (await sql('select scan_id from @.scans order by scan_id')).map(({ scan_id }) => scan_id);
    expect(kept).toEqual(scans.toSorted().slice(-KEPT_SCANS));
  });

  it('go on after a crash between what they saw and themselves', async () => {
    const scans = await oldScans(KEPT_SCANS + 1);
    const oldest = scans.at(-1) as string;
    await pushAll(numbered(2_500), scans[0]);
    await pushAll(numbered(2_500), oldest);
    must(await put({ scans: 30 }));
    const first = await takeRetention(client(), 0);
    if (first) await takeTurn({ ...t.services, tables }, first, 1);
    expect((await sql('select 1 from @.sightings')).length).toBe(500);
    await removeAllExpired(t.services);
    expect((await sql(`select 1 from @.scans where scan_id = '${oldest}'`)).length).toBe(0);
    expect((await sql('select 1 from @.sightings')).length).toBe(0);
    await expectKeptCounts(t.services.database, org);
  });
});
