import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteScan } from '../../db/scans/scans.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { createOrg, must, push, type TestOrg } from '../support/api/api.ts';
import { expectRightCounts } from '../support/database/counts.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* Findings on branches. Each letter is a finding. */

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
  target?: Record<string, string>;
  commit?: string;
  severity?: string;
  /** Fingerprints of earlier scans by their new ones. */
  renamed?: Record<string, string>;
}

/** A completed scan of a ref, a minute after the one before. */
async function scan(ref: string | undefined, prints: string, options?: ScanOptions) {
  const scan_id = await register(ref, prints, options);
  t.advance(1_000);
  must(await t.api.patch(`/agent/scans/${scan_id}`, { ...org.asAgent, body: { status: 'completed' } }));
  return scan_id;
}

/** A scan that runs. */
async function register(
  ref: string | undefined,
  prints: string,
  { target, commit, severity, renamed }: ScanOptions = {},
) {
  t.advance(60_000);
  const scan_id = `scan-${scans++}`;
  const body = { scan_id, project_id: org.projectId, persona: 'senku', target: { ref, ...target }, commit };
  must(await t.api.post('/agent/scans', { ...org.asAgent, body }));
  for (const fingerprint of prints)
    await push(t.api, org, scan_id, {
      ...{ fingerprint, source: 'semgrep', ...(severity && { severity }) },
      ...(renamed?.[fingerprint] && { previous_fingerprints: [renamed[fingerprint]] }),
    });
  return scan_id;
}

const set = async (body: object) =>
  must(await t.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body }));
const list = async (query = '') =>
  must(await t.api.get(`/findings?sort=created_at&${query}`, org.asOwner)) as {
    id: string;
    fingerprint: string;
    [field: string]: unknown;
  }[];
const prints = async (query: string) => (await list(query)).map(({ fingerprint }) => fingerprint).join('');
const finding = async (print: string) => {
  const found = (await list()).find(({ fingerprint }) => fingerprint === print);
  if (!found) throw new Error(`there is no finding ${print}`);
  return found;
};
const refs = async (print: string) =>
  must(await t.api.get(`/findings/${(await finding(print)).id}/refs`, org.asOwner)) as {
    ref: string | null;
    missing_since: string | null;
  }[];
const present = async (print: string) =>
  (await refs(print)).filter(({ missing_since }) => missing_since === null).map(({ ref }) => ref);
const kinds = async (print: string) =>
  must(await t.api.get(`/findings/${(await finding(print)).id}/activity`, org.asOwner))
    .map(({ kind }: { kind: string }) => kind)
    .reverse();
const activity = async (print: string) =>
  must(await t.api.get(`/findings/${(await finding(print)).id}/activity`, org.asOwner)) as {
    kind: string;
    note?: string;
    scan?: { id: string };
  }[];
/** The entries with their scans, newest first. */
const told = async (print: string) => (await activity(print)).map(({ kind, scan }) => `${kind} ${scan?.id}`);
const setStatus = async (print: string, status: string) =>
  must(await t.api.patch(`/findings/${(await finding(print)).id}`, { ...org.asOwner, body: { status } }));
const gate = async (id: string, query = '') =>
  must(await t.api.get(`/scans/${id}/gate?${query}`, org.asOwner)) as {
    passed: boolean;
    base: { ref: string | null; scan_id: string } | null;
    findings: { id: string; title: string }[];
    total: number;
  };

it('is not changed by a scan that is refused', async () => {
  await scan('main', 'a', { target: { path: 'web' } });
  const schema = orgSchemaName(org.id);
  const state = () =>
    t.services.database.sql.unsafe(
      `select s.*, p.default_ref from ${schema}.series s, ${schema}.projects p order by s.id`,
    );
  const before = await state();
  const body = { scan_id: `scan-${scans - 1}`, project_id: org.projectId, persona: 'killua' };
  const target = { ref: 'main', category: 'web', default_ref: 'main' };
  expect((await t.api.post('/agent/scans', { ...org.asAgent, body: { ...body, target } })).status).toBe(409);
  expect([...(await state())]).toEqual([...before]);
});

