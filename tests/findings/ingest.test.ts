import { beforeAll, describe, expect, it } from 'vitest';
import { ERRORS, type ErrorKey } from '../../lib/errors.ts';
import {
  addProject,
  addToken,
  createOrg,
  createScan,
  finding,
  must,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;
let scanId: string;

beforeAll(async () => {
  t = await startApp();
});

/** Two ways to push: alone, and in a batch, whose answer is brought into the form of the first one. */
const WAYS = {
  async alone(body: object, { api = t.api, agent = org.asAgent } = {}) {
    return api.post('/agent/findings', { ...agent, body });
  },
  async 'in a batch'(body: object, { api = t.api, agent = org.asAgent } = {}) {
    const answer = await api.post('/agent/findings/batch', { ...agent, body: { findings: [body] } });
    if (answer.status !== 200) return answer;
    const [entry] = answer.result.results;
    if (entry.status === 'failed') return { ...answer, ...refusal(entry.error) };
    const shown = must(await t.api.get(`/findings/${entry.id}`, org.asOwner));
    const deduplicated = entry.status === 'deduplicated';
    expect(entry.regressed).toBe(shown.regressed);
    return { ...answer, status: deduplicated ? 200 : 201, result: { ...shown, deduplicated } };
  },
};

function refusal({ type, code, ref, details }: ErrorObject) {
  const { status } = ERRORS[`${type}/${code}` as ErrorKey];
  const error = `${type}/${code}`;
  const badFields = details?.map(({ field }) => field) ?? [];
  return { status, error, ref, badFields, refusal: [status, error, ...badFields].join(' ') };
}

interface ErrorObject {
  type: string;
  code: string;
  ref: string;
  details?: { field: string }[];
}

describe.each(Object.entries(WAYS))('%s:', (way, pushRaw) => {
  beforeAll(async () => {
    org = await createOrg(t.api);
    scanId = await createScan(t.api, org);
  });

  /** Pushes a finding and returns it. */
  const push = async (api: TestApp['api'], to: TestOrg, scan: string, fields: Record<string, unknown> = {}) =>
    must(await pushRaw(finding(to, scan, fields), { api, agent: to.asAgent }));

  describe('a push', () => {
    it('makes a new finding', async () => {
      const body = finding(org, scanId, {
        cwe: 'CWE-89',
        cve: 'CVE-2026-12345',
        cvss_score: 9.8,
        cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
        file: 'src/search.ts',
        line: 42,
        source: 'semgrep',
      });
      const answer = await pushRaw(body);
      expect(answer.status).toBe(201);
      const { created_at } = answer.result;
      expect(answer.result).toEqual({
        ...body,
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        last_scan_id: scanId,
        status: 'open',
        status_changed_at: created_at,
        regressed: false,
        seen_count: 1,
        last_seen_at: created_at,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        updated_at: created_at,
        deduplicated: false,
      });
      const { deduplicated, ...shown } = answer.result;
      expect(must(await t.api.get(`/findings/${answer.result.id}`, org.asOwner))).toEqual(shown);
    });

    it('of a known fingerprint counts the finding and takes over what the agent says anew', async () => {
      const first = await push(t.api, org, scanId, {
        fingerprint: 'known',
        cwe: 'CWE-79',
        line: 1,
        file: 'a.ts',
      });
      const again = await pushRaw(
        finding(org, scanId, {
          fingerprint: 'known',
          title: 'Re-scored',
          severity: 'critical',
          line: 7,
          cvss_score: 9.1,
        }),
      );
      expect(again.status).toBe(200);
      expect(again.result).toMatchObject({
        id: first.id,
        deduplicated: true,
        seen_count: 2,
        title: 'Re-scored',
        severity: 'critical',
        line: 7,
        cvss_score: 9.1,
        cwe: 'CWE-79',
        file: 'a.ts',
        created_at: first.created_at,
        scan_id: scanId,
        status: 'open',
      });
      expect(again.result.last_seen_at >= first.last_seen_at).toBe(true);
      const { deduplicated, ...shown } = again.result;
      expect(must(await t.api.get(`/findings/${first.id}`, org.asOwner))).toEqual(shown);
    });

    it('of the same fingerprint in another project is another finding', async () => {
      const there = await addProject(t.api, org);
      const otherScan = await createScan(t.api, there);
      const here = await push(t.api, org, scanId, { fingerprint: 'shared-print' });
      const elsewhere = await push(t.api, there, otherScan, { fingerprint: 'shared-print' });
      expect(elsewhere).toMatchObject({ deduplicated: false, seen_count: 1 });
      expect(elsewhere.id).not.toBe(here.id);
    });

    it.each(['fixed', 'verified'])(
      'marks a %s finding as regressed and leaves its status to the user',
      async (status) => {
        const { id } = await push(t.api, org, scanId, { fingerprint: `regressed-${status}` });
        if (status === 'fixed')
          must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }));
        else must(await t.api.patch(`/agent/findings/${id}`, { ...org.asAgent, body: { status } }));
        const again = await push(t.api, org, scanId, { fingerprint: `regressed-${status}` });
        expect(again).toMatchObject({ id, status, regressed: true });
        const settled = must(
          await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status: 'fixed' } }),
        );
        expect(settled.regressed).toBe(false);
      },
    );
  });

  describe('pushes at the same instant', () => {
    it('of one fingerprint make one finding', async () => {
      const body = finding(org, scanId, { fingerprint: 'twins' });
      const answers = await Promise.all(Array.from({ length: 20 }, () => pushRaw(body)));
      expect(answers.map(({ status }) => status).sort()).toEqual([...Array(19).fill(200), 201]);
      expect(new Set(answers.map(({ result }) => result.id)).size).toBe(1);
      const counts = answers.map(({ result }) => result.seen_count).sort((a, b) => a - b);
      // The answer of a batch does not contain the count: it was read afterwards.
      expect(way === 'alone' ? counts : [counts.at(-1)]).toEqual(
        way === 'alone' ? Array.from({ length: 20 }, (_, i) => i + 1) : [20],
      );
    });

    it('through two processes make one finding, without a deadlock', async () => {
      const second = await startApp({ databaseUrl: t.databaseUrl });
      const prints = Array.from({ length: 50 }, (_, i) => `crossed-${i}`);
      const both = [t, second].flatMap(({ api }, i) =>
        (i === 0 ? prints : prints.toReversed()).map((fingerprint) =>
          pushRaw(finding(org, scanId, { fingerprint }), { api }),
        ),
      );
      const answers = await Promise.all(both);
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
    });

    it('are answered each on its own', async () => {
      const missing = finding(org, 'no-such-scan');
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          i % 3 === 0 ? pushRaw(missing) : pushRaw(finding(org, scanId)),
        ),
      );
      answers.forEach(({ status, error }, i) => {
        expect([status, error]).toEqual(i % 3 === 0 ? [404, 'resource_error/not_found'] : [201, undefined]);
      });
    });
  });

  describe('permission to push', () => {
    it('refuses the project of another token', async () => {
      const other = must(await t.api.post('/projects', { ...org.asOwner, body: { name: 'Not yours' } })).id;
      const answer = await pushRaw(finding(org, scanId, { project_id: other }));
      expect([answer.status, answer.error]).toEqual([403, 'token_error/scope_mismatch']);
    });

    it('refuses a scan that is not registered', async () => {
      const answer = await pushRaw(finding(org, 'unregistered'));
      expect([answer.status, answer.error]).toEqual([404, 'resource_error/not_found']);
    });

    it('refuses a scan of another project', async () => {
      const { projectId: other, asAgent: agent } = await addProject(t.api, org);
      const answer = await pushRaw(finding(org, scanId, { project_id: other }), { agent });
      expect(answer.refusal).toBe('400 validation_error/field_invalid scan_id');
      expect(must(await t.api.get(`/findings?project_id=${other}`, org.asOwner))).toEqual([]);
    });

    it('refuses a token from the moment it is revoked', async () => {
      const { tokenId, ...agent } = await addToken(t.api, org);
      const pushing = () => pushRaw(finding(org, scanId), { agent });
      expect((await pushing()).status).toBe(201);
      const storm = Promise.all(Array.from({ length: 50 }, pushing));
      const revoked = await t.api.delete(`/projects/${org.projectId}/tokens/${tokenId}`, org.asOwner);
      expect(revoked.status).toBe(204);
      expect((await pushing()).error).toBe('token_error/invalid');
      await storm;
    });

    it('notes when the token was used last, whatever became of the request', async () => {
      const lastUsed = async () =>
        must(await t.api.get(`/projects/${org.projectId}/tokens`, org.asOwner)).find(
          ({ id }: { id: string }) => id === org.tokenId,
        ).last_used;
      const used = [await lastUsed()];
      for (const body of [finding(org, scanId), finding(org, 'unregistered'), {}]) {
        t.advance(1_000);
        await pushRaw(body);
        used.push(await lastUsed());
      }
      expect(used).toEqual([...new Set(used)].sort());
      expect(used).toHaveLength(4);
    });
  });

  describe("a scan's findings", () => {
    it('are those it reported first or again, each once', async () => {
      const first = await createScan(t.api, org);
      const second = await createScan(t.api, org);
      for (const fingerprint of ['s-1', 's-2']) await push(t.api, org, first, { fingerprint });
      for (const fingerprint of ['s-2', 's-2', 's-3'])
        await push(t.api, org, second, { fingerprint, severity: 'low' });
      const printsOf = async (scan: string) =>
        must(await t.api.get(`/findings?scan_id=${scan}`, org.asOwner)).map(
          (f: { fingerprint: string }) => f.fingerprint,
        );
      expect((await printsOf(first)).sort()).toEqual(['s-1', 's-2']);
      expect((await printsOf(second)).sort()).toEqual(['s-2', 's-3']);
      expect(must(await t.api.get(`/scans/${second}`, org.asOwner))).toMatchObject({
        status: 'running',
        finding_count: 2,
      });
      const ended = must(
        await t.api.patch(`/agent/scans/${second}`, { ...org.asAgent, body: { status: 'completed' } }),
      );
      expect(ended).toMatchObject({
        finding_count: 2,
        summary: { total: 2, critical: 0, high: 0, medium: 0, low: 2, info: 0 },
      });
    });

    it('are counted again when a push comes late', async () => {
      const late = await createScan(t.api, org);
      await push(t.api, org, late, { severity: 'info' });
      must(await t.api.patch(`/agent/scans/${late}`, { ...org.asAgent, body: { status: 'failed' } }));
      await Promise.all(Array.from({ length: 10 }, () => push(t.api, org, late, { severity: 'critical' })));
      expect(must(await t.api.get(`/scans/${late}`, org.asOwner))).toMatchObject({
        status: 'failed',
        finding_count: 11,
        summary: { total: 11, critical: 10, info: 1 },
      });
    });

    it('are all in the summary, however pushes and completion cross', async () => {
      for (let round = 0; round < 5; round++) {
        const crossed = await createScan(t.api, org);
        const pushes = Array.from({ length: 40 }, () => push(t.api, org, crossed));
        const ended = t.api.patch(`/agent/scans/${crossed}`, {
          ...org.asAgent,
          body: { status: 'completed' },
        });
        await Promise.all([...pushes, ended]);
        expect(must(await t.api.get(`/scans/${crossed}`, org.asOwner)).summary.total).toBe(40);
      }
    });
  });
});
