import { clean, separate } from './clean.ts';
import type { Finding } from './finding.ts';
import { bandit } from './formats/bandit.ts';
import { checkov } from './formats/checkov.ts';
import { gitleaks } from './formats/gitleaks.ts';
import { govulncheck } from './formats/govulncheck.ts';
import { grype } from './formats/grype.ts';
import { npmAudit } from './formats/npm-audit.ts';
import { nuclei } from './formats/nuclei.ts';
import { osvScanner } from './formats/osv-scanner.ts';
import { pipAudit } from './formats/pip-audit.ts';
import { sarif } from './formats/sarif/sarif.ts';
import { semgrep } from './formats/semgrep.ts';
import { snyk } from './formats/snyk.ts';
import { trivy } from './formats/trivy/trivy.ts';
import { zap } from './formats/zap.ts';
import { type ImportContext, type Importer, ReportError } from './importer.ts';
import { parseReport } from './parse.ts';

/** Every format that is understood; the more telling ones are asked first. */
export const importers: readonly Importer[] = [
  bandit,
  sarif,
  semgrep,
  checkov,
  zap,
  gitleaks,
  trivy,
  grype,
  npmAudit,
  osvScanner,
  pipAudit,
  snyk,
  govulncheck,
  nuclei,
];

/** What a report says. */
export interface Imported {
  format: string;
  findings: Finding[];
}

/**
 * Reads a report: its findings, each within the service's limits and with a fingerprint of its own.
 * @param format an importer's name; found out by the content when undefined
 * @throws ReportError when the format is unknown or the report broken
 */
export function importReport(text: string, context: ImportContext, format?: string): Imported {
  const named = importers.find(({ name }) => name === format);
  if (named?.emptyMeansNothing && text.trim() === '') return { format: named.name, findings: [] };
  const report = parseReport(text);
  const importer = format === undefined ? importers.find(({ detects }) => detects(report)) : named;
  if (!importer) {
    throw new ReportError(
      format === undefined ? 'The format of the report is not known' : `There is no format “${format}”`,
    );
  }
  const found = importer.findings(report, context);
  return {
    format: importer.name,
    findings: separate(found.map((finding) => clean({ source: importer.name, ...finding }))),
  };
}