describe('a project with a default branch', () => {
  beforeEach(() => set({ default_ref: 'main', close_after_scans: 1 }));

  it('closes a finding when the default branch no longer has it', async () => {
    await scan('main', 'ab');
    await scan('feature', 'ab');
    await scan('feature', 'a');
    expect(await finding('b')).toMatchObject({ status: 'open' });
    expect(await finding('b')).not.toHaveProperty('missing_since');
    expect(await present('b')).toEqual(['main']);
    await scan('main', 'a');
    expect(await finding('b')).toMatchObject({ status: 'fixed' });
    expect(await present('b')).toEqual([]);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('is not affected by an old branch that still has what was fixed', async () => {
    await scan('main', 'a');
    await scan('old', 'a');
    await scan('main', 'x');
    expect(await finding('a')).toMatchObject({ status: 'fixed', regressed: false });
    await scan('old', 'a');
    expect(await finding('a')).toMatchObject({ status: 'fixed', regressed: false });
    expect(await present('a')).toEqual(['old']);
    expect(await prints('ref=old')).toBe('a');
    expect(await prints('ref=main')).toBe('x');
    await scan('main', 'ax');
    expect(await finding('a')).toMatchObject({ status: 'fixed', regressed: true });
  });

  it('follows every target that had the finding', async () => {
    await scan('main', 'ab', { target: { path: 'web' } });
    await scan('main', 'b', { target: { path: 'api' } });
    await scan('main', 'a', { target: { path: 'web' } });
    expect(await finding('b')).toMatchObject({ status: 'open' });
    await scan('main', 'x', { target: { path: 'api' } });
    expect(await finding('b')).toMatchObject({ status: 'fixed' });
  });

  it('proposes what only a branch has, until the default branch has it', async () => {
    must(await t.api.put('/settings/due-dates', { ...org.asOwner, body: { high: 10 } }));
    await scan('main', 'a', { severity: 'high' });
    await scan('feature', 'ab', { severity: 'high' });
    expect(await finding('b')).toMatchObject({ proposed: true });
    expect(await finding('b')).not.toHaveProperty('due_at');
    expect(await finding('a')).not.toHaveProperty('proposed');
    expect(await prints('proposed=true')).toBe('b');
    expect(await prints('proposed=false')).toBe('a');
    expect(await prints('attention=true')).toBe('a');
    expect(await prints('attention=true&page=1')).toBe('a');
    expect(must(await t.api.get('/dashboard/stats', org.asOwner)).total_findings).toBe(1);
    await scan('main', 'ab', { severity: 'high' });
    expect(await finding('b')).not.toHaveProperty('proposed');
    expect(await finding('b')).toHaveProperty('due_at');
    expect((await kinds('b')).toSorted()).toEqual(['created', 'due_at', 'merged']);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('says in the activity which scan left a finding out, closed it and brought it back', async () => {
    const first = await scan('main', 'ab');
    await scan('release/1', 'ab');
    const second = await scan('main', 'b', { target: { path: 'web' } });
    expect(await told('a')).toEqual([`created ${first}`]);
    const third = await scan('main', 'b');
    const note = 'A scan of main looked for findings of its source and did not report it.';
    const entries = await activity('a');
    expect(entries.map(({ kind, scan }) => `${kind} ${scan?.id}`).toSorted()).toEqual(
      [`created ${first}`, `missing ${third}`, `status ${third}`].toSorted(),
    );
    expect(entries.find(({ kind }) => kind === 'missing')).toMatchObject({
      ...{ actor: { type: 'system' }, note, scan: { id: third, ref: 'main', name: expect.any(String) } },
      at: (await finding('a')).missing_since,
    });
    const path = `/findings/${(await finding('a')).id}/activity?page=2&per_page=3`;
    expect((await t.api.get(path, org.asOwner)).json.result_info).toMatchObject({ total: 3 });
    const fourth = await scan('main', 'ab');
    expect((await told('a'))[0]).toBe(`regressed ${fourth}`);
    expect((await told('a')).join()).not.toContain('missing');
    expect(second).not.toBe(third);
  });

  it('says in the activity why a proposed finding became ordinary', async () => {
    await scan('feature', 'a');
    await scan('release/1', 'b');
    const merged = await scan('main', 'a');
    expect((await told('a'))[0]).toBe(`merged ${merged}`);
    await set({ tracked_refs: ['release/*'] });
    const entry = (await activity('b')).find(({ kind }) => kind === 'merged');
    expect(entry).toMatchObject({ actor: { type: 'system' }, note: expect.stringContaining('tracked ref') });
    expect(entry).not.toHaveProperty('scan');
  });

  it('knows findings in a file that a branch has renamed, until it is renamed on the default branch', async () => {
    const severity = 'high';
    const rename = { severity, renamed: { b: 'a', c: 'a' } };
    await scan('main', 'ax', { severity });
    await setStatus('a', 'confirmed');
    const { id } = await finding('a');
    const own = await scan('feature', 'bx', rename);
    expect(await gate(own)).toMatchObject({ passed: true });
    await scan('main', 'ax', { severity });
    expect(await gate(own)).toMatchObject({ passed: true });
    expect(await finding('a')).toMatchObject({ id, status: 'confirmed' });
    expect(await present('a')).toEqual(['main', 'feature']);
    // Two findings of one scan never become one.
    await scan('feature', 'bcx', rename);
    expect(await prints('')).toBe('axc');
    await scan('main', 'bcx', rename);
    expect(await finding('b')).toMatchObject({ id, status: 'confirmed' });
    expect(await prints('attention=true')).toBe('bxc');
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('derives the state again when other refs are tracked', async () => {
    await scan('main', 'a');
    await scan('release/1', 'ab');
    await scan('release/1', 'a');
    await scan('main', 'x');
    expect(await finding('b')).toMatchObject({ proposed: true });
    expect(await finding('a')).toMatchObject({ status: 'fixed' });
    await set({ tracked_refs: ['release/*'] });
    expect(await finding('b')).not.toHaveProperty('proposed');
    expect(await finding('b')).toHaveProperty('missing_since');
    expect(await finding('a')).not.toHaveProperty('missing_since');
    await set({ tracked_refs: [] });
    expect(await finding('b')).toMatchObject({ proposed: true });
    expect(await finding('a')).toHaveProperty('missing_since');
    await expectRightCounts(t.services.database, t.api, org);
  });
});

describe('a finding that has regressed', () => {
  it('is neither proposed nor missing when its branch is no longer tracked', async () => {
    await set({ default_ref: 'main' });
    await scan('main', 'a');
    await setStatus('a', 'fixed');
    await scan('main', 'a');
    await scan('main', 'x');
    expect(await finding('a')).toMatchObject({ regressed: true, missing_since: expect.any(String) });
    await set({ default_ref: 'other' });
    expect(await finding('a')).toMatchObject({ regressed: true });
    for (const field of ['proposed', 'missing_since']) expect(await finding('a')).not.toHaveProperty(field);
    await set({ default_ref: 'main' });
    expect(await finding('a')).toHaveProperty('missing_since');
  });
});

describe('a target that is known only when the scan ends', () => {
  it('moves what the scan reported to the scans of that target', async () => {
    await set({ default_ref: 'main', close_after_scans: 1 });
    const image = async (ref: string, prints: string, category: string) => {
      const id = await register(ref, prints);
      t.advance(1_000);
      const target = { ref, category, default_ref: 'main' };
      const body = { status: 'completed', target, sources: ['semgrep'] };
      return must(await t.api.patch(`/agent/scans/${id}`, { ...org.asAgent, body }));
    };
    expect(await image('main', 'ab', 'web')).toMatchObject({
      target: { category: 'web' },
      sources: ['semgrep'],
    });
    await image('main', 'ac', 'api');
    // Neither image has what the other one has.
    expect(await prints('missing=true')).toBe('');
    await scan('main', 'abc');
    await image('main', 'a', 'web');
    await image('main', 'a', 'api');
    expect(await prints('missing=true')).toBe('');
    await scan('main', 'a');
    expect(await prints('status=fixed')).toBe('bc');
    // The branch itself may be known only then.
    const id = await register('feature', 'd');
    expect(await finding('d')).toMatchObject({ proposed: true });
    const body = { status: 'completed', target: { ref: 'main' } };
    must(await t.api.patch(`/agent/scans/${id}`, { ...org.asAgent, body }));
    expect(await finding('d')).not.toHaveProperty('proposed');
    expect(await present('d')).toEqual(['main']);
    await expectRightCounts(t.services.database, t.api, org);
  });
});

describe('scans that end at the same time', () => {
  it('agree on the default branch and their series', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 8; i++) ids.push(await register(i % 2 ? undefined : 'feature', 'ab'));
    const target = { ref: 'main', default_ref: 'main', category: 'web' };
    const body = { status: 'completed', target };
    const answers = await Promise.all(
      ids.map((id) => t.api.patch(`/agent/scans/${id}`, { ...org.asAgent, body })),
    );
    expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 200));
    expect(await present('a')).toEqual(['main']);
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('wait for changes of the tracked refs, and these for them', async () => {
    const refs = ['main', 'release/1', 'release/2', 'feature'];
    const ids: string[] = [];
    for (let i = 0; i < 16; i++) ids.push(await register(i % 3 ? refs[i % 4] : undefined, 'ab'));
    const answers = await Promise.all(
      ids.flatMap((id, i) => {
        const target = { ref: 'main', default_ref: 'main' };
        const settings = { tracked_refs: i % 2 ? ['release/*'] : [], default_ref: refs[i % 2] };
        const next = { scan_id: `${id}-next`, project_id: org.projectId, persona: 'senku', target };
        return [
          t.api.patch(`/agent/scans/${id}`, { ...org.asAgent, body: { status: 'completed', target } }),
          t.api.post('/agent/scans', { ...org.asAgent, body: next }),
          t.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body: settings }),
        ];
      }),
    );
    expect(answers.filter(({ status }) => status > 201).map(({ json }) => json)).toEqual([]);
    await expectRightCounts(t.services.database, t.api, org);
  });
});

describe('a project without a default branch', () => {
  it('gets it from the first scan that names it', async () => {
    await scan('feature', 'b');
    await scan('main', 'a', { target: { default_ref: 'main' } });
    await scan('main', 'a', { target: { default_ref: 'other' } });
    expect(must(await t.api.get(`/projects/${org.projectId}`, org.asOwner)).default_ref).toBe('main');
    expect(await finding('b')).toMatchObject({ proposed: true });
    await expectRightCounts(t.services.database, t.api, org);
  });
});

describe('a scan that names what earlier ones left out', () => {
  beforeEach(() => set({ close_after_scans: 1 }));

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['its ref', {}, { ref: 'main', default_ref: 'main' }],
    ['its category', { ref: 'main' }, { ref: 'main', category: 'java' }],
    ['both', {}, { ref: 'main', category: 'java' }],
  ])('continues them: %s', async (_, before, after) => {
    await scan(before.ref, 'ab', { target: before });
    await scan(after.ref, 'a', { target: after });
    expect(await finding('b')).toMatchObject({ status: 'fixed' });
  });

  it('does not, if it is of a ref that the state of findings does not follow', async () => {
    await set({ default_ref: 'main' });
    await scan(undefined, 'ab');
    await scan('feature', 'a');
    expect(await finding('b')).toMatchObject({ status: 'open' });
    await scan('main', 'a');
    expect(await finding('b')).toMatchObject({ status: 'fixed' });
  });

  it('does not, if it is of another branch than the default branch', async () => {
    await set({ default_ref: 'main', tracked_refs: ['release/*'] });
    await scan(undefined, 'ab');
    await scan('release/1', 'a');
    expect(await finding('b')).toMatchObject({ status: 'open' });
    expect(await present('b')).toEqual([null]);
  });

  it('does not, once such scans have a series of their own', async () => {
    await scan('main', 'ab', { target: { category: 'java' } });
    await scan('main', 'abc');
    await scan('main', 'a', { target: { category: 'java' } });
    expect(await finding('b')).toMatchObject({ status: 'open' });
    await scan('main', 'a', { target: { category: 'js' } });
    expect(await finding('b')).toMatchObject({ status: 'fixed' });
  });
});

