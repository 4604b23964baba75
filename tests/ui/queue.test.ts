import { describe, expect, it } from 'vitest';
import { FINDING_PARAMETERS } from '../../lib/client/parameters.ts';
import { COLUMNS, columnsFor } from '../../ui/src/findings/list/columns/columns.ts';
import { compare } from '../../ui/src/findings/list/live/compare.ts';
import { ALL, ATTENTION, isOutOf, leavesList, VIEWS } from '../../ui/src/findings/views.ts';
import { aboutScan, scanName } from '../../ui/src/scans/scan-name.ts';

describe('the views of the list', () => {
  it('use only filters that the service has', () => {
    const used = VIEWS.flatMap(({ filter }) => Object.keys(filter));
    expect(used.filter((name) => !FINDING_PARAMETERS.includes(name))).toEqual([]);
    expect(VIEWS.some(({ id }) => id === 'mine')).toBe(FINDING_PARAMETERS.includes('assignee'));
    expect(VIEWS.some(({ id }) => id === 'overdue')).toBe(FINDING_PARAMETERS.includes('overdue'));
  });

  it('lose findings that are settled', () => {
    expect(leavesList(ATTENTION, 'fixed')).toBe(true);
    expect(leavesList(ATTENTION, 'confirmed')).toBe(false);
    expect(leavesList({ regressed: true }, 'wontfix')).toBe(true);
    expect(leavesList({ status: ['open'] }, 'confirmed')).toBe(true);
    expect(leavesList(ALL, 'fixed')).toBe(false);
    expect(isOutOf(ATTENTION, { status: 'fixed', regressed: true })).toBe(false);
    expect(isOutOf(ATTENTION, { status: 'fixed', regressed: false })).toBe(true);
    expect(isOutOf({ regressed: false }, { status: 'fixed', regressed: true })).toBe(true);
  });
});

describe('the comparison of the list with the current one', () => {
  const row = (id: string) => ({ id: id.toLowerCase(), regressed: id !== id.toLowerCase() });
  /** A page of findings; those in capitals have regressed. */
  const page = (ids: string, total = ids.length) => ({
    ...{ rows: [...ids].map(row), total, isCapped: false },
  });
  const one = (ids: string, total?: number) => new Map([[1, page(ids, total)]]);

  it.each([
    ['nothing', 'abc', 'abc', undefined],
    ['a new finding at the top', 'abc', 'xabc', { added: 1, regressed: 0 }],
    ['a regressed one and two new ones', 'abc', 'Xyazbc', { added: 2, regressed: 1 }],
    ['a finding that has left', 'abc', 'ac', { added: 0, regressed: 0 }],
    ['another order', 'abc', 'cab', { added: 0, regressed: 0 }],
    ['the first findings', '', 'ab', { added: 2, regressed: 0 }],
  ])('sees %s', (_, before, after, expected) => {
    const news = compare(one(before), one(after));
    expect(news.isSame).toBe(expected === undefined);
    expect(news).toMatchObject(expected ?? { added: 0, regressed: 0 });
  });

  it('does not take findings for new that have moved up from a page that is not loaded', () => {
    expect(compare(one('abc', 9), one('bcd', 8))).toEqual({ added: 0, regressed: 0, isSame: false });
    expect(compare(one('abc', 9), one('xab', 10))).toEqual({ added: 1, regressed: 0, isSame: false });
    // New findings further down.
    expect(compare(one('abc', 9), one('abc', 12))).toEqual({ added: 3, regressed: 0, isSame: false });
  });
});

it('shows more columns in wider windows', () => {
  // The preview is beside a wide list, and above a narrow one.
  expect(columnsFor(90, true)).toEqual(['severity', 'title', 'status']);
  expect(columnsFor(60, true)).toEqual(columnsFor(60));
  // The title grows first, and the due date is there where it is what the list is about.
  expect(columnsFor(90, false, ['due'])).toContain('due');
  expect(columnsFor(90, true, ['due'])).toEqual(['severity', 'title', 'status', 'due']);
  const fixedRem = (ids: readonly string[]) =>
    COLUMNS.reduce((sum, { id, width }) => sum + (id === 'title' || !ids.includes(id) ? 0 : width), 20);
  expect(120 - fixedRem(columnsFor(120))).toBeGreaterThan(37);
  const narrow = columnsFor(60);
  expect(narrow).toEqual(['severity', 'title', 'status', 'project', 'last_seen']);
  expect(columnsFor(90)).toContain('assignee');
  expect(columnsFor(160)).toEqual(
    expect.arrayContaining(['assignee', 'due', 'first_seen', 'source', 'cwe', 'cvss', 'cve']),
  );
  expect(columnsFor(400)).not.toContain('rule');
});

it('reads generated names of scans as a person would say them', () => {
  const at = new Date(2026, 10, 22, 7, 38);
  const name = `senku scan ${at.toISOString()}`;
  expect(scanName({ name }, new Date(2026, 11, 1))).toBe('Dependencies, 22 Nov 07:38');
  expect(scanName({ name }, new Date(2027, 0, 1))).toBe('Dependencies, 22 Nov 2026 07:38');
  const by = (...sources: string[]) => scanName({ name, sources }, new Date(2026, 11, 1));
  expect(by('trivy', 'semgrep')).toBe('Trivy + Semgrep, 22 Nov 07:38');
  expect(by('osv-scanner', 'a', 'b', 'c', 'd')).toBe('OSV-Scanner + A + B + 2, 22 Nov 07:38');
  expect(by('constructor')).toBe('Constructor, 22 Nov 07:38');
  for (const own of [
    'Nightly audit',
    'senku scan yesterday',
    `my ${name}`,
    'senku scan 2026-99-99T07:38:00Z',
  ])
    expect(scanName({ name: own })).toBe(own);
  const about = (own: string, ...sources: string[]) => aboutScan({ name: own, sources, persona: 'killua' });
  expect(about('Shop', 'zap')).toBe('ZAP · Penetration test');
  expect(about('Penetration test', 'zap')).toBe('ZAP');
  expect(about('Penetration test')).toBe('Penetration test');
});
