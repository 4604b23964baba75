import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { parseReport } from '../../lib/importers/read/parse.ts';
import { context, fingerprints, imported, own } from '../support/importers/importers.ts';

const REPORT = own('govulncheck.jsonl');

const messages = (text = REPORT) => {
  const report = parseReport(text);
  return report.kind === 'json' ? (report.documents as Record<string, unknown>[]) : [];
};

const asStream = (documents: readonly unknown[]) => documents.map((one) => JSON.stringify(one)).join('\n');

const changed = (from: string, to: string) => {
  expect(REPORT).toContain(from);
  return REPORT.replaceAll(from, to);
};

/** The report without the findings that a test on a message says. */
const without = (test: (finding: { osv: string; trace: Record<string, unknown>[] }) => boolean) =>
  asStream(messages().filter((message) => !('finding' in message && test(message.finding as never))));

const YAML = 'GO-2026-9001';

describe('govulncheck', () => {
  const findings = imported(REPORT);
  const [called, unknown] = findings;

  it('has one finding for each advisory and module, about the called symbols', () => {
    expect(findings).toHaveLength(2);
    expect(called).toEqual({
      fingerprint: expect.stringMatching(/^govulncheck:[0-9a-f]{64}$/),
      previous_fingerprints: [expect.stringMatching(/^govulncheck:[0-9a-f]{64}$/)],
      title: 'GO-2026-9001 in example.com/yaml v1.2.0 (called): Unbounded recursion in example.com/yaml',
      severity: 'high',
      description: [
        'Unbounded recursion in example.com/yaml',
        '- **Module:** `example.com/yaml`\n- **Installed version:** `v1.2.0`\n- **Fixed version:** `v1.2.1`\n- **Packages:** `example.com/yaml/parse`\n- **Use:** `the code calls vulnerable symbols`\n- **Called at:** `settings/settings.go:17`\n- **Aliases:** `CVE-2026-10006, GHSA-aaaa-bbbb-cccc`',
        '**Where**\n\n```\nparse.Parser.Document called at settings/settings.go:17\n```',
        '```\ncmd/main.go:9 cmd.main\nsettings/settings.go:17 settings.Read\nparse/parser.go:40 parse.Parser.Document\n```',
        '**Fix**\n\nUpgrade `example.com/yaml` to `v1.2.1`, or later.',
        '**Details**\n\nA nested document *exhausts* the stack.',
        '**References**\n\n- <https://pkg.go.dev/vuln/GO-2026-9001>\n- <https://example.com/yaml/fix>',
      ].join('\n\n'),
      cve: 'CVE-2026-10006',
      cwe: undefined,
      cvss_score: undefined,
      cvss_vector: undefined,
      file: 'settings/settings.go',
      line: 17,
      source: 'govulncheck',
      rule_id: 'GO-2026-9001',
    });
  });

  it('lists every called symbol', () => {
    const [message] = messages().filter((one) => JSON.stringify(one).includes('"Document"'));
    const other = JSON.parse(JSON.stringify(message).replace('"Document"', '"Stream"'));
    const [both] = imported(asStream([...messages(), other]));
    expect(both?.description).toContain(
      'parse.Parser.Document called at settings/settings.go:17\nparse.Parser.Stream called at settings/settings.go:17',
    );
    expect(both?.fingerprint).toBe(called?.fingerprint);
  });

  it('rates by use', () => {
    const [imports] = imported(without(({ trace: [frame] }) => Boolean(frame?.function)));
    expect(imports).toMatchObject({ severity: 'low', file: undefined });
    expect(imports?.description).toContain('imported, none of its vulnerable symbols is called');
    const [required] = imported(without(({ trace: [frame] }) => Boolean(frame?.package)));
    expect(required).toMatchObject({ severity: 'info' });
    expect(required?.description).toContain('required, none of its vulnerable packages is imported');
    expect(unknown).toMatchObject({
      title: 'GO-2026-9003 in stdlib v1.24.4 (imported)',
      severity: 'low',
    });
    expect(unknown?.description).toContain('Build with Go 1.24.6 or later.');
  });

  it('rates as medium what a quick scan cannot tell', () => {
    const quick = changed('"scan_level": "symbol"', '"scan_level": "package"');
    expect(imported(quick)[1]).toMatchObject({ severity: 'medium' });
  });

  it('rates malicious modules as critical, called or not', () => {
    const [malicious] = imported(changed('"CVE-2026-10006"', '"MAL-2026-1"'));
    expect(malicious).toMatchObject({ severity: 'critical', cwe: 'CWE-506' });
  });

  it('ignores an optional field of another type, and uses a word as the rating', () => {
    const text = changed(
      '"summary": "Unbounded',
      '"severity": "Low", "references": 7, "summary": "Unbounded',
    );
    expect(imported(text)).toHaveLength(2);
    expect(imported(text)[0]).toMatchObject({ severity: 'low' });
  });

  it('does not transfer the decision on code that is not called to code that is', () => {
    const [imports] = imported(without(({ trace: [frame] }) => Boolean(frame?.function)));
    expect(imports?.title).toContain(YAML);
    expect(imports?.fingerprint).not.toBe(called?.fingerprint);
    expect(called?.previous_fingerprints).not.toContain(imports?.previous_fingerprints?.[0]);
  });

  it('keeps the scanned modules of a repository apart, and two runs in one file', () => {
    const other = changed('"example.com/shop"', '"example.com/office"');
    expect(fingerprints(imported(other))).not.toContain(called?.fingerprint);
    expect(imported(`${REPORT}\n${other}`)).toHaveLength(4);
    // Before 1.1, the report does not name the scanned module.
    const nameless = asStream(messages().filter((message) => !('SBOM' in message)));
    const inFolder = (pathPrefix: string) =>
      fingerprints(importReport(nameless, { ...context, pathPrefix }).findings)[0];
    expect(inFolder('shop')).not.toBe(inFolder('office'));
  });

  it('names the line of go.mod that requires the module', () => {
    const required = without(({ trace: [frame] }) => Boolean(frame?.package));
    const linesOf = (path: string) =>
      path === 'go.mod' ? ['module example.com/shop', '', 'require example.com/yaml v1.2.0'] : undefined;
    expect(importReport(required, { ...context, pathPrefix: 'go', linesOf }).findings[0]).toMatchObject({
      file: 'go/go.mod',
      line: 3,
    });
  });

  it.each([
    ['without its database', ['Fetching vulnerabilities from the database...'], 'after “Fetching'],
    ['with code that does not compile', [], 'govulncheck stopped: '],
  ])('reports a run that failed %s', (_, progress, reason) => {
    const text = asStream([
      ...messages().slice(0, 2),
      ...progress.map((message) => ({ progress: { message } })),
    ]);
    const { findings, errors } = importReport(text, context);
    expect(findings).toEqual([]);
    expect(errors).toEqual([expect.stringContaining(reason)]);
  });

  it.each([
    [
      '1.1',
      ['Fetching vulnerabilities from the database...', 'Checking the code against the vulnerabilities...'],
    ],
    ['1.0', ['Scanning your code and 0 packages across 0 dependent modules for known vulnerabilities...']],
  ])('has no findings and no errors if version %s found nothing', (_, progress) => {
    const text = asStream([
      ...messages().slice(0, 1),
      ...progress.map((message) => ({ progress: { message } })),
    ]);
    expect(importReport(text, context)).toMatchObject({ format: 'govulncheck', findings: [], errors: [] });
  });

  it('imports messages in an array', () => {
    expect(imported(JSON.stringify(messages()))).toEqual(findings);
  });

  it('imports the layout before 1.0', () => {
    const { findings, errors } = importReport(own('dependencies/govulncheck-0.1.json'), context);
    expect(errors).toEqual([]);
    expect(findings).toMatchObject([
      {
        title: expect.stringMatching(/^GO-2026-9001 in stdlib v1\.18\.1 \(called\)/),
        severity: 'high',
        file: 'main.go',
        line: 22,
      },
      {
        title: expect.stringMatching(/^GO-2026-9002 in example\.com\/yaml v1\.2\.0 \(required\)/),
        severity: 'info',
      },
    ]);
    expect(findings[0]?.description).toContain('Build with Go 1.18.9 or later.');
    expect(findings[0]?.description).toContain('main.go:22 shop.main');
  });
});
