import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { addMember, addProject, createOrg, must, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* A preview says what the import of a report would change. */

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

interface Sent {
  fingerprint: string;
  previous_fingerprints?: string[];
  severity?: string;
  source?: string;
  file?: string;
  line?: number;
}

const reportOf = (findings: Sent[]) =>
  JSON.stringify({
    findings: findings.map((one) => ({ title: `Finding ${one.fingerprint}`, severity: 'high', ...one })),
  });
const ofPrints = (prints: string, source = 'semgrep') =>
  reportOf([...prints].map((fingerprint) => ({ fingerprint, source })));

const pathOf = (query: Record<string, unknown>, of = org) => {
  const search = new URLSearchParams({ project_id: of.projectId });
  for (const [name, value] of Object.entries({ format: 'generic-json', ...query }))
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one));
  return `/agent/reports?${search}`;
};
const send = (body: string, query: Record<string, unknown> = {}, of = org) => {
  t.advance(60_000);
  return t.api.post(pathOf(query, of), { ...of.asAgent, body });
};
const preview = async (body: string, query: Record<string, unknown> = {}) =>
  must(await send(body, { ...query, preview: true }));
const set = async (body: object) =>
  must(await t.api.patch(`/projects/${org.projectId}`, { ...org.asOwner, body }));
interface Listed {
  id: string;
  fingerprint: string;
  status: string;
  regressed: boolean;
}
const list = async (): Promise<Listed[]> =>
  must(await t.api.get('/findings?per_page=500&page=1&sort=created_at', org.asOwner));
const idOf = async (print: string) => (await list()).find(({ fingerprint }) => fingerprint === print)?.id;
const setStatus = async (print: string, status: string) =>
  must(await t.api.patch(`/findings/${await idOf(print)}`, { ...org.asOwner, body: { status } }));

/** All rows of the organization, except when the token was used. */
async function stored(): Promise<unknown[]> {
  const { sql } = t.services.database;
  const schema = orgSchemaName(org.id);
  const tables = await sql.unsafe(
    `select table_name as name from information_schema.tables
     where table_schema = '${schema}' and table_name <> 'api_tokens' order by 1`,
  );
  expect(tables.length).toBeGreaterThan(10);
  const rows = tables.map(
    ({ name }) => `select '${name}' as name, t::text as text from "${schema}"."${name}" t`,
  );
  return [...(await sql.unsafe(`${rows.join(' union all ')} order by 1, 2`))];
}

/** Previews a report, imports it, and compares the numbers. @returns the preview */
async function compare(body: string, query: Record<string, unknown> = {}) {
  const before = await stored();
  const planned = await preview(body, { fail_on: 'medium', ...query });
  expect(await stored()).toEqual(before);
  const open = new Set((await list()).filter(isOpen).map(({ id }) => id));
  const { changes, scan } = must(await send(body, query));
  const closed = (await list()).filter((one) => !isOpen(one) && open.has(one.id));
  const gate = must(await t.api.get(`/scans/${scan.id}/gate?fail_on=medium`, org.asOwner));
  expect({
    ...{ new: planned.new, again: planned.again, gone: planned.gone, regressed: planned.regressed },
    ...{ status: planned.status, error_message: planned.error_message, closed: planned.would_close },
    gate: { ...planned.gate, findings: titles(planned.gate.findings) },
  }).toEqual({
    ...changes,
    ...{ status: scan.status, error_message: scan.error_message, closed: closed.length },
    gate: { ...gate, findings: titles(gate.findings) },
  });
  expect(ids(planned.closing)).toEqual(ids(closed));
  return planned;
}

const isOpen = ({ status, regressed }: Listed) => regressed || status === 'open' || status === 'confirmed';
const titles = (
  findings: { title: string; severity: string; status: string; source?: string; line?: number }[],
) =>
  findings.map(({ title, severity, status, source, line }) =>
    [title, severity, status, source, line].join(' '),
  );
const ids = (findings: { id: string }[]) => findings.map(({ id }) => id).toSorted();

