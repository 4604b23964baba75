import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Filter, filterShape } from '../../lib/findings/filter/parameters.ts';
import { z } from '../../lib/schema.ts';
import {
  findingSearch,
  matchingOf,
  misunderstood,
  parseSearch,
  SEVERITIES,
  SORTS,
  STATUSES,
  stringifySearch,
} from '../../ui/src/app/search.ts';
import { chipsOf } from '../../ui/src/findings/list/filters/chips.ts';
import {
  filtersBeside,
  inView,
  isSameList,
  keyOf,
  type ListState,
  queryOf,
  searchOf,
  stateOf,
  withChange,
  withoutFilters,
  withQuery,
} from '../../ui/src/findings/list-state.ts';
import type { QueryContext } from '../../ui/src/findings/query/key.ts';
import { parseQuery } from '../../ui/src/findings/query/query.ts';
import { ALL, ATTENTION, VIEWS } from '../../ui/src/findings/views.ts';

const ADA = '01890a5d-ac96-774b-bcce-b302099a0001';
const GRACE = '01890a5d-ac96-774b-bcce-b302099a0002';
const WEB = '01890a5d-ac96-774b-bcce-b302099a0003';
const APP = '01890a5d-ac96-774b-bcce-b302099a0004';
/** A project that was deleted, or whose name is not known yet. */
const UNKNOWN = '01890a5d-ac96-774b-bcce-b302099a0005';

const context: QueryContext = {
  projects: [
    { id: WEB, slug: 'web', name: 'App' },
    { id: APP, slug: 'app', name: 'Web shop' },
  ],
  members: [
    { id: ADA, name: 'Ada Lovelace', email: 'ada@example.com' },
    { id: GRACE, name: 'Grace Hopper', email: 'grace@example.com' },
  ],
  now: new Date('2026-03-31T10:00:00Z'),
};
const NAMES = { project: () => undefined, member: () => undefined };

const listOf = (address: string) => stateOf(findingSearch(parseSearch(address)));
const addressOf = (list: ListState) => stringifySearch({ ...searchOf(list) });
const attention = stateOf(ATTENTION);

describe('the list', () => {
  it.each([
    ['assignee:me severity:high', { attention: true, assignee: 'me', severity: ['high'] }],
    ['mentions:me', { attention: true, mentions: 'me' }],
    ['overdue:true', { attention: true, overdue: true }],
    ['regressed:true', { attention: true, regressed: true }],
    ['assignee:grace', { attention: true, assignee: GRACE }],
  ])('keeps view and text when the query is that of another view: %s', (query, filter) => {
    const { state } = withQuery(attention, query, context);
    expect(state).toEqual({ view: attention.view, filter: { ...filter, sort: '-priority' } });
    expect(stateOf(searchOf(state))).toEqual(state);
    const { problems, state: written } = withQuery(state, queryOf(state, context), context);
    expect([problems, keyOf(written)]).toEqual([[], keyOf(state)]);
    expect(queryOf(state, context).split(' ').sort()).toEqual(
      query.replace('grace', 'grace@example.com').split(' ').sort(),
    );
  });

  it('leaves a view whose filters the query contradicts, and says so', () => {
    const verify = VIEWS.find(({ id }) => id === 'verify');
    const { state } = withQuery(inView(attention, verify as never), 'status:open', context);
    expect(state.view.id).toBe('all');
    expect(queryOf(state, context)).toBe('status:open regressed:false');
  });

  it('is found by its filters in addresses without a view', () => {
    const idOf = (address: string) => listOf(address).view.id;
    expect(VIEWS.map(({ filter }) => stateOf(filter).view)).toEqual(VIEWS);
    expect(idOf('attention=true&assignee=me&severity=high')).toBe('mine');
    expect(idOf('attention=true&assignee=none')).toBe('attention');
    expect(idOf('status=open,confirmed')).toBe('all');
    expect(idOf('attention=true&view=overdue')).toBe('attention');
    expect(searchOf(stateOf({}))).toEqual(ALL);
    expect(searchOf(stateOf({ cwe: 'CWE-1' }))).toEqual({ cwe: 'CWE-1' });
  });
});

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
const someOf = (values: readonly string[]) => fc.subarray([...values], { minLength: 1 });
const text = fc.oneof(
  fc.constantFrom(
    'a b',
    'say ""x""',
    'eval("x")',
    'severity:high',
    'a,b',
    '-x',
    '"',
    'C:\\x',
    ' padded ',
    'me',
  ),
  fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }),
);
const day = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** An address of the list. */
const address = fc
  .record({
    view: optional(fc.constantFrom(...VIEWS.map(({ id }) => id))),
    severity: optional(someOf(SEVERITIES)),
    status: optional(someOf(STATUSES)),
    project_id: optional(someOf([WEB, APP, UNKNOWN])),
    assignee: optional(someOf(['me', 'none', ADA, GRACE, UNKNOWN])),
    mentions: optional(someOf(['me', ADA])),
    attention: optional(fc.constant(true)),
    ...Object.fromEntries(
      ['regressed', 'overdue', 'missing', 'proposed', 'has_exploit'].map((name) => [
        name,
        optional(fc.boolean()),
      ]),
    ),
    ...Object.fromEntries(
      ['source', 'not_source', 'ref', 'rule', 'path', 'not_path', 'q'].map((name) => [name, optional(text)]),
    ),
    file: optional(fc.oneof(fc.constant(''), text)),
    cve: optional(fc.constantFrom('', 'CVE-2026-12345')),
    cwe: optional(fc.constant('CWE-79')),
    found_after: optional(day),
    found_before: optional(day),
    seen_after: optional(day),
    sort: optional(fc.constantFrom(...SORTS)),
  })
  .map((given) => stringifySearch(given));

