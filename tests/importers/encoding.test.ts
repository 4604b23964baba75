import { describe, expect, it } from 'vitest';
import type { Finding } from '../../lib/importers/finding.ts';
import { importReport } from '../../lib/importers/index.ts';
import { importInParts } from '../../lib/importers/parts/index.ts';
import { memoryStore } from '../../lib/reports/memory-store.ts';
import { context } from '../support/importers/importers.ts';

const GUESSED = 'The report is not valid UTF-8 and was read as Windows-1252';

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
const utf16 = (text: string, bigEndian = false, mark = true) => {
  const bytes = Buffer.from(`${mark ? '\uFEFF' : ''}${text}`, 'utf16le');
  return new Uint8Array(bigEndian ? bytes.swap16() : bytes);
};

/** The titles and warnings of a report, imported at once and in parts. */
async function titlesOf(bytes: Uint8Array) {
  const whole = importReport(bytes, context);
  const source = {
    size: bytes.length,
    async *open() {
      for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
    },
  };
  const parts = await importInParts(source, context, { createStore: memoryStore });
  const findings: Finding[] = [];
  for await (const batch of parts.findings()) findings.push(...batch);
  expect(findings).toEqual(whole.findings);
  expect(parts.warnings).toEqual(whole.warnings);
  return { titles: whole.findings.map(({ title }) => title), warnings: whole.warnings };
}

const csv =
  'title,severity,url\nCafé,high,https://a.example/caf\u00e9\nCafé,high,https://a.example/caf\u00e8\n';
const nessus = (declaration: string, host = 'caf\u00e9') =>
  `${declaration}<NessusClientData_v2><Report name="r"><ReportHost name="${host}"><ReportItem pluginID="1" pluginName="${host}" port="0" severity="2"/></ReportHost></Report></NessusClientData_v2>`;

describe('a report that is not UTF-8', () => {
  it('is read as Windows-1252, with a warning: different addresses stay different', async () => {
    const { titles, warnings } = await titlesOf(latin1(csv));
    expect(titles).toEqual(['Café', 'Café']);
    expect(warnings).toEqual([GUESSED]);
  });

  it('is read as Windows-1252 if it consists of JSON lines', async () => {
    const lines = ['é', 'è'].map((char) =>
      JSON.stringify({ title: char, severity: 'high', description: 'x' }),
    );
    expect(await titlesOf(latin1(lines.join('\n')))).toEqual({ titles: ['é', 'è'], warnings: [GUESSED] });
  });

  it.each([
    ['UTF-16 little-endian', utf16(csv)],
    ['UTF-16 big-endian', utf16(csv, true)],
    ['UTF-16 without a byte order mark', utf16(csv, false, false)],
    ['UTF-8 with a byte order mark', new TextEncoder().encode(`\uFEFF${csv}`)],
  ])('%s is recognized', async (_name, bytes) => {
    expect(await titlesOf(bytes)).toEqual({ titles: ['Café', 'Café'], warnings: [] });
  });
});

describe('the encoding that XML declares', () => {
  const declared = (name: string) => `<?xml version="1.0" encoding="${name}"?>`;

  it.each([
    ['ISO-8859-1', latin1(nessus(declared('ISO-8859-1'))), 'café (café)'],
    ['windows-1252', latin1(nessus(`<!-- é -->\n${declared('windows-1252')}`)), 'café (café)'],
    ['UTF-16', utf16(nessus(declared('UTF-16'))), 'café (café)'],
    // “テスト”
    ['Shift_JIS', latin1(nessus(declared('Shift_JIS'), '\u0083e\u0083X\u0083g')), 'テスト (テスト)'],
    ['UTF-16, but it is UTF-8', new TextEncoder().encode(nessus(declared('UTF-16'))), 'café (café)'],
  ])('is used: %s', async (_name, bytes, title) => {
    expect(await titlesOf(bytes)).toEqual({ titles: [title], warnings: [] });
  });

  it('is refused if it is not known', () => {
    expect(() => importReport(latin1(nessus(declared('x-mars'))), context)).toThrow(
      'The encoding “x-mars” of the report is not known: convert it to UTF-8',
    );
  });
});

describe('lines above a report', () => {
  it.each([
    ['sep=;\n', ';'],
    ['"sep=|"\n', '|'],
    ['\uFEFFsep=\t\n', '\t'],
  ])('the separator for Excel: %j', async (line, separator) => {
    const rows = `title${separator}severity${separator}description\nDebug${separator}high${separator}a, b;c\n`;
    expect(await titlesOf(new TextEncoder().encode(line + rows))).toEqual({
      titles: ['Debug'],
      warnings: [],
    });
  });

  it('comments in front of the XML declaration', async () => {
    const report = nessus('<!-- SPDX-License-Identifier: MIT -->\n<!-- x --><?xml version="1.0"?>');
    expect((await titlesOf(new TextEncoder().encode(report))).titles).toHaveLength(1);
  });
});

describe('a report that names no tool', () => {
  it.each(['[]', '[]\n[]\n'])('is imported without one: %j', (report) => {
    expect(importReport(report, context)).toMatchObject({ format: '', findings: [] });
  });

  it('is refused if it is null, unless the tool writes that', () => {
    expect(() => importReport('null', context)).toThrow('The report is null');
    expect(() => importReport('null', context, { format: 'semgrep' })).toThrow(
      'which semgrep does not write',
    );
  });
});
