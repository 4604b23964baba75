import { beforeAll, describe, expect, it } from 'vitest';
import { addProject, createOrg, createScan, finding, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* GET /findings?group_by= */

let t: TestApp;
let org: TestOrg;
let stranger: TestOrg;
let otherProject: string;

interface Group {
  key: string | null;
  label: string;
  count: number;
  severity: string;
  severities: Record<string, number>;
  statuses: Record<string, number>;
  regressed: number;
  newest_at: string;
  finding: { id: string; fingerprint: string; created_at: string; description?: string };
}

const groups = async (query: string, as = org.asOwner): Promise<Group[]> =>
  must(await t.api.get(`/findings?${query}`, as));

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  stranger = await createOrg(t.api);
  const scanId = await createScan(t.api, org);
  const seen = async (fingerprint: string, title: string, severity: string, fields = {}) =>
    await push(t.api, org, scanId, { fingerprint, title, severity, ...fields });
  const triage = async (id: string, status: string) =>
    must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body: { status } }));

  for (const i of [1, 2, 3]) {
    const { id } = await seen(`xss-${i}`, 'XSS', i === 2 ? 'high' : 'medium', { file: 'src/a.ts' });
    if (i === 3) await triage(id, 'false_positive');
  }
  await seen('sqli', 'SQL injection', 'critical', { cve: 'CVE-2026-12345', file: 'src/b.ts' });
  await seen('weak-1', 'Weak hash', 'high');
  await seen('weak-2', 'Weak hash', 'high', { cve: 'CVE-2026-12345' });
  await triage((await seen('old', 'Old problem', 'low')).id, 'fixed');
  await seen('old', 'Old problem', 'low');

  const other = await addProject(t.api, org);
  otherProject = other.projectId;
  await push(t.api, other, await createScan(t.api, other), { title: 'XSS', severity: 'info' });
  await push(t.api, stranger, await createScan(t.api, stranger), { title: 'XSS', severity: 'critical' });
});

