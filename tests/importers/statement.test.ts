import { describe, expect, it } from 'vitest';
import { normalizeCode } from '../../lib/importers/identity/source/normalize.ts';
import { neighboursOf, statementAround, textOf } from '../../lib/importers/identity/source/statement.ts';

/** The statement around the lines that contain `HERE`. */
const statementIn = (code: string) => {
  const lines = code.split('\n');
  const at = lines.findIndex((line) => line.includes('HERE')) + 1;
  return textOf(lines, statementAround(lines, [at, at]));
};

describe('a statement', () => {
  it.each([
    ['a line', 'a()\nHERE()\nb()', 'HERE()'],
    ['from its first line', 'a(\n  HERE(\n  b)\n)', 'a(\n  HERE(\n  b)\n)'],
    ['the call around an argument', 'x()\na(\n  b,\n  HERE,\n)\ny()', 'a(\n  b,\n  HERE,\n)'],
    ['not out of a function', "on('a', () => {\n  HERE();\n});", '  HERE();'],
    ['not out of a list', 'urls = [\n  a(),\n  HERE(),\n]', '  HERE(),'],
    ['after an operator', 'x =\n  HERE +\n  b\ny', 'x =\n  HERE +\n  b'],
    ['brackets in texts', 'a("(")\nHERE(\')\')\nb', "HERE(')')"],
    ['brackets in comments', 'a() # (\nHERE() // (\nb', 'HERE() // ('],
    ['the last line of a call', 'a(\n  b\n).HERE()', 'a(\n  b\n).HERE()'],
    ['the start of a block', 'if (HERE) {\n  a()\n}', 'if (HERE) {'],
    ['not a long one', `a(\n${'  b,\n'.repeat(20)}  HERE,\n)`, '  HERE,'],
  ])('%s', (_, code, statement) => {
    expect(statementIn(code)).toBe(statement);
  });

  it('has neighbours without comments and equal statements', () => {
    const lines = 'a()\n\n# c\nx()\nx()\n\nb(\n  1,\n)'.split('\n');
    expect(neighboursOf(lines, [4, 4], (statement) => statement === 'x()')).toEqual(['a()', 'b(\n  1,\n)']);
    expect(neighboursOf(['x()'], [1, 1], () => false)).toEqual(['', '']);
  });

  it.each([
    ['quotes', '\\"\'`'.repeat(70)],
    ['brackets', '('.repeat(290)],
    ['a long line', 'a('.repeat(100_000)],
  ])('of hostile code: %s', (_, line) => {
    const lines = Array.from({ length: 2_000 }, () => line);
    for (let at = 1; at <= lines.length; at += 5) {
      statementAround(lines, [at, at]);
      neighboursOf(lines, [at, at], () => true);
    }
  });
});

describe('normalized code', () => {
  it.each([
    ["a('x', b)", 'a(\n  "x",\n  b,\n)'],
    ['return a + b;', 'return (\n  a +\n  b\n)'],
    ['x = a && b', 'x = (\n  a && b\n)'],
    ['list.map(x => x.y)', 'list.map((x) => x.y);'],
  ])('%s', (one, other) => {
    expect(normalizeCode(other)).toBe(normalizeCode(one));
  });

  it.each([
    ['(a + b) * c', 'a + b * c'],
    ['x = (a + b) * (c + d)', 'x = a + b) * (c + d'],
    ['a(b)', 'a[b]'],
    ['eval(x)', 'eval(y)'],
  ])('tells apart: %s', (one, other) => {
    expect(normalizeCode(other)).not.toBe(normalizeCode(one));
  });
});
