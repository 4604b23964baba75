import type { Finding } from '../finding.ts';
import { bandit } from './bandit.ts';
import { checkov } from './checkov.ts';
import { clean, separate } from './clean.ts';
import { gitleaks } from './gitleaks.ts';
import { govulncheck } from './govulncheck.ts';
import { grype } from './grype.ts';
import { type ImportContext, type Importer, ReportError } from './importer.ts';
import { npmAudit } from './npm-audit.ts';
import { nuclei } from './nuclei.ts';
import { osvScanner } from './osv-scanner.ts';
import { parseReport } from './parse.ts';
import { pipAudit } from './pip-audit.ts';
import { sarif } from './sarif.ts';
import { semgrep } from './semgrep.ts';
import { snyk } from './snyk.ts';
import { trivy } from './trivy.ts';
import { zap } from './zap.ts';

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
