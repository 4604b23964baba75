import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ReportError } from '../../lib/importers/importer.ts';
import { importReport } from '../../lib/importers/index.ts';
import { damaged } from '../support/importers/formats.ts';
import {
  context,
  expectFindings,
  findingsOfMangled,
  fingerprints,
  imported,
  own,
  RUNS,
} from '../support/importers/importers.ts';

const OWN: [format: string, file: string, count: number][] = [
  ['detect-secrets', 'detect-secrets.json', 2],
  ['trufflehog', 'trufflehog.jsonl', 2],
  ['trufflehog', 'trufflehog-2.jsonl', 3],
  ['trufflehog3', 'trufflehog3.json', 2],
  ['trufflehog3', 'trufflehog3-2.json', 3],
  ['ggshield', 'ggshield.json', 3],
  ['noseyparker', 'noseyparker.jsonl', 3],
];

const report = (file: string) => own(`secrets/${file}`);
const result = (file: string) => importReport(report(file), context);

/** The secrets in the reports, encoded ones, and hashes that would allow guessing them. */
const SECRETS = [
  'AKIAIOSFODNN7EXAMPLE',
  'QUtJQUlPU0ZPRE5ON0VYQU1QTEU',
  'Winter-2026!',
  'Tm90IGEgcHJpdmF0ZSBrZXksIG9ubHkgYW4gZXhhbXBsZQ',
  'bm90IGEgcmVhbCB0b2tlbiwganVzdCBhIHRlc3Q',
  '8a4f2c1d9e7b6a5f4c3d2e1f0a9b8c7d',
  '25910f981e85ca04baf359199dd0bd4a3ae738b6',
  '06b15f1d8c0095386c7bbc4f423f5ec30b41b22b1565a836e55b978202ba569b',
  'AKIA****MPLE',
];

