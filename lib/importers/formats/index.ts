import type { Importer } from '../importer.ts';
import { bandit } from './code/bandit.ts';
import { sarif } from './code/sarif/sarif.ts';
import { semgrep } from './code/semgrep.ts';
import { govulncheck } from './dependencies/govulncheck.ts';
import { grype } from './dependencies/grype.ts';
import { npmAudit } from './dependencies/npm-audit.ts';
import { osvScanner } from './dependencies/osv-scanner.ts';
import { pipAudit } from './dependencies/pip-audit.ts';
import { snyk } from './dependencies/snyk.ts';
import { trivy } from './dependencies/trivy/trivy.ts';
import { checkov } from './infrastructure/checkov.ts';
import { awsInspector } from './infrastructure/cloud/aws-inspector.ts';
import { awsSecurityHub } from './infrastructure/cloud/aws-security-hub.ts';
import { azureRecommendations } from './infrastructure/cloud/azure-recommendations.ts';
import { cloudsploit } from './infrastructure/cloud/cloudsploit.ts';
import { prowler } from './infrastructure/cloud/prowler/prowler.ts';
import { scoutSuite } from './infrastructure/cloud/scout-suite.ts';
import { wiz } from './infrastructure/cloud/wiz.ts';
import { cfnLint } from './infrastructure/configuration/cfn-lint.ts';
import { cfnNag } from './infrastructure/configuration/cfn-nag.ts';
import { hadolint } from './infrastructure/configuration/hadolint.ts';
import { kics } from './infrastructure/configuration/kics.ts';
import { terrascan } from './infrastructure/configuration/terrascan.ts';
import { tfsec } from './infrastructure/configuration/tfsec.ts';
import { anchore } from './infrastructure/images/anchore.ts';
import { anchorePolicies } from './infrastructure/images/anchore-policies.ts';
import { aqua } from './infrastructure/images/aqua.ts';
import { clair } from './infrastructure/images/clair.ts';
import { dockerBench } from './infrastructure/images/docker-bench.ts';
import { dockle } from './infrastructure/images/dockle.ts';
import { gcloudArtifacts } from './infrastructure/images/gcloud-artifacts.ts';
import { harbor } from './infrastructure/images/harbor.ts';
import { neuvector } from './infrastructure/images/neuvector.ts';
import { sysdig } from './infrastructure/images/sysdig.ts';
import { twistlock } from './infrastructure/images/twistlock.ts';
import { wizCli } from './infrastructure/images/wiz-cli.ts';
import { kubeBench } from './infrastructure/kubernetes/kube-bench.ts';
import { kubeaudit } from './infrastructure/kubernetes/kubeaudit.ts';
import { kubescape } from './infrastructure/kubernetes/kubescape.ts';
import { trivyOperator } from './infrastructure/kubernetes/trivy-operator/trivy-operator.ts';
import { gitleaks } from './secrets/gitleaks.ts';
import { nuclei } from './web/nuclei.ts';
import { zap } from './web/zap.ts';

/** All importers, by name. */
export const importers: readonly Importer[] = [
  anchore,
  anchorePolicies,
  aqua,
  awsInspector,
  awsSecurityHub,
  azureRecommendations,
  bandit,
  cfnLint,
  cfnNag,
  checkov,
  clair,
  cloudsploit,
  dockerBench,
  dockle,
  gcloudArtifacts,
  gitleaks,
  govulncheck,
  grype,
  hadolint,
  harbor,
  kics,
  kubeBench,
  kubeaudit,
  kubescape,
  neuvector,
  npmAudit,
  nuclei,
  osvScanner,
  pipAudit,
  prowler,
  sarif,
  scoutSuite,
  semgrep,
  snyk,
  sysdig,
  terrascan,
  tfsec,
  trivy,
  trivyOperator,
  twistlock,
  wiz,
  wizCli,
  zap,
];
