import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, fingerprints, imported, own, RUNS } from '../support/importers/importers.ts';

const report = (file: string) => own(`secrets/${file}`);
const result = (file: string) => importReport(report(file), context);

it.each(['trufflehog.jsonl', 'trufflehog-2.jsonl', 'noseyparker.jsonl'])(
  '%s keeps its fingerprints when the last place of a secret is removed',
  (file) => {
    const all = fingerprints(imported(report(file)));
    const left = report(file).trim().split('\n').slice(0, -1);
    for (const fingerprint of fingerprints(imported(left.join('\n')))) expect(all).toContain(fingerprint);
  },
);

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
      rule_id: 'AWS Access Key',
    });
    expect(findings[1]).toMatchObject({ severity: 'high', line: 7 });
    expect(skipped).toEqual({ 'the audit says that it is no secret': 1 });
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
});
