import { describe, expect, it } from 'vitest';
import { importers } from '../../lib/importers/formats/index.ts';
import { importReport } from '../../lib/importers/index.ts';
import { parseReport } from '../../lib/importers/read/parse.ts';
import { cvssOf } from '../../lib/importers/support.ts';
import { maskCredentials } from '../../lib/importers/text/credentials.ts';
import { context, fingerprints, imported, own } from '../support/importers/importers.ts';

const documents = (name: string) => {
  const report = parseReport(own(name));
  return report.kind === 'json' ? report.documents : [];
};

describe('trivy', () => {
  const findings = imported(own('trivy.json'));
  const [library, jar, , setting, secret, , license] = findings;

  it('converts vulnerabilities completely', () => {
    expect(library).toEqual({
      fingerprint: expect.stringMatching(/^trivy:[0-9a-f]{64}$/),
      title: 'CVE-2026-10001 in libexample 1.2-3: libexample: <b>buffer</b> overflow in parse_header()',
      severity: 'critical',
      description: [
        'A flaw in \\*parse_header\\* lets \\<img src=x> through.  \n\\# not a heading',
        '- **Package:** `libexample`\n- **Installed version:** `1.2-3`\n- **Status:** `affected`\n- **Target:** `registry.example.com:5000/team/shop:build-812 (debian 12.4)`',
        '**Fix**\n\nNo fixed version is known.',
        '**References**\n\n- <https://avd.example.com/nvd/cve-2026-10001>\n- <https://nvd.example.com/CVE-2026-10001>\n- `javascript:alert(1)`',
      ].join('\n\n'),
      cwe: 'CWE-787',
      cve: 'CVE-2026-10001',
      cvss_score: 9.8,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      file: undefined,
      line: undefined,
      source: 'trivy',
      rule_id: 'CVE-2026-10001',
    });
    expect(jar).toMatchObject({
      title: 'GHSA-aaaa-bbbb-cccc in com.example:parser 2.14.1: The `parse` method runs code',
      severity: 'high',
      cvss_score: 9.3,
      file: 'app/lib/parser-2.14.1.jar',
    });
    expect(jar?.description).toContain('Upgrade `com.example:parser` to `2.15.2` or `2.16.0`, or later.');
    expect(jar?.description).toContain(
      '### Impact\n\nThe `parse` method runs code.\n\n```java\nparse(input)\n```',
    );
  });

  it('imports misconfigurations, secrets and licenses', () => {
    expect(setting).toMatchObject({
      title: 'AWS-0080: RDS encryption is off',
      severity: 'high',
      file: 'deploy/app.tf',
      line: 3,
    });
    expect(setting?.description).toContain('  engine   = "postgres"\n  password = ********\n}');
    expect(secret).toMatchObject({ severity: 'critical', cwe: 'CWE-798', file: 'app/.env', line: 2 });
    expect(secret?.description).toContain('```\nTOKEN=********\n```');
    expect(license).toMatchObject({
      title: 'License GPL-3.0 (restricted) of app/LICENSE',
      severity: 'high',
      file: 'app/LICENSE',
    });
  });
});

