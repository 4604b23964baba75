import { sql } from 'drizzle-orm';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createPolicyCache, decideAll } from '../../db/policies/policies.ts';
import { matches, pathPattern, pathText, titlePattern, titleText } from '../../db/rules/patterns.ts';
import { compileRule, toMatch } from '../../db/rules/rules.ts';
import { run } from '../../db/statements.ts';
import { matchesRule } from '../../lib/rules/conditions.ts';
import { createOrg, createScan, finding, push, type TestOrg } from '../support/api/api.ts';
import { limit } from '../support/run/limits.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* The patterns of rules: in pushes by `patterns.ts`, for findings that exist by PostgreSQL. Both must agree. */

let t: TestApp;
let org: TestOrg;
let tables: Parameters<typeof matchesRule>[0];

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  const scanId = await createScan(t.api, org);
  await push(t.api, org, scanId);
  tables = t.services.knownOrgs.tablesOf({ id: org.id });
});

/** Whether PostgreSQL finds the texts by the patterns. */
async function inSql(kind: 'path' | 'title', pairs: readonly (readonly [pattern: string, text: string])[]) {
  const { sql: client } = t.services.database;
  const column = sql.raw(kind === 'path' ? 'file' : 'title');
  const found: boolean[] = [];
  for (const [pattern, text] of pairs) {
    await run(client, sql`update ${tables.findings} set ${column} = ${text}`);
    const where = matchesRule(tables, { [kind]: [pattern] });
    found.push((await run(client, sql`select 1 from ${tables.findings} where ${where}`)).length > 0);
  }
  return found;
}

const inPush = (kind: 'path' | 'title', pairs: readonly (readonly [string, string])[]) =>
  pairs.map(([pattern, text]) =>
    kind === 'path'
      ? matches(pathPattern(pattern), pathText(text))
      : matches(titlePattern(pattern), titleText(text)),
  );

describe('a pattern of paths', () => {
  it.each([
    ['src/a.ts', 'src/a.ts', true],
    ['src/a.ts', 'src/A.ts', false],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/b/a.ts', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/b/c/a.ts', true],
    ['**/test/**', 'test/a.ts', true],
    ['**/test/**', 'lib/test/b/a.ts', true],
    ['**/test/**', 'lib/latest/a.ts', false],
    ['**/test/**', 'lib/testing/a.ts', false],
    ['src/?.ts', 'src/a.ts', true],
    ['src/?.ts', 'src/ab.ts', false],
    ['src?a.ts', 'src/a.ts', false],
    ['?', '😀', true],
    ['??', '😀', false],
    ['*?*', '', false],
    ['**', '', true],
    ['*a*a', 'aa', true],
    ['*ab*ab', 'abab', true],
    ['*ab*ab', 'aab', false],
    ['a.b+c(d)[e]{f}^$|\\', 'a.b+c(d)[e]{f}^$|\\', true],
    ['%_', 'ab', false],
    ['***', 'a/b', true],
    ['***/a', 'b/a', true],
  ])('%j matches %j: %s', async (pattern, text, expected) => {
    expect(inPush('path', [[pattern, text]])).toEqual([expected]);
    expect(await inSql('path', [[pattern, text]])).toEqual([expected]);
  });
});

describe('a pattern of titles', () => {
  it.each([
    ['sql injection', 'SQL Injection', true],
    ['SQL*', 'sql injection in a/b', true],
    ['*in?search*', 'SQL injection in/search', true],
    ['**/x', 'x', false],
    ['hard-coded *', 'Hard-coded password', true],
    ['hard-coded *', 'hard-coded', false],
    // Case is folded for A to Z only, whatever the locale of the database is.
    ['ÜBER*', 'über alles', false],
    ['İ', 'i', false],
    ['TITLE', 'title', true],
    ['?', '😀', true],
    ['a\n?', 'A\n\n', true],
  ])('%j matches %j: %s', async (pattern, text, expected) => {
    expect(inPush('title', [[pattern, text]])).toEqual([expected]);
    expect(await inSql('title', [[pattern, text]])).toEqual([expected]);
  });
});

describe.each(['path', 'title'] as const)('random patterns of a %s', (kind) => {
  it('match in pushes what they match in PostgreSQL', async () => {
    const part = fc.constantFrom('a', 'b', 'B', 'ab', '/', '/', '.', '😀', 'é', '*', '*', '**', '**/', '?');
    const pattern = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
    const text = fc
      .array(fc.constantFrom('a', 'b', 'A', 'ab', '/', '.', '😀', 'é'), { maxLength: 10 })
      .map((parts) => parts.join(''));
    const pairs = fc.sample(fc.tuple(pattern, text), { numRuns: 400, seed: 21 });
    // Texts that the pattern was made from match more often.
    const near = pairs.map(
      ([pattern]) => [pattern, pattern.replaceAll(/[*?]+/g, 'a/b'.slice(0, 2))] as const,
    );
    const all = [...pairs, ...near].filter(([pattern]) => (pattern.match(/[*?]/g) ?? []).length <= 10);
    const expected = await inSql(kind, all);
    expect(expected.filter(Boolean).length).toBeGreaterThan(50);
    expect(expected.filter((found) => !found).length).toBeGreaterThan(50);
    const found = inPush(kind, all);
    expect(all.filter((_, i) => found[i] !== expected[i])).toEqual([]);
  });
});

