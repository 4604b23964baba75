import { z } from 'zod';
import { type Importer, open, type Report, ReportError, readList } from '../importer.ts';
import { parsePurl } from '../kinds/dependency.ts';
import { vulnerablePackage } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, flag, number, object, objects, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { joined } from '../text/markdown.ts';

const Finding = z.object({
  component: z.object(fields(text, 'group', 'name', 'version', 'purl', 'latestVersion')),
  vulnerability: z.object({
    vulnId: requiredText,
    ...fields(text, 'source', 'title', 'subtitle', 'description', 'recommendation', 'severity', 'cweId'),
    ...fields(text, 'cvssV4Vector', 'cvssV3Vector', 'cvssV2Vector'),
    ...fields(number, 'cvssV4Score', 'cvssV3BaseScore', 'cvssV2BaseScore', 'epssScore'),
    cwes: objects({ cweId: text }),
    aliases: objects(fields(text, 'cveId', 'ghsaId', 'snykId', 'osvId')),
  }),
  analysis: object({ state: text, isSuppressed: flag }),
  attribution: object({ analyzerIdentity: text, referenceUrl: text }),
});

/** The finding packaging format (FPF), and the findings of a project from the API. */
export const dependencyTrack: Importer = {
  name: 'dependency-track',
  about: {
    tool: '[Dependency-Track](https://dependencytrack.org)',
    command: '`GET /api/v1/finding/project/UUID/export`, or the same without `/export`',
    versions: 'FPF 1.0 to 1.2',
    identity: 'project, package, vulnerability',
    severity: '`severity`, or CVSS',
  },

  detects: (report) =>
    property(documentOf(report), 'meta', 'application') === 'Dependency-Track' ||
    hasKind(findingsOf(report)?.[0], {
      component: 'object',
      vulnerability: { vulnId: 'text' },
      matrix: 'text',
    }),

  results(report, context) {
    const findings = findingsOf(report);
    if (!findings) throw new ReportError('expected a list', 'findings');
    const project = text.parse(property(documentOf(report), 'project', 'name'));
    return open(
      readList(Finding, findings, 'findings', context),
      ({ analysis }) => analysis?.isSuppressed && 'suppressed in Dependency-Track',
      context,
    ).map((finding) => {
      const { component, vulnerability: found, analysis, attribution } = finding;
      const purl = parsePurl(component.purl);
      return vulnerablePackage({
        tool: 'dependency-track',
        entries: [finding],
        id: found.vulnId,
        name: purl?.name ?? joined([component.group, component.name], '/'),
        version: component.version ?? purl?.version,
        artifact: project,
        severity: found.severity,
        summary: joined([found.title, found.subtitle], ': '),
        details: found.description,
        fix: found.recommendation,
        vectors: [found.cvssV4Vector, found.cvssV3Vector, found.cvssV2Vector],
        score: found.cvssV4Score ?? found.cvssV3BaseScore ?? found.cvssV2BaseScore,
        facts: {
          Type: purl?.type,
          'Latest version': component.latestVersion,
          Source: found.source,
          Aliases: found.aliases.flatMap((one) => Object.values(one).filter(Boolean)).join(', '),
          EPSS: found.epssScore === undefined ? undefined : `${(found.epssScore * 100).toFixed(1)} %`,
          Analysis: analysis?.state,
          Analyzer: attribution?.analyzerIdentity,
        },
        references: [attribution?.referenceUrl],
        cwes: [...found.cwes.map(({ cweId }) => cweId), found.cweId],
        aliases: found.aliases.map(({ cveId }) => cveId),
      });
    });
  },
};

function findingsOf(report: Report): unknown[] | undefined {
  const document = documentOf(report);
  const found = property(document, 'findings') ?? document;
  return Array.isArray(found) ? found : undefined;
}
