import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addMember, createOrg, createScan, must, push, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';
import { createRule, IGNORE, IN_TESTS, type Rule } from './kit.ts';

/* GET, POST, PATCH and DELETE /rules, their order and their preview. */

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
});

beforeEach(async () => {
  org = await createOrg(t.api);
});

const post = (body: object, as: object = org.asOwner) => t.api.post('/rules', { ...as, body });
const patch = (id: string, body: object, as: object = org.asOwner) =>
  t.api.patch(`/rules/${id}`, { ...as, body });
const order = (ids: string[], as: object = org.asOwner) =>
  t.api.put('/rules/order', { ...as, body: { ids } });
const preview = (body: object, as: object = org.asOwner) => t.api.post('/rules/preview', { ...as, body });
const list = async (as: object = org.asOwner): Promise<Rule[]> => must(await t.api.get('/rules', as)).rules;
const names = async () => (await list()).map(({ name }) => name).join(' ');
const RULE = { name: 'Tests', conditions: IN_TESTS, actions: IGNORE };
const NOBODY = '00000000-0000-7000-8000-000000000000';

describe('a rule', () => {
  it('has what was saved, is changed and deleted', async () => {
    const conditions = {
      ...{ project_id: [org.projectId], source: ['semgrep'], persona: ['senku'], severity: ['low', 'info'] },
      ...{ cwe: ['CWE-89'], cve: ['CVE-2026-1234'], title: ['SQL*'], path: ['**/test/**', '*.spec.ts'] },
    };
    const actions = { ...IGNORE, assignee_id: org.owner.id, due_days: 30 };
    const rule = must(await post({ name: ' Tests ', conditions, actions }));
    expect(rule).toEqual({
      ...{ id: expect.any(String), name: 'Tests', enabled: true, conditions, actions },
      ...{ created_at: expect.any(String), updated_at: rule.created_at },
    });
    expect(await list()).toEqual([{ ...rule, matched_count: 0 }]);
    t.advance(1_000);
    const changes = { enabled: false, conditions: { severity: ['high'] }, actions: { due_days: 1 } };
    const changed = must(await patch(rule.id, changes));
    expect(changed).toEqual({ ...rule, ...changes, updated_at: expect.any(String) });
    expect(Date.parse(changed.updated_at)).toBeGreaterThan(Date.parse(rule.updated_at));
    expect((await t.api.delete(`/rules/${rule.id}`, org.asOwner)).status).toBe(204);
    expect(await list()).toEqual([]);
    for (const answer of [
      await t.api.delete(`/rules/${rule.id}`, org.asOwner),
      await patch(rule.id, { name: 'Back' }),
      await t.api.post(`/rules/${rule.id}/apply`, { ...org.asOwner, body: {} }),
      await t.api.post(`/rules/${rule.id}/undo`, { ...org.asOwner, body: {} }),
    ])
      expect(answer.error).toBe('resource_error/not_found');
  });

  it.each<[string, object, string[]]>([
    ['no name', { name: undefined }, ['name']],
    ['a blank name', { name: ' ' }, ['name']],
    ['no conditions', { conditions: {} }, ['conditions']],
    ['conditions without values', { conditions: { path: [] } }, ['conditions.path']],
    ['conditions of null', { conditions: { path: null } }, ['conditions']],
    ['an unknown condition', { conditions: { paht: ['a'], path: ['b'] } }, ['conditions']],
    ['a text in place of a list', { conditions: { path: '**' } }, ['conditions.path']],
    ['an unknown severity', { conditions: { severity: ['worst'] } }, ['conditions.severity.0']],
    ['an unknown persona', { conditions: { persona: ['nobody'] } }, ['conditions.persona.0']],
    ['no CWE', { conditions: { cwe: ['89'] } }, ['conditions.cwe.0']],
    ['51 values', { conditions: { source: Array(51).fill('a') } }, ['conditions.source']],
    ['an empty pattern', { conditions: { path: [''] } }, ['conditions.path.0']],
    ['a pattern of 257 characters', { conditions: { title: ['a'.repeat(257)] } }, ['conditions.title.0']],
    ['a pattern of 11 wildcards', { conditions: { path: ['*a'.repeat(11)] } }, ['conditions.path.0']],
    ['an unknown project', { conditions: { project_id: [NOBODY] } }, ['conditions.project_id.0']],
    ['no actions', { actions: {} }, ['actions']],
    ['a reason alone', { actions: { reason: 'other', due_days: 1 } }, ['actions.reason']],
    ['a note alone', { actions: { note: 'x', due_days: 1 } }, ['actions.note']],
    ['the status verified', { actions: { status: 'verified' } }, ['actions.status']],
    ['the status fixed', { actions: { status: 'fixed' } }, ['actions.status']],
    ['0 days', { actions: { due_days: 0 } }, ['actions.due_days']],
    ['3,651 days', { actions: { due_days: 3_651 } }, ['actions.due_days']],
    [
      'an end of another status',
      { actions: { status: 'confirmed', accept_days: 1 } },
      ['actions.accept_days'],
    ],
    ['an end in 3,651 days', { actions: { status: 'wontfix', accept_days: 3_651 } }, ['actions.accept_days']],
    ['an unknown action', { actions: { due_days: 1, severity: 'low' } }, ['actions']],
    ['an assignee who is no member', { actions: { assignee_id: NOBODY } }, ['actions.assignee_id']],
  ])('is refused with %s', async (_, fields, badFields) => {
    const { id } = must(await post(RULE));
    const answers = [await post({ ...RULE, ...fields })];
    if (!('name' in fields)) answers.push(await patch(id, fields), await preview({ ...RULE, ...fields }));
    for (const answer of answers) expect([answer.status, answer.badFields]).toEqual([400, badFields]);
    expect(await list()).toMatchObject([RULE]);
  });

  it('is not changed by a request that changes nothing', async () => {
    const { id } = must(await post(RULE));
    expect((await patch(id, {})).badFields).toEqual(['name']);
    expect((await patch(id, { name: null })).status).toBe(400);
    expect((await patch(NOBODY, { name: 'x' })).error).toBe('resource_error/not_found');
  });
});