describe('grype', () => {
  const [found, unrated, another] = imported(own('grype.json'));

  it('converts matches completely', () => {
    expect(found).toEqual({
      fingerprint: expect.stringMatching(/^grype:[0-9a-f]{64}$/),
      // A folder was scanned: its path was part of the identity twice.
      previous_fingerprints: [expect.stringMatching(/^grype:[0-9a-f]{64}$/)],
      title: 'GHSA-aaaa-bbbb-cccc in left-pad 1.3.0: It runs `code` from <input>',
      severity: 'critical',
      description: [
        'A flaw was found in left-pad. It runs `code` from &lt;input>',
        '- **Package:** `left-pad`\n- **Installed version:** `1.3.0`\n- **Fixed version:** `1.3.1`\n- **Type:** `npm`\n- **Target:** `/builds/team/app/services/web`\n- **Path:** `/package-lock.json`\n- **Aliases:** `CVE-2026-10002`\n- **Known to be exploited:** `yes`\n- **EPSS:** `7.2 %`\n- **Matched by:** `exact-direct-match`',
        '**Fix**\n\nUpgrade `left-pad` to `1.3.1`, or later.',
        '**References**\n\n- <https://github.com/advisories/GHSA-aaaa-bbbb-cccc>\n- <https://example.com/left-pad>',
      ].join('\n\n'),
      cwe: 'CWE-94',
      cve: 'CVE-2026-10002',
      cvss_score: 9.8,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      file: 'services/web/package-lock.json',
      line: undefined,
      source: 'grype',
      rule_id: 'GHSA-aaaa-bbbb-cccc',
    });
  });

  it('rates unrated vulnerabilities by CVSS and has a finding for each version', () => {
    expect(unrated).toMatchObject({ title: 'CVE-2026-10003 in left-pad 1.2.0', severity: 'medium' });
    expect(unrated?.description).toContain('The vendor will not fix it.');
    expect(another).toMatchObject({ title: 'CVE-2026-10003 in left-pad 1.3.0', severity: 'info' });
    // If one of the two disappears, the other gets the fingerprint of the first.
    const text = own('grype.json');
    const report = JSON.parse(text);
    report.matches.splice(1, 1);
    expect(fingerprints(imported(JSON.stringify(report)))).toEqual([
      found?.fingerprint,
      unrated?.fingerprint,
    ]);
  });
});

describe('npm-audit', () => {
  const findings = imported(own('npm-audit.json'));
  const [direct, through, old] = findings;

  it('converts packages completely', () => {
    expect(direct).toEqual({
      fingerprint: expect.stringMatching(/^npm-audit:[0-9a-f]{64}$/),
      title: 'GHSA-xvch-5gv4-984h in minimist: Prototype Pollution in minimist and 1 more',
      severity: 'critical',
      description: [
        '- Prototype Pollution in minimist — critical, versions `<0.2.4`\n- Prototype \\<b>Pollution\\</b> — moderate, versions `<0.2.1`',
        '- **Package:** `minimist`\n- **Vulnerable versions:** `<=0.2.3`\n- **Dependency:** `transitive`\n- **Affected dependents:** `mkdirp`',
        '**Where**\n\n```\nnode_modules/minimist\nnode_modules/mkdirp/node_modules/minimist\n```',
        '**Fix**\n\n```sh\nnpm audit fix\n```',
        '**References**\n\n- <https://github.com/advisories/GHSA-xvch-5gv4-984h>\n- <https://github.com/advisories/GHSA-vh95-rmgr-6w4m>',
      ].join('\n\n'),
      cwe: 'CWE-1321',
      cve: undefined,
      cvss_score: 9.8,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      file: 'package-lock.json',
      line: undefined,
      source: 'npm-audit',
    });
    expect(through).toMatchObject({ title: 'mkdirp depends on vulnerable minimist', severity: 'critical' });
    expect(through?.description).toContain('This installs `mkdirp@3.0.1`, which is a breaking change.');
    expect(old).toMatchObject({ title: 'old: Abandoned', severity: 'low', cvss_score: undefined });
    expect(old?.description).toContain('No fix is available.');
  });
});

describe('npm-audit of npm 6', () => {
  const [growl, merge] = imported(own('dependencies/npm-audit-6.json'));

  it('converts advisories completely', () => {
    expect(merge).toEqual({
      fingerprint: expect.stringMatching(/^npm-audit:[0-9a-f]{64}$/),
      title: 'GHSA-vh95-rmgr-6w4m in minimist: Prototype Pollution',
      severity: 'medium',
      description: [
        'Merges **objects**. &lt;script>alert(1)&lt;/script>',
        '- **Package:** `minimist`\n- **Installed version:** `0.0.8`\n- **Vulnerable versions:** `<1.2.3`\n- **Fixed version:** `>=1.2.3`\n- **CVE:** `CVE-2026-10011`',
        '**Where**\n\n```\nbuilder>minimist\nmkdirp>minimist\n```',
        '**Fix**\n\nUpgrade to version 1.2.3.\n\n```sh\nnpm install builder@3.0.0\n```\n\nThis upgrades `builder` to a new major version.',
        '**References**\n\n- <https://github.com/advisories/GHSA-vh95-rmgr-6w4m>\n- <https://example.com/a>',
      ].join('\n\n'),
      cwe: 'CWE-1321',
      cve: 'CVE-2026-10011',
      cvss_score: 5.6,
      cvss_vector: 'CVSS:3.1/AV:N/AC:H/PR:N/UI:N/S:U/C:L/I:L/A:L',
      file: 'package-lock.json',
      line: undefined,
      source: 'npm-audit',
      rule_id: 'GHSA-vh95-rmgr-6w4m',
    });
    expect(growl).toMatchObject({
      title: 'growler: Command Injection',
      severity: 'critical',
      cwe: undefined,
    });
    expect(growl?.description).toContain('- **Dependency:** `development only`');
  });

  it('leaves reports of pnpm to its own format', () => {
    const { actions: _, ...document } = JSON.parse(own('dependencies/npm-audit-6.json'));
    const ofPnpm = own('dependencies/npm-audit-6.json').replaceAll('"builder>minimist"', '".>minimist"');
    for (const text of [JSON.stringify(document), ofPnpm]) {
      const report = parseReport(text);
      expect(importers.filter(({ detects }) => detects(report)).map(({ name }) => name)).not.toContain(
        'npm-audit',
      );
      expect(imported(text, 'npm-audit')).toHaveLength(2);
    }
  });
});

