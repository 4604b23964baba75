import type { ImportContext, Importer, Result } from '../importer.ts';
import { imageName, vulnerabilityResult } from '../kinds/dependency.ts';
import {
  flagsOf,
  GitlabLocation,
  type GitlabVulnerability,
  gitlabCwes,
  gitlabId,
  gitlabScanOf,
  gitlabSeverity,
  gitlabVulnerabilities,
} from '../kinds/gitlab.ts';
import { record } from '../read/schema.ts';
import { nameIn } from '../scanned.ts';
import { cvssOf, relativePath } from '../support.ts';
import { sanitizeMarkdown } from '../text/markdown.ts';

const DEPENDENCIES = ['dependency_scanning'];

/** Dependency scanning of GitLab. */
export const gitlabDependencyScanning: Importer = {
  name: 'gitlab-dependency-scanning',
  about: {
    tool: '[GitLab dependency scanning](https://docs.gitlab.com/user/application_security/dependency_scanning/)',
    command: '`gl-dependency-scanning-report.json` of the job',
    versions: 'schema 3.0; also without the fields that 15 removed',
    identity: 'manifest, package, advisory',
    severity: '`severity`, or CVSS',
  },
  detects: (report) => DEPENDENCIES.includes(gitlabScanOf(report) ?? ''),
  category: (report) => nameIn(report, 'scan', 'analyzer', 'id'),

  results: (report, context) =>
    gitlabVulnerabilities(report, DEPENDENCIES, context).map((found) =>
      gitlabPackageResult('gitlab-dependency-scanning', found, context),
    ),
};

const CONTAINERS = ['container_scanning', 'cluster_image_scanning'];

/** Container scanning of GitLab. */
export const gitlabContainerScanning: Importer = {
  name: 'gitlab-container-scanning',
  about: {
    tool: '[GitLab container scanning](https://docs.gitlab.com/user/application_security/container_scanning/)',
    command: '`gl-container-scanning-report.json` of the job',
    versions: 'schema 3.0 and 14.0; also without the fields that 15 removed',
    identity: 'image, workload of the cluster, package, advisory',
    severity: '`severity`, or CVSS',
  },
  detects: (report) => CONTAINERS.includes(gitlabScanOf(report) ?? ''),
  results: (report, context) =>
    gitlabVulnerabilities(report, CONTAINERS, context).map((found) =>
      gitlabPackageResult('gitlab-container-scanning', found, context),
    ),
};

/** The result of a vulnerable package, which dependency and container scanning report alike. */
function gitlabPackageResult(tool: string, found: GitlabVulnerability, context: ImportContext): Result {
  const { data: location } = GitlabLocation.package.safeParse(found.location);
  const { dependency, image, operating_system: system } = location ?? {};
  const name = dependency?.package?.name;
  const file = relativePath(location?.file, context);
  const cvss = found.cvss_vectors.map(({ vector }) => cvssOf(vector)).find((one) => one !== undefined);
  const workload = Object.entries(record.parse(location?.kubernetes_resource) ?? {})
    .flatMap(([part, value]) => (typeof value === 'string' && value ? [`${part} ${value}`] : []))
    .toSorted();
  const identity = [image && imageName(image), name];
  const packageOf = (identity: (string | undefined)[]) => ({
    tool,
    entries: [found],
    identity,
    id: gitlabId(found),
    aliases: found.identifiers.map(({ value }) => value),
    name,
    version: dependency?.version,
    summary: found.name && !/^CVE-/.test(found.name) ? found.name : found.description,
    severity: gitlabSeverity(found, cvss?.score),
    cvss,
    cwes: gitlabCwes(found),
    file,
    description: {
      what: sanitizeMarkdown(found.description ?? found.message ?? found.name ?? ''),
      facts: {
        Manifest: file,
        Image: image,
        Workload: workload.join(', '),
        'Operating system': system,
        Dependency:
          dependency?.direct === undefined ? undefined : dependency.direct ? 'direct' : 'transitive',
        Scanner: found.scanner?.name,
        Confidence: found.confidence,
        Flags: flagsOf(found),
      },
      fix: sanitizeMarkdown(found.solution ?? ''),
      references: [...found.identifiers.map(({ url }) => url), ...found.links.map(({ url }) => url)],
    },
  });
  const result = vulnerabilityResult(packageOf([...identity, ...workload]));
  // The workload of a cluster was not part of it.
  const { identify } = vulnerabilityResult(packageOf(identity));
  return workload.length > 0 ? { ...result, identifyFormerly: identify } : result;
}