describe.each(OWN)('%s: fixtures/secrets/%s', (format, file, count) => {
  it(`has ${count} findings with distinct fingerprints`, () => {
    expectFindings(report(file), format, count);
  });

  it('contains no secrets', () => {
    const sent = JSON.stringify(imported(report(file)));
    for (const secret of SECRETS) expect(sent).not.toContain(secret);
  });

  it('keeps its fingerprints when lines move and other secrets are removed', () => {
    const all = fingerprints(imported(report(file)));
    const moved = report(file).replaceAll(/("(?:line|line_number|line_start)": ?"?)(\d+)/g, '$11$2');
    expect(fingerprints(imported(moved))).toEqual(all);
    // Without the last place of a secret.
    const lines = report(file).trim().split('\n');
    if (file.endsWith('.jsonl'))
      for (const left of fingerprints(imported(lines.slice(0, -1).join('\n')))) expect(all).toContain(left);
  });

  it('handles damaged reports', () => {
    // Some damaged reports must still be importable.
    expect(findingsOfMangled(damaged(report(file)), format)).toBeGreaterThan(0);
  });

  it('rejects reports of other tools', () => {
    for (const [other, name] of OWN) {
      if (other !== format) expect(() => imported(report(name), format)).toThrow(ReportError);
    }
  });
});

describe('detect-secrets', () => {
  it('converts secrets completely', () => {
    const { findings, skipped } = result('detect-secrets.json');
    expect(findings[0]).toEqual({
      fingerprint: expect.stringMatching(/^detect-secrets:[0-9a-f]{64}$/),
      title: 'Secret (AWS Access Key) in config/prod.env',
      severity: 'critical',
      description: [
        'A secret was found.',
        '- **Rule:** `AWS Access Key`\n- **Location:** `config/prod.env:4`\n- **Verified:** `yes`',
        '**Fix**\n\nRevoke the secret and issue a new one, because the history keeps what was committed. Then remove it from the code.',
      ].join('\n\n'),
      cwe: 'CWE-798',
      file: 'config/prod.env',
      line: 4,
      source: 'detect-secrets',
    });
    expect(findings[1]).toMatchObject({ severity: 'high', line: 7 });
    expect(skipped).toEqual({ 'the audit says that it is no secret': 1 });
  });

  it('distinguishes secrets of a type in a file', () => {
    const other = report('detect-secrets.json').replace('d70eab08', 'e70eab08');
    expect(fingerprints(imported(other))[1]).not.toBe(
      fingerprints(imported(report('detect-secrets.json')))[1],
    );
  });

  it('has no findings if there are no secrets', () => {
    expect(importReport('{"version":"1.5.0","plugins_used":[],"results":{}}', context)).toMatchObject({
      format: 'detect-secrets',
      findings: [],
    });
  });
});

describe('trufflehog', () => {
  it('has one finding for a secret in several commits, and rates verified ones higher', () => {
    const [aws, uri] = result('trufflehog.jsonl').findings;
    expect(aws).toMatchObject({
      title: 'Secret (AWS) in config/prod.env',
      severity: 'critical',
      description: [
        'A secret was found.',
        [
          '- **Rule:** `AWS`',
          '- **Location:** `config/prod.env:4`',
          '- **Verified:** `yes`',
          '- **Source:** `https://git.example.com/shop.git`',
          '- **Date:** `2026-11-01 10:00:00 +0000`',
        ].join('\n'),
        '**Where**\n\n```\nconfig/prod.env:4 in commit 1b6da43\nconfig/prod.env:9 in commit 2c6da43\n```',
        '**Fix**\n\nRevoke the secret and issue a new one, because the history keeps what was committed. Then remove it from the code.',
        '**References**\n\n- <https://howtorotate.example.com/aws>',
      ].join('\n\n'),
      file: 'config/prod.env',
      line: 4,
    });
    expect(uri).toMatchObject({ severity: 'high', line: 2 });
  });

  it('reports errors of the log', () => {
    expect(result('trufflehog.jsonl').errors).toEqual(['failed to scan repository: exit status 128']);
  });

  it('distinguishes the private keys in the diffs of version 2', () => {
    const [key, other, entropy] = result('trufflehog-2.jsonl').findings;
    expect(key?.fingerprint).not.toBe(other?.fingerprint);
    expect(key?.description).toContain('src/key.pem in commit 1b6da43\nsrc/key.pem in commit 3d6da43');
    expect([key?.severity, entropy?.severity]).toEqual(['high', 'medium']);
  });

  it('does not identify a local repository by its path', () => {
    const at = (path: string) =>
      fingerprints(imported(report('trufflehog.jsonl').replaceAll('https://git.example.com/shop.git', path)));
    expect(at('file:///builds/1')).toEqual(at('file:///builds/2'));
    expect(at('https://git.example.com/a')).not.toEqual(at('https://git.example.com/b'));
  });

  it('has no findings if the report is empty', () => {
    expect(importReport('', context, { format: 'trufflehog' }).findings).toEqual([]);
  });

  it('never contains the secret, whatever its context', () => {
    const secret = fc.stringMatching(/^[\x21-\x7e]{6,60}$/).filter((text) => /[^a-z*]/i.test(text));
    const around = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(secret, around, around, (value, before, behind) => {
        const within = `${before}${value}${behind}`;
        const found = {
          SourceMetadata: { Data: { Git: { file: within, commit: 'c', link: within, timestamp: within } } },
          DetectorName: 'X',
          DetectorDescription: within,
          VerificationError: within,
          Raw: value,
        };
        const [finding] = imported(JSON.stringify(found));
        const { fingerprint: _hash, ...sent } = finding ?? {};
        for (const text of Object.values(sent)) expect(String(text)).not.toContain(value);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('trufflehog3', () => {
  it('takes the severity of the rule', () => {
    const [high, low] = result('trufflehog3.json').findings;
    expect(high).toMatchObject({
      title: 'Secret (high-entropy) in docker/Dockerfile',
      severity: 'high',
      line: 3,
    });
    expect(high?.description).toContain('docker/Dockerfile:4 in commit 2c6da43');
    expect(low).toMatchObject({ severity: 'low', line: 9 });
  });
});

describe('ggshield', () => {
  it('rates secrets by their validity, and lists their commits', () => {
    const { findings, skipped } = result('ggshield.json');
    expect(findings.map(({ severity }) => severity)).toEqual(['critical', 'low', 'high']);
    expect(findings[0]?.description).toContain(
      'config/prod.env:4 in commit 1b6da43\nconfig/prod.env:4 in commit 2c6da43',
    );
    expect(skipped).toEqual({ 'excluded in ggshield: IGNORED_MATCH': 1 });
  });

  it('has no findings if there are no incidents', () => {
    const empty = '{"id":"1","type":"path_scan","total_incidents":0,"total_occurrences":0}';
    expect(importReport(empty, context)).toMatchObject({ format: 'ggshield', findings: [] });
  });
});

describe('noseyparker', () => {
  it('has a finding for each file', () => {
    const { findings, skipped } = result('noseyparker.jsonl');
    expect(findings).toMatchObject([
      { title: 'Secret (AWS API Key) in config/prod.env', severity: 'high', line: 4 },
      { title: 'Secret (AWS API Key) in old/prod.env', line: 7 },
      { title: 'Secret (Generic API Key) in app/config.py', line: 16 },
    ]);
    expect(findings[1]?.description).toContain('- **Commit:** `1b6da43`');
    expect(skipped).toEqual({ 'rejected in Nosey Parker': 1 });
  });

  it('has no findings if there are none', () => {
    for (const empty of ['', '[]'])
      expect(importReport(empty, context, { format: 'noseyparker' }).findings).toEqual([]);
  });
});
