import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, fingerprints, imported, own } from '../support/importers/importers.ts';

const json = own('generic/defectdojo.json');
const csv = own('generic/defectdojo.csv');

describe('the pages of the API', () => {
  const change = (edit: (page: { count: number; results: Record<string, unknown>[] }) => void) => {
    const page = JSON.parse(json);
    edit(page);
    return JSON.stringify(page);
  };

  it('become findings with their place, weakness, component and tool', () => {
    const [injection, parser] = imported(json);
    expect(injection).toEqual({
      fingerprint: expect.stringMatching(/^defectdojo:[0-9a-f]{64}$/),
      title: 'SQL injection in the order search',
      severity: 'critical',
      description: [
        'The parameter `q` reaches the database.',
        '- **Location:** `src/orders/search.ts:42`\n- **Parameter:** `q`\n- **Verified:** `yes`\n- **Tags:** `shop, pci`\n- **Date:** `2026-01-30`',
        '**Where**',
        '- `https://shop.example.com/orders?q=1`',
        '**Fix**',
        'Use parameters.',
        '**Details**',
        'All orders can be read.',
        '**References**',
        '- <https://example.com/advisory>\n- <https://wiki.example.com/sqli>\n- `Finding 101 in DefectDojo`',
      ].join('\n\n'),
      cwe: 'CWE-89',
      cvss_score: 9.8,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      file: 'src/orders/search.ts',
      line: 42,
      source: 'Pen Test',
    });
    expect(parser).toMatchObject({
      severity: 'high',
      cve: 'CVE-2026-11111',
      file: 'package-lock.json',
      source: 'Trivy Scan',
    });
    expect(parser).not.toHaveProperty('cwe', expect.anything());
    for (const part of ['example-parser 1.2.3', 'GHSA-aaaa-bbbb-cccc', 'to `1.2.4`'])
      expect(parser?.description).toContain(part);
  });

  it('count what is settled by reason, and name what is not imported', () => {
    const { skipped, warnings, errors } = importReport(json, context);
    expect(skipped).toEqual({
      'they are marked as false positives': 1,
      'they are marked as duplicates': 1,
      'they are marked as out of scope': 1,
      'their risk is marked as accepted': 1,
      'they are marked as fixed': 1,
    });
    expect(warnings).toEqual([
      'Findings with notes that are not imported: 1',
      'Findings with endpoints that the export names only by id: 1',
      'Imported although they are marked as inactive: 1',
    ]);
    expect(errors).toEqual([]);
    expect(imported(json)[0]?.description).not.toContain('Seen by us');
  });

  it('are incomplete if a page is missing, and complete in a row in one file', () => {
    const [first, second] = [0, 1].map((from) =>
      change((page) => {
        page.results = page.results.slice(from, from === 0 ? 1 : undefined);
      }),
    );
    expect(importReport(first ?? '', context).errors).toEqual([
      'The report has 1 of 7 findings: add the next pages to the file',
    ]);
    const both = importReport(`${first}\n${second}\n`, context);
    expect(both.errors).toEqual([]);
    expect(fingerprints(both.findings)).toEqual(fingerprints(imported(json)));
  });

  it('are recognized without findings, and as a list of findings', () => {
    const empty = change((page) => Object.assign(page, { count: 0, results: [] }));
    expect(importReport(empty, context)).toMatchObject({ format: 'defectdojo', findings: [], errors: [] });
    const list = JSON.stringify(JSON.parse(json).results);
    expect(importReport(list, context).format).toBe('defectdojo');
    expect(fingerprints(imported(list))).toEqual(fingerprints(imported(json)));
  });

  it('give a finding of an older version without is_mitigated as fixed if it has a date', () => {
    const old = change(({ results }) => {
      for (const finding of results) delete finding.is_mitigated;
    });
    expect(importReport(old, context).skipped).toMatchObject({ 'they are marked as fixed': 1 });
  });
});

describe('the identity of a finding', () => {
  it('is the same in the CSV', () => {
    expect(fingerprints(imported(csv))).toEqual(fingerprints(imported(json)));
  });

  it('differs from a finding with the same id in another installation', () => {
    const other = json.replace('2026-01-30T12:43:36', '2025-07-01T09:00:00');
    const [[a, b], [c, d]] = [fingerprints(imported(json)), fingerprints(imported(other))];
    expect([a === c, b === d]).toEqual([false, true]);
  });
});

describe('the CSV', () => {
  it('has line breaks, lists and the tool', () => {
    const [injection, parser] = imported(csv);
    expect(injection).toMatchObject({ cwe: 'CWE-89', line: 42, source: 'Pen Test', severity: 'critical' });
    expect(injection?.description).toContain('database.\n\nIt is not escaped.');
    expect(injection?.description).toContain('- `https://api.example.com:8443/orders`');
    expect(parser).toMatchObject({ cve: 'CVE-2026-11111', source: 'Trivy Scan' });
    expect(parser?.description).not.toContain('...');
    expect(importReport(csv, context).skipped).toEqual({ 'their risk is marked as accepted': 1 });
  });
});
