import { describe, expect, it } from 'vitest';
import { genericJson } from '../../lib/importers/formats/generic-json.ts';
import { importReport } from '../../lib/importers/index.ts';
import { context, fingerprints, imported, own } from '../support/importers/importers.ts';

describe('generic-json', () => {
  const report = own('generic/findings.json');
  const change = (edit: (findings: Record<string, unknown>[]) => unknown) => {
    const document = JSON.parse(report);
    const findings = edit(document.findings) ?? document.findings;
    return imported(JSON.stringify({ ...document, findings }));
  };

  it('converts findings completely', () => {
    const [injection, parser, errors] = imported(report);
    expect(injection).toEqual({
      fingerprint: expect.stringMatching(/^generic:[0-9a-f]{64}$/),
      title: 'SQL injection in the order search',
      severity: 'critical',
      description: [
        'The parameter `q` reaches the database, e.g. with password=********',
        '- **Location:** `src/orders/search.ts:42`\n- **Tags:** `pentest, 2026`',
        '**Where**',
        '- `https://shop.example.com/orders?q=1`\n- `https://api.example.com:8443/orders`',
        '**Fix**',
        'Use parameters.',
        '**Details**',
        'All orders can be read.',
        '**References**',
        '- <https://owasp.org/www-community/attacks/SQL_Injection>',
      ].join('\n\n'),
      cwe: 'CWE-89',
      cvss_score: 9.8,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      file: 'src/orders/search.ts',
      line: 42,
      source: 'Example Pentest',
    });
    expect(parser).toMatchObject({ severity: 'high', cve: 'CVE-2026-11111' });
    expect(parser?.description).toContain('Upgrade `example-parser` to `1.2.4`.');
    expect(parser?.line).toBeUndefined();
    // Without a severity the score rates it.
    expect(errors).toMatchObject({ severity: 'medium', cvss_score: 5.3 });
  });

  it('counts findings that are no problem, and names fields that it ignores', () => {
    const { skipped, warnings } = importReport(report, context);
    expect(skipped).toEqual({ 'they are marked as false positives': 1, 'they are marked as fixed': 1 });
    expect(warnings).toEqual(['Fields without a meaning are ignored: invented_field']);
  });

  it('keeps the fingerprint of an id when everything else changes', () => {
    const [before] = imported(report);
    const [after] = change(([first]) => [{ ...first, title: 'SQLi', line: 50, severity: 'Low' }]);
    expect(after?.fingerprint).toBe(before?.fingerprint);
  });

  it('distinguishes findings without an id by title, component, CWE and endpoint', () => {
    const same = { title: 'A', severity: 'Low', description: 'x' };
    const findings = change(() => [
      same,
      { ...same, component_name: 'b' },
      { ...same, cwe: 79 },
      { ...same, endpoints: ['https://example.com'] },
      { ...same, file_path: 'a.ts' },
      { ...same, file_path: 'a.ts', line: 4 },
    ]);
    expect(new Set(fingerprints(findings)).size).toBe(6);
    // Severity, texts and versions are not identity.
    const [again] = change(() => [{ ...same, severity: 'High', description: 'y', component_version: '2' }]);
    expect(again?.fingerprint).toBe(findings[0]?.fingerprint);
  });

  it('has the rule of a finding, which does not identify it', () => {
    const withField = (name: string) =>
      change(() => ['a', 'b'].map((value) => ({ title: 'A', severity: 'Low', [name]: value })));
    const ruled = withField('rule_id');
    expect(ruled.map(({ rule_id }) => rule_id)).toEqual(['a', 'b']);
    // As in releases that ignored the field.
    expect(fingerprints(ruled)).toEqual(fingerprints(withField('invented_id')));
    const [named, long] = change(() =>
      [' own \n rule', 'x'.repeat(300)].map((rule_id) => ({ title: 'A', severity: 'Low', rule_id })),
    );
    expect([named?.rule_id, long?.rule_id]).toEqual(['own rule', `${'x'.repeat(254)}…`]);
  });

  it('takes fingerprints and sources of pushed findings as they are', () => {
    const [debug, cipher] = imported(own('generic/pushed.jsonl'));
    expect(debug).toEqual({
      fingerprint: 'acme-audit:1',
      title: 'Debug mode is on',
      severity: 'medium',
      description: '**DEBUG** is set.\n\n- **Location:** `settings/prod.py:3`',
      cwe: 'CWE-489',
      file: 'settings/prod.py',
      line: 3,
      source: 'acme-audit',
    });
    expect(cipher).toMatchObject({ previous_fingerprints: ['acme-audit:old'], cvss_score: 5.9 });
  });

  it('records a finding without a title, and imports the others', () => {
    const { findings, errors } = importReport(
      JSON.stringify({ findings: [{ title: 'A', severity: 'Low' }, { severity: 'Low' }] }),
      context,
    );
    expect(findings).toHaveLength(1);
    expect(errors).toEqual([expect.stringMatching(/^A result cannot be read: .* at findings\.1\.title$/)]);
  });

  it('does not take the reports of other tools', () => {
    const finding = {
      findingArn: 'arn:1',
      awsAccountId: '1',
      type: 'x',
      inspectorScore: 1,
      firstObservedAt: 1,
    };
    for (const foreign of [
      { findings: [{ title: 'A', severity: 'HIGH', description: 'x', ...finding }] },
      { findings: [], project: {} },
      [{ title: 'A', severity: 'high', plugin: 'x' }],
    ])
      expect(genericJson.detects({ kind: 'json', documents: [foreign] })).toBe(false);
  });
});

