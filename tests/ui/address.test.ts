import { describe, expect, it } from 'vitest';
import { addressWithout } from '../../ui/src/app/address.ts';
import { findingSearch, misunderstood, parseSearch, stringifySearch } from '../../ui/src/app/search.ts';
import { searchOfView } from '../../ui/src/findings/list/views/view-query.ts';
import { metricsSearch } from '../../ui/src/metrics/range.ts';

describe('an address of the list of findings', () => {
  const unknownIn = (search: string) => misunderstood(parseSearch(search), findingSearch);

  it.each([
    ['severty=high', ['severty']],
    ['Severity=high', ['Severity']],
    ['severity[]=high', ['severity[]']],
    ['severity=worst', ['severity']],
    ['severity=high,worst', ['severity']],
    ['severity=high&severity=worst', ['severity']],
    ['severity=HIGH', ['severity']],
    ['status=', ['status']],
    ['project_id=', ['project_id']],
    ['regressed=maybe&overdue=1', ['regressed', 'overdue']],
    ['sort=size&group_by=owner', ['sort', 'group_by']],
    ['page=0&q=x', ['page']],
    ['change=all&scan_id=a', ['change']],
    ['_=1700000000', ['_']],
  ])('has parts that the page does not understand: %s', (search, names) => {
    expect(unknownIn(search)).toEqual(names);
    // The router replaces what the page has understood.
    const given = parseSearch(search);
    expect(misunderstood({ ...given, ...findingSearch(given) }, findingSearch)).toEqual(names);
  });

  it.each([
    '',
    'severity=low,high',
    'severity=low&severity=high&severity=low',
    'attention=true&sort=-priority&page=2&group_by=rule',
    'cve=&file=',
    'q=',
    'attention=false',
    'q=severity:high,&path=src/**&found_after=2026-01-31',
  ])('is understood, also after the page has read it: %s', (search) => {
    expect(unknownIn(search)).toEqual([]);
    expect(misunderstood({ ...findingSearch(parseSearch(search)) }, findingSearch)).toEqual([]);
  });

  it('has the values of a repeated parameter', () => {
    expect(findingSearch(parseSearch('severity=low&severity=high'))).toEqual({ severity: ['high', 'low'] });
  });
});

describe('an address of the metrics', () => {
  it.each([
    ['days=31', ['days']],
    ['from=yesterday', ['from']],
    ['project=web', ['project']],
    ['days=30&project_id=x', []],
  ])('%s', (search, names) => {
    expect(misunderstood(parseSearch(search), metricsSearch)).toEqual(names);
  });
});

describe('a saved view', () => {
  it('keeps a filter that the page does not know, and leaves out what is no filter', () => {
    const search = searchOfView({
      query: 'severity=low&severity=high&gone=true&format=csv&per_page=5&page=3',
    });
    expect(stringifySearch({ ...search })).toBe('?severity=high,low&gone=true');
    expect(misunderstood({ ...search }, findingSearch)).toEqual(['gone']);
  });
});

describe('an address without a wrong filter', () => {
  const at = (search: string) => ({ pathname: '/o/acme/findings', search });

  it.each([
    [['severty'], '?severty=high&status=open', '/o/acme/findings?status=open'],
    [['a', 'b'], '?a=1&b=2&a=3', '/o/acme/findings'],
    [['absent'], '?status=open', undefined],
  ])('%j of %s', (names, search, expected) => {
    expect(addressWithout(names, at(search))).toBe(expected);
  });
});
