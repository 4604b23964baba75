import type { Result } from '../importer.ts';
import { upgrade, vulnerabilityResult } from '../kinds/dependency.ts';
import { cvssOf, plainPath, severityOf } from '../support.ts';
import { sanitizeMarkdown } from '../text/markdown.ts';

type Text = string | undefined;

/** The fields of an alert that both APIs return. */
export interface Alert {
  alert: Text;
  repository: Text;
  manifest: Text;
  ecosystem: Text;
  name: Text;
  version: Text;
  id: Text;
  identifiers: Text[];
  summary: Text;
  details: Text;
  severity: Text;
  scope: Text;
  range: Text;
  patched: Text;
  vector: Text;
  score: number | undefined;
  cwes: Text[];
  links: Text[];
}

/** The finding of an alert. */
export function resultOfAlert(alert: Alert): Result {
  const { repository, ecosystem, name, version, identifiers, summary, details, vector, score } = alert;
  const ids = [alert.id, ...identifiers];
  const id = ids.find((one) => /^GHSA-/i.test(one ?? '')) ?? ids.find(Boolean) ?? summary ?? 'Alert';
  const cvss = cvssOf(vector);
  return vulnerabilityResult({
    tool: 'github-dependabot',
    // A query may leave out the manifest.
    identity: [repository, ecosystem?.toLowerCase(), name, alert.manifest ? undefined : alert.alert],
    id,
    aliases: ids,
    name,
    version,
    summary,
    severity: severityOf(alert.severity, 'medium'),
    cvss: { score: score || cvss?.score, vector: cvss?.vector },
    cwes: alert.cwes,
    // Relative to the repository, not to the scanned directory.
    file: plainPath(alert.manifest),
    description: {
      what: sanitizeMarkdown(details || summary || ''),
      facts: {
        Ecosystem: ecosystem,
        'Vulnerable versions': alert.range,
        'Fixed version': alert.patched,
        Scope: alert.scope?.toLowerCase(),
        Repository: repository,
        Manifest: alert.manifest,
      },
      fix: upgrade(name, [alert.patched]),
      references: alert.links,
    },
  });
}
