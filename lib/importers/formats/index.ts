import type { Importer } from '../importer.ts';
import { bandit } from './code/bandit.ts';
import { sarif } from './code/sarif/sarif.ts';
import { semgrep } from './code/semgrep/semgrep.ts';
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
import { checkov } from './infrastructure/checkov.ts';
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
import { wpscan } from './web/wpscan.ts';
import { zap } from './web/zap.ts';

/** All importers, by name. */
export const importers: readonly Importer[] = [
  acunetix,
  arachni,
  bandit,
  blackDuck,
  blackDuckBinaryAnalysis,
  bundlerAudit,
  burp,
  cargoAudit,
  checkov,
  composerAudit,
  cyclonedx,
  dependencyCheck,
  detectSecrets,
  ggshield,
  githubDependabot,
  gitlabContainerScanning,
  gitlabDependencyScanning,
  gitleaks,
  govulncheck,
  grype,
  invicti,
  jfrogXray,
  mend,
  nessus,
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
  qualys,
  qualysWas,
  retire,
  sarif,
  semgrep,
  snyk,
  snykApi,
  sqlmap,
  testssl,
  trivy,
  trufflehog,
  trufflehog3,
  wapiti,
  wpscan,
  yarnAudit,
  zap,
];
