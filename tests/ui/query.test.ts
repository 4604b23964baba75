import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  findingSearch,
  parseSearch,
  SEVERITIES,
  STATUSES,
  scanSearch,
  stringifySearch,
} from '../../ui/src/app/search.ts';
import type { Filters, QueryContext } from '../../ui/src/findings/query/key.ts';
import { formatQuery, parseQuery, unknownKeys } from '../../ui/src/findings/query/query.ts';
import { suggest } from '../../ui/src/findings/query/suggest.ts';

const ADA = '01890a5d-ac96-774b-bcce-b302099a0001';
const GRACE = '01890a5d-ac96-774b-bcce-b302099a0002';
const WEB = '01890a5d-ac96-774b-bcce-b302099a0003';
const APP = '01890a5d-ac96-774b-bcce-b302099a0004';
const SHOP = '01890a5d-ac96-774b-bcce-b302099a0005';

const context: QueryContext = {
  projects: [
    { id: WEB, slug: 'web', name: 'Web shop', default_ref: 'main', tracked_refs: ['release/*', 'next'] },
    { id: APP, slug: 'app', name: 'App', default_ref: 'main' },
    { id: SHOP, slug: 'shop', name: 'Shop' },
  ],
  members: [
    { id: ADA, name: 'Ada Lovelace', email: 'ada@example.com' },
    { id: GRACE, name: 'Grace Hopper', email: 'grace@example.com' },
  ],
  now: new Date('2026-03-31T10:00:00Z'),
};

const filtersOf = (query: string) => {
  const { filters, problems } = parseQuery(query, context);
  expect(problems).toEqual([]);
  return filters;
};
const problemsOf = (query: string) =>
  parseQuery(query, context).problems.map(({ start, end, message }) => [query.slice(start, end), message]);

