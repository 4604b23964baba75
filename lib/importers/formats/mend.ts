import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Result,
  readList,
  readRequired,
  skipped,
} from '../importer.ts';
import { vulnerabilityResult } from '../kinds/dependency.ts';
import { firstDocument } from '../read/report.ts';
import { anything, fields, number, object, objects, optional, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cvssOf, firstRated, relativePath, severityOf, severityOfScore } from '../support.ts';
import { codeBlock, escapeMarkdown, sanitizeMarkdown } from '../text/markdown.ts';

const Fix = object({ fixResolution: text, message: text, url: text });
const Library = z.object(fields(text, 'name', 'filename', 'artifactId', 'groupId', 'version', 'type'));

const Vulnerability = z.object({
  name: requiredText,
  ...fields(text, 'severity', 'cvss3_severity', 'scoreMetadataVector', 'url', 'description', 'project'),
  product: text,
  score: number,
  cvss3_score: number,
  library: optional(Library),
  topFix: Fix,
  locations: objects({ path: text }),
  references: objects({ url: text }),
});

type Vulnerability = z.output<typeof Vulnerability>;

const Libraries = z.object({ library: optional(Library), vulnerabilities: anything });

/** A finding of the API 3.0 of the Mend platform. */
const PlatformFinding = z.object({
  ...fields(text, 'name', 'effective', 'scoreMetadataVector'),
  component: optional(Library.extend({ path: text, dependencyType: text })),
  findingInfo: object({ status: text }),
  project: object({ name: text }),
  application: object({ name: text }),
  vulnerability: z.object({
    ...fields(text, 'name', 'description', 'severity'),
    score: number,
  }),
  topFix: Fix,
});

/** Mend, formerly WhiteSource: the exports of the application and the platform. */
export const mend: Importer = {
  name: 'mend',
  about: {
    tool: '[Mend SCA](https://www.mend.io) (WhiteSource)',
    command:
      'the vulnerability report as JSON, the report of the unified agent, or the findings of the API 3.0 (`/projects/{id}/dependencies/findings/security`)',
    versions: 'the report names no version: reports of 2019 to 2024, API 3.0',
    identity: 'project, library, advisory',
    severity: '`cvss3_severity`, `severity`, CVSS',
  },

  detects: (report) => {
    const document = firstDocument(report);
    if (!isObject(document)) return false;
    if (isObject(document.projectVitals) && Array.isArray(document.libraries)) return true;
    if (Array.isArray(document.response)) return 'supportToken' in document;
    if (!Array.isArray(document.vulnerabilities)) return false;
    const [first] = document.vulnerabilities;
    return first === undefined ? Object.keys(document).length === 1 : isObject(property(first, 'library'));
  },

  results(report, context) {
    const document = firstDocument(report);
    if (Array.isArray(document?.response)) return fromPlatform(document.response, context);
    if (Array.isArray(document?.libraries)) {
      const project = property(document.projectVitals, 'name');
      const libraries = document.libraries.map((library) => ({
        library,
        vulnerabilities: property(library, 'vulnerabilities'),
      }));
      return readList(Libraries, libraries, 'libraries', context).flatMap((entry, index) =>
        readList(Vulnerability, entry.vulnerabilities, `libraries.${index}.vulnerabilities`, context).map(
          (found) =>
            toResult(
              [entry, found],
              { ...found, library: entry.library, project: found.project ?? String(project ?? '') },
              context,
            ),
        ),
      );
    }
    const Entry = Vulnerability.extend({ library: Library });
    return readRequired(Entry, document, 'vulnerabilities', context).map((found) =>
      toResult([found], found, context),
    );
  },
};

function fromPlatform(findings: unknown[], context: ImportContext): Result[] {
  return readList(PlatformFinding, findings, 'response', context).flatMap((found) => {
    const { vulnerability, component, findingInfo, project, application, topFix, name } = found;
    const status = findingInfo?.status?.toUpperCase();
    if (status && CLOSED.has(status))
      return skipped(`${status.toLowerCase().replaceAll('_', ' ')} in Mend`, context);
    const converted: Vulnerability = {
      ...vulnerability,
      name: vulnerability.name ?? name ?? 'Vulnerability',
      cvss3_severity: undefined,
      cvss3_score: undefined,
      scoreMetadataVector: found.scoreMetadataVector,
      url: undefined,
      product: application?.name,
      project: project?.name,
      library: component,
      topFix,
      locations: component?.path ? [{ path: component.path }] : [],
      references: [],
    };
    const { dependencyType } = component ?? {};
    return [
      toResult([found], converted, context, { Dependency: dependencyType, Reachability: found.effective }),
    ];
  });
}

const CLOSED = new Set([
  ...['IGNORED', 'SUPPRESSED', 'FIXED', 'REMEDIATED', 'RESOLVED', 'CLOSED'],
  ...['REMOVED', 'LIBRARY_REMOVED', 'LIBRARY_IN_HOUSE', 'LIBRARY_WHITELIST'],
]);

function toResult(
  entries: readonly unknown[],
  found: Vulnerability,
  context: ImportContext,
  facts: Record<string, string | undefined> = {},
): Result {
  const { library, topFix, project, product, description } = found;
  const { name, version } = packageOf(library);
  const cvss = cvssOf(found.scoreMetadataVector);
  const score = found.cvss3_score ?? cvss?.score ?? found.score;
  const paths = found.locations.flatMap(({ path }) => path ?? []);
  return vulnerabilityResult({
    tool: 'mend',
    entries,
    identity: [product, project, library?.groupId?.replace(`-${version}`, ''), name],
    id: found.name,
    name,
    version,
    summary: description,
    severity: severityOf(firstRated(found.cvss3_severity, found.severity), severityOfScore(score, 'medium')),
    cvss: { score, vector: cvss?.vector },
    file: relativePath(paths[0], context),
    // The path depends on the machine of the scan.
    isInFile: false,
    description: {
      what: escapeMarkdown(description ?? ''),
      facts: { Library: library?.name, Type: library?.type, Product: product, Project: project, ...facts },
      where: paths.length > 1 ? codeBlock(paths.slice(0, 50).join('\n')) : undefined,
      fix: sanitizeMarkdown(
        [topFix?.message, topFix?.fixResolution]
          .filter(
            (part, index, parts) => part && !parts[1 - index]?.toLowerCase().startsWith(part.toLowerCase()),
          )
          .join(': '),
      ),
      references: [found.url, topFix?.url, ...found.references.map(({ url }) => url)],
    },
  });
}

/** The name of a library without its version: `commons-codec-1.6.jar` is `commons-codec`. */
function packageOf(library: Vulnerability['library']) {
  const { artifactId, filename, version } = library ?? {};
  const full = artifactId ?? library?.name ?? filename;
  const name = version
    ? full?.replace(`-${version}`, '').replace(/\.(?:jar|tgz|whl|gem|nupkg|dll)$/, '')
    : full;
  return { name, version };
}
