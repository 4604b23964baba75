import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { createEdgeReportReader, EDGE_MAX_REPORT } from '../../lib/edge/reports.ts';
import type { Finding } from '../../lib/importers/finding.ts';
import { importReport } from '../../lib/importers/index.ts';
import {
  type Answer,
  type CallOptions,
  createOrg,
  createUser,
  must,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const TRIVY = readFileSync(join(FIXTURES, 'trivy.json'));

let t: TestApp;
let org: TestOrg;
/** The same database. It reads reports in this process: one that is refused ends its process. */
let reading: TestApp;

beforeAll(async () => {
  t = await startApp();
  const { databaseUrl } = t;
  reading = await startApp({ databaseUrl, reports: createEdgeReportReader(EDGE_MAX_REPORT) });
  org = await createOrg(t.api);
});

interface Options extends CallOptions {
  of?: TestOrg;
  /** Further query parameters. */
  query?: string;
  by?: TestApp;
}

const send = (body: unknown, { of = org, query = '', by = t, ...options }: Options = {}) =>
  by.api.post(`/agent/reports?project_id=${of.projectId}${query}`, { ...of.asAgent, ...options, body });

const upload = (body: unknown, { of = org, query = '', ...options }: Options = {}) =>
  t.api.post(`/projects/${of.projectId}/reports?${query}`, { ...of.asOwner, ...options, body });

function formOf(...files: (string | Buffer)[]): FormData {
  const form = new FormData();
  form.set('comment', 'not a file');
  for (const content of files)
    form.append('file', new File([new Uint8Array(Buffer.from(content))], 'report'));
  return form;
}

const scansOf = async ({ asOwner }: TestOrg = org) => must(await t.api.get('/scans', asOwner));
const findingsOf = async ({ asOwner }: TestOrg, query = '') =>
  must(await t.api.get(`/findings?per_page=500${query}`, asOwner));

/** A report of the generic format. */
const reportOf = (...titles: string[]) =>
  JSON.stringify({ findings: titles.map((title) => ({ title, severity: 'High', file_path: 'src/a.ts' })) });

const SEMGREP_ERRORS = (results: object[]) =>
  JSON.stringify({
    version: '1.50.0',
    results,
    errors: [{ code: 2, level: 'error', type: 'Fatal', message: 'out of memory' }],
    paths: { scanned: [] },
  });

describe('a report', () => {
  const ways: [string, () => [unknown, CallOptions?]][] = [
    ['as the body', () => [TRIVY, { headers: { 'content-type': 'application/json' } }]],
    ['as curl sends it', () => [TRIVY, { headers: { 'content-type': 'application/x-www-form-urlencoded' } }]],
    ['without a content type', () => [TRIVY, { headers: { 'content-type': '' } }]],
    ['with Content-Encoding: gzip', () => [gzipSync(TRIVY), { headers: { 'content-encoding': 'gzip' } }]],
    ['as a gzip file', () => [gzipSync(TRIVY)]],
    ['as the file of a form', () => [formOf(TRIVY)]],
    ['as a gzip file of a form', () => [formOf(gzipSync(TRIVY))]],
  ];
  it.each(ways)('is imported %s, the same each time', async (_, request) => {
    const other = await createOrg(t.api);
    const [body, options] = request();
    const { status, result } = await send(body, { of: other, ...options });
    expect(status).toBe(201);
    const { findings } = importReport(TRIVY, { directory: '/nowhere' });
    expect(result).toMatchObject({
      format: 'trivy',
      changes: { new: findings.length, again: 0, gone: 0, regressed: 0 },
      scan: { status: 'completed', persona: 'sharingan', summary: { total: findings.length } },
    });
    const stored = await findingsOf(other);
    expect(stored.map((row: { fingerprint: string }) => row.fingerprint).sort()).toEqual(
      findings.map(({ fingerprint }) => fingerprint).sort(),
    );
  });

  it('is imported for a member of the organization', async () => {
    const { status, result } = await upload(reportOf('Uploaded'), { query: 'persona=senku&target_ref=main' });
    expect(status).toBe(201);
    expect(result.scan).toMatchObject({ persona: 'senku', target: { ref: 'main' }, status: 'completed' });
  });

  it('has a name and a target', async () => {
    const query = '&name=Nightly&target_path=services%2Fweb&target_ref=main&commit=4f2a9c1&persona=killua';
    const { result } = await send(reportOf('Named'), { query });
    expect(result.scan).toMatchObject({
      name: 'Nightly',
      persona: 'killua',
      target: { path: 'services/web', ref: 'main' },
      commit: '4f2a9c1',
    });
  });

  it('says which scanners ran and what they scanned, also if they found nothing', async () => {
    const run = (name: string, id: string) => ({
      ...{ tool: { driver: { name } }, results: [] },
      automationDetails: { id },
    });
    const runs = [run('CodeQL', 'language:python/1'), run('ESLint', 'language:python/2')];
    const report = JSON.stringify({ version: '2.1.0', runs });
    const { result } = await send(report);
    expect(result.scan).toMatchObject({
      target: { category: 'language:python' },
      sources: ['codeql', 'eslint'],
    });
    const query = '&category=nightly&target_ref=feature&base_ref=main&default_ref=trunk';
    expect((await send(report, { query })).result.scan.target).toEqual({
      ...{ ref: 'feature', base_ref: 'main', default_ref: 'trunk' },
      category: 'nightly',
    });
    const [refused] = [await send(report, { query: `&category=${'x'.repeat(256)}` })];
    expect([refused.status, refused.badFields]).toEqual([400, ['category']]);
  });

  it('declares at most 20 sources', async () => {
    const runs = Array.from({ length: 25 }, (_, i) => ({ tool: { driver: { name: `t${i}` } }, results: [] }));
    const { result } = await send(JSON.stringify({ version: '2.1.0', runs }));
    expect(result.scan.sources).toHaveLength(20);
  });

  it('names its project by slug', async () => {
    const answer = await t.api.post('/agent/reports?project=web-shop', {
      ...org.asAgent,
      body: reportOf('By slug'),
    });
    expect(answer.status).toBe(201);
  });

  it('names its project by id in either parameter', async () => {
    const of = await createOrg(t.api);
    const answer = await t.api.post(`/agent/reports?project=${of.projectId}`, {
      ...of.asAgent,
      body: reportOf('A'),
    });
    expect(answer.status).toBe(201);
  });

  it('says what is new, known, gone and back', async () => {
    const of = await createOrg(t.api);
    expect((await send(reportOf('A', 'B'), { of })).result.changes).toEqual({
      ...{ new: 2, again: 0, gone: 0, regressed: 0 },
    });
    expect((await send(reportOf('B', 'C'), { of })).result.changes).toEqual({
      ...{ new: 1, again: 1, gone: 1, regressed: 0 },
    });
    const [{ id }] = await findingsOf(of, '&q=A');
    must(await t.api.patch(`/findings/${id}`, { ...of.asOwner, body: { status: 'fixed' } }));
    expect((await send(reportOf('A', 'B', 'C'), { of })).result.changes).toEqual({
      ...{ new: 0, again: 3, gone: 0, regressed: 1 },
    });
  });

  it('is two scans when it is sent twice at the same instant', async () => {
    const of = await createOrg(t.api);
    const answers = await Promise.all([send(reportOf('A', 'B'), { of }), send(reportOf('A', 'B'), { of })]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const sum = (name: string) => answers.reduce((total, { result }) => total + result.changes[name], 0);
    expect([sum('new'), sum('again')]).toEqual([2, 2]);
    expect(await scansOf(of)).toHaveLength(2);
    expect((await findingsOf(of)).map((row: { seen_count: number }) => row.seen_count)).toEqual([2, 2]);
  });

  it('of many findings is written in parts', async () => {
    const of = await createOrg(t.api);
    const titles = Array.from({ length: 3_000 }, (_, i) => `Finding ${i}`);
    const first = await send(reportOf(...titles), { of });
    expect(first.result).toMatchObject({
      changes: { new: 3_000, again: 0 },
      scan: { summary: { total: 3_000 } },
    });
    const again = await send(gzipSync(reportOf(...titles)), { of });
    expect(again.result.changes).toEqual({ new: 0, again: 3_000, gone: 0, regressed: 0 });
  });

  it('without findings completes its scan', async () => {
    const { result } = await send(JSON.stringify({ findings: [] }), { query: '&format=generic-json' });
    expect(result).toMatchObject({ changes: { new: 0 }, scan: { status: 'completed' } });
    expect(result.scan.error_message).toBeUndefined();
  });

  it('of a scanner with errors completes its scan with them', async () => {
    const result = {
      check_id: 'rules.sqli',
      path: 'src/a.py',
      start: { line: 1, col: 1 },
      end: { line: 1, col: 2 },
      extra: { message: 'SQL', severity: 'ERROR', lines: 'x', metadata: {} },
    };
    const of = await createOrg(t.api);
    const partly = await send(SEMGREP_ERRORS([result]), { of });
    expect(partly.result.scan).toMatchObject({
      status: 'completed',
      error_message: expect.stringContaining('out of memory'),
    });
    // Nothing usable: the scan has failed, but the report was read.
    const failed = await send(SEMGREP_ERRORS([]), { of });
    expect(failed.status).toBe(201);
    expect(failed.result).toMatchObject({
      scan: { status: 'failed', error_message: expect.stringContaining('out of memory') },
      changes: { new: 0, again: 0, gone: 0, regressed: 0 },
    });
  });
});

describe('a report that cannot be read', () => {
  const cases: [string, unknown, Options, RegExp][] = [
    ['broken JSON', '{"a":1}\n{"b":', {}, /line 2.*tried acunetix/s],
    ['an unknown format', '{"some":"thing"}', {}, /not recognized.*tried acunetix, .*zap/s],
    ['text', 'nothing', {}, /neither JSON/],
    [
      'a position',
      '{"runs":[{"tool":{"driver":{"name":"x"}},"results":{}}]}',
      { query: '&format=sarif' },
      /sarif/,
    ],
    ['another format than named', TRIVY, { query: '&format=bandit' }, /read as bandit|no report of bandit/i],
    ['a form without a file', formOf(), {}, /one file; it has 0/],
    ['a form with two files', formOf(TRIVY, TRIVY), {}, /one file; it has 2/],
    ['a broken form', 'x', { headers: { 'content-type': 'multipart/form-data; boundary=y' } }, /form/],
    ['a form without boundary', 'x', { headers: { 'content-type': 'multipart/form-data' } }, /form/],
    ['no gzip data', TRIVY, { headers: { 'content-encoding': 'gzip' } }, /gzip/],
    ['truncated gzip data', gzipSync(TRIVY).subarray(0, 500), {}, /gzip/],
    ['another encoding', TRIVY, { headers: { 'content-encoding': 'br' } }, /gzip/],
    ['nothing', '', {}, /must be a report/],
    ['blanks', '   ', {}, /empty/],
  ];
  it.each(cases)('is answered 400, and leaves no scan: %s', async (_, body, options, message) => {
    const of = await createOrg(t.api);
    const answer = await send(body, { of, by: reading, ...options });
    expect([answer.status, answer.error]).toEqual([400, 'validation_error/invalid_body']);
    expect(answer.text).toMatch(message);
    expect(await scansOf(of)).toEqual([]);
    expect(must(await t.api.get('/dashboard/stats', of.asOwner)).total_scans).toBe(0);
  });

  it.each([
    ['that opens elements without an end', '<a>'.repeat(300_000), ''],
    ['that closes another element', `<a ${'A'.repeat(300_000)}></b>`, ''],
    ['of a version', `{"version":"1.0.0${'1'.repeat(300_000)}","runs":[]}`, '&format=sarif'],
    ['of an error', JSON.stringify({ error: { code: 'E'.repeat(300_000) } }), '&format=npm-audit'],
    ['of another format', JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '9'.repeat(300_000) }), ''],
    ['with a long key', JSON.stringify({ ['k'.repeat(300_000)]: 1 }), '&format=generic-json'],
  ])('%s is quoted in a short answer', async (_, body, query) => {
    const headers = { 'content-encoding': 'gzip' };
    const answer = await send(gzipSync(body), { query, headers, by: reading });
    expect(answer.status).toBe(400);
    expect(answer.text.length).toBeLessThan(10_000);
  });

  it('names the position in the details', async () => {
    const { json } = await send('{"a":1}\n{"b":');
    expect(json.errors[0].details).toEqual([
      { field: 'line 2', message: expect.stringContaining('line 2') },
      { field: 'format', message: expect.stringContaining('trivy') },
    ]);
  });

  it.each([
    ['&format=nothing', 'format'],
    ['&persona=nobody', 'persona'],
    ['&name=', 'name'],
    ['&name=a&name=b', 'name'],
  ])('is not read with the query %s', async (query, field) => {
    const answer = await send(TRIVY, { query });
    expect([answer.status, answer.error]).toEqual([400, 'validation_error/invalid_request']);
    expect(answer.badFields).toEqual([field]);
  });

  it('has an unpacked size of at most SVC_MAX_REPORT', async () => {
    const small = await startApp({ databaseUrl: t.databaseUrl, env: { SVC_MAX_REPORT: '8KiB' } });
    const post = (body: unknown) =>
      small.api.post(`/agent/reports?project_id=${org.projectId}`, { ...org.asAgent, body });
    const exact = reportOf('A').padEnd(8 * 1024);
    expect((await post(exact)).status).toBe(201);
    expect((await post(formOf(exact))).status).toBe(201);
    for (const body of [`${exact} `, gzipSync(`${exact} `), formOf(`${exact} `)]) {
      const answer = await post(body);
      expect([answer.status, answer.error]).toEqual([400, 'validation_error/invalid_body']);
      expect(answer.json.errors[0].details).toContainEqual({ field: 'max_bytes', message: '8192' });
    }
  });
});

