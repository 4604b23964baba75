import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, imported, own } from '../support/importers/importers.ts';

const NOT_EXPLOITABLE = 'they are marked as not exploitable';

describe('checkmarx', () => {
  const report = own('code/checkmarx.xml');
  const [xss, password] = imported(report);

  it('converts results completely, at the sink', () => {
    expect(xss).toEqual({
      fingerprint: expect.stringMatching(/^checkmarx:[0-9a-f]{64}$/),
      title: 'Stored XSS',
      severity: 'high',
      description: [
        'Stored XSS',
        [
          '- **Location:** `src/View.java:7`',
          '- **Query:** `Stored_XSS`',
          '- **Group:** `Java_High_Risk`',
          '- **Language:** `Java`',
          '- **State:** `To verify`',
          '- **Status:** `New`',
        ].join('\n'),
        '**Where**',
        'Data flow:\n\n1. `src/Users.java:39` `statement.executeQuery(query);`\n2. `src/View.java:7` `out.print(name);`',
        '```\nout.print(name);\n```',
        '**References**',
        '- <https://cx.example.com/1>',
      ].join('\n\n'),
      cwe: 'CWE-79',
      file: 'src/View.java',
      line: 7,
      source: 'checkmarx',
      rule_id: 'Stored_XSS',
    });
    expect(password?.description).toContain('connect("********");');
  });

  it('counts what is not exploitable, but imports what is only proposed to be', () => {
    expect(importReport(report, context).skipped).toEqual({ [NOT_EXPLOITABLE]: 1 });
    expect(password).toMatchObject({ severity: 'info' });
    expect(password?.description).toContain('- **State:** `Proposed not exploitable`');
  });

  it('imports each result of an issue of CxFlow', () => {
    const { findings, skipped } = importReport(own('code/checkmarx-flow.json'), context);
    expect(findings).toMatchObject([
      { title: 'SQL Injection', severity: 'high', cwe: 'CWE-89', file: 'Db.java', line: 107 },
      { title: 'Weak Hash', severity: 'low', file: 'Hash.java', line: 3 },
    ]);
    // In the order of the numbers, of which 10 is after 2.
    expect(findings[0]?.description).toContain(
      '2. `Login.java:92` `check(name);`\n3. `Db.java:100` `find(name)`\n4. `Db.java:107` `query(name);`',
    );
    expect(skipped).toEqual({ [NOT_EXPLOITABLE]: 2 });
  });
});

describe('checkmarx-osa', () => {
  const report = own('code/checkmarx-osa.json');
  const [entity] = imported(report);

  it('joins vulnerabilities and libraries', () => {
    expect(entity).toMatchObject({
      title: 'CVE-2026-11111 in com.example:parser 1.2.3: The parser follows external entities',
      severity: 'high',
      cve: 'CVE-2026-11111',
      cvss_score: 7.5,
    });
    expect(entity?.description).toContain('**Fix**\n\nUpgrade to 1.2.4');
    expect(importReport(report, context).skipped).toEqual({ [NOT_EXPLOITABLE]: 1 });
  });
});

describe('checkmarx-one', () => {
  const report = own('code/checkmarx-one.json');

  it('imports the results of all engines', () => {
    const { findings, skipped, errors } = importReport(report, context);
    expect(findings).toMatchObject([
      { title: 'SQL Injection', severity: 'critical', cwe: 'CWE-89', file: 'src/Db.java', line: 57 },
      { title: 'Unpinned Actions', severity: 'medium', file: '.github/workflows/ci.yaml', line: 17 },
      {
        title: 'CVE-2026-11111 in com.example:parser 1.2.3: The parser follows external entities',
        severity: 'high',
        cve: 'CVE-2026-11111',
        cwe: 'CWE-611',
        cvss_score: 9.8,
        file: 'pom.xml',
      },
    ]);
    expect(findings[1]?.description).toContain('- **Category:** `Supply-Chain`\n');
    expect(findings[2]?.description).toContain('Upgrade `com.example:parser` to `1.2.4`, or later.');
    expect(skipped).toEqual({ [NOT_EXPLOITABLE]: 1 });
    expect(errors).toEqual(['The report has 4 of 9 results']);
  });

  it('reads the report of 2024, and records the engines that it cannot read', () => {
    const { findings, errors } = importReport(own('code/checkmarx-one-report.json'), context);
    expect(findings).toMatchObject([
      { title: 'Reflected XSS', severity: 'high', cwe: 'CWE-79', file: 'src/View.kt', line: 484 },
      { title: 'Default Namespace', severity: 'medium', file: 'deploy/a.yaml' },
    ]);
    expect(errors).toEqual(['4 results of containers are not imported: use the JSON of “cx results show”']);
  });

  it('reads the report of 2022', () => {
    expect(imported(own('code/checkmarx-one-2022.json'))).toMatchObject([
      { title: 'SQL Injection', severity: 'high', file: 'src/Db.java' },
      { title: 'Apt Lists', severity: 'info', file: 'Dockerfile' },
      { title: 'CVE-2021-23358 in underscore 1.10.2: Code injection', cve: 'CVE-2021-23358', cwe: 'CWE-94' },
    ]);
  });
});
