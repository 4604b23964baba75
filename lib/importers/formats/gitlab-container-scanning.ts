import type { Importer } from '../importer.ts';
import { gitlabScanOf, gitlabVulnerabilities } from '../kinds/gitlab.ts';
import { gitlabPackageResult } from './gitlab-dependency-scanning.ts';

const CONTAINERS = ['container_scanning', 'cluster_image_scanning'];

/** Container scanning of GitLab. */
export const gitlabContainerScanning: Importer = {
  name: 'gitlab-container-scanning',
  about: {
    tool: '[GitLab container scanning](https://docs.gitlab.com/user/application_security/container_scanning/)',
    command: '`gl-container-scanning-report.json` of the job',
    versions: 'schema 3.0 and 14.0; also without the fields that 15 removed',
    identity: 'image, package, advisory',
    severity: '`severity`, or CVSS',
  },
  detects: (report) => CONTAINERS.includes(gitlabScanOf(report) ?? ''),
  results: (report, context) =>
    gitlabVulnerabilities(report, CONTAINERS, context).map((found) =>
      gitlabPackageResult('gitlab-container-scanning', found, context),
    ),
};