describe('osv-scanner', () => {
  const [rated, alias, unrated, repository] = imported(own('osv-scanner.json'));

  it('converts advisories completely', () => {
    expect(rated).toEqual({
      fingerprint: expect.stringMatching(/^osv-scanner:[0-9a-f]{64}$/),
      title: 'GHSA-aaaa-bbbb-cccc in Example-Lib 2.0.1: Example-Lib reads any file',
      severity: 'high',
      description: [
        'Example-Lib reads any file',
        '- **Package:** `Example-Lib`\n- **Ecosystem:** `PyPI`\n- **Installed version:** `2.0.1`\n- **Fixed version:** `2.0.2`\n- **Source:** `web/requirements.txt`\n- **Dependency groups:** `requirements`\n- **Aliases:** `CVE-2026-10004, PYSEC-2026-7`\n- **Vulnerable code is called:** `no`',
        '**Fix**\n\nUpgrade `Example-Lib` to `2.0.2`, or later.',
        "**Details**\n\n### Impact\n\nAn attacker reads **any** file. &lt;script>alert(1)&lt;/script>\n\n```\nread('/etc/passwd')\n```",
        '**References**\n\n- <https://osv.dev/vulnerability/GHSA-aaaa-bbbb-cccc>\n- <https://nvd.example.com/CVE-2026-10004>\n- <https://example.com/lib>',
      ].join('\n\n'),
      cwe: 'CWE-22',
      cve: 'CVE-2026-10004',
      cvss_score: 8.7,
      cvss_vector: 'CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:N/VA:N/SC:N/SI:N/SA:N',
      file: 'web/requirements.txt',
      line: undefined,
      source: 'osv-scanner',
      rule_id: 'GHSA-aaaa-bbbb-cccc',
    });
  });

  it('rates an advisory like its group, and unrated ones as medium', () => {
    expect(alias).toMatchObject({
      title: 'PYSEC-2026-7 in Example-Lib 2.0.1: It reads any file',
      severity: 'high',
      cve: 'CVE-2026-10004',
    });
    expect(unrated).toMatchObject({ severity: 'medium', cvss_score: undefined });
    expect(repository).toMatchObject({
      title: 'OSV-2026-9 in vendor/c/ f5f3c22f3ed5: Heap-buffer-overflow in decode',
      severity: 'medium',
      file: undefined,
    });
  });

  it('keeps fingerprints when the checkout directory changes', () => {
    const elsewhere = own('osv-scanner.json').replaceAll('/builds/team/app/', '/home/me/');
    expect(fingerprints(importReport(elsewhere, { directory: '/home/me' }).findings)).toEqual(
      fingerprints(imported(own('osv-scanner.json'))),
    );
  });
});

