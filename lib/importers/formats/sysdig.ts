import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  type Result,
  readList,
  skipped,
} from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import { distinct, fixedVersions, kubernetesName, vulnerablePackage } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, flag, number, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { nameIn } from '../scanned.ts';

/** A vulnerable package, from any of the reports. */
const Row = z.object({
  id: requiredText,
  ...fields(text, 'severity', 'name', 'version', 'type', 'path', 'image', 'os', 'vector', 'link', 'fixed'),
  ...fields(text, 'cluster', 'namespace', 'workload_type', 'workload', 'container'),
  score: number,
  accepted: flag,
});
type Row = z.output<typeof Row>;

/** Sysdig: reports as CSV and JSON, of the years until 2024 and from 2025, and those of `sysdig-cli-scanner`. */
export const sysdig: Importer = {
  name: 'sysdig',
  about: {
    tool: '[Sysdig Secure](https://docs.sysdig.com)',
    command:
      '`sysdig-cli-scanner --output json-file=report.json <image>`, or a vulnerability report of the console',
    versions: 'CLI 1.20; reports of 2022 to 2025 name no version',
    identity: 'image, workload, vulnerability, package, path',
  },

  detects: (report) => isCli(report) || rowsOf(report) !== undefined,

  category: (report) => imageName(nameIn(report, 'result', 'metadata', 'pullString') ?? ''),

  results(report, context) {
    const rows = isCli(report) ? cliRows(report, context) : rowsOf(report);
    if (!rows) throw new ReportError('The report has no vulnerabilities of Sysdig');
    return readList(Row, rows, '', context).flatMap((row): Result[] => {
      if (row.accepted === true) return skipped('accepted', context);
      // The cells of a row that lacks one are in the wrong columns.
      if (/^(?:critical|high|medium|low|negligible|none)$/i.test(row.id)) {
        context.error(`A row has no vulnerability: ${Object.values(row).slice(0, 3).join(', ')}`);
        return [];
      }
      return [resultOf(row)];
    });
  },
};

/** The columns of the reports: CSV of 2022, of 2025 and of the CLI, JSON of 2022 and of 2025. The first with a value is taken. */
const COLUMNS: Record<keyof Row, string[]> = {
  id: ['Vulnerability ID', 'Vulnerability Name', 'CVE ID', 'vulnName', 'vuln_id'],
  severity: ['Severity', 'Vulnerability Severity', 'CVE Severity', 'vulnSeverity', 'vuln_severity'],
  name: ['Package name', 'Package Name', 'packageName', 'scan_package_name'],
  version: ['Package version', 'Package Version', 'packageVersion', 'scan_package_version'],
  type: ['Package type', 'Package Type', 'packageType', 'scan_package_type'],
  path: ['Package path', 'Package Path', 'packagePath', 'scan_package_path'],
  image: ['Image', 'Image Name', 'imagePullString', 'container_image'],
  os: ['OS Name', 'osName', 'container_image_distro'],
  score: ['CVSS score', 'CVSS Score', 'vulnCvssScore', 'vuln_cvss_score'],
  vector: ['CVSS vector', 'CVSS Vector', 'vulnCvssVector', 'vuln_cvss_vector'],
  link: ['Vuln link', 'CVE URL', 'vulnLink'],
  fixed: ['Fix version', 'Fix Version', 'vulnFixVersion', 'vuln_fixed_in_version'],
  accepted: ['Risk accepted', 'Risk Accepted', 'vuln_risk_accepted'],
  cluster: ['K8S cluster name', 'Kubernetes Cluster Name', 'k8sClusterName', 'kubernetes_cluster_name'],
  namespace: [
    'K8S namespace name',
    'Kubernetes Namespace Name',
    'k8sNamespaceName',
    'kubernetes_namespace_name',
  ],
  workload_type: [
    'K8S workload type',
    'Kubernetes Workload Type',
    'k8sWorkloadType',
    'kubernetes_workload_type',
  ],
  workload: ['K8S workload name', 'Kubernetes Workload Name', 'k8sWorkloadName', 'kubernetes_workload_name'],
  container: [
    'K8S container name',
    'Kubernetes Container Name',
    'k8sPodContainerName',
    'kubernetes_pod_container_name',
  ],
};

const hasVulnerabilities = (columns: readonly string[]) =>
  [COLUMNS.id, COLUMNS.severity, COLUMNS.name, COLUMNS.path].every((names) =>
    names.some((name) => columns.includes(name)),
  );

function rowsOf(report: Report): unknown[] | undefined {
  if (report.kind === 'csv') return mapped(report.rows, report.columns);
  const document = documentOf(report);
  const panels = property(document, 'panels');
  const data = Array.isArray(panels)
    ? panels.flatMap((panel) => property(panel, 'data') ?? [])
    : property(document, 'data');
  if (!Array.isArray(data)) return undefined;
  const [first] = data;
  return isObject(first) ? mapped(data, Object.keys(first)) : undefined;
}

function mapped(rows: readonly unknown[], columns: readonly string[]): unknown[] | undefined {
  if (!hasVulnerabilities(columns)) return undefined;
  const cellIn = (row: unknown, names: string[]) =>
    names.map((name) => property(row, name)).find((value) => value !== undefined);
  return rows.map((row) => ({
    row,
    ...Object.fromEntries(Object.entries(COLUMNS).map(([field, names]) => [field, cellIn(row, names)])),
  }));
}

const isCli = (report: Report) =>
  hasKind(documentOf(report), { result: { packages: 'list', metadata: 'object' } });

function cliRows(report: Report, context: ImportContext): unknown[] {
  const result = property(documentOf(report), 'result');
  const metadata = property(result, 'metadata');
  const packages = [property(result, 'packages') ?? []].flat();
  if (packages.length === 0) context.warn('Sysdig found no packages in the image');
  return packages.flatMap((found) =>
    [property(found, 'vulns') ?? []].flat().map((vulnerability) => {
      const cvss = property(vulnerability, 'cvssScore', 'value');
      return {
        found: isObject(found) ? { ...found, vulns: undefined } : found,
        vulnerability,
        id: property(vulnerability, 'name'),
        severity: property(vulnerability, 'severity', 'value') ?? property(vulnerability, 'severity'),
        name: property(found, 'name'),
        version: property(found, 'version'),
        type: property(found, 'type'),
        path: property(found, 'path'),
        image: property(metadata, 'pullString'),
        os: property(metadata, 'baseOs'),
        score: property(cvss, 'score'),
        vector: property(cvss, 'vector'),
        fixed: property(vulnerability, 'fixedInVersion'),
        accepted: [property(vulnerability, 'acceptedRisks') ?? []].flat().some(isInForce),
      };
    }),
  );
}

/** Whether an accepted risk has not expired. */
function isInForce(risk: unknown): boolean {
  const until = Date.parse(String(property(risk, 'expirationDate') ?? ''));
  return property(risk, 'status') !== 'expired' && !(until < Date.now());
}

function resultOf(row: Row): Result {
  const workload = kubernetesName(row.cluster, row.namespace, row.workload_type, row.workload, row.container);
  return vulnerablePackage({
    tool: 'sysdig',
    entries: [row],
    id: row.id,
    name: row.name,
    version: row.version,
    fixed: fixedVersions(row.fixed),
    artifact: distinct(row.image, workload).join(' in '),
    artifactIdentity: [row.image && imageName(row.image), workload],
    path: row.path,
    severity: row.severity,
    vectors: [row.vector],
    score: row.score || undefined,
    facts: { 'Package type': row.type, 'Operating system': row.os },
    references: [row.link],
  });
}