describe('a preview', () => {
  it('tells for each finding why it is new or known', async () => {
    const at = (fingerprint: string, file: string, line: number, previous?: string): Sent => ({
      ...{ fingerprint, file, line, source: 'semgrep' },
      ...(previous && { previous_fingerprints: [previous] }),
    });
    await send(
      reportOf([
        at('a', 'a.ts', 1),
        at('b', 'b.ts', 1),
        at('c', 'c.ts', 1),
        at('d', 'd.ts', 1),
        at('e', 'e.ts', 1),
      ]),
    );
    await setStatus('e', 'fixed');
    const {
      findings,
      new: fresh,
      again,
    } = await compare(
      reportOf([
        ...[at('a', 'a.ts', 1), at('b', 'b.ts', 5), at('c2', 'c.ts', 9, 'c'), at('d2', 'd2.ts', 1, 'd')],
        ...[at('e', 'e.ts', 1), at('f', 'f.ts', 1)],
      ]),
    );
    expect([fresh, again]).toEqual([1, 5]);
    const told = Object.fromEntries(
      findings.map(({ title, outcome, matched_by, moved_from }: Record<string, unknown>) => [
        String(title).slice(8),
        [outcome, matched_by, moved_from],
      ]),
    );
    expect(told).toEqual({
      a: ['again', 'fingerprint', undefined],
      b: ['again', 'moved_code', { file: 'b.ts', line: 1 }],
      c2: ['again', 'previous_fingerprint', undefined],
      d2: ['again', 'moved_code', { file: 'd.ts', line: 1 }],
      e: ['regressed', 'fingerprint', undefined],
      f: ['new', undefined, undefined],
    });
    const { id, title } = findings.find(({ outcome }: { outcome: string }) => outcome === 'new');
    expect([id, title]).toEqual([undefined, 'Finding f']);
    expect(findings.map(({ id }: { id?: string }) => id)).toContain(await idOf('a'));
  });

  it('lists what would close, also after a clean report', async () => {
    await set({ close_after_scans: 1 });
    const main = { target_ref: 'main', default_ref: 'main' };
    await send(ofPrints('abc'), main);
    await setStatus('c', 'false_positive');
    const { closing, would_close, gone } = await compare(ofPrints('a'), main);
    expect([would_close, gone]).toEqual([1, 2]);
    expect(closing).toMatchObject([
      { title: 'Finding b', status: 'open', severity: 'high', source: 'semgrep' },
    ]);
    const clean = { ...main, sources: ['semgrep'] };
    expect((await compare(ofPrints(''), clean)).would_close).toBe(0);
    expect((await compare(ofPrints(''), clean)).would_close).toBe(1);
  });

  it('gives the gate that the scan would have', async () => {
    const main = { target_ref: 'main', default_ref: 'main', commit: 'aaaa' };
    const pull = { target_ref: 'feature', base_ref: 'main', default_ref: 'main' };
    await send(ofPrints('ab'), main);
    const failing = await compare(ofPrints('abc'), pull);
    expect(failing.gate).toMatchObject({
      passed: false,
      fail_on: 'medium',
      total: 1,
      base: { ref: 'main', commit: 'aaaa' },
    });
    expect(failing.findings[0]).toMatchObject({ title: 'Finding c', fails_gate: true });
    expect(failing.counts).toMatchObject({ high: 3, critical: 0 });
    await setStatus('c', 'false_positive');
    const passing = await compare(ofPrints('abc'), pull);
    expect(passing.gate).toMatchObject({ passed: true, total: 0 });
    expect(passing.counts).toMatchObject({ high: 2 });
    expect((await compare(ofPrints('abd'), { ...main, commit: 'bbbb' })).gate.total).toBe(1);
    expect((await preview(ofPrints('abd'), { ...pull, fail_on: 'critical' })).gate.passed).toBe(true);
  });

  it('counts what rules decide about new findings', async () => {
    const rule = {
      name: 'Tests',
      conditions: { source: ['gitleaks'], persona: ['senku'] },
      actions: { status: 'false_positive', reason: 'used_in_tests' },
    };
    must(await t.api.post('/rules', { ...org.asOwner, body: rule }));
    const ruled = await compare(ofPrints('a', 'gitleaks'), { persona: 'senku' });
    expect(ruled.findings[0]).toMatchObject({ status: 'false_positive', fails_gate: false });
    expect((await compare(ofPrints('b', 'gitleaks'))).gate.total).toBe(1);
  });

  it('closes nothing for an incomplete report, and reads none that is broken', async () => {
    await set({ close_after_scans: 1 });
    const semgrep = (findings: string) =>
      JSON.stringify({
        version: '1.50.0',
        results: [...findings].map((id) => ({
          ...{ check_id: id, path: 'a.ts', start: { line: 1, col: 1 }, end: { line: 1, col: 2 } },
          extra: { message: id, severity: 'ERROR', lines: id },
        })),
        errors:
          findings === 'ab' ? [] : [{ code: 2, level: 'error', type: 'Fatal', message: 'out of memory' }],
        paths: { scanned: [] },
      });
    const query = { format: 'semgrep' };
    await send(semgrep('ab'), query);
    const { error_message, gone } = await compare(semgrep('a'), query);
    expect([error_message, gone]).toEqual([expect.stringContaining('out of memory'), 0]);
    expect((await compare(semgrep(''), query)).status).toBe('failed');
    const broken = await send('{', { preview: true });
    expect([broken.status, broken.error]).toEqual([400, 'validation_error/invalid_body']);
  });

  it('says the same as the import, whatever was before', async () => {
    let seed = 20_261_128;
    const next = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const pick = <T>(...values: T[]): T => values[next(values.length)] as T;
    await set({ close_after_scans: 1, tracked_refs: ['release/*'] });
    for (let step = 0; step < 30; step++) {
      const source = pick('semgrep', 'gitleaks');
      const findings = [...'abcdef']
        .filter(() => next(3) > 0)
        .map((letter): Sent => {
          const version = next(3);
          return {
            ...{ fingerprint: `${letter}${version}`, source, severity: pick('critical', 'high', 'low') },
            ...(next(2) === 0 && { previous_fingerprints: [`${letter}${(version + 1) % 3}`] }),
            ...{ file: `${letter}.ts`, line: 1 + next(3) },
          };
        });
      const target_ref = pick(undefined, 'main', 'main', 'release/1', 'feature');
      await compare(next(8) === 0 ? reportOf([]) : reportOf(findings), {
        ...{ target_ref, commit: pick('aaaa', 'bbbb', 'cccc'), sources: [source] },
        ...{ base_ref: target_ref === 'feature' ? pick('main', undefined) : undefined },
        ...{ default_ref: step > 10 ? 'main' : undefined, target_path: pick(undefined, undefined, 'web') },
        category: step > 20 ? pick(undefined, 'x') : undefined,
      });
      const any = pick(...(await list()));
      if (any) {
        const body = { status: pick('fixed', 'open', 'false_positive', 'confirmed') };
        must(await t.api.patch(`/findings/${any.id}`, { ...org.asOwner, body }));
      }
      if (next(10) === 0) await set({ close_after_scans: pick(1, 2, 3, null) });
    }
  });
});

