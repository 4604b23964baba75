import { describe, expect, it } from 'vitest';
import { listOf } from '../../agent/scanner/findings.ts';
import { combineReports, type ReportContent } from '../../agent/scanner/reports.ts';
import type { Finding } from '../../lib/importers/finding.ts';

const finding = (fingerprint: string, fields: Partial<Finding> = {}): Finding => ({
  ...{ fingerprint, title: fingerprint, severity: 'medium', description: 'A problem.', ...fields },
});

const report = (...findings: Finding[]): ReportContent => ({
  ...{
    formats: ['generic-json'],
    sources: [],
    findings: listOf(findings),
    errors: [],
    warnings: [],
    skipped: {},
  },
});

describe('several reports in one scan', () => {
  it('cannot lower the severity that another report states, in any order', () => {
    const [critical, info] = [finding('a', { severity: 'critical' }), finding('a', { severity: 'info' })];
    for (const reports of [
      [report(critical), report(info)],
      [report(info), report(critical)],
    ]) {
      const { findings, skipped } = combineReports(reports);
      expect(findings.list).toEqual([critical]);
      expect(skipped).toEqual({ 'another report contains them': 1 });
    }
  });

  it('cannot take the decision about a finding of another report', () => {
    const thief = finding('new', { previous_fingerprints: ['known', 'former'] });
    const { findings } = combineReports([report(thief), report(finding('known'))]);
    expect(findings.list).toEqual([finding('new', { previous_fingerprints: ['former'] }), finding('known')]);
  });

  it('do not pass on a decision that two findings claim', () => {
    const claiming = (fingerprint: string) => finding(fingerprint, { previous_fingerprints: ['former'] });
    const { findings } = combineReports([report(claiming('a')), report(claiming('b'))]);
    expect(findings.list).toEqual([finding('a'), finding('b')]);
    // One finding in two reports is one claim.
    expect(combineReports([report(claiming('a')), report(claiming('a'))]).findings.list).toEqual([
      claiming('a'),
    ]);
  });
});