describe('a series that loses its last scan', () => {
  const remove = async (id: string) => must(await t.api.delete(`/scans/${id}`, org.asOwner));

  beforeEach(() => set({ default_ref: 'main' }));

  it('no longer has findings, which are missing or closed if no other tracked one has them', async () => {
    await scan('main', 'a', { target: { path: 'web' } });
    const first = await scan('main', 'ab', { target: { path: 'api' } });
    const second = await scan('main', 'ab', { target: { path: 'api' } });
    await remove(second);
    expect(await present('b')).toEqual(['main']);
    await remove(first);
    expect(await finding('b')).toMatchObject({ status: 'open', missing_since: expect.any(String) });
    expect(await finding('a')).not.toHaveProperty('missing_since');
    expect([await present('a'), await refs('b')]).toEqual([['main'], []]);

    await set({ close_after_scans: 3 });
    await remove(await scan('main', 'abc', { target: { path: 'api' } }));
    expect(await prints('status=fixed')).toBe('bc');
    const { id } = await finding('c');
    const [entry] = must(await t.api.get(`/findings/${id}/activity`, org.asOwner));
    expect(entry).toMatchObject({ to: 'fixed', note: 'All scans of its target were removed.' });
    await expectRightCounts(t.services.database, t.api, org);
  });

  it('does not delay the end of findings on other targets', async () => {
    await set({ close_after_scans: 1 });
    await scan('main', 'ab', { target: { path: 'web' } });
    const api = await scan('main', 'ab', { target: { path: 'api' } });
    await scan('main', 'a', { target: { path: 'web' } });
    await remove(api);
    expect(await finding('b')).toHaveProperty('missing_since');
    await scan('main', 'a', { target: { path: 'web' } });
    expect(await prints('status=fixed')).toBe('b');
  });

  it('changes no finding if the state of findings does not follow it', async () => {
    await scan('main', 'a');
    const id = await scan('feature', 'ab');
    const before = await list();
    await remove(id);
    expect(await list()).toEqual(before);
    expect([await present('a'), await refs('b')]).toEqual([['main'], []]);
    expect(await prints('ref=feature')).toBe('');
  });

  it('is removed after the next scan if a process has died before', async () => {
    const id = await scan('main', 'ab', { target: { path: 'api' } });
    await deleteScan(t.services.database.sql, defineOrgTables(orgSchemaName(org.id)), id);
    expect(await present('b')).toEqual(['main']);
    await scan('main', 'a', { target: { path: 'web' } });
    expect([await present('a'), await refs('b')]).toEqual([['main'], []]);
    expect(await prints('missing=true')).toBe('b');
  });
});

