import { beforeEach, describe, expect, it } from 'vitest';
import {
  addProject,
  addToken,
  createOrg,
  createScan,
  finding,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeEach(async () => {
  t ??= await startApp();
  org = await createOrg(t.api);
  scanId = await createScan(t.api, org);
});

type Fields = Record<string, unknown>;

const pushRaw = (fields: Fields, on = org) =>
  t.api.post('/agent/findings', { ...on.asAgent, body: finding(on, scanId, fields) });
const renaming = (fingerprint: string, ...previous_fingerprints: string[]) =>
  pushRaw({ fingerprint, previous_fingerprints });
const times = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

/** The id of each finding by its fingerprint. */
async function stored(): Promise<Record<string, string>> {
  const all: { fingerprint: string; id: string }[] = must(await t.api.get('/findings', org.asOwner));
  return Object.fromEntries(all.map(({ fingerprint, id }) => [fingerprint, id]));
}

/** Another project of the organization, with a token and a scan of its own. */
async function anotherProject() {
  const there = await addProject(t.api, org);
  return { there, scanThere: await createScan(t.api, there) };
}

describe('a push that names a previous fingerprint', () => {
  it('is one more sighting of that finding, which takes the new fingerprint', async () => {
    const first = await push(t.api, org, scanId, { fingerprint: 'old', line: 7, cwe: 'CWE-89' });
    const body = { status: 'false_positive' };
    const triaged = must(await t.api.patch(`/findings/${first.id}`, { ...org.asOwner, body }));
    t.advance(1_000);
    const later = await createScan(t.api, org);

    const again = await pushRaw({
      ...{ scan_id: later, fingerprint: 'new', previous_fingerprints: ['old'] },
      ...{ title: 'Another title', severity: 'low' },
    });
    expect(again.status).toBe(200);
    expect(again.result).toEqual({
      ...triaged,
      ...{ fingerprint: 'new', title: 'Another title', severity: 'low' },
      ...{ seen_count: 2, last_scan_id: later, deduplicated: true },
      last_seen_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(again.result.last_seen_at > first.last_seen_at).toBe(true);
    const { deduplicated, ...shown } = again.result;
    expect(must(await t.api.get(`/findings/${first.id}`, org.asOwner))).toEqual(shown);
    expect(must(await t.api.get(`/findings?scan_id=${later}`, org.asOwner))).toEqual([shown]);
    expect(await stored()).toEqual({ new: first.id });
  });

  it.each(['fixed', 'verified'])('marks a %s finding as regressed', async (status) => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old' });
    const [path, who] = status === 'fixed' ? ['', org.asOwner] : ['/agent', org.asAgent];
    must(await t.api.patch(`${path}/findings/${id}`, { ...who, body: { status } }));
    expect((await renaming('new', 'old')).result).toMatchObject({ id, status, regressed: true });
  });

  it('says so in the activity, with the scan and where the code has moved', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old', file: 'src/a.ts', line: 3 });
    const later = await createScan(t.api, org);
    const sent = { scan_id: later, previous_fingerprints: ['old'], file: 'src/a.ts' };
    await pushRaw({ ...sent, fingerprint: 'new' });
    await pushRaw({ ...sent, fingerprint: 'new' });
    await pushRaw({ fingerprint: 'newest', previous_fingerprints: ['new'], file: 'src/b.ts', line: 9 });
    const entries: Fields[] = must(await t.api.get(`/findings/${id}/activity`, org.asOwner));
    const shown = entries.map(({ kind, from, to, scan }) => ({ kind, from, to, scan: (scan as Fields).id }));
    expect(shown).toHaveLength(3);
    expect(shown).toEqual(
      expect.arrayContaining([
        { kind: 'moved', from: 'src/a.ts:3', to: 'src/b.ts:9', scan: scanId },
        { kind: 'matched', from: 'old', to: 'new', scan: later },
        { kind: 'created', from: undefined, to: undefined, scan: scanId },
      ]),
    );
    expect(entries[0]).toMatchObject({ actor: { type: 'token', id: org.tokenId } });
  });

  it('keeps the exploits of the finding', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old' });
    const body = { filename: 'poc.py', language: 'python', code: 'print(1)' };
    const exploit = must(await t.api.post(`/agent/findings/${id}/exploits`, { ...org.asAgent, body }));
    must(await renaming('new', 'old'));
    const exploits = must(await t.api.get(`/findings/${id}/exploits`, org.asOwner));
    expect(exploits).toMatchObject([{ id: exploit.id }]);
  });

  it('leaves that finding alone when another one has the new fingerprint', async () => {
    const old = await push(t.api, org, scanId, { fingerprint: 'old' });
    const { id } = await push(t.api, org, scanId, { fingerprint: 'new' });
    const { status, result } = await renaming('new', 'old');
    expect([status, result.id, result.seen_count]).toEqual([200, id, 2]);
    expect(await stored()).toEqual({ old: old.id, new: id });
    expect(must(await t.api.get(`/findings/${old.id}`, org.asOwner)).seen_count).toBe(1);
  });

  it('takes the first one in its list that a finding has, however old that finding is', async () => {
    const older = await push(t.api, org, scanId, { fingerprint: 'older' });
    const newer = await push(t.api, org, scanId, { fingerprint: 'newer' });
    expect((await renaming('new', 'none', 'newer', 'older')).result.id).toBe(newer.id);
    expect(await stored()).toEqual({ older: older.id, new: newer.id });
  });

  it('is a new finding when no finding has any of them', async () => {
    const { status, result } = await renaming('new', 'none', 'neither');
    expect([status, result.deduplicated, result.seen_count]).toEqual([201, false, 1]);
    expect(await stored()).toEqual({ new: result.id });
    // A previous fingerprint is a question, not an alias.
    expect((await pushRaw({ fingerprint: 'none' })).status).toBe(201);
  });

  it('frees the old fingerprint for another finding', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old' });
    must(await renaming('new', 'old'));
    const other = await pushRaw({ fingerprint: 'old' });
    expect([other.status, other.result.seen_count]).toEqual([201, 1]);
    expect(await stored()).toEqual({ new: id, old: other.result.id });
  });

  it('follows a finding through several new fingerprints', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'a' });
    must(await renaming('b', 'a'));
    expect((await renaming('c', 'b', 'a')).result).toMatchObject({ id, fingerprint: 'c', seen_count: 3 });
    expect((await renaming('c', 'b', 'a')).result).toMatchObject({ id, fingerprint: 'c', seen_count: 4 });
    expect(await stored()).toEqual({ c: id });
  });

  it('renames a finding after its scan has ended, and renews the summary', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old', severity: 'low' });
    must(await t.api.patch(`/agent/scans/${scanId}`, { ...org.asAgent, body: { status: 'completed' } }));
    const fields = { fingerprint: 'new', previous_fingerprints: ['old'], severity: 'critical' };
    expect((await pushRaw(fields)).result.id).toBe(id);
    const { summary } = must(await t.api.get(`/scans/${scanId}`, org.asOwner));
    expect(summary).toMatchObject({ total: 1, critical: 1, low: 0 });
  });
});

