import type { Importer } from '../importer.ts';
import { bandit } from './code/bandit.ts';
import { sarif } from './code/sarif/sarif.ts';
import { semgrep } from './code/semgrep.ts';
import { cyclonedx } from './dependencies/cyclonedx/cyclonedx.ts';
import { dependencyCheck } from './dependencies/dependency-check.ts';
import { govulncheck } from './dependencies/govulncheck.ts';
import { grype } from './dependencies/grype.ts';
import { npmAudit } from './dependencies/npm-audit.ts';
import { osvScanner } from './dependencies/osv-scanner.ts';
import { pipAudit } from './dependencies/pip-audit.ts';
import { githubDependabot } from './dependencies/platforms/github-dependabot.ts';
import {
  gitlabContainerScanning,
  gitlabDependencyScanning,
} from './dependencies/platforms/gitlab-dependencies.ts';
import { snyk } from './dependencies/snyk.ts';
import { trivy } from './dependencies/trivy/trivy.ts';
import { checkov } from './infrastructure/checkov.ts';
import { gitleaks } from './secrets/gitleaks.ts';
import { nuclei } from './web/nuclei.ts';
import { zap } from './web/zap.ts';

/** All importers, by name. */
export const importers: readonly Importer[] = [
  bandit,
  checkov,
  cyclonedx,
  dependencyCheck,
  githubDependabot,
  gitlabContainerScanning,
  gitlabDependencyScanning,
  gitleaks,
  govulncheck,
  grype,
  npmAudit,
  nuclei,
  osvScanner,
  pipAudit,
  sarif,
  semgrep,
  snyk,
  trivy,
  zap,
];
