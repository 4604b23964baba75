import { describe, expect, it } from 'vitest';
import { draftOf, type IssueFinding } from '../../lib/trackers/draft.ts';
import { toMarkdown } from '../../lib/trackers/markdown.ts';
import { newIssue, RIGS } from './kit.ts';

const finding = (changes: Partial<IssueFinding> = {}): IssueFinding => ({
  ...{ title: 'SQL injection', severity: 'high', description: 'Built from input.', project: 'Web shop' },
  ...{ file: 'src/login.ts', line: 12, rule_id: 'sql-1', cve: null, cwe: 'CWE-89' },
  url: 'https://findings.example/findings/1',
  ...changes,
});

describe('an issue', () => {
  it('has the values of a finding that are known', () => {
    const { title, blocks } = draftOf(finding());
    expect(title).toBe('SQL injection');
    const text = toMarkdown(blocks);
    for (const part of ['**Severity:** `high`', '**Location:** `src/login.ts:12`', '**CWE:** `CWE-89`'])
      expect(text).toContain(part);
    expect(text).toContain('[Open the finding in svc-findings](https://findings.example/findings/1)');
    expect(text).not.toContain('CVE');
    expect(toMarkdown(draftOf(finding({ file: null })).blocks)).not.toContain('Location');
    expect(toMarkdown(draftOf(finding({ line: null })).blocks)).toContain('`src/login.ts`');
  });

  it('lists several findings, and counts the rest', () => {
    const others = Array.from({ length: 60 }, (_, i) =>
      finding({ title: `Other ${i}`, url: `https://findings.example/findings/${i}` }),
    );
    const { title, blocks } = draftOf(finding(), others);
    expect(title).toBe('SQL injection (and 60 more)');
    const text = toMarkdown(blocks);
    expect(text).toContain('`Other 48`');
    expect(text).not.toContain('`Other 49`');
    expect(text).toContain('**More findings:** `11`');
  });

  it.each(Object.entries(RIGS))('with the longest values is accepted by %s', async (_, start) => {
    const { tracker, issues } = await start();
    const long = finding({
      ...{ title: '"'.repeat(500), description: '"\\'.repeat(50_000), project: '@'.repeat(100) },
      ...{
        file: '"'.repeat(1_024),
        rule_id: '\\'.repeat(255),
        url: `https://findings.example/${'x'.repeat(100)}`,
      },
    });
    const draft = draftOf(
      long,
      Array.from({ length: 10_000 }, () => long),
    );
    await tracker.create(newIssue(draft));
    expect(issues()).toHaveLength(1);
  });
});