describe('GET /findings?group_by', () => {
  it('has a group for each rule: regressed ones first, then the most severe, then the most', async () => {
    const found = await groups('group_by=rule');
    expect(found.map(({ key, count }) => [key, count])).toEqual([
      ['Old problem', 1],
      ['SQL injection', 1],
      ['XSS', 4],
      ['Weak hash', 2],
    ]);
    expect(found[0]).toMatchObject({ regressed: 1, severity: 'low', finding: { fingerprint: 'old' } });
    const { finding, newest_at, ...xss } = found[2] as Group;
    expect(xss).toEqual({
      ...{ key: 'XSS', label: 'XSS', count: 4, severity: 'high', regressed: 0 },
      severities: { critical: 0, high: 1, medium: 2, low: 0, info: 1 },
      statuses: { open: 3, confirmed: 0, fixed: 0, false_positive: 1, wontfix: 0, verified: 0 },
    });
    expect(finding.fingerprint).toBe('xss-2');
    const newest = must(await t.api.get('/findings?rule=XSS&per_page=1', org.asOwner));
    expect(newest_at).toBe(newest[0].created_at);
  });

  it('has a group for each rule of a report, whatever the titles, and for each title without one', async () => {
    const own = await createOrg(t.api);
    const scanId = await createScan(t.api, own);
    const [RULES, FINDINGS] = [40, 380];
    const results = Array.from({ length: FINDINGS }, (_, i) => ({
      ruleId: `js/rule-${i % RULES}`,
      message: { text: `Line ${i + 1} logs value ${i}.` },
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: `src/${i}.js` }, region: { startLine: i + 1 } },
        },
      ],
    }));
    const report = { version: '2.1.0', runs: [{ tool: { driver: { name: 'linter' } }, results }] };
    must(await t.api.post(`/agent/reports?project_id=${own.projectId}`, { ...own.asAgent, body: report }));
    const found = await groups('group_by=rule&per_page=500', own.asOwner);
    expect(found.map(({ key }) => key).sort()).toEqual(
      Array.from({ length: RULES }, (_, i) => `js/rule-${i}`).sort(),
    );
    expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(FINDINGS);
    const [{ rule_id, title }] = must(await t.api.get('/findings?rule=js/rule-7&page=1', own.asOwner));
    expect([rule_id, title]).toEqual(['js/rule-7', expect.stringMatching(/^A line logs value \d+$/)]);
    // An agent that names no rule keeps the one that is known, and one that names another replaces it.
    const seen = async (rule_id?: string) =>
      (await push(t.api, own, scanId, { fingerprint: 'own', title: 'Own title', rule_id })).rule_id;
    expect(await seen()).toBeUndefined();
    expect((await groups('group_by=rule&q=own', own.asOwner)).map(({ key }) => key)).toEqual(['Own title']);
    expect(await seen('own/1')).toBe('own/1');
    expect(await seen()).toBe('own/1');
    expect(await seen('own/2')).toBe('own/2');
    expect((await groups('group_by=rule&q=own', own.asOwner)).map(({ key }) => key)).toEqual(['own/2']);
    // An empty one is none.
    await seen('');
    expect((await groups('group_by=rule&q=own', own.asOwner)).map(({ key }) => key)).toEqual(['Own title']);
    expect((await t.api.get('/findings?rule=Own%20title', own.asOwner)).result).toHaveLength(1);
    const tooLong = { ...finding(own, scanId), rule_id: 'x'.repeat(256) };
    expect((await t.api.post('/agent/findings', { ...own.asAgent, body: tooLong })).badFields).toEqual([
      'rule_id',
    ]);
  });

  it('has a group for findings without the key', async () => {
    expect((await groups('group_by=cve')).map(({ key, label, count }) => [key, label, count])).toEqual([
      [null, 'No CVE', 6],
      ['CVE-2026-12345', 'CVE-2026-12345', 2],
    ]);
    expect((await groups('group_by=file')).map(({ key, label, count }) => [key, label, count])).toEqual([
      [null, 'No file', 4],
      ['src/b.ts', 'src/b.ts', 1],
      ['src/a.ts', 'src/a.ts', 3],
    ]);
  });

  it('names projects', async () => {
    expect((await groups('group_by=project')).map(({ key, label, count }) => [key, label, count])).toEqual([
      [org.projectId, 'Web shop', 7],
      [otherProject, 'Other', 1],
    ]);
  });

  it.each([
    ['rule', 'rule'],
    ['cve', 'cve'],
    ['file', 'file'],
    ['project', 'project_id'],
  ])('a group by %s is opened with the filter %s', async (by, filter) => {
    const found = await groups(`group_by=${by}`);
    expect(found.length).toBeGreaterThan(1);
    for (const { key, count, finding } of found) {
      const query = `${filter}=${encodeURIComponent(key ?? '')}`;
      const answer = await t.api.get(`/findings?${query}&page=1&sort=-priority`, org.asOwner);
      expect([query, answer.json.result_info.total]).toEqual([query, count]);
      // The first finding of the list is the one that stands for the group.
      expect(answer.result[0]).toEqual(finding);
    }
  });

  it('groups the findings that match the filters, without descriptions if so wished', async () => {
    const found = await groups('group_by=rule&status=open&severity=high&omit=description');
    expect(found.map(({ key, count }) => [key, count])).toEqual([
      ['Weak hash', 2],
      ['XSS', 1],
    ]);
    expect(found[0]?.finding).not.toHaveProperty('description');
    expect(await groups('group_by=rule&q=nothing')).toEqual([]);
  });

  it('has pages, and the number of groups', async () => {
    const whole = await groups('group_by=rule');
    for (const page of [1, 2, 3]) {
      const answer = await t.api.get(`/findings?group_by=rule&per_page=2&page=${page}`, org.asOwner);
      expect(answer.result).toEqual(whole.slice(2 * page - 2, 2 * page));
      expect(answer.json.result_info).toMatchObject({ page, per_page: 2, total: 4, total_pages: 2 });
    }
    const answer = await t.api.get('/findings?group_by=rule', org.asOwner);
    expect(answer.json.result_info).toMatchObject({ page: 1, per_page: 50, total: 4 });
  });

  it.each([
    ['group_by=severity', 'group_by'],
    ['group_by=', 'group_by'],
    ['group_by=rule&format=csv', 'format'],
    ['group_by=rule&per_page=501', 'per_page'],
  ])('refuses %s', async (query, field) => {
    const answer = await t.api.get(`/findings?${query}`, org.asOwner);
    expect([answer.status, answer.badFields]).toEqual([400, [field]]);
  });
});