describe('pushes at the same instant', () => {
  it('that give a finding the same new fingerprint count one by one', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old' });
    const answers = await Promise.all(times(20, () => renaming('new', 'old')));
    expect(answers.map(({ status }) => status)).toEqual(times(20, () => 200));
    expect(new Set(answers.map(({ result }) => result.id))).toEqual(new Set([id]));
    expect(answers.map(({ result }) => result.seen_count).sort((a, b) => a - b)).toEqual(
      times(20, (i) => i + 2),
    );
  });

  it('that name the same previous fingerprint get its finding once, the others are new', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old' });
    const answers = await Promise.all(times(20, (i) => renaming(`new-${i}`, 'old')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...times(19, () => 201)]);
    expect(answers.find(({ status }) => status === 200)?.result.id).toBe(id);
    expect(Object.keys(await stored()).sort()).toEqual(times(20, (i) => `new-${i}`).sort());
  });

  it('get one finding each where their lists have enough', async () => {
    const old = await Promise.all(
      ['a', 'b', 'c'].map(async (fingerprint) => (await push(t.api, org, scanId, { fingerprint })).id),
    );
    const answers = await Promise.all(['x', 'y', 'z'].map((print) => renaming(print, 'a', 'b', 'c')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ result }) => result.id))).toEqual(new Set(old));
  });

  it('of which one renames the finding of another follow each other', async () => {
    await push(t.api, org, scanId, { fingerprint: 'a' });
    await push(t.api, org, scanId, { fingerprint: 'b' });
    await Promise.all([renaming('b', 'a'), renaming('c', 'b')]);
    const all: { fingerprint: string; seen_count: number }[] = must(
      await t.api.get('/findings', org.asOwner),
    );
    const seen = Object.fromEntries(all.map(({ fingerprint, seen_count }) => [fingerprint, seen_count]));
    expect([
      // The first one came first: it saw b, which became c.
      { a: 1, c: 3 },
      // The second one came first: b became c, then a became b.
      { b: 2, c: 2 },
      // On the edge they do not share a queue: the first one saw b, which became c before it was written.
      { a: 1, b: 1, c: 2 },
    ]).toContainEqual(seen);
  });
});

