import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { importers } from '../lib/importers/formats/index.ts';
import type { Split } from '../lib/importers/importer.ts';

/* Writes the table of docs/formats.md; with --check it fails if the table is out of date. */

const DOCUMENT = resolve(import.meta.dirname, '../docs/formats.md');
const [START, END] = ['<!-- generated: npm run formats:generate -->', '<!-- end -->'];

const rows = importers
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  .map(({ name, about: { tool, command, versions, identity, severity } }) =>
    ['', `\`${name}\``, tool, command, versions, identity, severity, ''].join(' | ').trim(),
  );
const table = [
  '| Format | Tool | How to write the report | Versions tried | What identifies a finding | Severity |',
]
  .concat('|---|---|---|---|---|---|', rows)
  .join('\n');

/** The layouts of a format that are read in parts if they are large. */
const layoutsOf = ({ json, documents, xml, csv }: Split) =>
  [json && 'JSON', documents && 'JSON lines', xml && 'XML', csv && 'CSV'].filter(Boolean).join(', ');

const large = importers
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  .flatMap(({ name, split }) => (split ? [`\`${name}\` (${layoutsOf(split)})`] : []));

const current = readFileSync(DOCUMENT, 'utf8');
const [before = '', rest = ''] = current.split(START);
const [, after = ''] = rest.split(END);
const document = `${before}${START}\n\n${table}\n\nRead in parts [above 256 MB](#large-reports): ${large.join(', ')}.\n\n${END}${after}`;

if (!process.argv.includes('--check')) writeFileSync(DOCUMENT, document);
else if (document !== current) {
  process.stderr.write('docs/formats.md is out of date: npm run formats:generate\n');
  process.exitCode = 1;
}