describe('pip-audit', () => {
  it('converts vulnerabilities completely', () => {
    expect(imported(own('pip-audit.json'))[0]).toEqual({
      fingerprint: expect.stringMatching(/^pip-audit:[0-9a-f]{64}$/),
      title: 'PYSEC-2026-7 in example-lib 2.0.1: Reads *any* file: <script>alert(1)</script>',
      severity: 'medium',
      description: [
        '\\### Impact Reads \\*any\\* file: \\<script>alert(1)\\</script>',
        '- **Package:** `example-lib`\n- **Installed version:** `2.0.1`\n- **Fixed version:** `2.0.2, 3.1`\n- **Aliases:** `CVE-2026-10004, GHSA-aaaa-bbbb-cccc`\n- **Severity:** `not rated by pip-audit`',
        '**Fix**\n\nUpgrade `example-lib` to `2.0.2` or `3.1`, or later.',
        '**References**\n\n- <https://osv.dev/vulnerability/PYSEC-2026-7>',
      ].join('\n\n'),
      cve: 'CVE-2026-10004',
      cwe: undefined,
      cvss_score: undefined,
      cvss_vector: undefined,
      file: undefined,
      line: undefined,
      source: 'pip-audit',
      rule_id: 'PYSEC-2026-7',
    });
  });

  it('imports the older layout', () => {
    const [{ dependencies }] = documents('pip-audit.json') as [{ dependencies: unknown }];
    expect(importReport(JSON.stringify(dependencies), context)).toEqual(
      importReport(own('pip-audit.json'), context),
    );
  });
});

describe('snyk', () => {
  const findings = imported(own('snyk.json'));
  const [deep, near, license, application] = findings;

  it('converts entries completely', () => {
    expect(deep).toEqual({
      fingerprint: expect.stringMatching(/^snyk:[0-9a-f]{64}$/),
      title: 'CVE-2026-10005 in @scope/example 4.5.0: Prototype Pollution (by builder)',
      severity: 'high',
      description: [
        '[example](https://example.com) merges objects.\n\nAffected versions are **vulnerable**. &lt;script>alert(1)&lt;/script>',
        '- **Snyk id:** `SNYK-JS-EXAMPLE-1`\n- **Package:** `@scope/example`\n- **Installed version:** `4.5.0`\n- **Fixed version:** `4.5.6`\n- **Project:** `web`\n- **Manifest:** `services/web/package-lock.json`\n- **Exploit maturity:** `Proof of Concept`',
        '**Where**\n\n```\nweb@1.0.0 > builder@2.0.0 > @scope/example@4.5.0\n```',
        '**Fix**\n\nUpgrade to `builder@2.1.0`, which brings a fixed version.\n\nUpgrade `example` to version 4.5.6 or higher.',
        '**Details**\n\nWhat it is in general.',
        '**References**\n\n- <https://security.snyk.io/vuln/SNYK-JS-EXAMPLE-1>\n- <https://example.com/commit>',
      ].join('\n\n'),
      cwe: 'CWE-1321',
      cve: 'CVE-2026-10005',
      cvss_score: 7.3,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:L/A:L/E:P',
      file: 'services/web/package-lock.json',
      line: undefined,
      source: 'snyk',
      rule_id: 'SNYK-JS-EXAMPLE-1',
    });
    expect(near?.title).toBe('CVE-2026-10005 in @scope/example 4.5.0: Prototype Pollution');
    expect(near?.fingerprint).not.toBe(deep?.fingerprint);
  });

  it('imports licenses and the applications in an image', () => {
    expect(license).toMatchObject({
      title: 'License issue in copied 1.0.0: GPL-3.0 license',
      severity: 'medium',
      cve: undefined,
    });
    expect(application).toMatchObject({ severity: 'low', file: 'srv/package-lock.json' });
    expect(application?.description).toContain('Upgrade `other` to `0.1.1`, or later.');
  });

  it('imports a single project, and says how to import infrastructure as code', () => {
    const [projects] = documents('snyk.json') as [unknown[]];
    expect(imported(JSON.stringify(projects[0]))).toEqual(findings.slice(0, 3));
    const infrastructure = {
      vulnerabilities: [],
      ok: false,
      infrastructureAsCodeIssues: [{ id: 'SNYK-CC-1' }],
    };
    expect(() => imported(JSON.stringify(infrastructure))).toThrow(/snyk iac test --sarif/);
  });
});

