import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { flag, list, number, optional, requiredText, text, texts } from '../../lib/importers/read/schema.ts';
import { elementAt, elements } from '../../lib/importers/read/values.ts';

describe('lenient schemas', () => {
  it.each([
    [text, 5, '5'],
    [text, ['a'], 'a'],
    [text, [{ '#text': 'a', '@_b': 'c' }], 'a'],
    [text, { a: 1 }, undefined],
    [text, null, undefined],
    [number, '7.5', 7.5],
    [number, 'seven', undefined],
    [number, '', undefined],
    [number, '1e999', undefined],
    [flag, 'Yes', true],
    [flag, 0, false],
    [flag, 'perhaps', undefined],
    [texts, 'a', ['a']],
    [texts, ['a', {}, '', 3], ['a', '3']],
    [texts, null, []],
    [list(z.object({ a: requiredText })), [{ a: 'x' }, { b: 'x' }], [{ a: 'x' }]],
    [optional(z.object({ a: requiredText })), 'odd', undefined],
  ])('%#', (schema, value, expected) => {
    expect(schema.parse(value)).toEqual(expected);
  });

  it('require what is required', () => {
    for (const value of ['', null, {}, undefined]) expect(requiredText.safeParse(value).success).toBe(false);
  });

  it('find elements of XML', () => {
    expect(elementAt({ a: [{ b: { c: 1 } }] }, 'a', 'b')).toEqual({ c: 1 });
    expect(elementAt({ a: 'text' }, 'a', 'b')).toBeUndefined();
    expect(elements({ a: ['', { b: 1 }] }, 'a')).toEqual([{ '#text': '' }, { b: 1 }]);
  });
});
