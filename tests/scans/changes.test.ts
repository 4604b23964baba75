import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { addProject, createOrg, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

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
  persona?: string;
  /** How it ends; it runs on without. */
  end?: 'completed' | 'failed';
  /** The source of the findings. */
  source?: string | null;
  target?: object;
  error_message?: string;
  of?: TestOrg;
}

/** Registers a scan a minute after the one before, reports what has these fingerprints, and ends it. */
async function scan(prints: string, options: ScanOptions = {}) {
  const { persona = 'senku', end, of = org, source, target, error_message } = options;
  t.advance(60_000);
  const scan_id = `scan-${scans++}`;
  const body = { scan_id, project_id: of.projectId, persona, target };
  must(await t.api.post('/agent/scans', { ...of.asAgent, body }));
  for (const fingerprint of prints) await push(t.api, of, scan_id, { fingerprint, source });
  const ending = { status: end, error_message };
  if (end) must(await t.api.patch(`/agent/scans/${scan_id}`, { ...of.asAgent, body: ending }));
  return scan_id;
}
const completed = (prints: string, options: ScanOptions = {}) =>
  scan(prints, { end: 'completed', ...options });

const ask = (id: string, against?: string) =>
  t.api.get(`/scans/${id}/changes${against === undefined ? '' : `?against=${against}`}`, org.asOwner);
/** In short: what it was compared with, and the numbers. */
async function changes(id: string, against?: string) {
  const { against: other, ...counts } = must(await ask(id, against));
  return [other?.id, counts.new, counts.seen_again, counts.gone];
}

