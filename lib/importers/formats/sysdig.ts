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
import { fields, flag, isObject, number, property, requiredText, text } from '../read/schema.ts';

/** A vulnerable package, from any of the reports. */
const Row = z.object({
  id: requiredText,
  ...fields(text, 'severity', 'name', 'version', 'type', 'path', 'image', 'os'),
  score: number,
  ...fields(text, 'vector', 'link', 'fixed'),
  accepted: flag,
  ...fields(text, 'cluster', 'namespace', 'workload_type', 'workload', 'container'),
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
    severity: '`severity`',
  },

  detects: (report) =>
    report.kind === 'csv'
      ? LAYOUTS.some((layout) => isLayout(layout, report.columns))
      : isCli(report) || rowsOf(report) !== undefined,

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

type Layout = Partial<Record<keyof Row, string>>;

/** The names of the fields in the reports: CSV of 2022, of 2025 and of the CLI, JSON of 2022 and of 2025. */
const LAYOUTS: readonly Layout[] = [
  {
    id: 'Vulnerability ID',
    severity: 'Severity',
    name: 'Package name',
    version: 'Package version',
    type: 'Package type',
    path: 'Package path',
    image: 'Image',
    os: 'OS Name',
    score: 'CVSS score',
    vector: 'CVSS vector',
    link: 'Vuln link',
    fixed: 'Fix version',
    accepted: 'Risk accepted',
    cluster: 'K8S cluster name',
    namespace: 'K8S namespace name',
    workload_type: 'K8S workload type',
    workload: 'K8S workload name',
    container: 'K8S container name',
  },
  {
    id: 'Vulnerability Name',
    severity: 'Vulnerability Severity',
    name: 'Package Name',
    version: 'Package Version',
    type: 'Package Type',
    path: 'Package Path',
    image: 'Image Name',
    os: 'OS Name',
    score: 'CVSS Score',
    vector: 'CVSS Vector',
    fixed: 'Fix Version',
    accepted: 'Risk Accepted',
    cluster: 'Kubernetes Cluster Name',
    namespace: 'Kubernetes Namespace Name',
    workload_type: 'Kubernetes Workload Type',
    workload: 'Kubernetes Workload Name',
    container: 'Kubernetes Container Name',
  },
  {
    id: 'CVE ID',
    severity: 'CVE Severity',
    name: 'Package Name',
    version: 'Package Version',
    type: 'Package Type',
    path: 'Package Path',
    score: 'CVSS Score',
    link: 'CVE URL',
    fixed: 'Fix Version',
    accepted: 'Risk Accepted',
  },
  {
    id: 'vulnName',
    severity: 'vulnSeverity',
    name: 'packageName',
    version: 'packageVersion',
    type: 'packageType',
    path: 'packagePath',
    image: 'imagePullString',
    os: 'osName',
    score: 'vulnCvssScore',
    vector: 'vulnCvssVector',
    link: 'vulnLink',
    fixed: 'vulnFixVersion',
    cluster: 'k8sClusterName',
    namespace: 'k8sNamespaceName',
    workload_type: 'k8sWorkloadType',
    workload: 'k8sWorkloadName',
    container: 'k8sPodContainerName',
  },
  {
    id: 'vuln_id',
    severity: 'vuln_severity',
    name: 'scan_package_name',
    version: 'scan_package_version',
    type: 'scan_package_type',
    path: 'scan_package_path',
    image: 'container_image',
    os: 'container_image_distro',
    score: 'vuln_cvss_score',
    vector: 'vuln_cvss_vector',
    fixed: 'vuln_fixed_in_version',
    accepted: 'vuln_risk_accepted',
    cluster: 'kubernetes_cluster_name',
    namespace: 'kubernetes_namespace_name',
    workload_type: 'kubernetes_workload_type',
    workload: 'kubernetes_workload_name',
    container: 'kubernetes_pod_container_name',
  },
];

const isLayout = ({ id, severity, name, path }: Layout, columns: readonly string[]) =>
  [id, severity, name, path].every((column) => column && columns.includes(column));

function rowsOf(report: Report): unknown[] | undefined {
  if (report.kind === 'csv') return mapped(report.rows, report.columns);
  if (report.kind !== 'json') return undefined;
  const [document] = report.documents;
  const panels = property(document, 'panels');
  const data = Array.isArray(panels)
    ? panels.flatMap((panel) => property(panel, 'data') ?? [])
    : property(document, 'data');
  if (!Array.isArray(data)) return undefined;
  const [first] = data;
  return isObject(first) ? mapped(data, Object.keys(first)) : undefined;
}

function mapped(rows: readonly unknown[], columns: readonly string[]): unknown[] | undefined {
  const layout = LAYOUTS.find((candidate) => isLayout(candidate, columns));
  return (
    layout &&
    rows.map((row) =>
      Object.fromEntries(Object.entries(layout).map(([field, column]) => [field, property(row, column)])),
    )
  );
}

const isCli = (report: Report) =>
  report.kind === 'json' &&
  Array.isArray(property(report.documents[0], 'result', 'packages')) &&
  isObject(property(report.documents[0], 'result', 'metadata'));

function cliRows(report: Report, context: ImportContext): unknown[] {
  const result = report.kind === 'json' ? property(report.documents[0], 'result') : undefined;
  const metadata = property(result, 'metadata');
  const packages = [property(result, 'packages') ?? []].flat();
  if (packages.length === 0) context.warn('Sysdig found no packages in the image');
  return packages.flatMap((found) =>
    [property(found, 'vulns') ?? []].flat().map((vulnerability) => {
      const cvss = property(vulnerability, 'cvssScore', 'value');
      return {
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
        accepted: [property(vulnerability, 'acceptedRisks') ?? []].flat().length > 0,
      };
    }),
  );
}

function resultOf(row: Row): Result {
  const workload = kubernetesName(row.cluster, row.namespace, row.workload_type, row.workload, row.container);
  return vulnerablePackage({
    tool: 'sysdig',
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
