import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type Importer, open, type Result, readList } from '../importer.ts';
import { upgrade } from '../kinds/dependency.ts';
import { distinct, listsOf } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, list, number, object, objects, requiredText, text, texts } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { cveOf, cvssOf, cweOf, plainPath, severityOf, severityOfScore } from '../support.ts';
import { describeFinding, escapeMarkdown, formatLocation } from '../text/markdown.ts';

const Package = z.object(fields(text, 'name', 'version', 'fixedInVersion', 'filePath', 'remediation'));
const Finding = z.object({
  findingArn: requiredText,
  ...fields(text, 'awsAccountId', 'type', 'title', 'description', 'severity', 'status', 'exploitAvailable'),
  inspectorScore: number,
  inspectorScoreDetails: object({ adjustedCvss: object({ score: number, scoringVector: text }) }),
  remediation: object({ recommendation: object({ text, url: text, Url: text }) }),
  packageVulnerabilityDetails: object({
    vulnerabilityId: text,
    vulnerablePackages: list(Package),
    cvss: objects({ baseScore: number, scoringVector: text, version: text }),
    referenceUrls: texts,
    relatedVulnerabilities: texts,
    sourceUrl: text,
  }),
  codeVulnerabilityDetails: object({
    cwes: texts,
    ...fields(text, 'detectorId', 'detectorName', 'ruleId'),
    referenceUrls: texts,
    filePath: object({ fileName: text, filePath: text, startLine: number }),
  }),
  networkReachabilityDetails: object({
    protocol: text,
    openPortRange: object({ begin: text, end: text }),
  }),
  resources: objects({ id: text, type: text, region: text }),
});
type Finding = z.output<typeof Finding>;

/** Findings of Amazon Inspector in its own format. Findings in Security Hub have another format. */
export const awsInspector: Importer = {
  name: 'aws-inspector',
  about: {
    tool: '[Amazon Inspector](https://docs.aws.amazon.com/inspector/)',
    command: '`aws inspector2 list-findings > report.json`',
    versions: 'Inspector 2, findings of 2024 to 2026',
    identity: 'account, resource, and the vulnerability and packages, the rule and file, or the ports',
    severity: '`severity`, or `inspectorScore`',
  },

  detects: (report) => {
    const found = findingsIn(documentOf(report));
    return Array.isArray(found) && hasKind(found[0], { findingArn: 'text' });
  },

  results(report, context) {
    const findings = readList(Finding, listsOf(report, findingsIn), 'findings', context);
    const reasonOf = ({ status }: Finding) =>
      /^(?:suppressed|closed)$/i.exec(status ?? '')?.[0].toLowerCase();
    return open(findings, reasonOf, context).map(resultOf);
  },
};

const findingsIn = (document: unknown) =>
  Array.isArray(document) ? document : property(document, 'findings');

function resultOf(finding: Finding): Result {
  const { packageVulnerabilityDetails: vulnerable, codeVulnerabilityDetails: code, resources } = finding;
  const packages = vulnerable?.vulnerablePackages ?? [];
  const adjusted = finding.inspectorScoreDetails?.adjustedCvss;
  const rated = vulnerable?.cvss.toSorted((a, b) => Number(b.version ?? 0) - Number(a.version ?? 0)) ?? [];
  const cvss = [adjusted?.scoringVector, ...rated.map(({ scoringVector }) => scoringVector)]
    .map(cvssOf)
    .find(Boolean);
  const score = finding.inspectorScore ?? adjusted?.score ?? cvss?.score;
  const identity = identityOf(finding);
  const file = plainPath(code?.filePath?.filePath);
  const fixed = packages.filter(({ fixedInVersion }) => /\d/.test(fixedInVersion ?? ''));
  const advice = finding.remediation?.recommendation;
  return {
    entries: [finding],
    repeats: vulnerable !== undefined,
    identify: () => fingerprintOf('aws-inspector', finding.awsAccountId, ...identity),
    title: finding.title ?? vulnerable?.vulnerabilityId ?? finding.findingArn,
    rule_id: vulnerable?.vulnerabilityId ?? code?.detectorId ?? code?.ruleId ?? finding.type,
    severity: severityOf(finding.severity, severityOfScore(score)),
    description: describeFinding({
      what: escapeMarkdown(finding.description ?? finding.title ?? ''),
      facts: {
        Type: finding.type?.replaceAll('_', ' ').toLowerCase(),
        Account: finding.awsAccountId,
        Package: distinct(...packages.map(({ name, version }) => distinct(name, version).join(' '))).join(
          ', ',
        ),
        Path: distinct(...packages.map(({ filePath }) => filePath)).join(', '),
        Detector: code?.detectorName,
        Location: formatLocation(file, code?.filePath?.startLine),
        'Exploit available': finding.exploitAvailable,
      },
      where: resources.map(({ type, id }) => `- ${escapeMarkdown(distinct(type, id).join(' '))}`).join('\n'),
      fix: distinct(
        advice?.text === 'None Provided' ? '' : escapeMarkdown(advice?.text ?? ''),
        distinct(...fixed.map(({ name, fixedInVersion }) => upgrade(name, [fixedInVersion]))).join('\n'),
      ).join('\n\n'),
      references: [
        advice?.url ?? advice?.Url,
        vulnerable?.sourceUrl,
        ...(vulnerable?.referenceUrls ?? []),
        ...(code?.referenceUrls ?? []),
      ],
    }),
    cwe: cweOf(...(code?.cwes ?? [])),
    cve: cveOf(vulnerable?.vulnerabilityId, ...(vulnerable?.relatedVulnerabilities ?? [])),
    cvss_score: vulnerable && score,
    cvss_vector: cvss?.vector,
    file,
    line: code?.filePath?.startLine,
  };
}

/** The digest of an image and the version of a function change with every deployment. */
const withoutBuild = (id: string) =>
  id.replace(/[/@]sha256:[0-9a-f]{8,}$/i, '').replace(/(:function:[^:]+):.*/s, '$1');

function identityOf(finding: Finding): (string | undefined)[] {
  const { packageVulnerabilityDetails: vulnerable, codeVulnerabilityDetails: code } = finding;
  const ports = finding.networkReachabilityDetails;
  const resources = finding.resources.map(({ id }) => withoutBuild(id ?? '')).toSorted();
  if (vulnerable?.vulnerabilityId)
    return [
      'package',
      vulnerable.vulnerabilityId,
      ...vulnerable.vulnerablePackages
        .map(({ name, filePath }) => `${name ?? ''} ${filePath ?? ''}`)
        .toSorted(),
      ...resources,
    ];
  // The finding has no code. Two places with one rule in one file are told apart by their ids.
  if (code) return ['code', code.detectorId ?? code.ruleId, code.filePath?.filePath, finding.findingArn];
  if (ports?.openPortRange)
    return ['network', ports.protocol, ports.openPortRange.begin, ports.openPortRange.end, ...resources];
  return ['finding', finding.findingArn];
}
