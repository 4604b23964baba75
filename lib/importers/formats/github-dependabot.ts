import { z } from 'zod';
import { type Importer, type Report, ReportError, type Result, readList } from '../importer.ts';
import { isObject, list, number, optional, property, requiredText, text } from '../read/schema.ts';
import { resultOfAlert } from '../tools/github-alert.ts';

const Package = optional(z.object({ name: text, ecosystem: text }));
const Patched = optional(z.object({ identifier: text }));
const Identifiers = list(z.object({ type: text, value: requiredText }));
const References = list(z.object({ url: requiredText }));

/** An alert of the GraphQL API. */
const GraphAlert = z.object({
  id: text,
  number: text,
  state: text,
  dismissedAt: text,
  fixedAt: text,
  vulnerableManifestPath: text,
  vulnerableRequirements: text,
  dependencyScope: text,
  dependabotUpdate: optional(z.object({ pullRequest: optional(z.object({ permalink: text })) })),
  securityVulnerability: z.object({
    severity: text,
    package: Package,
    vulnerableVersionRange: text,
    firstPatchedVersion: Patched,
    advisory: z.object({
      ghsaId: text,
      summary: text,
      description: text,
      identifiers: Identifiers,
      references: References,
      permalink: text,
      cvss: optional(z.object({ score: number, vectorString: text })),
      cwes: optional(z.object({ nodes: list(z.object({ cweId: text })) })),
    }),
  }),
});

const Score = optional(z.object({ vector_string: text, score: number }));

/** An alert of the REST API. */
const RestAlert = z.object({
  number: text,
  state: text,
  html_url: text,
  repository: optional(z.object({ full_name: text })),
  dependency: z.object({ package: Package, manifest_path: text, scope: text }),
  security_advisory: z.object({
    ghsa_id: text,
    cve_id: text,
    summary: text,
    description: text,
    severity: text,
    identifiers: Identifiers,
    references: References,
    cvss: Score,
    cvss_severities: optional(z.object({ cvss_v3: Score, cvss_v4: Score })),
    cwes: list(z.object({ cwe_id: text })),
  }),
  security_vulnerability: optional(
    z.object({ severity: text, vulnerable_version_range: text, first_patched_version: Patched }),
  ),
});

/** Alerts of Dependabot, as the REST or GraphQL API of GitHub returns them. */
export const githubDependabot: Importer = {
  name: 'github-dependabot',
  about: {
    tool: '[GitHub Dependabot](https://docs.github.com/code-security/dependabot)',
    command: '`gh api --paginate repos/OWNER/REPO/dependabot/alerts?state=open > report.json`, or GraphQL',
    versions: 'the API names no version: answers of GraphQL',
    identity: 'repository, manifest, package, advisory',
    severity: '`severity`',
  },

  detects: (report) => {
    const [first] = alertsOf(report);
    return first ? isRestAlert(first) : pagesOf(report).length > 0;
  },

  results(report, context) {
    for (const failure of documentsOf(report).flatMap((one) => property(one, 'errors') ?? []))
      context.error(`GitHub reported an error: ${property(failure, 'message') ?? 'no message given'}`);
    const skipped = (state: string | undefined) => {
      const reason = state && REASONS.get(state.toLowerCase());
      if (reason) context.skip(reason);
      return Boolean(reason);
    };
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
      ...alerts.filter(({ state }) => !skipped(state)).map(fromRest),
      ...entries
        .filter(({ node }) => {
          const { state, dismissedAt, fixedAt } = node;
          return !skipped(state ?? (dismissedAt ? 'dismissed' : fixedAt ? 'fixed' : 'open'));
        })
        .map(({ repository, node }) => fromGraph(node, repository)),
    ];
  },
};

const REASONS = new Map([
  ['dismissed', 'dismissed in GitHub'],
  ['auto_dismissed', 'dismissed in GitHub'],
  ['fixed', 'fixed'],
]);

const documentsOf = (report: Report): unknown[] => (report.kind === 'json' ? report.documents : []);

const isRestAlert = (value: unknown) =>
  isObject(property(value, 'security_advisory')) && isObject(property(value, 'dependency'));

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
      const isIncomplete = property(property(alerts, 'pageInfo'), 'hasNextPage') === true;
      pages.push({ repository, nodes: found, isIncomplete });
      continue;
    }
    for (const inner of Object.values(value)) waiting.push({ value: inner, repository, depth: depth + 1 });
  }
  return pages;
}

const MAX_DEPTH = 8;

function fromGraph(alert: z.output<typeof GraphAlert>, repository: string | undefined): Result {
  const { package: one, advisory, ...vulnerability } = alert.securityVulnerability;
  const identifiers = advisory.identifiers.map(({ value }) => value);
  const isPinned = /^=\s*\S+$/.test(alert.vulnerableRequirements ?? '');
  return resultOfAlert({
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
  });
}

function fromRest(alert: z.output<typeof RestAlert>): Result {
  const { dependency, security_advisory: advisory, security_vulnerability: vulnerability } = alert;
  const cvss = [advisory.cvss_severities?.cvss_v4, advisory.cvss_severities?.cvss_v3, advisory.cvss].find(
    (one) => one?.vector_string,
  );
  return resultOfAlert({
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
  });
}
