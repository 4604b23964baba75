import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  type Result,
  readList,
} from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import {
  distinct,
  failedCheck,
  fixedVersions,
  kubernetesName,
  vulnerablePackage,
} from '../kinds/resources.ts';
import { hasKind } from '../read/report.ts';
import {
  anything,
  fields,
  flag,
  list,
  number,
  object,
  record,
  requiredText,
  text,
  texts,
} from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { severityOf } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { describeFinding, escapeMarkdown, joined } from '../text/markdown.ts';

const Vulnerability = z.object({
  vulnerabilityID: requiredText,
  ...fields(text, 'resource', 'installedVersion', 'fixedVersion', 'severity', 'title', 'description'),
  ...fields(text, 'primaryLink', 'target', 'class', 'packagePath', 'packageType'),
  score: number,
  links: texts,
  cvss: record,
});
const Check = z.object({
  ...fields(text, 'checkID', 'title', 'description', 'category', 'remediation', 'severity', 'target'),
  messages: texts,
  success: flag,
});
const Secret = z.object(fields(text, 'ruleID', 'title', 'category', 'severity', 'match', 'target'));
const Control = z.object({
  ...fields(text, 'id', 'name', 'description', 'severity'),
  totalFail: number,
  checks: list(Check),
});
const Resource = z.object({
  kind: requiredText,
  metadata: z
    .object({
      name: text,
      namespace: text,
      labels: record,
    })
    .catch({ name: undefined, namespace: undefined, labels: undefined }),
  report: object({
    artifact: object({ repository: text, tag: text, digest: text }),
    registry: object({ server: text }),
    ...fields(anything, 'vulnerabilities', 'checks', 'secrets'),
  }),
  status: object({
    detailReport: object({ results: anything, title: text }),
    summaryReport: object({ controlCheck: anything, title: text }),
  }),
});
type Resource = z.output<typeof Resource>;

type Vulnerability = z.output<typeof Vulnerability>;
type Check = z.output<typeof Check>;
type Secret = z.output<typeof Secret>;
type Control = z.output<typeof Control>;

/** The subject of a report: its name as shown, and its identity. */
interface Subject {
  shown: string | undefined;
  identity: (string | undefined)[];
  container: string | undefined;
}

/** The reports of Trivy Operator, one resource or many: `kubectl get vulnerabilityreports -A -o json`. */
export const trivyOperator: Importer = {
  name: 'trivy-operator',
  about: {
    tool: '[Trivy Operator](https://aquasecurity.github.io/trivy-operator/)',
    command:
      '`kubectl get vulnerabilityreports,configauditreports,exposedsecretreports -A -o json > report.json`',
    versions: 'CRD v1alpha1, with Trivy 0.38 and 0.48',
    identity: 'namespace, kind and name of the workload, container; vulnerability and package, or check',
  },

  detects: (report) => resourcesOf(report)?.some(isReport) ?? false,

  results(report, context) {
    const resources = resourcesOf(report);
    if (!resources) throw new ReportError('The report has no resources of Trivy Operator');
    const reports = resources.filter(isReport);
    context.skip('resources of other kinds', resources.length - reports.length);
    return readList(Resource, reports, '', context).flatMap((resource) => resultsOf(resource, context));
  },
};

const isReport = (value: unknown) =>
  hasKind(value, { apiVersion: 'text', kind: 'text' }) &&
  String(property(value, 'apiVersion')).startsWith('aquasecurity.github.io/') &&
  String(property(value, 'kind')).endsWith('Report');

/** The resources in a list of `kubectl`, in an array, by the name of their definition, or one by one. */
function resourcesOf(report: Report): unknown[] | undefined {
  if (report.kind !== 'json') return undefined;
  return report.documents.flatMap((document) => {
    if (Array.isArray(document)) return document;
    if (!isObject(document)) return [];
    if (Array.isArray(document.items)) return document.items;
    const definitions = Object.keys(document).filter((name) => name.endsWith('.aquasecurity.github.io'));
    return definitions.length > 0 ? definitions.flatMap((name) => document[name]) : [document];
  });
}

function resultsOf(resource: Resource, context: ImportContext): Result[] {
  const { kind, report, status } = resource;
  const subject = subjectOf(resource);
  const { detailReport, summaryReport } = status ?? {};
  if (/Sbom/i.test(kind)) context.skip('bills of materials');
  const all = readList(Check, report?.checks, 'report.checks', context);
  const failed = all.filter(({ success }) => success !== true);
  context.skip('passed', all.length - failed.length);
  return [
    ...readList(Vulnerability, report?.vulnerabilities, 'report.vulnerabilities', context).map((found) =>
      vulnerability(found, resource, subject),
    ),
    ...failed.map((check) => configuration(check, resource, subject)),
    ...readList(Secret, report?.secrets, 'report.secrets', context).map((found) =>
      secret(found, resource, subject),
    ),
    ...controls(
      readList(Control, detailReport?.results, 'status.detailReport.results', context),
      resource,
      context,
    ),
    ...(detailReport?.results
      ? []
      : controls(
          readList(Control, summaryReport?.controlCheck, 'status.summaryReport.controlCheck', context),
          resource,
          context,
        )),
  ];
}