describe('a preview is for those who may import', () => {
  const upload = (as: object, id = org.projectId) =>
    t.api.post(`/projects/${id}/reports?preview=true`, { ...as, body: ofPrints('a') });

  it('of a member', async () => {
    const answer = await upload((await addMember(t.api, org, 'member')).as);
    expect([answer.status, answer.result.new]).toEqual([200, 1]);
    expect(await list()).toEqual([]);
  });

  it('of no viewer, no token without the scope, no token of another project and no other organization', async () => {
    const viewer = await upload((await addMember(t.api, org, 'viewer')).as);
    expect([viewer.status, viewer.error]).toEqual([403, 'permission_error/denied']);
    must(await t.api.patch('/org-features/org_wide_tokens', { ...org.asOwner, body: { enabled: true } }));
    const body = { name: 'Reader', scopes: ['read'] };
    const { token } = must(await t.api.post('/tokens', { ...org.asOwner, body }));
    const reader = await t.api.post(pathOf({ preview: true }), {
      ...org.asAgent,
      token,
      body: ofPrints('a'),
    });
    expect([reader.status, reader.error]).toEqual([403, 'token_error/scope_mismatch']);
    const other = await addProject(t.api, org);
    const elsewhere = await t.api.post(pathOf({ preview: true }, other), {
      ...org.asAgent,
      body: ofPrints('a'),
    });
    expect(elsewhere.status).toBe(403);
    const foreign = await createOrg(t.api);
    const strange = await t.api.post(pathOf({ preview: true }), { ...foreign.asAgent, body: ofPrints('a') });
    expect(strange.status).toBe(403);
    expect((await upload(foreign.asOwner)).status).toBe(404);
  });
});
