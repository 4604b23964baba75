import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeFindings } from '../../db/findings/triage/triage.ts';
import { finishScan } from '../../db/scans/scans.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { createOrg, must, push, type TestOrg } from '../support/api/api.ts';
import { untilBlocked } from '../support/database/blocked.ts';
import { expectKeptCounts, expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Findings that a scan did not report. Each letter is a finding. */

let t: TestApp;
let org: TestOrg;
let scans = 0;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

interface ScanOptions {
  status?: 'completed' | 'failed' | 'running';
  source?: string;
  error_message?: string;
  [field: string]: unknown;
}

/** Registers a scan a minute after the one before, and reports findings. */
async function scan(prints: string, options: ScanOptions = {}): Promise<string> {
  const { status = 'completed', source, error_message, ...fields } = options;
  t.advance(60_000);
  const scan_id = `scan-${scans++}`;
  const body = { scan_id, project_id: org.projectId, persona: 'senku', target: { path: 'web' }, ...fields };
  must(await t.api.post('/agent/scans', { ...org.asAgent, body }));
  await see(scan_id, prints, source);
  if (status !== 'running') must(await end(scan_id, status, error_message));
  return scan_id;
}

const see = async (scan_id: string, prints: string, source?: string) => {
  for (const fingerprint of prints) await push(t.api, org, scan_id, { fingerprint, source });
};
const end = async (id: string, status = 'completed', error_message?: string) => {
  t.advance(1_000);
  return t.api.patch(`/agent/scans/${id}`, { ...org.asAgent, body: { status, error_message } });
};

interface Listed {
  id: string;
  fingerprint: string;
  status: string;
  missing_since?: string;
}

const list = async (query: string): Promise<Listed[]> =>
  must(await t.api.get(`/findings?sort=created_at&${query}`, org.asOwner));
const prints = async (query: string) => (await list(query)).map(({ fingerprint }) => fingerprint).join('');
const missing = () => prints('missing=true');
const finding = async (fingerprint: string) =>
  (await list('')).find((found) => found.fingerprint === fingerprint) as Listed;
const completedAt = async (id: string) => must(await t.api.get(`/scans/${id}`, org.asOwner)).completed_at;

describe('a completed scan', () => {
  it('marks what the scan before reported and it did not', async () => {
    await scan('abc');
    expect(await missing()).toBe('');
    const second = await scan('cd');
    expect(await missing()).toBe('ab');
    expect(await prints('missing=false')).toBe('cd');
    expect(await prints('missing=true&page=1')).toBe('ab');
    expect((await finding('a')).missing_since).toBe(await completedAt(second));
    // The next one does not renew the mark.
    await scan('d');
    expect(await missing()).toBe('abc');
    expect((await finding('a')).missing_since).toBe(await completedAt(second));
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('is answered by the push that sees a finding again: the mark is gone', async () => {
    await scan('ab');
    await scan('a');
    expect(await missing()).toBe('b');
    const third = await scan('a', { status: 'running' });
    const seen = await push(t.api, org, third, { fingerprint: 'b' });
    expect(seen).not.toHaveProperty('missing_since');
    expect(await missing()).toBe('');
  });

  it('is in the activity while the finding is missing', async () => {
    await scan('ab');
    await scan('a');
    const { id } = await finding('b');
    const kinds = async () =>
      must(await t.api.get(`/findings/${id}/activity`, org.asOwner)).map(
        ({ kind }: { kind: string }) => kind,
      );
    expect(await kinds()).toEqual(['missing', 'created']);
    await scan('ab');
    expect(await kinds()).toEqual(['created']);
  });

  it.each<[string, ScanOptions]>([
    ['that failed', { status: 'failed' }],
    ['that still runs', { status: 'running' }],
    ['with warnings', { error_message: '2 of 31 files could not be parsed.' }],
  ])('%s marks nothing, but what it reported becomes missing', async (_, options) => {
    await scan('ab');
    await scan('x', options);
    expect(await missing()).toBe('');
    await scan('a');
    expect(await missing()).toBe('bx');
  });

  it.each<[string, ScanOptions]>([
    ['of another target', { target: { path: 'api' } }],
    ['without a target', { target: undefined }],
    ['of another persona', { persona: 'killua' }],
    ['of another source', { source: 'bandit' }],
  ])('%s marks nothing', async (_, options) => {
    await scan('ab');
    await scan('x', options);
    expect(await missing()).toBe('');
    // Nor is it what the next one is compared with.
    await scan('a');
    expect(await missing()).toBe('b');
  });

  it.each([
    ['the default branch', { default_ref: 'main' }],
    ['a project without a default branch', {}],
  ])('that is the first to name a branch continues those that named none: %s', async (_, fields) => {
    await scan('ab');
    await scan('a', { target: { path: 'web', ref: 'main', ...fields } });
    expect(await missing()).toBe('b');
  });

  it('of another branch than the default one marks nothing', async () => {
    await scan('ab', { target: { path: 'web', ref: 'main', default_ref: 'main' } });
    await scan('a', { target: { path: 'web', ref: 'feature', default_ref: 'main' } });
    expect(await missing()).toBe('');
  });

  it('marks nothing if it is empty', async () => {
    await scan('ab');
    await scan('');
    expect(await missing()).toBe('');
    await scan('a');
    expect(await missing()).toBe('b');
  });

  it('marks what the declared sources found before, if it is empty', async () => {
    await scan('ab', { source: 'semgrep' });
    await scan('xy', { source: 'bandit' });
    const empty = await scan('', { sources: ['semgrep'] });
    expect(await missing()).toBe('ab');
    expect((await finding('a')).missing_since).toBe(await completedAt(empty));
    expect(must(await t.api.get(`/scans/${empty}`, org.asOwner)).sources).toEqual(['semgrep']);
    await scan('', { sources: ['bandit'], error_message: 'Incomplete.' });
    await scan('', { sources: ['bandit'], status: 'failed' });
    expect(await missing()).toBe('ab');
  });

  it('marks what one of its two tools no longer finds', async () => {
    const sources = ['semgrep', 'bandit'];
    const first = await scan('', { status: 'running', sources });
    await see(first, 'ab', 'semgrep');
    await see(first, 'xy', 'bandit');
    await end(first);
    await scan('a', { source: 'semgrep', sources });
    expect(await missing()).toBe('bxy');
  });

  it('keeps the declared sources when a late push renews its summary', async () => {
    await scan('ab', { source: 'semgrep' });
    const late = await scan('', { sources: ['semgrep'] });
    await see(late, 'x', 'bandit');
    await scan('cx', { source: 'semgrep' });
    const answer = must(
      await t.api.get(`/scans/${await scan('c', { source: 'semgrep' })}/changes`, org.asOwner),
    );
    expect(answer).toMatchObject({ gone: 1 });
    expect(await missing()).toBe('abx');
  });

  it('is compared for each of its sources', async () => {
    await scan('ab', { source: 'semgrep' });
    const second = await scan('', { status: 'running' });
    await see(second, 'xy', 'bandit');
    await see(second, 'a', 'semgrep');
    await end(second);
    expect(await missing()).toBe('b');
    await scan('x', { source: 'bandit' });
    expect(await missing()).toBe('by');
  });

  it('does not mark what a scan of another target has seen since it began', async () => {
    await scan('ab');
    const running = await scan('a', { status: 'running' });
    await scan('b', { target: { path: 'api' } });
    await end(running);
    expect(await missing()).toBe('');
  });

  it('that was overtaken by a later one marks nothing that this has seen', async () => {
    await scan('ab');
    const slow = await scan('a', { status: 'running' });
    await scan('ab');
    await end(slow);
    expect(await missing()).toBe('');
  });

  it('that was overtaken marks nothing that an earlier one has seen after the later one', async () => {
    const first = await scan('ab');
    const slow = await scan('a', { status: 'running' });
    await scan('ab');
    await see(first, 'b');
    await end(slow);
    expect(await missing()).toBe('');
  });

  it('changes nothing when it is completed again, even after the finding was seen', async () => {
    const first = await scan('ab');
    const second = await scan('a');
    const before = await list('');
    t.advance(1_000);
    must(await end(second));
    expect(await list('')).toEqual(before);
    await see(first, 'b');
    must(await end(second));
    expect(await missing()).toBe('');
  });

  it('marks each finding once if several processes complete it', async () => {
    await scan('abcdef');
    const id = await scan('a', { status: 'running' });
    const answers = await Promise.all([1, 2, 3, 4].map(() => end(id)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await missing()).toBe('bcdef');
    const since = await completedAt(id);
    expect(new Set((await list('missing=true')).map(({ missing_since }) => missing_since))).toEqual(
      new Set([since]),
    );
  });

  it('waits for no push, and no push for it, in a circle', async () => {
    const all = 'abcdefghijkl';
    await scan(all);
    const ids = await Promise.all([1, 2, 3].map(() => scan('a', { status: 'running' })));
    const other = await scan('', { status: 'running', target: { path: 'api' } });
    await Promise.all([
      ...ids.map((id) => end(id).then(must)),
      ...[...all].toReversed().map((print) => see(other, print)),
    ]);
    await expectKeptCounts(t.services.database, org);
  });

  it('keeps the update of a finding that is seen again a HOT update: no index has the mark', async () => {
    const { sql } = t.services.database;
    const indexes = await sql.unsafe<{ definition: string }[]>(
      `select pg_get_indexdef(indexrelid) as definition from pg_index
       where indrelid = '${orgSchemaName(org.id)}.findings'::regclass`,
    );
    expect(indexes.length).toBeGreaterThan(5);
    expect(indexes.filter(({ definition }) => definition.includes('missing_since'))).toEqual([]);
  });
});

describe('a project that closes findings', () => {
  const closeAfter = async (close_after_scans: number | null) =>
    must(await t.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body: { close_after_scans } }));
  const statusOf = async (print: string) => (await finding(print)).status;

  it('closes none unless it is told to', async () => {
    await scan('ab');
    for (const _ of [1, 2, 3, 4]) await scan('a');
    expect(await statusOf('b')).toBe('open');
  });

  it('closes what the next scan did not report', async () => {
    await closeAfter(1);
    await scan('ab');
    await scan('a');
    expect([await statusOf('a'), await statusOf('b')]).toEqual(['open', 'fixed']);
    const { id } = await finding('b');
    const [entry] = must(await t.api.get(`/findings/${id}/activity`, org.asOwner));
    expect(entry).toMatchObject({
      ...{ kind: 'status', from: 'open', to: 'fixed', actor: { type: 'system' } },
      note: 'Not reported by the latest comparable scan.',
    });
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('closes what three scans in a row did not report', async () => {
    await closeAfter(3);
    await scan('abc');
    await scan('a');
    await scan('ac');
    // These do not count.
    await scan('a', { status: 'failed' });
    await scan('');
    await scan('a', { target: { path: 'api' } });
    await scan('a', { error_message: 'Incomplete.' });
    expect([await statusOf('b'), await statusOf('c')]).toEqual(['open', 'open']);
    await scan('a');
    expect([await statusOf('b'), await statusOf('c')]).toEqual(['fixed', 'open']);
    await scan('a');
    expect(await statusOf('c')).toBe('open');
    await scan('a');
    expect(await statusOf('c')).toBe('fixed');
    await expectKeptCounts(t.services.database, org);
  });

  it('closes nothing that one of the scans in a row has reported', async () => {
    await closeAfter(2);
    await scan('ab');
    const slow = await scan('ab', { status: 'running' });
    await scan('a');
    await end(slow);
    expect(await statusOf('b')).toBe('open');
    await scan('a');
    expect(await statusOf('b')).toBe('fixed');
  });

  it('closes after two empty scans in a row, or more if it is told to', async () => {
    const clean = { sources: ['semgrep'] };
    await closeAfter(1);
    await scan('ab', { source: 'semgrep' });
    await scan('', clean);
    expect(await statusOf('a')).toBe('open');
    await scan('b', { source: 'semgrep' });
    expect([await statusOf('a'), await statusOf('b')]).toEqual(['fixed', 'open']);
    await scan('', clean);
    expect(await statusOf('b')).toBe('open');
    await scan('');
    await scan('', { sources: ['bandit'] });
    expect(await statusOf('b')).toBe('open');
    await scan('', clean);
    expect(await statusOf('b')).toBe('fixed');
    await closeAfter(3);
    await scan('c', { source: 'semgrep' });
    for (const status of ['open', 'open', 'fixed']) {
      await scan('', clean);
      expect(await statusOf('c')).toBe(status);
    }
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('closes what a tool no longer finds while another one does', async () => {
    await closeAfter(1);
    const sources = ['semgrep', 'bandit'];
    const first = await scan('ab', { source: 'semgrep', status: 'running', sources });
    await see(first, 'x', 'bandit');
    await end(first);
    await scan('ab', { source: 'semgrep', sources });
    expect([await statusOf('a'), await statusOf('x')]).toEqual(['open', 'fixed']);
  });

  it('closes unresolved and regressed findings, and leaves decisions alone', async () => {
    const first = await scan('abcde');
    const decide = async (print: string, status: string) =>
      must(await t.api.patch(`/findings/${(await finding(print)).id}`, { ...org.asOwner, body: { status } }));
    await decide('b', 'confirmed');
    await decide('c', 'wontfix');
    await decide('d', 'false_positive');
    await decide('e', 'fixed');
    await see(first, 'e');
    expect(await prints('regressed=true')).toBe('e');
    await closeAfter(1);
    await scan('a');
    const all = (await list('')).map(({ status }) => status);
    expect(all).toEqual(['open', 'fixed', 'wontfix', 'false_positive', 'fixed']);
    expect(await prints('regressed=true')).toBe('');
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('closes what has long been missing when it is switched on, and earlier when the number is lowered', async () => {
    await scan('ab');
    for (const _ of [1, 2, 3, 4, 5]) await scan('a');
    await closeAfter(10);
    await scan('a');
    expect(await statusOf('b')).toBe('open');
    await closeAfter(2);
    await scan('a');
    expect(await statusOf('b')).toBe('fixed');
  });

  it('does not close again what somebody has opened', async () => {
    await closeAfter(1);
    await scan('ab');
    await scan('a');
    const { id } = await finding('b');
    must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'open' } }));
    await scan('a');
    await scan('a');
    expect(await statusOf('b')).toBe('open');
  });

  it('opens nothing, but says so when a closed finding is seen again', async () => {
    await closeAfter(1);
    await scan('ab');
    await scan('a');
    await scan('ab');
    expect(await finding('b')).toMatchObject({ status: 'fixed', regressed: true });
    expect(await missing()).toBe('');
  });

  it('leaves a finding alone that is seen again before the change', async () => {
    const first = await scan('ab');
    await scan('a');
    const { id } = await finding('b');
    await see(first, 'b');
    const { database, clock, nextId } = t.services;
    const changed = await changeFindings(
      database.sql,
      defineOrgTables(orgSchemaName(org.id)),
      [{ id, status: 'fixed', if_status: 'open', if_missing: true }],
      { now: clock(), actorId: null, changeId: nextId().id },
    );
    expect(changed).toMatchObject([{ id, conflicts: true }]);
    expect(await statusOf('b')).toBe('open');
  });

  it('leaves a finding alone that is seen again while it is closed', async () => {
    await closeAfter(2);
    await scan('ab');
    await scan('a');
    const third = await scan('a', { status: 'running' });
    const { id } = await finding('b');
    const table = `"${orgSchemaName(org.id)}".findings`;
    const { ended } = await t.services.database.sql.begin(async (tx) => {
      await tx.unsafe(`select from ${table} where id = $1 for update`, [id]);
      const ended = end(third);
      // The closing has chosen the finding, and waits for its row.
      await untilBlocked(t.services.database.sql);
      await tx.unsafe(`update ${table} set missing_since = null where id = $1`, [id]);
      return { ended };
    });
    must(await ended);
    expect(await statusOf('b')).toBe('open');
  });

  it('closes 1,200 findings once, although two processes complete the scan', async () => {
    await closeAfter(1);
    const first = await scan('a', { status: 'running' });
    const findings = Array.from({ length: 1_200 }, (_, i) => ({
      ...{ scan_id: first, project_id: org.projectId, fingerprint: `many-${i}`, title: 'Many' },
      ...{ severity: 'low', description: 'Many.' },
    }));
    for (const part of [findings.slice(0, 1_000), findings.slice(1_000)])
      must(await t.api.post('/agent/findings/batch', { ...org.asAgent, body: { findings: part } }));
    must(await end(first));
    const second = await scan('a', { status: 'running' });
    await Promise.all([end(second).then(must), end(second).then(must)]);
    const { json } = await t.api.get('/findings?status=fixed&per_page=1', org.asOwner);
    expect(json.result_info.total).toBe(1_200);
    const { sql } = t.services.database;
    const schema = orgSchemaName(org.id);
    const [events] = await sql.unsafe(`select count(*)::int as n from ${schema}.finding_events`);
    expect(events?.n).toBe(1_200);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('closes after the death of a process what that has left', async () => {
    await closeAfter(1);
    await scan('ab');
    const second = await scan('a', { status: 'running' });
    // The process ends between the completion and the closing.
    const outcome = await finishScan(t.services.database.sql, defineOrgTables(orgSchemaName(org.id)), {
      ...{ scanId: second, status: 'completed', errorMessage: null, projectId: null },
      now: t.services.clock(),
    });
    expect(outcome).toMatchObject({ kind: 'ended', scan: { status: 'completed' } });
    expect([await missing(), await statusOf('b')]).toEqual(['b', 'open']);
    // Its agent repeats the call; or the next scan does it.
    must(await end(second));
    expect(await statusOf('b')).toBe('fixed');
  });

  it('closes what an earlier process has left after the next scan', async () => {
    await closeAfter(1);
    await scan('ab');
    const second = await scan('a', { status: 'running' });
    await finishScan(t.services.database.sql, defineOrgTables(orgSchemaName(org.id)), {
      ...{ scanId: second, status: 'completed', errorMessage: null, projectId: null },
      now: t.services.clock(),
    });
    await scan('a');
    expect(await statusOf('b')).toBe('fixed');
  });
});

describe('PATCH /projects/{slug}', () => {
  const patch = (body: object, as: object = org.asOwner, slug = org.projectId) =>
    t.api.patch(`/projects/${slug}`, { ...as, body });

  it('changes the name, or when findings are closed, and nothing else', async () => {
    const before = must(await t.api.get(`/projects/${org.projectId}`, org.asOwner));
    expect(before).not.toHaveProperty('close_after_scans');
    expect(must(await patch({ name: 'Shop' }))).toEqual({ ...before, name: 'Shop' });
    expect(must(await patch({ close_after_scans: 3 }, org.asOwner, 'web-shop'))).toEqual({
      ...before,
      ...{ name: 'Shop', close_after_scans: 3 },
    });
    const [listed] = must(await t.api.get('/projects', org.asOwner));
    expect(listed.close_after_scans).toBe(3);
    expect(must(await patch({ close_after_scans: null }))).toEqual({ ...before, name: 'Shop' });
  });

  it.each([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: null }, 'name'],
    [{ close_after_scans: 0 }, 'close_after_scans'],
    [{ close_after_scans: 11 }, 'close_after_scans'],
    [{ close_after_scans: 1.5 }, 'close_after_scans'],
    [{ close_after_scans: '3' }, 'close_after_scans'],
  ])('refuses %j', async (body, field) => {
    const answer = await patch(body);
    expect([answer.status, answer.badFields]).toEqual([400, [field]]);
  });
});