function subjectOf({ kind, metadata }: Resource): Subject {
  const label = (name: string) => {
    const value = metadata.labels?.[`trivy-operator.${name}`];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const namespace = label('resource.namespace') ?? metadata.namespace;
  const [type, name] = [label('resource.kind'), label('resource.name')];
  const container = label('container.name');
  return {
    shown: name
      ? kubernetesName(namespace, type, name, container)
      : kubernetesName(namespace, kind, metadata.name),
    identity: name ? [namespace, type, withoutHash(name, type), container] : [namespace, kind, metadata.name],
    container,
  };
}

/** The names of replica sets and pods end with a hash that changes with every deployment. */
function withoutHash(name: string, kind: string | undefined): string {
  if (kind === 'ReplicaSet') return name.replace(/-[a-z0-9]{6,10}$/, '');
  return kind === 'Pod' ? name.replace(/-[a-f0-9]{6,10}-[a-z0-9]{5}$/, '') : name;
}

function vulnerability(found: Vulnerability, resource: Resource, subject: Subject): Result {
  const { artifact, registry } = resource.report ?? {};
  const image = joined([registry?.server, artifact?.repository], '/');
  return vulnerablePackage({
    tool: 'trivy-operator',
    entries: [resource, found],
    id: found.vulnerabilityID,
    name: found.resource,
    version: found.installedVersion,
    fixed: fixedVersions(found.fixedVersion),
    artifact: distinct(image && `${image}:${artifact?.tag ?? artifact?.digest ?? ''}`, subject.shown).join(
      ' in ',
    ),
    artifactIdentity: [imageName(image), ...subject.identity],
    path: found.packagePath ?? (found.class === 'os-pkgs' ? undefined : found.target),
    severity: found.severity,
    summary: found.title,
    details: found.description,
    vectors: vectorsOf(found.cvss),
    score: found.score,
    references: [found.primaryLink, ...found.links],
  });
}

const vectorsOf = (cvss: Record<string, unknown> | undefined) =>
  ['nvd', 'ghsa', 'redhat', ...Object.keys(cvss ?? {})].flatMap((source) =>
    ['V40Vector', 'V3Vector', 'V2Vector'].map((name) => {
      const vector = property(cvss?.[source], name);
      return typeof vector === 'string' ? vector : undefined;
    }),
  );

function configuration(check: Check, resource: Resource, { shown, identity }: Subject): Result {
  return failedCheck({
    tool: 'trivy-operator',
    entries: [resource, check],
    id: check.checkID || check.title || resource.kind,
    name: check.title,
    resource: shown,
    // A check may fail once per container.
    resourceIdentity: [...identity, ...containersOf(check.messages), check.target],
    severity: severityOf(check.severity),
    message: check.messages.join('\n'),
    about: check.description,
    fix: check.remediation,
    facts: { Category: check.category },
    references: linkOf(check.checkID),
  });
}

const containersOf = (messages: readonly string[]) =>
  messages.map((message) => /\bcontainer '?"?([\w.-]+)/i.exec(message)?.[1] ?? '').toSorted();

const linkOf = (id: string | undefined) =>
  /^(?:AVD-)?(?:KSV|KCV)-?\d+$/i.test(id ?? '')
    ? [`https://avd.aquasec.com/misconfig/${id?.toLowerCase().replace(/^avd-/, '').replace('-', '')}`]
    : [];

function secret(found: Secret, resource: Resource, { shown, identity }: Subject): Result {
  const rule = found.ruleID ?? found.title ?? 'secret';
  const match = maskCredentials(found.match ?? '').replace(/\*{2,}/g, '*'.repeat(8));
  return {
    entries: [resource, found],
    repeats: true,
    identify: () => fingerprintOf('trivy-operator', 'secret', rule, found.target, match, ...identity),
    title: `Secret (${found.title ?? rule})${found.target ? ` in ${found.target}` : ''}`,
    rule_id: rule,
    severity: severityOf(found.severity, 'high'),
    description: describeFinding({
      what: `The image contains a secret: ${escapeMarkdown(found.title ?? rule)}.`,
      facts: { Rule: rule, Category: found.category, Path: found.target, Workload: shown },
      snippet: match,
      fix: 'Revoke the secret and issue a new one, because the layers of the image keep it. Then remove it.',
    }),
    cwe: 'CWE-798',
  };
}

/** The controls of a compliance report. */
function controls(found: readonly Control[], resource: Resource, context: ImportContext): Result[] {
  const { metadata, status } = resource;
  const standard = status?.detailReport?.title ?? status?.summaryReport?.title ?? metadata.name;
  return found.flatMap((control) => {
    const failed = control.checks.filter(({ success }) => success === false);
    const isFailed = failed.length > 0 || (control.totalFail ?? 0) > 0;
    if (!isFailed) context.skip('passed', Math.max(1, control.checks.length));
    else context.skip('passed', control.checks.length - failed.length);
    const base = {
      tool: 'trivy-operator',
      id: distinct(metadata.name, control.id).join(' ') || 'control',
      facts: { Standard: standard, Control: distinct(control.id, control.name).join(' ') },
    };
    if (!isFailed) return [];
    if (failed.length === 0)
      return [
        failedCheck({
          ...base,
          entries: [resource, control],
          name: control.name,
          severity: severityOf(control.severity),
          about: control.description,
        }),
      ];
    return failed.map((check) =>
      failedCheck({
        ...base,
        entries: [resource, control, check],
        name: check.title || control.name,
        resource: check.target,
        resourceIdentity: [check.checkID, check.target, ...containersOf(check.messages)],
        severity: severityOf(check.severity || control.severity),
        message: check.messages.join('\n'),
        about: check.description || control.description,
        fix: check.remediation,
        facts: { ...base.facts, 'Failed check': check.checkID },
        references: linkOf(check.checkID),
      }),
    );
  });
}
