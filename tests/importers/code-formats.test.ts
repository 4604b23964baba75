import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, imported, own } from '../support/importers/importers.ts';

describe('gosec', () => {
  const report = own('code/gosec.json');
  const [command, password] = imported(report);

  it('converts issues completely', () => {
    expect(command).toEqual({
      fingerprint: expect.stringMatching(/^gosec:[0-9a-f]{64}$/),
      title: 'G204: Subprocess launched with variable',
      severity: 'high',
      description: [
        'Subprocess launched with variable',
        '- **Location:** `cmd/run.go:12`\n- **Rule:** `G204`\n- **Confidence:** `MEDIUM`',
        '```\n11: func run(name string) {\n12: \texec.Command(name).Run()\n13: }\n```',
        '**References**',
        '- <https://cwe.mitre.org/data/definitions/78.html>',
      ].join('\n\n'),
      cwe: 'CWE-78',
      file: 'cmd/run.go',
      line: 12,
      source: 'gosec',
      rule_id: 'G204',
    });
    expect(password?.description).toContain('4: const password = "********"');
  });

  it('records code that does not compile, by file if there are names', () => {
    const errorsOf = (errors: object) =>
      importReport(JSON.stringify({ 'Golang errors': errors, Issues: [], Stats: { found: 0 } }), context)
        .errors;
    const unnamed = { '': [{ line: 0, column: 0, error: '# command-line-arguments: undefined: x' }] };
    const named = { [`${context.directory}/main.go`]: [{ line: 12, column: 31, error: 'undefined: x' }] };
    expect(errorsOf({ ...unnamed, ...named })).toEqual(['main.go:12 was not checked: undefined: x']);
    expect(errorsOf(unnamed)).toEqual(['the code was not checked: # command-line-arguments: undefined: x']);
    expect(errorsOf({ 'main.go': [] })).toEqual(['main.go was not checked: no reason given']);
  });
});

describe('eslint', () => {
  const report = own('code/eslint.json');
  const [evaluated, logged] = imported(report);

  it('converts messages', () => {
    expect(evaluated).toMatchObject({
      title: 'security/detect-eval-with-expression: eval with argument of type Identifier',
      severity: 'high',
      file: 'src/run.js',
      line: 2,
    });
    expect(evaluated?.description).toContain('```\n  eval(x);\n```');
    expect(logged?.severity).toBe('medium');
  });

  it('identifies a message without source by its line, and by its code with it', () => {
    const plain = JSON.stringify(
      JSON.parse(report).map(({ source: _source, ...file }: { source?: string }) => file),
    );
    const [before] = imported(plain);
    const [moved] = imported(plain.replaceAll('"line":2', '"line":20'));
    expect(moved?.fingerprint).not.toBe(before?.fingerprint);
    const lines = ['// new', 'function run(x) {', '  eval(x);', '}'];
    const linesOf = (path: string) => (path === 'src/run.js' ? lines : undefined);
    const at = (text: string, line: number) =>
      importReport(text.replaceAll('"line":2', `"line":${line}`), {
        ...context,
        linesOf: (path) => (line === 3 ? linesOf(path) : linesOf(path)?.slice(1)),
      }).findings[0]?.fingerprint;
    expect(at(plain, 3)).toBe(at(plain, 2));
  });

  it('is not taken for a report of Secretlint', () => {
    const foreign = JSON.parse(report).map((file: object) => ({ ...file, sourceContent: 'x' }));
    expect(() => imported(JSON.stringify(foreign))).toThrow(/not recognized/);
  });
});

describe('brakeman', () => {
  const report = own('code/brakeman.json');
  const [injection, quotes] = imported(report);

  it('converts warnings', () => {
    expect(injection).toMatchObject({
      title: 'SQL Injection: Possible SQL injection',
      severity: 'high',
      cwe: 'CWE-89',
      file: 'app/models/order.rb',
      line: 9,
    });
    expect(injection?.description).toContain('- **User input:** `params[:id]`');
    expect(quotes).toMatchObject({ severity: 'low', cve: 'CVE-2012-3464' });
  });
});

describe('mobsf', () => {
  const report = own('code/mobsf.json');

  it('imports all parts of the report, without what MobSF calls secure', () => {
    const { findings, skipped } = importReport(report, context);
    expect(findings.map(({ title, severity }) => [title, severity])).toEqual([
      ['The app logs information.', 'info'],
      ['Clear text traffic is enabled [android:usesCleartextTraffic=true]', 'high'],
      ['Activity is exported', 'medium'],
      ['Activity is exported', 'medium'],
      ['Certificate vulnerable to collisions', 'high'],
      ['Clear text is permitted', 'high'],
      ['nx: lib/a.so', 'high'],
      ['Possible secret in the app: api_key', 'medium'],
    ]);
    expect(findings[0]).toMatchObject({ cwe: 'CWE-532' });
    expect(findings[0]?.description).toContain('- `com/example/A.java:23,27`');
    expect(skipped).toEqual({
      'MobSF rates them as secure or harmless': 3,
      'they are permissions of the app': 1,
    });
  });

  it('counts the system functions that the app calls', () => {
    const android_api = { api_ipc: { metadata: {} }, api_java_reflection: { metadata: {} } };
    const { skipped } = importReport(JSON.stringify({ ...JSON.parse(report), android_api }), context);
    expect(skipped).toMatchObject({ 'they are system functions that the app calls': 2 });
  });
});

