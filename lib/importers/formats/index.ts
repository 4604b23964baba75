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
import { semgrep } from './code/semgrep/semgrep.ts';
import { sonarqube } from './code/sonarqube.ts';
import { spotbugs } from './code/spotbugs.ts';
import { veracode } from './code/veracode/veracode.ts';
import { veracodeSca } from './code/veracode/veracode-sca.ts';
import { cyclonedx } from './dependencies/cyclonedx/cyclonedx.ts';
import { dependencyCheck } from './dependencies/dependency-check.ts';
import { govulncheck } from './dependencies/govulncheck/govulncheck.ts';
import { grype } from './dependencies/grype.ts';
import { npmAudit } from './dependencies/npm-audit.ts';
import { ossindex } from './dependencies/ossindex.ts';
import { osvScanner } from './dependencies/osv-scanner.ts';
import { bundlerAudit } from './dependencies/package-managers/bundler-audit.ts';
import { cargoAudit } from './dependencies/package-managers/cargo-audit.ts';
import { composerAudit } from './dependencies/package-managers/composer-audit.ts';
import { pnpmAudit } from './dependencies/package-managers/pnpm-audit.ts';
import { yarnAudit } from './dependencies/package-managers/yarn-audit.ts';
import { pipAudit } from './dependencies/pip-audit.ts';
import { blackDuck } from './dependencies/platforms/black-duck.ts';
import { blackDuckBinaryAnalysis } from './dependencies/platforms/black-duck-binary-analysis.ts';
import { githubDependabot } from './dependencies/platforms/github-dependabot.ts';
import { gitlabContainerScanning } from './dependencies/platforms/gitlab-container-scanning.ts';
import { gitlabDependencyScanning } from './dependencies/platforms/gitlab-dependency-scanning.ts';
import { jfrogXray } from './dependencies/platforms/jfrog-xray.ts';
import { mend } from './dependencies/platforms/mend.ts';
import { retire } from './dependencies/retire.ts';
import { snyk } from './dependencies/snyk/snyk.ts';
import { snykApi } from './dependencies/snyk-api.ts';
import { trivy } from './dependencies/trivy/trivy.ts';
import { defectdojo } from './generic/defectdojo.ts';
import { genericCsv } from './generic/generic-csv.ts';
import { genericJson } from './generic/generic-json.ts';
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
import { nessus } from './network/nessus/nessus.ts';
import { nexpose } from './network/nexpose.ts';
import { nmap } from './network/nmap.ts';
import { openvas } from './network/openvas.ts';
import { qualys } from './network/qualys/qualys.ts';
import { testssl } from './network/testssl.ts';
import { detectSecrets } from './secrets/detect-secrets.ts';
import { ggshield } from './secrets/ggshield.ts';
import { gitleaks } from './secrets/gitleaks.ts';
import { noseyparker } from './secrets/noseyparker.ts';
import { trufflehog } from './secrets/trufflehog.ts';
import { trufflehog3 } from './secrets/trufflehog3.ts';
import { acunetix } from './web/acunetix.ts';
import { arachni } from './web/arachni.ts';
import { burp } from './web/burp/burp.ts';
import { invicti } from './web/invicti.ts';
import { nikto } from './web/nikto.ts';
import { nuclei } from './web/nuclei.ts';
import { qualysWas } from './web/qualys-was.ts';
import { sqlmap } from './web/sqlmap.ts';
import { wapiti } from './web/wapiti.ts';
import { webinspect } from './web/webinspect.ts';
import { wpscan } from './web/wpscan.ts';
import { zap } from './web/zap.ts';

/** All importers, by name. */
export const importers: readonly Importer[] = [
  acunetix,
  anchore,
  anchorePolicies,
  aqua,
  arachni,
  awsInspector,
  awsSecurityHub,
  azureRecommendations,
  bandit,
  blackDuck,
  blackDuckBinaryAnalysis,
  brakeman,
  bundlerAudit,
  burp,
  cargoAudit,
  cfnLint,
  cfnNag,
  checkmarx,
  checkmarxOne,
  checkmarxOsa,
  checkov,
  clair,
  cloudsploit,
  composerAudit,
  cyclonedx,
  defectdojo,
  dependencyCheck,
  detectSecrets,
  dockerBench,
  dockle,
  eslint,
  fortify,
  gcloudArtifacts,
  genericCsv,
  genericJson,
  ggshield,
  githubCodeScanning,
  githubDependabot,
  githubSecretScanning,
  gitlabContainerScanning,
  gitlabDast,
  gitlabDependencyScanning,
  gitlabFuzzing,
  gitlabSast,
  gitlabSecretDetection,
  gitleaks,
  gosec,
  govulncheck,
  grype,
  hadolint,
  harbor,
  invicti,
  jfrogXray,
  kics,
  kubeBench,
  kubeaudit,
  kubescape,
  mend,
  mobsf,
  mobsfscan,
  nessus,
  neuvector,
  nexpose,
  nikto,
  nmap,
  noseyparker,
  npmAudit,
  nuclei,
  openvas,
  ossindex,
  osvScanner,
  pipAudit,
  pnpmAudit,
  prowler,
  qualys,
  qualysWas,
  retire,
  sarif,
  scoutSuite,
  semgrep,
  snyk,
  snykApi,
  sonarqube,
  spotbugs,
  sqlmap,
  sysdig,
  terrascan,
  testssl,
  tfsec,
  trivy,
  trivyOperator,
  trufflehog,
  trufflehog3,
  twistlock,
  veracode,
  veracodeSca,
  wapiti,
  webinspect,
  wiz,
  wizCli,
  wpscan,
  yarnAudit,
  zap,
];
