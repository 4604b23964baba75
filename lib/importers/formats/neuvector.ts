import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  ReportError,
  type Result,
  readAt,
  readList,
  skipped,
} from '../importer.ts';
import { distinct, failedCheck, fixedVersions, vulnerablePackage } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, number, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';

const Vulnerability = z.object({
  name: requiredText,
  ...fields(text, 'severity', 'vectors', 'vectors_v3', 'description', 'package_name', 'package_version'),
  ...fields(text, 'fixed_version', 'link', 'file_name', 'in_base_image'),
  score: number,
  score_v3: number,
  tags: texts,
});
const Check = z.object({
  test_number: requiredText,
  ...fields(text, 'category', 'type', 'profile', 'description', 'remediation', 'level', 'group'),
  message: texts,
});

const Secret = z.object({ type: text, path: text, suggestion: text });

/** The scan report of a container, node or image, and the compliance report. */
export const neuvector: Importer = {
  name: 'neuvector',
  about: {
    tool: '[NeuVector](https://open-docs.neuvector.com)',
    command: '`GET /v1/scan/workload/…` (or `/v1/scan/registry/…/image/…`), and `GET /v1/compliance/…`',
    versions: 'the report names no version: answers of the scan and compliance APIs of 2022',
    identity: 'vulnerability, package; or check, kind of resource, group',
    severity: '`severity`; `level` of a check: HIGH and ERROR are high, WARN medium, INFO info',
  },

  detects: (report) => {
    const document = documentOf(report);
    const scan = property(document, 'report');
    if (!isObject(scan)) return hasKind(document, { items: 'list', kubernetes_cis_version: 'value' });
    return (
      Array.isArray(scan.vulnerabilities) && ('modules' in scan || 'setid_perms' in scan || 'checks' in scan)
    );
  },

  results(report, context) {
    const document = documentOf(report);
    const scan = property(document, 'report');
    if (!isObject(scan) && !Array.isArray(property(document, 'items')))
      throw new ReportError('The report has neither a scan report nor checks');
    return [
      ...readList(
        Vulnerability,
        property(scan, 'vulnerabilities'),
        'report.vulnerabilities',
        context,
      ).flatMap((found) => vulnerability(found, context)),
      ...readAt(Check, document, 'items', context).flatMap((check) => compliance(check, context)),
      ...readList(Secret, property(scan, 'secrets'), 'report.secrets', context).flatMap(secret),
      ...readList(Check, property(scan, 'checks'), 'report.checks', context).flatMap((check) =>
        compliance(check, context),
      ),
    ];
  },
};

function vulnerability(found: z.output<typeof Vulnerability>, context: ImportContext): Result[] {
  if (found.tags.includes('accepted')) return skipped('accepted', context);
  return [
    vulnerablePackage({
      tool: 'neuvector',
      entries: [found],
      id: found.name,
      name: found.package_name,
      version: found.package_version,
      fixed: fixedVersions(found.fixed_version),
      path: found.file_name,
      severity: found.severity,
      details: found.description,
      vectors: [found.vectors_v3, found.vectors],
      score: found.score_v3 || found.score || undefined,
      facts: { 'In the base image': found.in_base_image },
      references: [found.link],
    }),
  ];
}

function compliance(check: z.output<typeof Check>, context: ImportContext): Result[] {
  const level = check.level?.toUpperCase() ?? '';
  if (['PASS', 'NOTE', 'MANUAL', 'INFO'].includes(level))
    return skipped(
      level === 'PASS' ? 'passed' : level === 'INFO' ? 'informational' : 'need a manual check',
      context,
    );
  return [
    failedCheck({
      tool: 'neuvector',
      entries: [check],
      id: check.test_number,
      name: check.description,
      resource: check.group,
      resourceIdentity: [check.category, check.type, check.group],
      severity: level === 'WARN' ? 'medium' : level === 'LOW' ? 'low' : 'high',
      message: check.message.join('\n'),
      fix: check.remediation,
      facts: { Category: distinct(check.category, check.type).join(' '), Profile: check.profile },
    }),
  ];
}

/** Without the evidence, which is the secret. An entry without a type is a placeholder. */
function secret(found: z.output<typeof Secret>): Result[] {
  const { type, path, suggestion } = found;
  if (!type) return [];
  const name = `Secret in ${path || 'the container'}: ${type}`;
  return [
    failedCheck({
      tool: 'neuvector',
      entries: [found],
      id: 'secret',
      name,
      resourceIdentity: [type, path],
      severity: 'high',
      fix: suggestion,
      cwe: 'CWE-798',
    }),
  ];
}
