import { beforeAll, describe, expect, it } from 'vitest';
import { conditionsOf } from '../../lib/findings/filter/conditions.ts';
import {
  addMember,
  addProject,
  createOrg,
  createScan,
  must,
  push,
  type TestOrg,
} from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* The filters of GET /findings. Each finding has a letter as its fingerprint. */

const HOUR = 60 * 60 * 1_000;

let t: TestApp;
let org: TestOrg;
let stranger: TestOrg;
let otherProject: string;
let ids: Record<string, string>;
/** When `c` was reported first. */
let foundC: string;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  stranger = await createOrg(t.api);
  const scanId = await createScan(t.api, org);
  const seen = async (fingerprint: string, fields = {}) =>
    (await push(t.api, org, scanId, { fingerprint, title: `Problem ${fingerprint}`, ...fields })).id;
  const a = await seen('a', { file: 'src/io/Export.java', line: 193, source: 'semgrep', cwe: 'CWE-502' });
  const b = await seen('b', { file: 'src/Export.java', line: 193, source: 'bandit' });
  t.advance(2 * HOUR);
  const c = await seen('c', {
    file: 'test/io/100%_sure.ts',
    line: 7,
    cve: 'CVE-2026-12345',
    rule_id: 'py/weak_hash',
  });
  foundC = must(await t.api.get(`/findings/${c}`, org.asOwner)).created_at;
  t.advance(2 * HOUR);
  const d = await seen('d', { file: 'Export.java', source: 'semgrep', title: 'About cwe-502 and semgrep' });
  await seen('a');
  ids = { a, b, c, d };
  must(
    await t.api.post(`/agent/findings/${b}/exploits`, {
      ...org.asAgent,
      body: { filename: 'x.py', language: 'python', code: 'print(1)' },
    }),
  );
  await change('a', { assignee_id: org.owner.id, due_at: '2020-01-01T00:00:00Z' });
  await change('b', { due_at: '2020-01-02T00:00:00Z', status: 'fixed' });
  await change('c', { due_at: '2999-01-01T00:00:00Z' });

  const other = await addProject(t.api, org);
  otherProject = other.projectId;
  await push(t.api, other, await createScan(t.api, other), { fingerprint: 'o', title: 'Elsewhere' });
  // Nothing of another organization is ever in a list.
  await push(t.api, stranger, await createScan(t.api, stranger), {
    ...{ fingerprint: 'z', file: 'src/io/Export.java', line: 193, source: 'semgrep', cwe: 'CWE-502' },
  });
});

const change = async (fingerprint: string, body: object) =>
  must(await t.api.patch(`/findings/${ids[fingerprint]}`, { ...org.asOwner, body }));

/** The findings of a list: all of it, by pages, and as a file. */
async function listed(query: string): Promise<string> {
  const whole = must(await t.api.get(`/findings?${query}`, org.asOwner));
  const prints = whole.map(({ fingerprint }: { fingerprint: string }) => fingerprint).join('');
  const page = await t.api.get(`/findings?${query}&per_page=2`, org.asOwner);
  const second = must(await t.api.get(`/findings?${query}&per_page=2&page=2`, org.asOwner));
  const paged = [...must(page), ...second].map(({ fingerprint }: { fingerprint: string }) => fingerprint);
  expect([page.json.result_info.total, paged.join('')]).toEqual([prints.length, prints.slice(0, 4)]);
  const csv = await t.api.get(`/findings?${query}&format=csv`, org.asOwner);
  expect(csv.text.trim().split('\r\n')).toHaveLength(1 + prints.length);
  return prints;
}

const sorted = async (query: string) => [...(await listed(query))].sort().join('');