describe('mobsfscan', () => {
  const report = own('code/mobsfscan.json');

  it('has a finding for each place, and one for a rule about the app', () => {
    const [api, db, pinning] = imported(report);
    expect(api).toMatchObject({ severity: 'medium', cwe: 'CWE-798', file: 'app/src/Api.kt', line: 7 });
    expect(db).toMatchObject({ file: 'app/src/Db.kt', line: 9 });
    expect(pinning).toMatchObject({
      title: 'android_ssl_pinning: This app does not pin certificates',
      severity: 'info',
      cwe: 'CWE-295',
    });
    expect(pinning?.file).toBeUndefined();
  });
});

describe('sonarqube', () => {
  const report = own('code/sonarqube.json');
  const [injection, build] = imported(report);

  it('converts issues completely', () => {
    expect(injection).toEqual({
      fingerprint: expect.stringMatching(/^sonarqube:[0-9a-f]{64}$/),
      title: 'Change this code to not construct the OS command from user-controlled data.',
      severity: 'high',
      description: [
        'Change this code to not construct the OS command from user-controlled data.',
        [
          '- **Location:** `src/Run.java:12`',
          '- **Rule:** `java:S2076: OS commands should not be vulnerable to injection attacks`',
          '- **Type:** `VULNERABILITY`',
          '- **Status:** `OPEN`',
          '- **Tags:** `cwe, cwe-78`',
        ].join('\n'),
        '**Where**',
        'Data flow:\n\n1. `src/Web.java:3` `source`\n2. `src/Run.java:12` `sink`',
        '**Help**',
        'Commands are dangerous.',
        '- See CWE-77',
        '```\nexec(x)\n```',
      ].join('\n\n'),
      cwe: 'CWE-78',
      file: 'src/Run.java',
      line: 12,
      source: 'sonarqube',
      rule_id: 'java:S2076',
    });
    // An issue of the project has no file. The impact on security rates it.
    expect(build).toMatchObject({ severity: 'critical' });
    expect(build?.file).toBeUndefined();
  });

  it('imports hotspots, and records that pages are missing', () => {
    const { findings, errors, skipped } = importReport(own('code/sonarqube-hotspots.json'), context);
    expect(findings).toMatchObject([
      { severity: 'high', file: 'src/login.ts', line: 4 },
      { severity: 'low', file: 'src/log.ts', line: 8 },
    ]);
    expect(errors).toEqual(['The report has 3 of 9 issues: add the next pages (p=2) to the file']);
    expect(skipped).toEqual({ 'they are reviewed as safe': 1 });
  });

  it('reads pages in a row', () => {
    const twice = `${report}\n${report.replaceAll('java:S', 'java:T')}`;
    expect(imported(twice)).toHaveLength(4);
  });

  it('says how to export JSON instead of HTML', () => {
    expect(() =>
      imported('<!DOCTYPE html><html><head><title>SonarQube Report</title></head></html>'),
    ).toThrow(
      'This is an HTML report of SonarQube: export the issues as JSON with /api/issues/search and /api/hotspots/search',
    );
    expect(() => imported('<html><body/></html>')).toThrow(/^HTML reports cannot be read/);
  });
});

describe('github-code-scanning', () => {
  const report = own('code/github-code-scanning.json');
  const [path, unused] = imported(report);

  it('converts alerts', () => {
    expect(path).toMatchObject({
      title: 'Uncontrolled data used in path expression',
      severity: 'high',
      cwe: 'CWE-22',
      file: 'src/files.ts',
      line: 12,
    });
    expect(path?.description).toContain('This path depends on a user-provided value.');
    expect(path?.description).toContain('**Help**\n\nCheck the **path**.');
    expect(path?.description).toContain('- <https://github.com/example/shop/security/code-scanning/7>');
    // Without a security severity the level of the rule rates it.
    expect(unused?.severity).toBe('low');
  });

  it('reads the pages of the GitHub CLI', () => {
    const [first, second, third] = JSON.parse(report);
    expect(imported(`${JSON.stringify([first])}\n${JSON.stringify([second, third])}`)).toHaveLength(2);
  });
});

describe('github-secret-scanning', () => {
  const report = own('code/github-secret-scanning.json');

  it('rates valid secrets as critical, and does not show them', () => {
    const [unknown, active] = imported(report);
    expect(unknown).toMatchObject({
      title: 'Secret (Example Token) in config/prod.env',
      severity: 'high',
      cwe: 'CWE-798',
      line: 5,
    });
    expect(unknown?.description).toContain('- **Secret:** `ext_********`');
    expect(active?.severity).toBe('critical');
  });
});

describe('spotbugs', () => {
  const report = own('code/spotbugs.xml');
  const [command, password] = imported(report);

  it('converts bugs', () => {
    expect(command).toMatchObject({
      title: 'This usage of Runtime.exec can be vulnerable to Command Injection',
      severity: 'high',
      cwe: 'CWE-78',
      // In the source directory, at the primary line.
      file: 'src/main/java/com/example/Run.java',
      line: 12,
    });
    expect(command?.description).toContain('- **Sink method:** `java/lang/Runtime.exec`');
    expect(command?.description).toContain('**Help**\n\nThe input is not checked.');
    expect(password).toMatchObject({
      title: 'Hard coded password',
      severity: 'medium',
      cwe: 'CWE-259',
      line: 3,
    });
  });
});