describe('GET /scans/{id}/changes', () => {
  it('says what is new, seen again and gone since the scan before', async () => {
    const first = await completed('abc');
    const second = await completed('bcde');
    const third = await completed('ae');
    expect(must(await ask(second))).toEqual({
      against: must(await t.api.get(`/scans/${first}`, org.asOwner)),
      new: 2,
      seen_again: 2,
      gone: 1,
    });
    // Findings seen before that, but not by the scan before, are new.
    expect(await changes(third)).toEqual([second, 1, 1, 3]);
  });

  it('has everything new in the first scan', async () => {
    const first = await completed('abc');
    expect(must(await ask(first))).toEqual({ new: 3, seen_again: 0, gone: 0 });
    expect(await changes(await completed(''))).toEqual([first, 0, 0, 3]);
  });

  it('counts what a scan reports twice once', async () => {
    const first = await completed('abab');
    expect(await changes(await completed('bcbc'))).toEqual([first, 1, 1, 1]);
  });

  it('counts the same findings whatever becomes of them', async () => {
    const first = await completed('ab');
    const second = await completed('bc');
    for (const { id } of must(await t.api.get('/findings', org.asOwner)))
      must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }));
    expect(await changes(second)).toEqual([first, 1, 1, 1]);
  });

  it('compares with the latest completed scan of the same persona that was started before', async () => {
    const first = await completed('abc');
    await completed('xyz', { persona: 'killua' });
    await scan('x', { end: 'failed' });
    const running = await scan('y');
    const second = await completed('abc');
    expect(await changes(second)).toEqual([first, 0, 3, 0]);
    // Started before, ended later.
    must(await t.api.patch(`/agent/scans/${running}`, { ...org.asAgent, body: { status: 'completed' } }));
    expect(await changes(second)).toEqual([running, 3, 0, 1]);
    expect(await changes(running)).toEqual([first, 1, 0, 3]);
    // Not with a later one.
    expect(await changes(first)).toEqual([undefined, 3, 0, 0]);
  });

  it('compares scans of two scanners each with the one before of the same scanner', async () => {
    const semgrep = await completed('abc', { source: 'semgrep' });
    const trivy = await completed('xyz', { source: 'trivy' });
    expect(await changes(trivy)).toEqual([undefined, 3, 0, 0]);
    const next = await completed('bcd', { source: 'semgrep' });
    expect(await changes(next)).toEqual([semgrep, 1, 2, 1]);
    expect(await changes(await completed('x', { source: 'trivy' }))).toEqual([trivy, 0, 1, 2]);
    // It may be of either scanner, so no finding is said to be gone.
    const empty = await completed('');
    expect(await changes(empty)).toEqual([undefined, 0, 0, 0]);
    expect(await changes(await completed('bcd', { source: 'semgrep' }))).toEqual([next, 0, 3, 0]);
    // One that runs, as far as it is.
    expect(await changes(await scan('b', { source: 'semgrep' }))).toMatchObject([
      expect.any(String),
      0,
      1,
      2,
    ]);
    expect(await changes(next, trivy)).toEqual([trivy, 3, 0, 3]);
  });

  it('compares scans with a source in common, and findings without a source with each other', async () => {
    const none = await completed('ab', { source: null });
    const both = await scan('c', { source: 'semgrep' });
    await push(t.api, org, both, { fingerprint: 'x', source: 'trivy' });
    must(await t.api.patch(`/agent/scans/${both}`, { ...org.asAgent, body: { status: 'completed' } }));
    expect(await changes(both)).toEqual([undefined, 2, 0, 0]);
    expect(await changes(await completed('x', { source: 'trivy' }))).toEqual([both, 0, 1, 0]);
    expect(await changes(await completed('b', { source: null }))).toEqual([none, 0, 1, 1]);
  });

  it('compares a scan without findings while one scanner is known', async () => {
    const first = await completed('abc', { source: 'semgrep' });
    const empty = await completed('');
    expect(await changes(empty)).toEqual([first, 0, 0, 3]);
    expect(await changes(await completed('a', { source: 'semgrep' }))).toEqual([empty, 1, 0, 0]);
  });

  it('compares scans of the same target that had no problems', async () => {
    const web = await completed('abc', { target: { path: 'web' } });
    const api = await completed('xy', { target: { path: 'api' } });
    expect(await changes(api)).toEqual([undefined, 2, 0, 0]);
    await completed('a', { target: { path: 'web' }, error_message: 'Out of memory.' });
    expect(await changes(await completed('ab', { target: { path: 'web' } }))).toEqual([web, 0, 2, 1]);
    const feature = { path: 'web', ref: 'feature', default_ref: 'main' };
    expect(await changes(await completed('ab', { target: feature }))).toEqual([undefined, 2, 0, 0]);
    expect(await changes(await completed('ab'))).toEqual([undefined, 2, 0, 0]);
  });

  it('compares with scans of earlier versions, whose sources are not known', async () => {
    const first = await completed('abc', { source: 'semgrep' });
    await t.services.database.sql.unsafe(`update "${orgSchemaName(org.id)}".scans set sources = null`);
    expect(await changes(await completed('ab', { source: 'trivy' }))).toEqual([first, 0, 2, 1]);
  });

  it('looks at scans of its own project only', async () => {
    await completed('abc');
    const other = await completed('ab', { of: await addProject(t.api, org) });
    expect(await changes(other)).toEqual([undefined, 2, 0, 0]);
  });

  it('compares a scan that runs as far as it is', async () => {
    const first = await completed('abc');
    const running = await scan('a');
    expect(await changes(running)).toEqual([first, 0, 1, 2]);
    await push(t.api, org, running, { fingerprint: 'b' });
    await push(t.api, org, running, { fingerprint: 'd' });
    expect(await changes(running)).toEqual([first, 1, 2, 1]);
    // Others are compared with it when asked to be.
    expect(await changes(first, running)).toEqual([running, 1, 2, 1]);
  });

  it('compares with any scan of the project when asked to: older, later, failed, another persona', async () => {
    const first = await completed('abc');
    const failed = await scan('a', { end: 'failed', persona: 'killua' });
    const last = await completed('cd');
    expect(await changes(last, first)).toEqual([first, 1, 1, 2]);
    expect(await changes(first, last)).toEqual([last, 2, 1, 1]);
    expect(await changes(last, failed)).toEqual([failed, 2, 0, 1]);
    expect(await changes(last, last)).toEqual([last, 0, 2, 0]);
  });

  it('gives the numbers of the scans it compares', async () => {
    const first = await completed('abcdef');
    const second = await completed('defgh');
    const total = async (id: string) =>
      must(await t.api.get(`/scans/${id}`, org.asOwner)).finding_count as number;
    const { new: fresh, seen_again, gone } = must(await ask(second));
    expect([fresh + seen_again, gone + seen_again]).toEqual([await total(second), await total(first)]);
  });

  it('refuses a scan to compare with that does not exist, or is another project’s or organization’s', async () => {
    const id = await completed('a');
    const other = await createOrg(t.api);
    const foreign = await completed('a', { of: other });
    const aside = await completed('a', { of: await addProject(t.api, org) });
    for (const against of ['nope', foreign, aside, '', 'x'.repeat(37), '%00']) {
      const answer = await ask(id, against);
      expect(answer.refusal).toBe('400 validation_error/invalid_request against');
    }
  });
});
