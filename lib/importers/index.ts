import { fitToLimits, makeFingerprintsUnique } from './clean.ts';
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

/** All importers. Formats that are easier to recognize come first. */
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

export interface Imported {
  format: string;
  findings: Finding[];
}

/**
 * Imports a report. The findings have unique fingerprints and fit the limits of the service.
 * @param text JSON, JSON lines or XML
 * @param format the name of an importer; undefined detects the format
 * @throws ReportError if the format is unknown or the report is invalid
 */
export function importReport(text: string, context: ImportContext, format?: string): Imported {
  const named = importers.find(({ name }) => name === format);
  if (named?.acceptsEmptyReport && text.trim() === '') return { format: named.name, findings: [] };
  const report = parseReport(text);
  const importer = format === undefined ? importers.find(({ detects }) => detects(report)) : named;
  if (!importer) {
    throw new ReportError(
      format === undefined
        ? 'The report format is not recognized. Set it with --format.'
        : `Unknown report format “${format}”`,
    );
  }
  const findings = importer.findings(report, context);
  return {
    format: importer.name,
    findings: makeFingerprintsUnique(
      findings.map((finding) => fitToLimits({ source: importer.name, ...finding })),
    ),
  };
}
