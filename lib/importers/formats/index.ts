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
import { nessus } from './network/nessus/nessus.ts';
import { nexpose } from './network/nexpose.ts';
import { nmap } from './network/nmap.ts';
import { openvas } from './network/openvas.ts';
import { qualys } from './network/qualys/qualys.ts';
import { testssl } from './network/testssl.ts';
import { gitleaks } from './secrets/gitleaks.ts';
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
  burp,
  checkov,
  gitleaks,
  govulncheck,
  grype,
  invicti,
  nessus,
  nexpose,
  nikto,
  nmap,
  npmAudit,
  nuclei,
  openvas,
  osvScanner,
  pipAudit,
  qualys,
  qualysWas,
  sarif,
  semgrep,
  snyk,
  sqlmap,
  testssl,
  trivy,
  wapiti,
  wpscan,
  zap,
];
