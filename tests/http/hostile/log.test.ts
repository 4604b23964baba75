import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogger, type LogFields } from '../../../lib/logger.ts';
import { anyText } from '../../support/any-text.ts';

const FORGED = '2026-01-01T00:00:00.000Z error forged';

/** Characters that end a line somewhere, that a terminal obeys, or that disguise a text. */
const OBEYED = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;

const HOSTILE = [
  ...['\n', '\r\n', '\r', '\v', '\f', '\x85', '\u2028', '\u2029', '\0'].map((end) => `a${end}${FORGED}`),
  ...[
    '\x1b[2J\x1b[31m',
    '\x9b31m',
    '\x07',
    '\x08\x08\x08',
    '\x7f',
    '\u202e txt.exe',
    '\u2066a\u2069',
    '\ufeff',
  ],
  ...['"', '\\', '\\n', "'", ' level=error message=forged', 'a="b" c', '{"level":"error"}', '\ud800', '}\n{'],
];

const render = (format: 'text' | 'json', fields: LogFields): string => {
  const lines: string[] = [];
  createLogger({ level: 'debug', format, write: (line) => lines.push(line) }).info('request', fields);
  expect(lines).toHaveLength(1);
  return lines[0] as string;
};

/** A value on every way into a line. */
const fieldsOf = (value: string): LogFields => ({
  text: value,
  error: Object.assign(new Error(value, { cause: new Error(value) }), { name: value }),
  inner: { value, list: [value] },
});

describe.each(['text', 'json'] as const)('a line of the log, as %s,', (format) => {
  it.each(HOSTILE)('is one line with nothing to obey in it: %j', (value) => {
    const line = render(format, fieldsOf(value));
    expect(line.slice(0, -1)).not.toMatch(OBEYED);
    expect(line.endsWith('\n')).toBe(true);
    expect(line.split(' error forged')[0]).toContain('request');
  });

  it('is one line whatever is in it', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        expect(render(format, fieldsOf(value)).slice(0, -1)).not.toMatch(OBEYED);
      }),
      { seed: 7 },
    );
  });
});

describe('a line of the log as JSON', () => {
  it.each(HOSTILE)('says what it was given: %j', (value) => {
    const { text, inner } = JSON.parse(render('json', fieldsOf(value)));
    expect([text, inner]).toEqual([value, { value, list: [value] }]);
  });
});

it('fields of a text line cannot be forged', () => {
  const line = render('text', { org: 'a level=error user=root', user: 'x' });
  expect(line).toMatch(/ org="a level=error user=root" user=x\n$/);
});
