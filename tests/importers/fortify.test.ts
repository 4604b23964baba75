import fc from 'fast-check';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { ReportError } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { context, imported, own, RUNS } from '../support/importers/importers.ts';

const scan = own('code/fortify.fvdl');
const audit = own('code/fortify-audit.xml');

/** An FPR file: a ZIP archive. */
const archive = (files: Record<string, string | Uint8Array>) =>
  zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        name,
        typeof content === 'string' ? strToU8(content) : content,
      ]),
    ),
  );

describe('fortify: FVDL', () => {
  const [injection, password, debug] = imported(scan);

  it('converts vulnerabilities completely', () => {
    expect(injection).toEqual({
      fingerprint: expect.stringMatching(/^fortify:[0-9a-f]{64}$/),
      title: 'SQL Injection',
      severity: 'critical',
      description: [
        'The call to query\\<T>() executes input.',
        '- **Location:** `server/src/Orders.java:17`\n- **Kingdom:** `Input Validation`\n- **Function:** `Orders.find`',
        '**Where**',
        'Data flow:\n\n1. `server/src/Web.java:9` `Read request`\n2. `server/src/Orders.java:17` `query(sql)`',
        '```\n  String sql = "select " + name;\n  query(sql);\n```',
        '**Fix**',
        'Use parameters.',
        'Do not concatenate.',
      ].join('\n\n'),
      cwe: 'CWE-89',
      file: 'server/src/Orders.java',
      line: 17,
      source: 'fortify',
      rule_id: 'SQL Injection',
    });
  });

  it('rates by impact and likelihood, or by the severity of the instance', () => {
    expect(password).toMatchObject({ title: 'Password Management: Hardcoded Password', severity: 'high' });
    expect(debug?.severity).toBe('low');
  });
});

describe('fortify: XML report', () => {
  it('converts issues once, although two sections list them', () => {
    const { findings, skipped } = importReport(own('code/fortify.xml'), context);
    expect(findings).toMatchObject([
      { title: 'SQL Injection', severity: 'critical', file: 'src/Orders.java', line: 17 },
    ]);
    expect(findings[0]?.description).toContain(
      '1. `src/Web.java:9` `read()`\n2. `src/Orders.java:17` `query()`',
    );
    expect(findings[0]?.description).toContain('**Fix**\n\nUse parameters.');
    expect(skipped).toEqual({ 'they are audited as “Not an Issue”': 1 });
  });
});

describe('fortify: FPR', () => {
  it('applies the decisions of the audit', () => {
    const { format, findings, skipped } = importReport(
      archive({ 'audit.fvdl': scan, 'audit.xml': audit, 'src-archive/0': 'class Orders {}' }),
      context,
    );
    expect(format).toBe('fortify');
    expect(findings).toMatchObject([{ title: 'SQL Injection' }]);
    expect(skipped).toEqual({
      'they are audited as “Not an Issue”': 1,
      'they are suppressed in Fortify': 1,
    });
  });

  it('imports an archive without an audit, or with a damaged one', () => {
    expect(importReport(archive({ 'audit.fvdl': scan }), context).findings).toHaveLength(3);
    const { findings, warnings } = importReport(archive({ 'audit.fvdl': scan, 'audit.xml': '<x' }), context);
    expect(findings).toHaveLength(3);
    expect(warnings).toEqual([expect.stringMatching(/^The audit cannot be read: /)]);
  });

  it('refuses a ZIP bomb before it unpacks it', () => {
    const bomb = archive({ 'audit.fvdl': new Uint8Array(32 * 1024 * 1024) });
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    expect(() => importReport(bomb, context)).toThrow(
      /^audit\.fvdl is too large: 33554432 bytes, packed in \d+$/,
    );
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
    const small = archive({ 'audit.fvdl': scan, 'audit.xml': new Uint8Array(8 * 1024 * 1024) });
    expect(() => importReport(small, context)).toThrow(/^audit\.xml is too large: 8388608 bytes/);
  });

  it('unpacks no more than the archive says', () => {
    const lying = archive({ 'audit.fvdl': new Uint8Array(32 * 1024 * 1024) });
    const view = new DataView(lying.buffer, lying.byteOffset);
    // The size in the central directory, whose entry starts with PK 1 2.
    const entry = lying.findLastIndex(
      (_, at) => view.byteLength - at >= 46 && view.getUint32(at) === 0x504b0102,
    );
    view.setUint32(entry + 24, 1000, true);
    const before = process.memoryUsage().arrayBuffers;
    expect(() => importReport(lying, context)).toThrow(ReportError);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 * 1024 * 1024);
  });

  it('refuses archives that are no reports', () => {
    const other = archive({ 'a.txt': 'x' });
    expect(() => importReport(other, context)).toThrow(/not recognized/);
    expect(() => importReport(other, context, { format: 'bandit' })).toThrow(
      'The archive has no report of bandit',
    );
  });

  it('handles damaged archives', () => {
    const whole = archive({ 'audit.fvdl': scan, 'audit.xml': audit });
    const change = fc.record({ at: fc.nat(whole.length - 1), value: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), fc.nat(whole.length), (changes, end) => {
        const bytes = whole.slice(0, end % 3 === 0 ? end : whole.length);
        for (const { at, value } of changes) bytes[at] = value;
        try {
          importReport(bytes, context);
        } catch (error) {
          if (!(error instanceof ReportError)) throw error;
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('reads bytes of text in UTF-8 and UTF-16', () => {
    const report = own('code/gosec.json');
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(report, 'utf16le')]);
    for (const bytes of [Buffer.from(report), utf16])
      expect(importReport(bytes, context)).toEqual(importReport(report, context));
  });
});
