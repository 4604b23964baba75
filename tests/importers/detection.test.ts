import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importers } from '../../lib/importers/formats/index.ts';
import { FORMATS } from '../../lib/importers/names.ts';
import { parseReport } from '../../lib/importers/read/parse.ts';
import { own } from '../support/importers/importers.ts';

/** Our reports. The audit of Fortify is a part of an archive; edits/ contains several reports in a file. */
const reports = readdirSync(new URL('../fixtures/', import.meta.url), { recursive: true })
  .map((name) => String(name).replaceAll('\\', '/'))
  .filter(
    (name) =>
      /\.(?:jsonl?|sarif|xml|csv|fvdl)$/.test(name) && !/fortify-audit|killed-run|^edits\//.test(name),
  );

describe('recognizing a format', () => {
  it.each(reports)('exactly one importer recognizes %s', (name) => {
    const report = parseReport(own(name));
    expect(importers.filter(({ detects }) => detects(report))).toHaveLength(1);
  });

  it('offers every importer by its name', () => {
    expect([...FORMATS].sort()).toEqual(importers.map(({ name }) => name).sort());
  });
});