describe('a query', () => {
  it.each<[string, Filters]>([
    ['', {}],
    ['sql injection', { q: 'sql injection' }],
    ['severity:critical,high', { severity: ['critical', 'high'] }],
    ['severity:crit,h status:w', { severity: ['critical', 'high'], status: ['wontfix'] }],
    ['project:sh assignee:grace overdue:t', { project_id: [SHOP], assignee: [GRACE], overdue: true }],
    ['project:web', { project_id: [WEB] }],
    [`project:${GRACE} assignee:${WEB}`, { project_id: [GRACE], assignee: [WEB] }],
    ['rule:"say ""x""" cve:""', { rule: 'say "x"', cve: '' }],
    ['"severity:high" x', { q: 'severity:high x' }],
    ['severity:high severity:CRITICAL', { severity: ['critical', 'high'] }],
    ['-severity:info,low', { severity: ['critical', 'high', 'medium'] }],
    ['severity:high,low -severity:low', { severity: ['high'] }],
    ['-severity:low severity:high,low', { severity: ['high'] }],
    ['status:open -path:test/** assignee:me', { status: ['open'], not_path: 'test/**', assignee: ['me'] }],
    ['regressed:true overdue:no -exploit:true', { regressed: true, overdue: false, has_exploit: false }],
    ['project:web,"Shop"', { project_id: [WEB, SHOP] }],
    // As pages write them.
    [`status:"False positive","won't fix"`, { status: ['false_positive', 'wontfix'] }],
    ['-project:web', { project_id: [APP, SHOP] }],
    ['assignee:@me,none', { assignee: ['me', 'none'] }],
    ['mentions:me,"grace hopper"', { mentions: ['me', GRACE] }],
    ['assignee:"ada lovelace",grace@example.com', { assignee: [ADA, GRACE] }],
    ['source:semgrep -source:zap,"my tool"', { source: ['semgrep'], not_source: ['zap', 'my tool'] }],
    ['ref:release/1.x -proposed:true', { ref: 'release/1.x', proposed: false }],
    ['cwe:79 cve:cve-2026-1', { cwe: 'CWE-79', cve: 'CVE-2026-1' }],
    ['older:30d', { found_before: '2026-03-01' }],
    ['newer:2w', { found_after: '2026-03-17' }],
    ['changed:7d', { changed_after: '2026-03-24' }],
    ['changed:2026-11-01..2026-11-08', { changed_after: '2026-11-01', changed_before: '2026-11-09' }],
    ['changed_by:me', { changed_by: ['me'] }],
    ['found:2026-01-31', { found_after: '2026-01-31', found_before: '2026-02-01' }],
    ['found:2026-01-01..2026-01-31', { found_after: '2026-01-01', found_before: '2026-02-01' }],
    ['seen:>2026-01-01 seen:<=2026-02-01', { seen_after: '2026-01-02', seen_before: '2026-02-02' }],
    [
      'resolved:2026-01-01 in_time:false',
      { resolved_after: '2026-01-01', resolved_before: '2026-01-02', resolved_in_time: false },
    ],
    ['unresolved:<2026-01-01', { unresolved_before: '2026-01-01' }],
    ['found:>=2026-01-01T10:00:00Z', { found_after: '2026-01-01T10:00:00Z' }],
    // Text that pages print is searched as it is.
    ['Export.java:193 CWE-502', { q: 'Export.java:193 CWE-502' }],
    ['https://example.com/a?b', { q: 'https://example.com/a?b' }],
    ['-x "two words" "', { q: '-x two words' }],
    ['constructor:x __proto__:y', { q: 'constructor:x __proto__:y' }],
  ])('%s', (query, filters) => {
    expect(filtersOf(query)).toEqual(filters);
  });

  it.each<[string, string, RegExp]>([
    ['severity:bad high', 'severity:bad', /“bad” is not one of critical/],
    ['a severity: b', 'severity:', /needs a value/],
    ['severity:', 'severity:', /needs a value/],
    ['status:f', 'status:f', /“f” can be fixed or false_positive/],
    ['attention:false', 'attention:false', /only be true/],
    ['regressed:true regressed:no', 'regressed:no', /once/],
    ['-severity:critical,high,medium,low,info', '-severity:critical,high,medium,low,info', /excludes all/],
    ['regressed:maybe', 'regressed:maybe', /true or false/],
    ['project:nope', 'project:nope', /project “nope” does not exist/],
    ['assignee:eve', 'assignee:eve', /member “eve” does not exist/],
    ['-assignee:me', '-assignee:me', /cannot be excluded/],
    ['mentions:none', 'mentions:none', /member “none” does not exist/],
    ['path:a path:b', 'path:b', /once/],
    ['-file:a', '-file:a', /cannot be excluded/],
    ['ref:a ref:b', 'ref:b', /once/],
    ['older:soon', 'older:soon', /not a time/],
    ['found:yesterday', 'found:yesterday', /not a date/],
    ['found:2026-02-30', 'found:2026-02-30', /not a date/],
    ['found:2026-02-02..2026-02-01', 'found:2026-02-02..2026-02-01', /ends before it starts/],
    ['cwe:x', 'cwe:x', /not a CWE/],
  ])('with an invalid term says which one: %s', (query, term, message) => {
    const problems = problemsOf(query);
    expect(problems).toEqual([[term, expect.stringMatching(message)]]);
  });

  it('keeps what is valid beside an invalid term', () => {
    expect(parseQuery('severity:bad status:open xss', context).filters).toEqual({
      status: ['open'],
      q: 'xss',
    });
  });

  it('never fails, whatever is typed', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('severity:', '-path:', '"', ',', 'found:', ' ', '..'),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const query = pieces.join('');
        for (const { start, end } of parseQuery(query, context).problems) expect(end).toBeGreaterThan(start);
        suggest(query, query.length, context);
      }),
    );
  });

  it('is written from filters so that it means the same', () => {
    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
    const someOf = (values: readonly string[]) => fc.subarray([...values], { minLength: 1 });
    const date = fc
      .date({ min: new Date('2000-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
      .chain((day) => fc.constantFrom(day.toISOString().slice(0, 10), day.toISOString()));
    const text = fc.string({ minLength: 1 }).filter((value) => !value.includes(','));
    const filters = fc
      .record({
        severity: optional(someOf(SEVERITIES)),
        status: optional(someOf(STATUSES)),
        project_id: optional(someOf([WEB, APP, SHOP])),
        assignee: optional(someOf(['me', 'none', ADA, GRACE])),
        mentions: optional(someOf(['me', ADA, GRACE])),
        source: optional(fc.uniqueArray(text, { minLength: 1, maxLength: 3 })),
        not_source: optional(fc.uniqueArray(text, { minLength: 1, maxLength: 3 })),
        regressed: optional(fc.boolean()),
        proposed: optional(fc.boolean()),
        has_exploit: optional(fc.boolean()),
        ref: optional(text),
        path: optional(text),
        not_path: optional(text),
        found_after: optional(date),
        found_before: optional(date),
        seen_after: optional(date),
        resolved_after: optional(date),
        unresolved_before: optional(date),
        resolved_in_time: optional(fc.boolean()),
        changed_after: optional(date),
        changed_before: optional(date),
        changed_by: optional(someOf(['me', ADA, '01890a5d-ac96-774b-bcce-b302099a0009'])),
        q: optional(fc.oneof(text, fc.constantFrom('two words', 'Export.java:193', 'severity:high'))),
      })
      .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)));
    fc.assert(
      fc.property(filters, (made: Filters) => {
        expect(filtersOf(formatQuery(made, context))).toEqual(made);
      }),
    );
  });
});

