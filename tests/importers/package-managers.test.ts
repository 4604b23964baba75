import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, fingerprints, imported, own } from '../support/importers/importers.ts';

const report = (file: string) => own(`dependencies/package-managers/${file}`);
const result = (file: string) => importReport(report(file), context);

/** The findings of a package of a monorepo. */
const inFolder = (file: string, pathPrefix: string) =>
  importReport(report(file), { ...context, pathPrefix }).findings;

describe.each([
  'pnpm-audit.json',
  'yarn-audit-1.jsonl',
  'bundler-audit.json',
  'composer-audit.json',
  'cargo-audit.json',
])('%s', (file) => {
  it('has other findings for each package of a monorepo', () => {
    const [api, web] = [inFolder(file, 'packages/api'), inFolder(file, 'packages/web')];
    expect(api[0]?.file).toMatch(/^packages\/api\/[\w.-]+$/);
    for (const fingerprint of fingerprints(web)) expect(fingerprints(api)).not.toContain(fingerprint);
  });
});

describe('pnpm-audit', () => {
  it('converts advisories completely', () => {
    const { findings, skipped } = result('pnpm-audit.json');
    // JSON objects list numeric names in their order.
    expect(findings.find(({ severity }) => severity === 'medium')).toEqual({
      fingerprint: expect.stringMatching(/^pnpm-audit:[0-9a-f]{64}$/),
      title: 'GHSA-aaaa-bbbb-cccc in example-parser 1.2.3: Slow parser',
      severity: 'medium',
      description: [
        'It is **slow**.',
        [
          '- **Package:** `example-parser`',
          '- **Installed version:** `1.2.3`',
          '- **Aliases:** `CVE-2026-20001`',
          '- **Vulnerable versions:** `<1.2.4`',
          '- **Fixed version:** `>=1.2.4`',
        ].join('\n'),
        '**Where**\n\n```\n.>example-parser\npackages__api>web>example-parser\n```',
        '**Fix**\n\nUpgrade to 1.2.4',
        '**References**\n\n- <https://github.example.com/advisories/GHSA-aaaa-bbbb-cccc>\n- <https://github.example.com/parser/issues/7>',
      ].join('\n\n'),
      cwe: 'CWE-1333',
      cve: 'CVE-2026-20001',
      cvss_score: 7.5,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H',
      file: 'pnpm-lock.yaml',
      source: 'pnpm-audit',
      rule_id: 'GHSA-aaaa-bbbb-cccc',
    });
    expect(skipped).toEqual({ 'muted in pnpm': 1 });
  });

  it('identifies an advisory by its GHSA id, because its number changes', () => {
    const renumbered = report('pnpm-audit.json').replaceAll('1096465', '1');
    expect(fingerprints(imported(renumbered)).sort()).toEqual(
      fingerprints(imported(report('pnpm-audit.json'))).sort(),
    );
  });
});

describe('yarn-audit', () => {
  it('has a finding for each advisory, with all paths', () => {
    const { findings, warnings } = result('yarn-audit-1.jsonl');
    const [parser, other] = findings;
    expect(parser).toMatchObject({
      severity: 'high',
      cwe: 'CWE-1333',
      cve: 'CVE-2026-20001',
      file: 'yarn.lock',
    });
    expect(parser?.description).toContain('```\nweb>example-parser\napi>example-parser\n```');
    expect(other?.title).toBe('Prototype pollution in other 0.1: Prototype pollution');
    expect(warnings).toEqual(['package.json: No license field']);
  });

  it('imports deprecations as Yarn rates them', () => {
    expect(result('yarn-audit-4.jsonl').findings[1]).toMatchObject({
      title: 'Deprecation in old-plugin 7.18.6: Use new-plugin instead',
      severity: 'medium',
    });
  });

  it('refuses a report that has errors only', () => {
    const failed = '{"type":"error","data":"Registry not reachable"}\n{"type":"info","data":"Bye"}';
    expect(() => imported(failed)).toThrow('yarn audit failed: Registry not reachable');
  });

  it('reports a missing lock file', () => {
    const bare = '{"type":"info","data":"No lockfile found."}\n{"type":"auditSummary","data":{}}';
    expect(importReport(bare, context)).toMatchObject({ findings: [], errors: ['No lockfile found.'] });
  });

  it('accepts the layout of Yarn 2 and 3', () => {
    const { findings } = importReport(report('pnpm-audit.json'), context, { format: 'yarn-audit' });
    expect(findings.map(({ file }) => file)).toEqual(['yarn.lock', 'yarn.lock']);
  });
});

