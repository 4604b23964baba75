import fc from 'fast-check';
import { parseReport } from '../../../lib/importers/read/parse.ts';
import { anyText } from '../any-text.ts';
import { mangled } from './mangle.ts';

/** A report in which parts are removed, changed, exchanged or truncated. */
export function damaged(report: string): fc.Arbitrary<string> {
  const parsed = parseReport(report);
  return parsed.kind === 'json' ? mangled(parsed.documents) : mangledText(report);
}

const NASTY = [
  ...[
    '\0',
    '\ud800',
    '&#0;',
    '&#xD800;',
    '&bogus;',
    ']]>',
    '<!--',
    '<![CDATA[',
    '-1',
    '1e999',
    '"',
    ',',
    '\n\n',
  ],
  ...[
    'constructor',
    '__proto__',
    '../../etc/passwd',
    '```\n<p>',
    'x'.repeat(2000),
    '</p><p>',
    'CVSS:3.1/AV:N',
  ],
];

/** Damages XML, CSV or text: drops, replaces, swaps or truncates the parts between the separators. */
function mangledText(report: string): fc.Arbitrary<string> {
  const tokens = report.split(report.startsWith('<') ? /(<[^>]*>)/ : /([,\n])/);
  const change = fc.record({
    // Even indexes are texts, odd ones are separators. Texts are chosen more often.
    at: fc.oneof(
      { weight: 3, arbitrary: fc.nat((tokens.length - 1) / 2).map((text) => 2 * text) },
      fc.nat(tokens.length - 1),
    ),
    other: fc.nat(tokens.length - 1),
    how: fc.constantFrom('drop', 'replace', 'wrap', 'exchange', 'append'),
    text: fc.oneof(fc.constantFrom(...NASTY), anyText),
  });
  const changed = fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const parts = [...tokens];
    for (const { at, other, how, text } of changes) {
      if (how === 'drop') parts[at] = '';
      if (how === 'replace') parts[at] = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      if (how === 'wrap') parts[at] = `<x>${parts[at]}</x>`;
      if (how === 'exchange') parts[at] = parts[other] ?? '';
      if (how === 'append') parts[at] += text;
    }
    return parts.join('');
  });
  const end = fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, fc.nat());
  return fc
    .tuple(changed, end)
    .map(([text, end]) => (end === null ? text : text.slice(0, end % (text.length + 1))));
}