describe('the order of rules', () => {
  it('is that of their creation, until it is set', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await createRule(t.api, org, { name })).id);
    const [a, b, c] = ids as [string, string, string];
    expect(await names()).toBe('a b c');
    expect((await order([c, a, b])).status).toBe(204);
    expect(await names()).toBe('c a b');
    must(await t.api.delete(`/rules/${a}`, org.asOwner).then((answer) => ({ ...answer, result: true })));
    await createRule(t.api, org, { name: 'd' });
    expect(await names()).toBe('c b d');
  });

  it('is not set if rules were added or deleted meanwhile', async () => {
    const [a, b] = [await createRule(t.api, org, { name: 'a' }), await createRule(t.api, org, { name: 'b' })];
    for (const ids of [[a.id], [b.id, a.id, NOBODY], [b.id, NOBODY], []])
      expect((await order(ids)).error).toBe('resource_error/conflict');
    expect((await order([a.id, a.id])).badFields).toEqual(['ids']);
    expect(await names()).toBe('a b');
  });

  it('has each rule once when it is set, added to and deleted from at once', async () => {
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.push((await createRule(t.api, org, { name })).id);
    const answers = await Promise.all([
      order(ids.toReversed()),
      post({ ...RULE, name: 'd' }),
      order(ids.toReversed()),
      t.api.delete(`/rules/${ids[1]}`, org.asOwner),
      order(ids),
    ]);
    for (const { status } of answers) expect([201, 204, 409]).toContain(status);
    const left = (await names()).split(' ');
    expect(left.toSorted()).toEqual(['a', 'c', 'd']);
    expect(left.at(-1)).toBe('d');
  });
});