describe('the sender of a report', () => {
  const errorOf = ({ status, error }: Answer) => `${status} ${error}`;

  it('is a token of the project', async () => {
    const { asOwner } = org;
    const other = must(await t.api.post('/projects', { ...asOwner, body: { name: 'Other' } })).id;
    const query = (id: string) => `/agent/reports?project_id=${id}`;
    const body = reportOf('A');
    const before = (await scansOf()).length;
    const refused = await t.api.post(query(other), { ...org.asAgent, body });
    expect(errorOf(refused)).toBe('403 token_error/scope_mismatch');
    const stranger = await createOrg(t.api);
    expect(errorOf(await send(body, { ...stranger.asAgent, org: org.slug }))).toBe('401 token_error/invalid');
    expect(errorOf(await t.api.post(query(org.projectId), { ...stranger.asAgent, body }))).toBe(
      '403 token_error/scope_mismatch',
    );
    expect(errorOf(await t.api.post(query(org.projectId), { org: org.slug, body }))).toBe(
      '401 auth_error/not_authenticated',
    );
    expect(errorOf(await t.api.post('/agent/reports', { ...org.asAgent, body }))).toBe(
      '400 validation_error/invalid_request',
    );
    must(await t.api.patch('/org-features/org_wide_tokens', { ...asOwner, body: { enabled: true } }));
    const { token } = must(await t.api.post('/tokens', { ...asOwner, body: { name: 'everywhere' } }));
    const unknown = await t.api.post('/agent/reports?project=nowhere', { org: org.slug, token, body });
    expect(errorOf(unknown)).toBe('404 resource_error/not_found');
    expect(await scansOf()).toHaveLength(before);
    expect((await t.api.post(query(other), { org: org.slug, token, body })).status).toBe(201);
  });

  it('is a member of the organization', async () => {
    const body = reportOf('A');
    const invite = async (role: string) => {
      const user = await createUser(t.api);
      must(await t.api.post('/members/invite', { ...org.asOwner, body: { email: user.email, role } }));
      return { cookie: user.cookie, org: org.slug };
    };
    expect((await upload(body, await invite('member'))).status).toBe(201);
    const before = (await scansOf()).length;
    expect(errorOf(await upload(body, await invite('viewer')))).toBe('403 permission_error/denied');
    const { cookie } = await createUser(t.api);
    expect(errorOf(await upload(body, { cookie }))).toBe('403 tenant_error/not_member');
    expect(errorOf(await upload(body, { cookie: undefined }))).toBe('401 auth_error/not_authenticated');
    const foreign = { headers: { origin: 'https://evil.example', 'content-type': 'text/plain' } };
    expect(errorOf(await upload(body, foreign))).toBe('403 permission_error/denied');
    const stranger = await createOrg(t.api);
    expect(errorOf(await upload(body, stranger.asOwner))).toBe('404 resource_error/not_found');
    const missing = await t.api.post('/projects/none/reports', { ...org.asOwner, body });
    expect(errorOf(missing)).toBe('404 resource_error/not_found');
    expect(await scansOf()).toHaveLength(before);
  });
});

it('reads each format as the agent does without a workspace', async () => {
  const of = await createOrg(t.api);
  const contents = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .sort((a, b) => b.length - a.length);
  /** The smallest report of each format. */
  const reports = new Map<string, { content: Buffer; findings: Finding[] }>();
  let refused: Buffer | undefined;
  for (const content of contents) {
    try {
      const { format, findings } = importReport(content, { directory: '/nowhere' });
      reports.set(format, { content, findings });
    } catch {
      refused = content;
    }
  }
  expect(reports.size).toBeGreaterThan(50);
  expect((await send(refused, { of })).status).toBe(400);
  const shown = (rows: Pick<Finding, 'fingerprint' | 'severity' | 'title' | 'source'>[]) =>
    rows
      .map(({ fingerprint, severity, title, source }) => `${fingerprint} ${severity} ${source} ${title}`)
      .sort();
  for (const [format, { content, findings }] of reports) {
    const { result } = await send(content, { of });
    expect(result?.format).toBe(format);
    expect(shown(await findingsOf(of, `&scan_id=${result.scan.scan_id}`)), format).toEqual(shown(findings));
  }
});
