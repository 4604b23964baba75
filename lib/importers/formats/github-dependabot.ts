import { z } from 'zod';
import { type Importer, open, type Report, ReportError, type Result, readList } from '../importer.ts';
import { upgrade, vulnerabilityResult } from '../kinds/dependency.ts';
import { documentsOf, hasKind } from '../read/report.ts';
import { fields, number, object, objects, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cvssOf, plainPath, severityOf } from '../support.ts';
import { sanitizeMarkdown } from '../text/markdown.ts';

const Package = object({ name: text, ecosystem: text });
const Patched = object({ identifier: text });
const Identifiers = objects({ type: text, value: requiredText });
const References = objects({ url: requiredText });

/** An alert of the GraphQL API. */
const GraphAlert = z.object({
  ...fields(text, 'id', 'number', 'state', 'dismissedAt', 'fixedAt', 'vulnerableManifestPath'),
  ...fields(text, 'vulnerableRequirements', 'dependencyScope'),
  dependabotUpdate: object({ pullRequest: object({ permalink: text }) }),
  securityVulnerability: z.object({
    severity: text,
    package: Package,
    vulnerableVersionRange: text,
    firstPatchedVersion: Patched,
    advisory: z.object({
      ...fields(text, 'ghsaId', 'summary', 'description', 'permalink'),
      identifiers: Identifiers,
      references: References,
      cvss: object({ score: number, vectorString: text }),
      cwes: object({ nodes: objects({ cweId: text }) }),
    }),
  }),
});

const Score = object({ vector_string: text, score: number });

/** An alert of the REST API. */
const RestAlert = z.object({
  ...fields(text, 'number', 'state', 'html_url'),
  repository: object({ full_name: text }),
  dependency: z.object({ package: Package, manifest_path: text, scope: text }),
  security_advisory: z.object({
    ...fields(text, 'ghsa_id', 'cve_id', 'summary', 'description', 'severity'),
    identifiers: Identifiers,
    references: References,
    cvss: Score,
    cvss_severities: object({ cvss_v3: Score, cvss_v4: Score }),
    cwes: objects({ cwe_id: text }),
  }),
  security_vulnerability: object({
    severity: text,
    vulnerable_version_range: text,
    first_patched_version: Patched,
  }),
});

/** Alerts of Dependabot, as the REST or GraphQL API of GitHub returns them. */
export const githubDependabot: Importer = {
  name: 'github-dependabot',
  about: {
    tool: '[GitHub Dependabot](https://docs.github.com/code-security/dependabot)',
    command: '`gh api --paginate repos/OWNER/REPO/dependabot/alerts?state=open > report.json`, or GraphQL',
    versions: 'the API names no version: answers of GraphQL',
    identity: 'repository, manifest, package, advisory',
  },

  detects: (report) => {
    const [first] = alertsOf(report);
    return first
      ? hasKind(first, { security_advisory: 'object', dependency: 'object' })
      : pagesOf(report).length > 0;
  },

  results(report, context) {
    for (const failure of documentsOf(report).flatMap((one) => property(one, 'errors') ?? []))
      context.error(`GitHub reported an error: ${property(failure, 'message') ?? 'no message given'}`);
    const reasonOf = (state = '') => REASONS.get(state.toLowerCase());
    const alerts = readList(RestAlert, alertsOf(report), '', context);
    const pages = pagesOf(report);
    if (alerts.length === 0 && pages.length === 0 && !documentsOf(report).some(Array.isArray))
      throw new ReportError('The report has no alerts of Dependabot');
    if (pages.some(({ isIncomplete }) => isIncomplete))
      context.error('The export has only the first page of alerts');
    const nodes = pages.flatMap(({ repository, nodes }) => nodes.map((node) => ({ repository, node })));
    const entries = readList(
      z.object({ repository: text, node: GraphAlert }),
      nodes,
      'vulnerabilityAlerts.nodes',
      context,
    );
    return [
      ...open(alerts, ({ state }) => reasonOf(state), context).map(fromRest),
      ...open(
        entries,
        ({ node: { state, dismissedAt, fixedAt } }) =>
          reasonOf(state ?? (dismissedAt ? 'dismissed' : fixedAt ? 'fixed' : 'open')),
        context,
      ).map((entry) => ({ ...fromGraph(entry.node, entry.repository), entries: [entry] })),
    ].map(resultOfAlert);
  },
};

const REASONS = new Map([
  ['dismissed', 'dismissed in GitHub'],
  ['auto_dismissed', 'dismissed in GitHub'],
  ['fixed', 'fixed'],
]);

/** The REST API returns a list; several in a row with `--paginate`. */
const alertsOf = (report: Report): unknown[] => documentsOf(report).filter(Array.isArray).flat();