describe('a push that may not rename a finding', () => {
  it('of another project is a new finding of its own project, whichever project is older', async () => {
    const { there, scanThere } = await anotherProject();
    const pushThere = (fields: Fields) => pushRaw({ scan_id: scanThere, ...fields }, there);
    const mine = must(await pushRaw({ fingerprint: 'mine' }));
    const theirs = must(await pushThere({ fingerprint: 'theirs' }));
    const taken = [
      await pushRaw({ fingerprint: 'new-1', previous_fingerprints: ['theirs'] }),
      await pushThere({ fingerprint: 'new-2', previous_fingerprints: ['mine'] }),
    ];
    expect(taken.map(({ status, result }) => [status, result.project_id])).toEqual([
      [201, org.projectId],
      [201, there.projectId],
    ]);
    for (const { id, fingerprint } of [mine, theirs])
      expect(must(await t.api.get(`/findings/${id}`, org.asOwner))).toMatchObject({
        fingerprint,
        seen_count: 1,
      });
  });

  it('has nothing to do with a finding of another project that has the new fingerprint', async () => {
    const { there, scanThere } = await anotherProject();
    const { id } = must(await pushRaw({ fingerprint: 'a' }));
    must(await pushRaw({ scan_id: scanThere, fingerprint: 'z' }, there));
    const { status, result } = await renaming('z', 'a');
    expect([status, result.id]).toEqual([200, id]);
  });

  it('changes nothing when it is refused', async () => {
    const { id } = await push(t.api, org, scanId, { fingerprint: 'old' });
    const { there, scanThere } = await anotherProject();
    const { tokenId, ...asAgent } = await addToken(t.api, org);
    await t.api.delete(`/projects/${org.projectId}/tokens/${tokenId}`, org.asOwner);
    const revoked = { ...org, asAgent };

    const fields = { fingerprint: 'new', previous_fingerprints: ['old'] };
    const refused = [
      await pushRaw({ ...fields, scan_id: 'unregistered' }),
      await pushRaw({ ...fields, scan_id: scanThere }),
      await pushRaw({ ...fields, project_id: org.projectId }, there),
      await pushRaw({ ...fields }, revoked),
      await pushRaw({ ...fields, severity: 'severe' }),
    ];
    expect(refused.map(({ status, error }) => [status, error])).toEqual([
      [404, 'resource_error/not_found'],
      [400, 'validation_error/field_invalid'],
      [403, 'token_error/scope_mismatch'],
      [401, 'token_error/invalid'],
      [400, 'validation_error/field_invalid'],
    ]);
    expect(await stored()).toEqual({ old: id });
  });

  it('changes nothing when it is refused beside pushes that are taken', async () => {
    const prints = times(30, (i) => `${i}`);
    const ids = await Promise.all(
      prints.map(async (i) => (await push(t.api, org, scanId, { fingerprint: `old-${i}` })).id),
    );
    const isRefused = (i: number) => i % 3 === 0;
    const answers = await Promise.all(
      prints.map((_, i) =>
        pushRaw({
          ...{ fingerprint: `new-${i}`, previous_fingerprints: [`old-${i}`] },
          ...(isRefused(i) && { scan_id: 'unregistered' }),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(prints.map((_, i) => (isRefused(i) ? 404 : 200)));
    expect(await stored()).toEqual(
      Object.fromEntries(ids.map((id, i) => [`${isRefused(i) ? 'old' : 'new'}-${i}`, id])),
    );
  });
});

describe('previous_fingerprints', () => {
  it.each([
    [times(6, (i) => `print-${i}`), 'previous_fingerprints'],
    [['old', ''], 'previous_fingerprints.1'],
    [['x'.repeat(257)], 'previous_fingerprints.0'],
    [['a\0b'], 'previous_fingerprints.0'],
    [['\ud800'], 'previous_fingerprints.0'],
    [[7], 'previous_fingerprints.0'],
    [[null], 'previous_fingerprints.0'],
    ['old', 'previous_fingerprints'],
    [{ 0: 'old' }, 'previous_fingerprints'],
  ])('refuses %j', async (previous_fingerprints, field) => {
    const { status, error, badFields } = await pushRaw({ fingerprint: 'new', previous_fingerprints });
    expect([status, error, badFields]).toEqual([400, 'validation_error/field_invalid', [field]]);
    expect(await stored()).toEqual({});
  });

  it.each([[[]], [null], [undefined], [['new']], [['new', 'none', 'none']]])(
    'takes %j as none',
    async (previous_fingerprints) => {
      expect((await pushRaw({ fingerprint: 'new', previous_fingerprints })).status).toBe(201);
      expect((await pushRaw({ fingerprint: 'new', previous_fingerprints })).status).toBe(200);
    },
  );

  it('takes 5 of 256 characters, of whatever characters', async () => {
    const old = `${'\u{1F40E}'.repeat(250)}\\'"{},`;
    const { id } = await push(t.api, org, scanId, { fingerprint: old });
    const { status, result } = await renaming('new', 'NULL', '{}', 'null', 'é'.repeat(256), old);
    expect([status, result.id]).toEqual([200, id]);
  });
});
