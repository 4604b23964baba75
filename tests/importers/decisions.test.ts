import { describe, expect, it } from 'vitest';
import { importReport } from '../../lib/importers/index.ts';
import { context, own } from '../support/importers/importers.ts';

const PREFIX = 'arn:aws:inspector2:eu-west-1:1:finding/';
const json = (value: unknown) => JSON.stringify(value);

const inspector = (status: string) =>
  json({ findings: [{ findingArn: `${PREFIX}a`, title: 'A', severity: 'HIGH', status, resources: [] }] });
const mend = (status: string) =>
  json({
    ...{ supportToken: 'x' },
    response: [
      { name: 'CVE-2026-1', findingInfo: { status }, vulnerability: { name: 'CVE-2026-1' }, component: {} },
    ],
  });
const codeScanning = (state: string) =>
  own('code/github-code-scanning.json').replaceAll(/"state": ?"\w+"/g, `"state": "${state}"`);
const azure = (state: string) =>
  `exportedTimestamp,subscriptionId,recommendationId,recommendationName,recommendationDisplayName,state,severity,resourceId\n2026,s,r,n,d,${state},High,i\n`;
const invicti = (State: string) =>
  json({
    Generated: 'x',
    Target: {},
    Vulnerabilities: [{ Name: 'XSS', Type: 'Xss', Url: 'https://a.example/', State }],
  });
const trivy = (Status: string) =>
  json({
    ...{ SchemaVersion: 2, ArtifactName: '.' },
    Results: [
      {
        Target: 'a',
        ExperimentalModifiedFindings: [
          {
            Type: 'vulnerability',
            Status,
            Finding: { VulnerabilityID: 'CVE-2026-1', PkgName: 'a', Severity: 'HIGH' },
          },
        ],
      },
    ],
  });
const grype = (status: string) =>
  json({
    ...{ matches: [], descriptor: {} },
    ignoredMatches: [
      {
        vulnerability: { id: 'CVE-2026-1', severity: 'High' },
        artifact: { name: 'a', locations: [] },
        appliedIgnoreRules: [{ 'vex-status': status }],
      },
    ],
  });
const cyclonedx = (state: string) =>
  json({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    vulnerabilities: [{ id: 'CVE-2026-1', analysis: { state } }],
  });
const sysdig = (risk: object) =>
  json({
    result: {
      metadata: {},
      packages: [
        { name: 'a', vulns: [{ name: 'CVE-2026-1', severity: { value: 'High' }, acceptedRisks: [risk] }] },
      ],
    },
  });
const fortify = (name: string) =>
  own('code/fortify.xml').replaceAll('<Name>Analysis</Name>', `<Name>${name}</Name>`);

describe('a result is skipped only if the tool says that somebody accepted it', () => {
  it.each<[format: string, accepted: string, undecided: string[]]>([
    ['aws-inspector', inspector('SUPPRESSED'), [inspector('UNDER_REVIEW'), inspector('ACTIVE')]],
    ['mend', mend('IGNORED'), [mend('PENDING_REVIEW'), mend('In progress')]],
    ['github-code-scanning', codeScanning('dismissed'), [codeScanning('pending')]],
    ['azure-recommendations', azure('NotApplicable'), [azure('Pending')]],
    [
      'invicti',
      invicti('Present, False Positive'),
      [invicti('False Positive Requested'), invicti('Fixed (Unconfirmed)')],
    ],
    ['trivy', trivy('not_affected'), [trivy('under_investigation'), trivy('affected')]],
    ['grype', grype('not_affected'), [grype('under_investigation')]],
    [
      'cyclonedx',
      cyclonedx('false_positive'),
      [cyclonedx('in_triage'), cyclonedx('exploitable'), cyclonedx('maybe')],
    ],
    [
      'sysdig',
      sysdig({ expirationDate: '2999-01-01' }),
      [sysdig({ expirationDate: '2020-01-01' }), sysdig({ status: 'expired' })],
    ],
  ])('%s', (format, accepted, undecided) => {
    const skippedIn = (report: string) => {
      const { skipped, findings, errors } = importReport(report, context, { format });
      expect(errors).toEqual([]);
      return [findings.length > 0, Object.keys(skipped).length > 0];
    };
    expect(skippedIn(accepted)).toEqual([false, true]);
    for (const report of undecided) expect(skippedIn(report)).toEqual([true, false]);
  });

  it('fortify: a prediction is no decision of the auditor', () => {
    expect(importReport(fortify('Analysis'), context).skipped).toEqual({
      'they are audited as “Not an Issue”': 1,
    });
    expect(importReport(fortify('AA_Prediction'), context).skipped).toEqual({});
  });

  it('gitlab: a likely false positive is imported with its flag', () => {
    const { findings } = importReport(own('code/gitlab-sast.json'), context);
    expect(findings.some(({ description }) => description.includes('flagged-as-likely-false-positive'))).toBe(
      true,
    );
  });
});