interface Page {
  repository: string | undefined;
  nodes: unknown[];
  isIncomplete: boolean;
}

/** The alerts in a GraphQL answer, wherever the query has put them. */
function pagesOf(report: Report): Page[] {
  const pages: Page[] = [];
  const waiting: { value: unknown; repository?: string | undefined; depth: number }[] = documentsOf(report)
    .filter(isObject)
    .map((document) => ({ value: document.data, depth: 0 }));
  // The loop also reaches what is added in it.
  for (const next of waiting) {
    const { value, depth } = next;
    if (depth > MAX_DEPTH || typeof value !== 'object' || value === null) continue;
    const named = property(value, 'nameWithOwner') ?? property(value, 'name');
    const repository = typeof named === 'string' ? named : next.repository;
    const alerts = property(value, 'vulnerabilityAlerts');
    const edges = property(alerts, 'edges');
    const found =
      property(alerts, 'nodes') ??
      (Array.isArray(edges) ? edges.map((edge) => property(edge, 'node')) : undefined);
    if (Array.isArray(found)) {
      const isIncomplete = property(alerts, 'pageInfo', 'hasNextPage') === true;
      pages.push({ repository, nodes: found, isIncomplete });
      continue;
    }
    for (const inner of Object.values(value)) waiting.push({ value: inner, repository, depth: depth + 1 });
  }
  return pages;
}

const MAX_DEPTH = 8;

/** The fields of an alert that both APIs return. */
function fromGraph(alert: z.output<typeof GraphAlert>, repository: string | undefined) {
  const { package: one, advisory, ...vulnerability } = alert.securityVulnerability;
  const identifiers: (string | undefined)[] = advisory.identifiers.map(({ value }) => value);
  const isPinned = /^=\s*\S+$/.test(alert.vulnerableRequirements ?? '');
  return {
    entries: [alert] as readonly unknown[],
    alert: alert.number ?? alert.id,
    repository,
    manifest: alert.vulnerableManifestPath,
    ecosystem: one?.ecosystem,
    name: one?.name,
    version: isPinned ? alert.vulnerableRequirements?.replace(/^=\s*/, '') : undefined,
    id: advisory.ghsaId,
    identifiers,
    summary: advisory.summary,
    details: advisory.description,
    severity: vulnerability.severity,
    scope: alert.dependencyScope,
    range: vulnerability.vulnerableVersionRange,
    patched: vulnerability.firstPatchedVersion?.identifier,
    vector: advisory.cvss?.vectorString,
    score: advisory.cvss?.score,
    cwes: advisory.cwes?.nodes.map(({ cweId }) => cweId) ?? [],
    links: [
      alert.dependabotUpdate?.pullRequest?.permalink,
      advisory.permalink,
      ...advisory.references.map(({ url }) => url),
    ],
  };
}

type Alert = ReturnType<typeof fromGraph>;

function fromRest(alert: z.output<typeof RestAlert>): Alert {
  const { dependency, security_advisory: advisory, security_vulnerability: vulnerability } = alert;
  const cvss = [advisory.cvss_severities?.cvss_v4, advisory.cvss_severities?.cvss_v3, advisory.cvss].find(
    (one) => one?.vector_string,
  );
  return {
    entries: [alert],
    alert: alert.number,
    repository: alert.repository?.full_name,
    manifest: dependency.manifest_path,
    ecosystem: dependency.package?.ecosystem,
    name: dependency.package?.name,
    version: undefined,
    id: advisory.ghsa_id,
    identifiers: [advisory.cve_id, ...advisory.identifiers.map(({ value }) => value)],
    summary: advisory.summary,
    details: advisory.description,
    severity: vulnerability?.severity ?? advisory.severity,
    scope: dependency.scope,
    range: vulnerability?.vulnerable_version_range,
    patched: vulnerability?.first_patched_version?.identifier,
    vector: cvss?.vector_string,
    score: cvss?.score,
    cwes: advisory.cwes.map(({ cwe_id: id }) => id),
    links: [alert.html_url, ...advisory.references.map(({ url }) => url)],
  };
}

/** The finding of an alert. */
function resultOfAlert(alert: Alert): Result {
  const { repository, ecosystem, name, version, identifiers, summary, details, vector, score } = alert;
  const ids = [alert.id, ...identifiers];
  const id = ids.find((one) => /^GHSA-/i.test(one ?? '')) ?? ids.find(Boolean) ?? summary ?? 'Alert';
  const cvss = cvssOf(vector);
  return vulnerabilityResult({
    tool: 'github-dependabot',
    entries: alert.entries,
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
