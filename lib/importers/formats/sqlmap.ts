import { z } from 'zod';
import { type Importer, readList } from '../importer.ts';
import { addressIdentity, resultsOf, shownAddress } from '../kinds/issues.ts';
import { hasColumns, rowsWith } from '../read/report.ts';
import { fields, requiredText, text } from '../read/schema.ts';
import { inlineCode } from '../text/markdown.ts';

const Row = z.object({
  'Target URL': requiredText,
  ...fields(text, 'Place', 'Parameter', 'Technique(s)', 'Note(s)'),
});

const COLUMNS = ['Target URL', 'Place', 'Parameter', 'Technique(s)'];

const TECHNIQUES = new Map(
  Object.entries({
    B: 'boolean-based blind',
    E: 'error-based',
    U: 'UNION query',
    S: 'stacked queries',
    T: 'time-based blind',
    Q: 'inline query',
  }),
);

/** The CSV that sqlmap writes for several targets. */
export const sqlmap: Importer = {
  name: 'sqlmap',
  about: {
    tool: '[sqlmap](https://sqlmap.org)',
    command: '`sqlmap -m targets.txt --batch --results-file report.csv`',
    versions: 'the report names no version',
    identity: 'address, names of the query parameters, place, parameter',
    severity: 'high: sqlmap rates nothing',
  },

  detects: (report) => hasColumns(report, ...COLUMNS),

  results(report, context) {
    const rows = readList(Row, rowsWith(report, COLUMNS), 'rows', context);
    return resultsOf(
      'sqlmap',
      rows
        // sqlmap also lists targets without an injection, with a note.
        .filter(({ Parameter: parameter }) => parameter?.trim())
        .map(
          ({
            'Target URL': url,
            Place: place,
            Parameter: parameter,
            'Technique(s)': letters,
            'Note(s)': note,
          }) => ({
            identity: [addressIdentity(url), place, parameter],
            title: `SQL injection (${shownAddress(url)}, ${parameter})`,
            rule_id: 'sql-injection',
            severity: 'high' as const,
            facts: {
              Place: place,
              Parameter: parameter,
              Techniques: [...(letters ?? '')].map((letter) => TECHNIQUES.get(letter) ?? letter).join(', '),
              Note: note,
            },
            places: [inlineCode(`${place ?? ''} ${shownAddress(url)}`)],
            fix: 'Use parameterized queries.',
            cwe: 'CWE-89',
          }),
        ),
      context,
    );
  },
};