describe('nuclei', () => {
  const findings = imported(own('nuclei.jsonl'));
  const [login, , , blind, version, key, old] = findings;

  it('converts events completely', () => {
    expect(login).toEqual({
      fingerprint: expect.stringMatching(/^nuclei:[0-9a-f]{64}$/),
      title: 'Shop - Default Login at https://shop.example.com/login?next=/&password=********',
      severity: 'critical',
      description: [
        'Shop has \\*default\\* \\<b>credentials\\</b>.',
        '- **Template:** `shop-default-login`\n- **Matched at:** `https://shop.example.com/login?next=/&password=********`\n- **Host:** `shop.example.com`\n- **IP:** `192.0.2.7`\n- **Protocol:** `http`\n- **Extracted:** `sess********`\n- **Payload:** `username=admin, password=********`\n- **Tags:** `shop, default-login`',
        "```\ncurl -X 'POST' -d 'user=admin&password=********' -H 'Authorization: ********' -H 'Cookie: ********' -H 'X-Api-Key: ********' 'https://shop.example.com/login'\n```",
        '**Fix**\n\nChange the password.',
        '**References**\n\n- <https://example.com/shop>\n- <https://cloud.projectdiscovery.io/public/shop-default-login>',
      ].join('\n\n'),
      cwe: 'CWE-798',
      cve: undefined,
      cvss_score: 9.8,
      cvss_vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
      file: undefined,
      line: undefined,
      source: 'nuclei',
      rule_id: 'shop-default-login',
    });
  });

  it('omits events that did not match, and imports older layouts and files', () => {
    expect(findings.map(({ title }) => title).join()).not.toContain('permissions-policy');
    expect(version?.description).toContain('`Apache/2.4.65 (Debian), PHPSESSID=********; path=/`');
    expect(key).toMatchObject({ title: 'Private Key at conf/id_rsa', file: 'conf/id_rsa', line: 3 });
    expect(old).toMatchObject({ title: 'Old Layout (one) at shop.example.com:22', severity: 'low' });
    expect(old?.description).toContain('- <https://example.com/1>\n- <https://example.com/2>');
    expect(blind).toMatchObject({ severity: 'medium', cve: 'CVE-2026-10007', cvss_score: 5.3 });
  });

  it('imports the JSON export', () => {
    expect(imported(JSON.stringify(documents('nuclei.jsonl')))).toEqual(findings);
  });
});

describe('cvssOf', () => {
  it.each([
    ['CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N', 9.3],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', 9.8],
    ['CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:P/RL:O', 9.8],
    ['CVSS:3.0/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H', 10],
    ['AV:N/AC:M/Au:N/C:P/I:P/A:P', 6.8],
  ])('%s', (vector, score) => {
    expect(cvssOf(vector)).toEqual({ score, vector });
    expect(cvssOf(` (${vector}) `)).toEqual({ score, vector });
  });

  it.each([
    undefined,
    null,
    '',
    'CVSS:3.1/AV:N',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H',
    'CVSS:3.1/AV:Z/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/constructor:x',
    'CVSS:4.0/AV:N',
    'High',
  ])('is undefined for %s', (vector) => {
    expect(cvssOf(vector)).toBeUndefined();
  });
});

describe('maskCredentials', () => {
  it.each([
    ['GET / HTTP/1.1\r\nCookie: sid=hunter22\r\nHost: x', 'GET / HTTP/1.1\r\nCookie: ********\r\nHost: x'],
    ['-H "Authorization: Digest hunter22" -H "Host: x"', '-H "Authorization: ********" -H "Host: x"'],
    [
      'https://me:hunter22@example.com/?a=1&api_key=hunter22#x',
      'https://me:********@example.com/?a=1&api_key=********',
    ],
    ['{"user":"me","password":"hunter\\"22"}', '{"user":"me","password":********}'],
    ['db_password = "hunter22" # or not', 'db_password = ******** # or not'],
    ['- name: DB_PASSWORD\n  value: hunter22\n', '- name: DB_PASSWORD\n  value: ********\n'],
    ['ENV API_TOKEN hunter22', 'ENV API_TOKEN ********'],
    ['see eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.hunter22', 'see ********'],
    ['a -----BEGIN PRIVATE KEY-----\nhunter22', 'a ********'],
  ])('%j', (text, masked) => {
    expect(maskCredentials(text)).toBe(masked);
  });

  it.each([
    'Apache/2.4.65 (Debian)',
    'author: me',
    'passed: 5',
    'https://example.com:8080/a?b=c',
    'a secret was found',
  ])('keeps %j', (text) => {
    expect(maskCredentials(text)).toBe(text);
  });
});