it('an organization has at most 100 rules, however many are created at once', async () => {
  for (let i = 0; i < 98; i++) await createRule(t.api, org);
  const answers = await Promise.all(Array.from({ length: 5 }, () => post(RULE)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(2);
  expect(answers.filter(({ error }) => error === 'resource_error/conflict')).toHaveLength(3);
  expect(await list()).toHaveLength(100);
});

it('the patterns of all rules have at most 10,000 characters', async () => {
  const long = (count: number, size: number) => ({ path: Array(count).fill('a'.repeat(size)) });
  const big = must(await post({ ...RULE, conditions: long(39, 256) }));
  const rest = 10_000 - 39 * 256;
  expect((await post({ ...RULE, conditions: long(1, rest + 1) })).error).toBe('resource_error/conflict');
  const small = must(await post({ ...RULE, conditions: { ...long(1, rest - 1), title: ['a'] } }));
  expect((await patch(small.id, { conditions: long(2, rest) })).error).toBe('resource_error/conflict');
  must(await patch(small.id, { conditions: long(1, rest) }));
  must(await patch(big.id, { conditions: IN_TESTS }));
  must(await patch(small.id, { conditions: long(2, rest) }));
});

describe('POST /rules/preview', () => {
  let scanId: string;
  beforeEach(async () => {
    scanId = await createScan(t.api, org);
  });

  it('shows the newest findings that would change, and changes nothing', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 22; i++) ids.push((await push(t.api, org, scanId, { file: `test/${i}.ts` })).id);
    await push(t.api, org, scanId, { file: 'src/a.ts' });
    const { total, findings } = must(await preview({ conditions: { path: ['test/**'] } }));
    expect(total).toBe(22);
    expect(findings.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed().slice(0, 20));
    expect(findings[0]).toMatchObject({ file: 'test/21.ts', status: 'open' });
    expect(findings[0]).not.toHaveProperty('description');
    expect(must(await t.api.get('/findings?status=open&page=1', org.asOwner))).toHaveLength(23);
    expect(await list()).toEqual([]);
  });

  it('leaves out what applying would not change', async () => {
    const other = await addMember(t.api, org);
    const open = await push(t.api, org, scanId);
    const assigned = await push(t.api, org, scanId);
    const confirmed = await push(t.api, org, scanId);
    const dated = await push(t.api, org, scanId);
    const change = async (id: string, body: object) =>
      must(await t.api.patch(`/findings/${id}`, { ...org.asOwner, body }));
    await change(assigned.id, { assignee_id: other.id });
    await change(confirmed.id, { status: 'confirmed' });
    await change(dated.id, { due_at: '2040-01-01T00:00:00Z' });
    const conditions = { severity: ['high'] };
    const shown = async (actions?: object) =>
      must(await preview({ conditions, actions })).findings.map(({ id }: { id: string }) => id);
    expect(await shown()).toEqual([dated.id, assigned.id, open.id]);
    expect(await shown({ status: 'wontfix' })).toEqual([dated.id, assigned.id, open.id]);
    expect(await shown({ assignee_id: org.owner.id })).toEqual([dated.id, open.id]);
    expect(await shown({ due_days: 7 })).toEqual([assigned.id, open.id]);
    expect(await shown({ due_days: 7, assignee_id: org.owner.id })).toEqual([dated.id, assigned.id, open.id]);
  });

  it('shows matching findings that are decided if none would change', async () => {
    const open = await push(t.api, org, scanId, { severity: 'low' });
    const body = { status: 'confirmed' };
    must(await t.api.patch(`/findings/${open.id}`, { ...org.asOwner, body }));
    await push(t.api, org, scanId, { severity: 'info' });
    const decided = { total: 1, findings: [expect.objectContaining({ id: open.id, status: 'confirmed' })] };
    expect(must(await preview({ conditions: { severity: ['low'] } }))).toEqual({
      total: 0,
      findings: [],
      decided,
    });
    const mixed = must(await preview({ conditions: { severity: ['low', 'info'] } }));
    expect([mixed.total, mixed.decided]).toEqual([1, undefined]);
    expect(must(await preview({ conditions: { severity: ['critical'] } }))).toEqual({
      total: 0,
      findings: [],
    });
  });

  it.each<[object, string[]]>([
    [{ source: ['semgrep', 'gosec'] }, ['a']],
    [{ severity: ['low'] }, ['b']],
    [{ cwe: ['CWE-79'] }, ['a', 'b']],
    [{ cwe: ['CWE-79'], severity: ['low'] }, ['b']],
    [{ cve: ['CVE-2026-1234'] }, ['c']],
    [{ title: ['CROSS*'] }, ['b']],
    [{ title: ['cross*', '*?lib'] }, ['b', 'c']],
    [{ path: ['src/*'] }, ['a']],
    [{ persona: ['killua'] }, ['c']],
    [{ persona: ['sharingan'] }, ['a', 'b']],
  ])('finds by %j', async (conditions, expected) => {
    const scan = { scan_id: 'weekly', project_id: org.projectId, persona: 'killua', name: 'Weekly' };
    must(await t.api.post('/agent/scans', { ...org.asAgent, body: scan }));
    await push(t.api, org, scanId, { title: 'a', source: 'semgrep', cwe: 'CWE-79', file: 'src/a.ts' });
    await push(t.api, org, scanId, {
      title: 'Cross-site',
      cwe: 'CWE-79',
      severity: 'low',
      file: 'src/b/b.ts',
    });
    await push(t.api, org, 'weekly', { title: 'Old zlib', cve: 'CVE-2026-1234', cwe: 'CWE-1' });
    const titles = { a: 'a', b: 'Cross-site', c: 'Old zlib' };
    const { findings } = must(await preview({ conditions }));
    expect(findings.map(({ title }: { title: string }) => title).toReversed()).toEqual(
      expected.map((name) => titles[name as 'a']),
    );
  });
});