describe('the suggestions', () => {
  const textsOf = (query: string, cursor = query.length) =>
    suggest(query, cursor, context).suggestions.map(({ text }) => text);

  it('complete a key', () => {
    expect(textsOf('se')).toEqual(['severity:', 'seen:']);
    expect(textsOf('xss -pa')).toEqual(['-path:']);
    expect(textsOf('')).toContain('severity:');
    expect(textsOf('xss ')).toContain('assignee:');
    expect(textsOf('nothing')).toEqual([]);
  });

  it('complete a value, without those that are chosen', () => {
    expect(textsOf('severity:')).toEqual([...SEVERITIES]);
    expect(textsOf('severity:critical,')).toEqual(['high', 'medium', 'low', 'info']);
    expect(textsOf('assignee:lov')).toEqual(['ada@example.com']);
    expect(textsOf('project:"sh')).toEqual(['web', 'shop']);
    expect(textsOf('ref:')).toEqual(['main', 'next']);
  });

  it('replace only what is before the cursor in its term', () => {
    const query = 'severity:hi status:open';
    const { start, suggestions } = suggest(query, 11, context);
    expect([start, suggestions.map(({ text }) => text)]).toEqual([9, ['high']]);
  });
});

describe('an address', () => {
  it('keeps the branch and whether findings are proposed', () => {
    const search = { ref: 'feature/a,b&c=d é', proposed: false };
    expect(findingSearch(parseSearch(stringifySearch(search)))).toEqual(search);
  });

  it('of a scan keeps the severity of its gate, and no other value', () => {
    expect(scanSearch({ fail_on: 'low', against: 'a' })).toEqual({ fail_on: 'low', against: 'a' });
    expect(scanSearch({ fail_on: 'none', against: null })).toEqual({});
  });
});

describe('keys that are no filters', () => {
  it.each([
    ['severty:high sql', ['severty:']],
    ['-sevrity:low Path:src staus:open', ['sevrity:', 'staus:']],
    ['severity:high Export.java:193 https://example.com std::vector a: CWE-79', []],
  ])('%s', (query, keys) => {
    expect(unknownKeys(query)).toEqual(keys);
  });
});