describe('a pattern made to be slow', () => {
  const long = 'a'.repeat(1_024);
  it.each<[string, string, string]>([
    ['many wildcards', '*a*a*a*a*a*a*a*a*a*b', long],
    ['many folders', '**/a**/a**/a**/a**/a**/b', `${'a/'.repeat(512)}`],
    ['a long text that repeats', `*${'a'.repeat(200)}b*${'a'.repeat(40)}`, long],
    ['a long text that nearly ends', `*b${'a'.repeat(250)}*`, long],
    ['characters', '*?*?*?*?*b', long],
  ])('takes no longer than others: %s', (_, pattern, text) => {
    const began = performance.now();
    for (let i = 0; i < 100; i++) expect(matches(pathPattern(pattern), pathText(`${text}${i}`))).toBe(false);
    // 100 take 20 ms. A regular expression needs minutes for one.
    expect(performance.now() - began).toBeLessThan(limit(5_000));
  });

  it('costs no more with many different characters', () => {
    const rule = (from: number) => ({
      id: String(from),
      conditions: {
        path: Array.from({ length: 39 }, (_, i) =>
          String.fromCodePoint(...Array.from({ length: 256 }, (_, at) => from + 256 * i + at)),
        ),
      },
      actions: {},
    });
    const began = performance.now();
    for (let i = 0; i < 20; i++) compileRule(rule(0x4e00 + i));
    // 20 take 30 ms.
    expect(performance.now() - began).toBeLessThan(limit(1_000));
  });
});

it('all conditions must match, and one value of each', () => {
  const finding = { project_id: 'p', severity: 'low', title: 'A', source: 'semgrep', file: 'src/a.ts' };
  const matches = (conditions: object, other: object = {}) =>
    compileRule({ id: 'r', conditions, actions: {} }).matches(toMatch({ ...finding, ...other }));
  expect(matches({ severity: ['high', 'low'], source: ['semgrep'], path: ['lib/**', 'src/**'] })).toBe(true);
  expect(matches({ severity: ['high', 'low'], source: ['gosec'] })).toBe(false);
  expect(matches({ cwe: ['CWE-89'] })).toBe(false);
  expect(matches({ path: ['**'] }, { file: undefined })).toBe(false);
  expect(matches({ persona: ['senku'] }, { persona: 'senku' })).toBe(true);
  expect(matches({ persona: ['senku'] })).toBe(false);
});

describe('other requests get a turn', () => {
  it.each([
    ['100 long patterns', { path: ['*a*a*a*a*a*a*a*a*ba*', '**/*a*a*a*a*a*a*ba*'] }, 100, 9],
    ['one short pattern of paths', { path: ['x'] }, 1, 3],
    ['one short pattern of titles', { title: ['x'] }, 1, 3],
  ])('while many long texts are compared with %s', async (_, conditions, count, least) => {
    const rules = Array.from({ length: count }, (_, i) =>
      compileRule({ id: String(i), conditions, actions: { due_days: 1 } }),
    );
    const one = { ...finding(org, 'scan'), severity: 'high' as const, title: 'a'.repeat(500) };
    const pushes = Array(200).fill({ ...one, file: 'a'.repeat(1_000) });
    const policies = { version: 1, dueDays: new Map(), rules, personas: undefined, bytes: 0 };
    let turns = 0;
    let isOver = false;
    const countTurns = () => {
      turns++;
      if (!isOver) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    const { sql } = t.services.database;
    const decided = await decideAll(policies, pushes, () => new Date(), { sql, tables });
    isOver = true;
    expect(decided).toEqual(Array(200).fill({}));
    // 200 findings of 1,500 characters, compared with 100 rules of 39 or one of 1, and a turn after 50,000 steps.
    expect(turns).toBeGreaterThanOrEqual(least);
  });
});

it('a process keeps policies up to a number of bytes, the latest ones', () => {
  const cache = createPolicyCache(100);
  const policies = { version: 1, dueDays: new Map(), rules: [], personas: undefined };
  const known = ['a', 'b', 'c'].map((id) => cache({ id }));
  const versions = () => known.map(({ current }) => current.version);
  known[0]?.replace({ ...policies, bytes: 60 });
  known[1]?.replace({ ...policies, bytes: 40 });
  known[1]?.replace({ ...policies, bytes: 40 });
  expect(versions()).toEqual([1, 1, 0]);
  known[2]?.replace({ ...policies, bytes: 50 });
  expect(versions()).toEqual([0, 1, 1]);
  known[0]?.replace({ ...policies, bytes: 200 });
  expect(versions()).toEqual([1, 0, 0]);
});