describe('the gate of a scan', () => {
  beforeEach(() => set({ default_ref: 'main' }));

  it('compares a pull request with what its base has', async () => {
    await scan('main', 'ab', { severity: 'high' });
    const own = await scan('feature', 'abc', { severity: 'high', target: { base_ref: 'main' } });
    const first = await gate(own);
    expect(first).toMatchObject({ passed: false, base: { ref: 'main' }, total: 1 });
    expect(first.findings).toEqual([expect.objectContaining({ id: (await finding('c')).id })]);
    // A repeated run gives the same answer.
    const again = await scan('feature', 'abc', { severity: 'high', target: { base_ref: 'main' } });
    expect(await gate(again)).toEqual(first);
    expect(await gate(own)).toEqual(first);
    expect(await gate(own, 'fail_on=critical')).toMatchObject({ passed: true, total: 0 });
    await setStatus('c', 'false_positive');
    expect(await gate(own)).toMatchObject({ passed: true, total: 0, findings: [] });
    const agent = await t.api.get(`/agent/scans/${own}/gate`, org.asAgent);
    expect(must(agent)).toMatchObject({ passed: true });
  });

  it('compares the default branch with its scan of another commit', async () => {
    const first = await scan('main', 'a', { severity: 'high', commit: 'c1' });
    expect(await gate(first)).toMatchObject({ passed: false, base: null, total: 1 });
    const second = await scan('main', 'ab', { severity: 'high', commit: 'c2' });
    const answer = await gate(second);
    expect(answer).toMatchObject({ passed: false, base: { scan_id: first }, total: 1 });
    const third = await scan('main', 'ab', { severity: 'high', commit: 'c2' });
    expect(await gate(third)).toEqual(answer);
  });

  it('has the same base for each run on a commit, whatever else is scanned', async () => {
    await scan('main', 'a', { severity: 'high', commit: 'c0' });
    const slow = await register('main', 'ab', { severity: 'high', commit: 'c1' });
    const own = await scan('main', 'ab', { severity: 'high', commit: 'c2' });
    const first = await gate(own);
    expect(first).toMatchObject({ total: 1 });
    must(await t.api.patch(`/agent/scans/${slow}`, { ...org.asAgent, body: { status: 'completed' } }));
    expect(await gate(own)).toEqual(first);
    await scan('main', 'abc', { severity: 'high', commit: 'c3' });
    expect(await gate(await scan('main', 'ab', { severity: 'high', commit: 'c2' }))).toEqual(first);
  });

  it('compares a scan without a ref as one of the default branch', async () => {
    await scan(undefined, 'a', { severity: 'high', commit: 'c1' });
    const own = await scan(undefined, 'ab', { severity: 'high', commit: 'c2' });
    for (const query of ['', 'base_ref=main']) expect(await gate(own, query)).toMatchObject({ total: 1 });
  });

  it('compares a scan without a ref as one of the branch that continues its series', async () => {
    await scan(undefined, 'a', { severity: 'high', commit: 'c1' });
    const own = await scan(undefined, 'ab', { severity: 'high', commit: 'c2' });
    await scan('main', 'ab', { severity: 'high', commit: 'c2' });
    await set({ default_ref: 'other' });
    expect(await gate(own, 'base_ref=main')).toMatchObject({ total: 1, base: { ref: 'main' } });
  });

  it('takes an empty base ref for none', async () => {
    await scan('main', 'a', { severity: 'high' });
    await scan(undefined, 'b', { severity: 'high', target: { path: 'api' } });
    const own = await scan('feature', 'abc', { severity: 'high', target: { base_ref: '' } });
    for (const query of ['', 'base_ref=']) expect(await gate(own, query)).toMatchObject({ total: 1 });
  });

  it('is asked for a ref of any length', async () => {
    const ref = String.fromCodePoint(
      ...Array.from({ length: 2_048 }, (_, i) => 0x4e00 + ((i * 7919) % 20_000)),
    );
    const own = await scan(ref, 'a', { severity: 'high' });
    expect(await gate(own)).toMatchObject({ base: null, total: 1 });
    expect(await prints(`ref=${encodeURIComponent(ref)}`)).toBe('a');
  });
});
