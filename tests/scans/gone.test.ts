import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
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

/** Registers a scan a minute after the one before, and reports findings by source: `{ semgrep: 'abc' }`. */
async function scan(
  found: Record<string, string>,
  { status = 'completed', ...fields }: { status?: string | undefined; [field: string]: unknown } = {},
) {
  t.advance(60_000);
  const scan_id = `scan-${scans++}`;
  const body = { scan_id, project_id: org.projectId, persona: 'senku', target: {}, ...fields };
  must(await t.api.post('/agent/scans', { ...org.asAgent, body }));
  for (const [source, prints] of Object.entries(found))
    for (const fingerprint of prints) await push(t.api, org, scan_id, { fingerprint, source });
  if (status !== 'running')
    must(await t.api.patch(`/agent/scans/${scan_id}`, { ...org.asAgent, body: { status } }));
  return scan_id;
}

const ask = (id: string, source = 'semgrep') =>
  t.api.get(`/agent/scans/${id}/gone?source=${source}`, org.asAgent);
const gone = async (id: string, source?: string) => must(await ask(id, source));

describe('GET /agent/scans/{id}/gone', () => {
  it('counts what the scan before reported and this one did not', async () => {
    const first = await scan({ semgrep: 'abc' });
    expect(await gone(first)).toEqual({ gone: 0 });
    const second = await scan({ semgrep: 'cd' });
    expect(await gone(second)).toEqual({ against: first, gone: 2 });
    // A finding that an earlier scan reported as gone is not reported again.
    expect(await gone(await scan({ semgrep: 'd' }))).toEqual({ against: second, gone: 1 });
    const empty = await scan({});
    expect((await gone(empty)).gone).toBe(1);
    expect(await gone(await scan({}))).toEqual({ against: empty, gone: 0 });
  });

  it('compares with a scan of the same sources, persona and target that completed', async () => {
    const first = await scan({ semgrep: 'abc' });
    await scan({ bandit: 'xyz' });
    await scan({ semgrep: 'k' }, { persona: 'killua' });
    await scan({ semgrep: 't' }, { target: { path: 'other' } });
    await scan({ semgrep: 'f' }, { status: 'failed' });
    await scan({ semgrep: 'r' }, { status: 'running' });
    expect(await gone(await scan({ semgrep: 'a' }))).toEqual({ against: first, gone: 2 });
  });

  it('counts findings of the given sources only', async () => {
    const first = await scan({ semgrep: 'ab', bandit: 'xyz' });
    const second = await scan({ semgrep: 'a' });
    expect(await gone(second, 'semgrep')).toEqual({ against: first, gone: 1 });
    expect(await gone(second, 'semgrep,bandit')).toEqual({ against: first, gone: 4 });
    expect(await gone(second, 'none')).toEqual({ gone: 0 });
    const own = must(await t.api.get(`/agent/scans/${second}/gone`, org.asAgent));
    expect(own).toEqual({ against: first, gone: 1 });
  });

  it('is what the page of a scan says and lists, whichever sources were clean', async () => {
    const sources = ['semgrep', 'bandit'];
    const both = await scan({ semgrep: 'ab', bandit: 'xyz' }, { sources });
    const one = await scan({ semgrep: 'a' }, { sources });
    const other = await scan({ bandit: 'k' }, { sources: ['bandit'] });
    const clean = await scan({}, { sources });
    const unknown = await scan({});
    const expected = [
      [both, undefined, 0],
      [one, both, 4],
      [other, one, 0],
      [clean, other, 1],
      [unknown, clean, 0],
    ] as const;
    for (const [id, against, count] of expected) {
      const changes = must(await t.api.get(`/scans/${id}/changes`, org.asOwner));
      expect([id, changes.against?.id, changes.gone]).toEqual([id, against, count]);
      expect(await gone(id)).toEqual({
        gone: count,
        ...(against && { against }),
      });
      if (!against) continue;
      const listed = await t.api.get(`/findings?scan_id=${id}&against=${against}&change=gone`, org.asOwner);
      expect(must(listed)).toHaveLength(count);
    }
  });

  it('is refused for scans of others and scans that do not exist', async () => {
    const own = await scan({ semgrep: 'a' });
    const stranger = await createOrg(t.api);
    expect((await t.api.get(`/agent/scans/${own}/gone?source=semgrep`, stranger.asAgent)).status).toBe(404);
    expect((await t.api.get(`/agent/scans/${own}/gone?source=semgrep`)).status).toBe(401);
    expect((await ask('none')).status).toBe(404);
    const { asAgent } = await addProject(t.api, org);
    const other = await t.api.get(`/agent/scans/${own}/gone?source=semgrep`, asAgent);
    expect(other.status).toBe(403);
  });
});