describe('bundler-audit', () => {
  it('converts advisories completely', () => {
    expect(result('bundler-audit.json').findings[0]).toEqual({
      fingerprint: expect.stringMatching(/^bundler-audit:[0-9a-f]{64}$/),
      title: 'CVE-2026-20001 in rack 1.6.13: Directory traversal in Rack',
      severity: 'high',
      description: [
        'It reads \\<any> file.',
        [
          '- **Package:** `rack`',
          '- **Installed version:** `1.6.13`',
          '- **Aliases:** `GHSA-aaaa-bbbb-cccc`',
          '- **Fixed version:** `~> 2.1.3, >= 2.2.0`',
          '- **Severity:** `high`',
        ].join('\n'),
        '**Fix**\n\nUpgrade `rack` to `~> 2.1.3` or `>= 2.2.0`.',
        '**References**\n\n- <https://groups.example.com/7>',
      ].join('\n\n'),
      cve: 'CVE-2026-20001',
      cvss_score: 8.6,
      file: 'Gemfile.lock',
      source: 'bundler-audit',
      rule_id: 'CVE-2026-20001',
    });
  });

  it('reads the text output, with the same fingerprints', () => {
    const [source, rack, sprockets] = result('bundler-audit.txt').findings;
    const [json, jsonSource] = fingerprints(result('bundler-audit.json').findings);
    expect([rack?.fingerprint, source?.fingerprint]).toEqual([json, jsonSource]);
    expect(sprockets).toMatchObject({ severity: 'medium', cve: 'CVE-2026-20002' });
    expect(sprockets?.description).toContain('No fixed version is known.');
  });

  it('does not read other text', () => {
    for (const format of [undefined, 'bandit', 'pnpm-audit'])
      expect(() => imported('Error: no such file', format)).toThrow(
        'The report is neither JSON, XML nor CSV',
      );
    expect(() => imported('Error: no such file', 'bundler-audit')).toThrow('not written by bundle audit');
  });
});

describe('composer-audit', () => {
  it('converts advisories completely', () => {
    const { findings, skipped } = result('composer-audit.json');
    expect(findings).toMatchObject([
      {
        title: 'PKSA-aaaa-bbbb-cccc in example/parser: Slow <parser>',
        severity: 'high',
        description: [
          'Slow \\<parser>',
          '- **Package:** `example/parser`\n- **Aliases:** `CVE-2026-20001, GHSA-aaaa-bbbb-cccc`\n- **Vulnerable versions:** `<1.2.4`',
          '**References**\n\n- <https://github.example.com/advisories/GHSA-aaaa-bbbb-cccc>',
        ].join('\n\n'),
        cve: 'CVE-2026-20001',
        file: 'composer.lock',
      },
      { title: 'PKSA-dddd-eeee-ffff in example/other: Other', severity: 'medium' },
    ]);
    expect(skipped).toEqual({ 'ignored in composer.json': 1, 'abandoned packages are not vulnerable': 1 });
  });
});

describe('cargo-audit', () => {
  it('converts advisories completely', () => {
    const { findings, skipped } = result('cargo-audit.json');
    expect(findings).toMatchObject([
      {
        title: 'RUSTSEC-2026-0001 in example-parser 1.2.3: Slow parser',
        severity: 'high',
        description: [
          'It is **slow**.',
          [
            '- **Package:** `example-parser`',
            '- **Installed version:** `1.2.3`',
            '- **Aliases:** `CVE-2026-20001, GHSA-aaaa-bbbb-cccc`',
            '- **Fixed version:** `^1.1.9, >=1.2.4`',
            '- **Category:** `denial-of-service`',
          ].join('\n'),
          '**Fix**\n\nUpgrade `example-parser` to `^1.1.9` or `>=1.2.4`.',
          '**References**\n\n- <https://rustsec.org/advisories/RUSTSEC-2026-0001.html>\n- <https://github.example.com/parser/issues/7>',
        ].join('\n\n'),
        cve: 'CVE-2026-20001',
        cvss_score: 7.5,
        file: 'Cargo.lock',
      },
      { title: 'RUSTSEC-2026-0002 in example-pool 0.1.0: Data race', severity: 'high' },
    ]);
    expect(skipped).toEqual({
      'cargo audit only warns: unmaintained': 1,
      'cargo audit only warns: yanked': 2,
    });
  });
});