/** A term of a query: complete, the start of one, or wrong. */
const term = fc.oneof(
  fc.constantFrom(
    ...['assignee:me', 'mentions:me', 'overdue:true', 'regressed:true', 'attention:true', 'assignee:none'],
    ...['severity:high', 'sev:hi', 'severity:crit,h', '-severity:i', 'status:op', 'status:f', '-status:open'],
    ...['status:fixed', 'regressed:false', 'regressed:n', 'assignee:gr', 'project:web', '-project:app'],
    ...['older:30d', 'newer:2w', 'found:2026-01-01..2026-01-31', 'seen:>2026-01-01', 'cwe:79', 'cve:""'],
    ...[
      'path:src/**',
      '-path:"a b"',
      'rule:"say ""x"""',
      'source:semgrep',
      'severity:worst',
      'attention:false',
    ],
  ),
  text,
);

type Step = (list: ListState) => ListState;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.array(term, { maxLength: 4 }).map(
    (terms): Step =>
      (list) =>
        typed(list, terms.join(' ')),
  ),
  fc.constantFrom(...VIEWS).map(
    (view): Step =>
      (list) =>
        inView(list, view),
  ),
  fc.nat(5).map(
    (at): Step =>
      (list) =>
        withChange(list, chipsOf(list, NAMES)[at]?.without ?? {}),
  ),
  fc.record({ severity: optional(someOf(SEVERITIES)), status: optional(someOf(STATUSES)) }).map(
    (part): Step =>
      (list) =>
        withChange(list, part as never),
  ),
  fc.constantFrom(...SORTS).map(
    (sort): Step =>
      (list) =>
        withChange(list, { sort }),
  ),
  fc.constant<Step>(withoutFilters),
  fc.constant<Step>((list) => typed(list, queryOf(list, context))),
);

/** The list after a text was entered, which says nothing that the list does not show. */
function typed(list: ListState, query: string): ListState {
  const { state, problems } = withQuery(list, query, context);
  const parsed = parseQuery(query, context);
  expect(problems).toEqual(parsed.problems);
  if (problems.length > 0) {
    expect(state).toBe(list);
    return state;
  }
  const said = Object.entries(parsed.filters).map(([name, value]) => [name, String(value)]);
  const shown: Record<string, unknown> = state.filter;
  expect(said.map(([name = '']) => [name, String(shown[name])])).toEqual(said);
  // Filters that the text does not name are those of the view.
  const more = Object.entries(filtersBeside(state)).filter(([name]) => !(name in parsed.filters));
  if (state.view === list.view) expect(more).toEqual([]);
  return state;
}

const requestOf = z.object(filterShape);

/** Text, chips, address, rows, number and bulk changes of a list agree. */
function expectOneList(list: ListState): void {
  // The address.
  expect(misunderstood(parseSearch(addressOf(list)), findingSearch)).toEqual([]);
  expect(keyOf(listOf(addressOf(list)))).toBe(keyOf(list));
  // The view.
  expect(list.filter).toMatchObject(list.view.filter);
  // The text.
  const query = queryOf(list, context);
  const read = withQuery(list, query, context);
  expect([query, read.problems, keyOf(read.state)]).toEqual([query, [], keyOf(list)]);
  // The chips: without them, the view is left.
  let left = list;
  for (const { without } of chipsOf(list, NAMES)) {
    expect(isSameList(withChange(list, without), list)).toBe(false);
  }
  while (chipsOf(left, NAMES)[0]) left = withChange(left, chipsOf(left, NAMES)[0]?.without ?? {});
  expect(filtersBeside(left)).toEqual({});
  expect(left.view).toBe(list.view);
  // Rows, their number, and bulk changes.
  const rows = requestOf.safeParse(parseSearch(stringifySearch({ ...matchingOf(list.filter) })));
  const bulk = Filter.safeParse(matchingOf(list.filter));
  expect([bulk.success, bulk.data]).toEqual([rows.success, rows.data]);
  // The tabs: a number is that of the list that a click shows.
  for (const view of VIEWS) {
    const next = inView(list, view);
    expect(next.view).toBe(view);
    const clicked = listOf(addressOf(next));
    expect(matchingOf(clicked.filter)).toEqual(matchingOf(next.filter));
  }
  expect(matchingOf(inView(list, list.view).filter)).toEqual(matchingOf(list.filter));
}

describe('text, chips, address, rows, number, bulk changes and tabs', () => {
  it('are one list, whatever is typed and clicked', () => {
    fc.assert(
      fc.property(address, fc.array(step, { maxLength: 6 }), (from, steps) => {
        let list = listOf(from);
        expectOneList(list);
        for (const take of steps) {
          list = take(list);
          expectOneList(list);
        }
      }),
      { numRuns: 100 },
    );
  });
});
