import type { Importer } from '../importer.ts';
import { bandit } from './code/bandit.ts';
import { sarif } from './code/sarif/sarif.ts';
import { semgrep } from './code/semgrep/semgrep.ts';
import { govulncheck } from './dependencies/govulncheck/govulncheck.ts';
import { grype } from './dependencies/grype.ts';
import { npmAudit } from './dependencies/npm-audit.ts';
import { osvScanner } from './dependencies/osv-scanner.ts';
import { pipAudit } from './dependencies/pip-audit.ts';
import { snyk } from './dependencies/snyk/snyk.ts';
import { snykApi } from './dependencies/snyk-api.ts';
import { trivy } from './dependencies/trivy/trivy.ts';
import { checkov } from './infrastructure/checkov.ts';
import { gitleaks } from './secrets/gitleaks.ts';
import { nuclei } from './web/nuclei.ts';
import { zap } from './web/zap.ts';

/** All importers, by name. */
export const importers: readonly Importer[] = [
  bandit,
  checkov,
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
  snykApi,
  trivy,
  zap,
];
