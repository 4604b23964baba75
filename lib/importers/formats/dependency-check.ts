import { z } from 'zod';
import { type ImportContext, type Importer, type Result, readList } from '../importer.ts';
import { parsePurl, vulnerabilityResult, withoutVersion } from '../kinds/dependency.ts';
import {
  elementAt,
  isObject,
  list,
  number,
  optional,
  property,
  requiredText,
  text,
  texts,
} from '../read/schema.ts';
import { type Cvss, cvssOf, plainPath, relativePath, severityOf, severityOfScore } from '../support.ts';
import { inlineCode, sanitizeMarkdown } from '../text/markdown.ts';
import { contentOf } from '../tools/dependency-check-content.ts';

const Cvss3 = optional(
  z.object({
    baseScore: number,
    version: text,
    vectorString: text,
    attackVector: text,
    attackComplexity: text,
    privilegesRequired: text,
    userInteraction: text,
    scope: text,
    confidentialityImpact: text,
    integrityImpact: text,
    availabilityImpact: text,
  }),
);

const Vulnerability = z.object({
  name: requiredText,
  source: text,
  severity: text,
  cvssv2: optional(z.object({ score: number })),
  cvssv3: Cvss3,
  cvssv4: Cvss3,
  /** Until 5. */
  cvssScore: number,
  cwes: texts,
  description: text,
  notes: text,
  references: list(z.object({ url: text, name: text })),
});

const Dependency = z.object({
  fileName: text,
  filePath: text,
  isVirtual: text,
  projectReferences: texts,
  relatedDependencies: list(z.object({ fileName: text, filePath: text })),
  packages: texts,
  names: texts,
  vulnerabilities: z.unknown().optional(),
  suppressed: z.array(z.unknown()),
});

type Vulnerability = z.output<typeof Vulnerability>;
type Dependency = z.output<typeof Dependency>;

/** OWASP Dependency-Check, in XML or JSON: a finding for each vulnerability of a dependency. */
export const dependencyCheck: Importer = {
  name: 'dependency-check',
  about: {
    tool: '[OWASP Dependency-Check](https://owasp.org/www-project-dependency-check/)',
    command: '`dependency-check.sh --scan . --format JSON --out report.json` (or `XML`)',
    versions: '6.5 and 7.3, XML; older XML of schema 1.3',
    identity: 'package, file, advisory',
    severity: '`severity`, or CVSS',
  },

  detects: (report) => {
    if (report.kind === 'json') {
      const [document] = report.documents;
      return isObject(property(document, 'scanInfo')) && Array.isArray(property(document, 'dependencies'));
    }
    return report.kind === 'xml' && report.root === 'analysis' && isDependencyCheck(report.document);
  },

  results(report, context) {
    const { dependencies, failures } = contentOf(report);
    for (const failure of failures) context.error(`The analysis was incomplete: ${failure}`);
    return readList(Dependency, dependencies, 'dependencies', context).flatMap((dependency, index) => {
      context.skip('suppressed in Dependency-Check', dependency.suppressed.length);
      return readList(
        Vulnerability,
        dependency.vulnerabilities,
        `dependencies.${index}.vulnerabilities`,
        context,
      ).map((vulnerability) => toResult(vulnerability, dependency, context));
    });
  },
};

const isDependencyCheck = (document: unknown) =>
  /dependency-?check/i.test(String(property(elementAt(document, 'analysis'), '@_xmlns') ?? ''));

function toResult(found: Vulnerability, dependency: Dependency, context: ImportContext): Result {
  const { name: id, description, notes, references } = found;
  const { type, name, version, file, isInWorkspace } = packageOf(dependency, context);
  const cvss = cvssFrom(found);
  const related = dependency.relatedDependencies.flatMap(
    ({ fileName, filePath }) => fileName ?? filePath ?? [],
  );
  return vulnerabilityResult({
    tool: 'dependency-check',
    identity: [type, name, isInWorkspace ? undefined : withoutVersion(dependency.fileName, version)],
    id: id.trim(),
    name,
    version,
    summary: description,
    severity: severityOf(found.severity, cvss?.score === undefined ? 'medium' : severityOfScore(cvss.score)),
    cvss,
    cwes: found.cwes,
    file,
    isInFile: isInWorkspace,
    description: {
      what: sanitizeMarkdown(description?.replace(/^[ \t]+/gm, '') ?? ''),
      facts: {
        File: dependency.fileName,
        Source: found.source,
        'Used by': dependency.projectReferences.join(', '),
      },
      where: related
        .slice(0, MAX_RELATED)
        .map((path) => `- ${inlineCode(path)}`)
        .join('\n'),
      details: sanitizeMarkdown(notes ?? ''),
      references: references.flatMap(({ url }) => url?.trim() ?? []),
    },
  });
}

const MAX_RELATED = 50;

/** The package of a dependency. Its path outside of the workspace, such as a local repository, depends on the machine. */
function packageOf({ packages, names, fileName, filePath }: Dependency, context: ImportContext) {
  const purl = packages.map(parsePurl).find((one) => one !== undefined);
  const [, coordinates, ofName] = /^(.+?):([^:]+)$/.exec(names[0]?.trim() ?? '') ?? [];
  // `name:1.0` and `archive.ear: name-1.0.jar`. A longer name would be slow to match.
  const short = (fileName ?? '').slice(-300);
  const [, bare = fileName, ofFile] =
    /^([^\s/\\]+?):(\d[^\s:]*)$/.exec(short) ??
    /(?:^|[\s/\\])([^\s/\\]+?)-(\d+\.[\w.-]*)\.\w+$/.exec(short) ??
    [];
  // The path of a package in a lock file is `package-lock.json?name`.
  const path = filePath?.trim().split('?', 1)[0];
  const isInWorkspace = path?.startsWith(`${context.directory}/`) ?? false;
  return {
    type: purl?.type,
    name: purl?.name ?? coordinates ?? bare,
    version: purl?.version ?? ofName ?? ofFile,
    file: isInWorkspace ? relativePath(path, context) : plainPath(path),
    isInWorkspace,
  };
}

function cvssFrom({ cvssv4, cvssv3: v3, cvssv2, cvssScore }: Vulnerability): Partial<Cvss> | undefined {
  const newest = cvssOf(cvssv4?.vectorString);
  if (newest) return newest;
  if (v3) {
    // The values are words or their first letters.
    const metrics = Object.entries({
      AV: v3.attackVector,
      AC: v3.attackComplexity,
      PR: v3.privilegesRequired,
      UI: v3.userInteraction,
      S: v3.scope,
      C: v3.confidentialityImpact,
      I: v3.integrityImpact,
      A: v3.availabilityImpact,
    }).map(([metric, value]) => `${metric}:${value?.trim().charAt(0).toUpperCase()}`);
    const vector = cvssOf(`CVSS:${v3.version === '3.0' ? '3.0' : '3.1'}/${metrics.join('/')}`)?.vector;
    return { score: v3.baseScore, vector };
  }
  const score = cvssv2?.score ?? cvssScore;
  return score === undefined ? undefined : { score };
}