describe('generic-csv', () => {
  const report = own('generic/findings.csv');

  it('converts rows', () => {
    const [login, admin, listing] = imported(report);
    expect(login).toMatchObject({
      title: 'Missing header X-Frame-Options',
      severity: 'low',
      cwe: 'CWE-1021',
    });
    expect(login?.description).toContain('- `https://shop.example.com/login`');
    expect(login?.fingerprint).not.toBe(admin?.fingerprint);
    expect(listing?.severity).toBe('medium');
  });

  it('imports inactive findings with a warning, and skips false positives', () => {
    const { warnings, skipped } = importReport(report, context);
    expect(warnings).toEqual(['Imported although they are marked as inactive: 1']);
    expect(skipped).toEqual({ 'they are marked as false positives': 1 });
  });

  it('reads a table with other columns only on request', () => {
    const table = 'Title,Severity,Owner\nWeak password,High,someone';
    expect(() => imported(table)).toThrow(/not recognized/);
    expect(imported(table, 'generic-csv')).toMatchObject([{ title: 'Weak password', severity: 'high' }]);
  });

  it('needs a column for the title', () => {
    expect(() => imported('Name,Severity\nA,High', 'generic-csv')).toThrow('The table has no column “title”');
  });
});

describe('an export of this service', () => {
  const finding = (changes: object) => ({
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    last_scan_id: 's1',
    fingerprint: 'gosec:1',
    title: 'G104: Errors unhandled.',
    severity: 'low',
    source: 'gosec',
    status: 'open',
    seen_count: 2,
    ...changes,
  });
  const all = [finding({}), finding({ fingerprint: 'gosec:2', status: 'false_positive' })];
  const csv = [Object.keys(finding({})), ...all.map(Object.values)].map((row) => row.join()).join('\n');

  it.each([
    ['a list', JSON.stringify(all), 'generic-json'],
    ['the answer of a list', JSON.stringify({ success: true, request_id: 'r', result: all }), 'generic-json'],
    ['CSV', `\ufeff${csv}`, 'generic-csv'],
  ])('keeps title, source and fingerprint, and takes over no decisions: %s', (_, report, format) => {
    const read = importReport(report, context);
    expect(read).toMatchObject({
      format,
      warnings: [],
      skipped: { 'they have the status false_positive': 1 },
    });
    expect(read.findings).toMatchObject([
      { title: 'G104: Errors unhandled.', source: 'gosec', fingerprint: 'gosec:1' },
    ]);
  });
});