describe('GET /findings', () => {
  it.each([
    ['assignee=me', 'a'],
    ['assignee=none', 'bcdo'],
    ['assignee=me,none', 'abcdo'],
    ['source=semgrep', 'ad'],
    ['source=semgrep&source=bandit', 'abd'],
    ['source=semgrep,bandit', 'abd'],
    ['source=SEMGREP', ''],
    ['not_source=semgrep', 'bco'],
    ['overdue=true', 'a'],
    ['overdue=false', 'bcdo'],
    ['has_exploit=true', 'b'],
    ['has_exploit=false', 'acdo'],
    ['cve=CVE-2026-12345', 'c'],
    ['cve=cve-2026-12345', 'c'],
    ['cve=CVE-2026-1234', ''],
    ['cve=', 'abdo'],
    ['file=src/Export.java', 'b'],
    ['file=', 'o'],
    ['rule=Problem%20b', 'b'],
    ['rule=Problem', ''],
    // A finding with a rule is not found by its title.
    ['rule=py/weak_hash', 'c'],
    ['rule=Problem%20c', ''],
    ['rule=weak_hash', ''],
    ['path=src/**', 'ab'],
    ['path=src/*', 'b'],
    ['path=**/Export.java', 'abd'],
    ['path=**/io/*', 'ac'],
    ['path=src/**/Export.java', 'ab'],
    ['path=**', 'abcd'],
    ['path=*', 'd'],
    ['path=src/Export.jav?', 'b'],
    ['path=src?Export.java', ''],
    ['path=export.java', ''],
    // Characters that LIKE and regular expressions know are text.
    ['path=test/io/100%25_sure.ts', 'c'],
    ['path=test/io/100%25%25sure.ts', ''],
    ['path=test/io/100__sure.ts', ''],
    ['path=src.Export.java', ''],
    ['path=(src|test)/**', ''],
    ['path=%5C', ''],
    ['not_path=src/**', 'cdo'],
    ['not_path=**', 'o'],
    ['path=src/**&not_path=src/io/**', 'b'],
    ['seen_after=2999-01-01', ''],
    ['seen_before=2999-01-01', 'abcdo'],
    ['severity=high&source=semgrep&assignee=me&path=src/**&q=export', 'a'],
  ])('selects %s', async (query, expected) => {
    expect(await sorted(query)).toBe(expected);
  });

  it('selects projects where the caller has a role', async () => {
    const cyd = await addMember(t.api, org, 'member');
    const count = async (query = '') => must(await t.api.get(`/findings?total=exact${query}`, cyd.as)).length;
    const all = await count();
    expect([await count('&min_role=member'), await count('&min_role=admin')]).toEqual([all, 0]);
    const assign = (projectId: string, role: string) =>
      t.api.put(`/projects/${projectId}/members/${cyd.id}`, { ...org.asOwner, body: { role } });
    must(await assign(org.projectId, 'viewer'));
    must(await assign(otherProject, 'member'));
    const limited = { ...org.asOwner, body: { project_access: 'assigned' } };
    must(await t.api.patch(`/members/${cyd.id}`, limited));
    expect([await count(), await count('&min_role=member'), await count('&min_role=admin')]).toEqual([
      ...[all, 1, 0],
    ]);
    expect(await count(`&min_role=member&project_id=${org.projectId}`)).toBe(0);
    // The same in a change, whose reach has no other projects.
    const change = (min_role: string) => ({
      ...cyd.as,
      body: { filter: { min_role }, expected_count: 1, status: 'open' },
    });
    expect((await t.api.patch('/findings', change('admin'))).status).toBe(409);
    expect(must(await t.api.patch('/findings', change('member'))).updated).toHaveLength(1);
    must(
      await t.api.patch(`/members/${cyd.id}`, {
        ...org.asOwner,
        body: { project_access: 'all', role: 'viewer' },
      }),
    );
    expect([await count(), await count('&min_role=member')]).toEqual([all, 0]);
  });

  it('selects an assignee by id, and nobody for the id of a stranger', async () => {
    expect(await listed(`assignee=${org.owner.id}`)).toBe('a');
    expect(await listed(`assignee=${stranger.owner.id}`)).toBe('');
  });

  it('selects by the time of the first report', async () => {
    const at = (after: number) => new Date(Date.parse(foundC) + after).toISOString();
    expect(await sorted(`found_after=${at(0)}`)).toBe('cdo');
    expect(await sorted(`found_before=${at(0)}`)).toBe('ab');
    expect(await sorted(`found_after=${at(1)}`)).toBe('do');
    expect(await sorted(`found_after=${at(-HOUR)}&found_before=${at(1)}`)).toBe('c');
    expect(await sorted('found_after=2000-01-01&found_before=2999-01-01')).toBe('abcdo');
    expect(await sorted('found_before=2000-01-01')).toBe('');
    const local = `${new Date(Date.parse(foundC) + 7_200_000).toISOString().slice(0, -1)}%2B02:00`;
    expect(await sorted(`found_after=${local}`)).toBe('cdo');
  });

  it('selects by the time of the latest report', async () => {
    const later = new Date(Date.parse(foundC) + HOUR).toISOString();
    expect(await sorted(`seen_after=${later}`)).toBe('ado');
    expect(await sorted(`seen_before=${later}`)).toBe('bc');
  });

  it('selects several projects', async () => {
    expect(await sorted(`project_id=${org.projectId},${otherProject}`)).toBe('abcdo');
    expect(await sorted(`project_id=${org.projectId}&project_id=${otherProject}&status=open`)).toBe('acdo');
    expect(await sorted(`project_id=${otherProject},${stranger.projectId}`)).toBe('o');
    expect(await sorted(`project_id=${stranger.projectId}`)).toBe('');
    for (const sort of ['created_at', '-severity', '-priority'])
      expect(await sorted(`project_id=${org.projectId},${otherProject}&sort=${sort}`)).toBe('abcdo');
  });

  it('sorts by the due date, findings without one last', async () => {
    expect(await listed('sort=due_at')).toBe('abcod');
    expect(await listed('sort=-due_at')).toBe('cbaod');
    expect(await listed('sort=due_at&status=open')).toBe('acod');
  });

  it.each([
    'assignee=you',
    'assignee=',
    'overdue=maybe',
    'has_exploit=1',
    'cve=CVE-1',
    'path=',
    'path=%00',
    `path=${'a'.repeat(257)}`,
    `path=${'*a'.repeat(11)}`,
    `path=${'?'.repeat(11)}`,
    'found_after=yesterday',
    'found_after=2026-13-01',
    'found_before=2026-01-01T00:00:00',
    'seen_after=1969-01-01',
    'project_id=none',
    `project_id=${Array.from({ length: 51 }, (_, i) => `00000000-0000-7000-8000-0000000000${10 + i}`)}`,
    'source=%00',
    'sort=due',
  ])('refuses %s', async (query) => {
    const answer = await t.api.get(`/findings?${query}`, org.asOwner);
    expect([answer.status, answer.error]).toEqual([400, 'validation_error/invalid_request']);
    expect(answer.badFields).toEqual([query.split('=')[0]]);
  });

  it('knows no `me` without a user', () => {
    const tables = t.services.knownOrgs.tablesOf(org);
    const call = { db: t.services.database.db, org: { ...org, tables }, now: new Date() };
    expect(() => conditionsOf(call as never, { assignee: ['me'] })).toThrow(
      expect.objectContaining({ key: 'validation_error/invalid_request' }),
    );
    expect(() => conditionsOf(call as never, { mentions: ['me'] })).toThrow(
      expect.objectContaining({ key: 'validation_error/invalid_request' }),
    );
    expect(conditionsOf(call as never, { assignee: ['none'] })).toBeDefined();
  });
});

describe('GET /findings?q=', () => {
  it.each([
    ['Export.java:193', 'ab'],
    ['io/export.java:193', 'a'],
    ['Export.java:193:5', 'ab'],
    ['Export.java:19', ''],
    ['port.java:193', 'ab'],
    ['xport.jav:193', ''],
    ['CWE-502', 'ad'],
    ['cwe-502', 'ad'],
    ['CWE-50', 'd'],
    ['semgrep', 'ad'],
    ['Semgrep', 'ad'],
    ['bandit java', 'b'],
    ['problem', 'abc'],
    ['CVE-2026-12345', 'c'],
    ['100%_sure', 'c'],
    ['Weak_Hash', 'c'],
    ['%', 'c'],
    ['a:b:99999999999', ''],
  ])('finds %s', async (q, expected) => {
    expect(await sorted(`q=${encodeURIComponent(q)}`)).toBe(expected);
  });

  it('finds a finding by its id, and none of another organization', async () => {
    expect(await listed(`q=${ids.c}`)).toBe('c');
    expect(await listed(`q=${ids.c?.toUpperCase()}`)).toBe('c');
    const none = await t.api.get(`/findings?q=${ids.c}`, stranger.asOwner);
    expect(none.result).toEqual([]);
  });
});
