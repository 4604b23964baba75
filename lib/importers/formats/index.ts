import type { Importer } from '../importer.ts';
import { bandit } from './code/bandit.ts';
import { brakeman } from './code/brakeman.ts';
import { checkmarx } from './code/checkmarx/checkmarx.ts';
import { checkmarxOne } from './code/checkmarx/checkmarx-one.ts';
import { checkmarxOsa } from './code/checkmarx/checkmarx-osa.ts';
import { eslint } from './code/eslint.ts';
import { fortify } from './code/fortify/fortify.ts';
import { githubCodeScanning } from './code/github/code-scanning.ts';
import { githubSecretScanning } from './code/github/secret-scanning.ts';
import { gitlabDast, gitlabFuzzing } from './code/gitlab/gitlab-dast.ts';
import { gitlabSast } from './code/gitlab/gitlab-sast.ts';
import { gitlabSecretDetection } from './code/gitlab/gitlab-secret-detection.ts';
import { gosec } from './code/gosec.ts';
import { mobsf } from './code/mobsf.ts';
import { mobsfscan } from './code/mobsfscan.ts';
import { sarif } from './code/sarif/sarif.ts';
import { semgrep } from './code/semgrep.ts';
import { sonarqube } from './code/sonarqube.ts';
import { spotbugs } from './code/spotbugs.ts';
import { veracode } from './code/veracode/veracode.ts';
import { veracodeSca } from './code/veracode/veracode-sca.ts';
import { govulncheck } from './dependencies/govulncheck.ts';
import { grype } from './dependencies/grype.ts';
import { npmAudit } from './dependencies/npm-audit.ts';
import { osvScanner } from './dependencies/osv-scanner.ts';
import { pipAudit } from './dependencies/pip-audit.ts';
import { snyk } from './dependencies/snyk.ts';
import { trivy } from './dependencies/trivy/trivy.ts';
import { genericCsv } from './generic/generic-csv.ts';
import { genericJson } from './generic/generic-json.ts';
import { checkov } from './infrastructure/checkov.ts';
import { gitleaks } from './secrets/gitleaks.ts';
import { nuclei } from './web/nuclei.ts';
import { zap } from './web/zap.ts';

/** All importers, by name. */
export const importers: readonly Importer[] = [
  bandit,
  brakeman,
  checkmarx,
  checkmarxOne,
  checkmarxOsa,
  checkov,
  eslint,
  fortify,
  genericCsv,
  genericJson,
  githubCodeScanning,
  githubSecretScanning,
  gitlabDast,
  gitlabFuzzing,
  gitlabSast,
  gitlabSecretDetection,
  gitleaks,
  gosec,
  govulncheck,
  grype,
  mobsf,
  mobsfscan,
  npmAudit,
  nuclei,
  osvScanner,
  pipAudit,
  sarif,
  semgrep,
  snyk,
  sonarqube,
  spotbugs,
  trivy,
  veracode,
  veracodeSca,
  zap,
];
