import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  type Result,
  readList,
} from '../importer.ts';
import { parsePurl, vulnerabilityResult, withoutVersion } from '../kinds/dependency.ts';
import { documentOf, hasKind, hasRoot, rootOf } from '../read/report.ts';
import {
  anything,
  fields,
  number,
  object,
  objects,
  requiredText,
  text,
  textAt,
  texts,
} from '../read/schema.ts';
import { elementAt, elements, isObject, property } from '../read/values.ts';
import { nameIn } from '../scanned.ts';
import {
  type Cvss,
  cvssOf,
  isInWorkspace,
  plainPath,
  relativePath,
  severityOf,
  severityOfScore,
} from '../support.ts';
import { inlineCode, sanitizeMarkdown } from '../text/markdown.ts';

const Cvss3 = object({
  baseScore: number,
  ...fields(text, 'version', 'vectorString', 'attackVector', 'attackComplexity', 'privilegesRequired'),
  ...fields(text, 'userInteraction', 'scope', 'confidentialityImpact', 'integrityImpact'),
  availabilityImpact: text,
});

const Vulnerability = z.object({
  name: requiredText,
  ...fields(text, 'source', 'severity', 'description', 'notes'),
  cvssv2: object({
    score: number,
    ...fields(text, 'accessVector', 'accessComplexity', 'authenticationr', 'confidentialImpact'),
    ...fields(text, 'confidentialityImpact', 'integrityImpact', 'availabilityImpact'),
  }),
  cvssv3: Cvss3,
  cvssv4: Cvss3,
  /** Until 5. */
  cvssScore: number,
  cwes: texts,
  references: objects({ url: text, name: text }),
});

const Dependency = z.object({
  ...fields(text, 'fileName', 'filePath', 'isVirtual'),
  ...fields(texts, 'projectReferences', 'packages', 'names'),
  relatedDependencies: objects({ fileName: text, filePath: text }),
  vulnerabilities: anything,
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

  detects: (report) =>
    hasKind(documentOf(report), { scanInfo: 'object', dependencies: 'list' }) ||
    (hasRoot(report, 'analysis') &&
      /dependency-?check/i.test(String(rootOf(report, 'analysis')['@_xmlns'] ?? ''))),

  category: (report) =>
    report.kind === 'xml'
      ? textAt(rootOf(report, 'analysis'), 'projectInfo', 'name')
      : nameIn(report, 'projectInfo', 'name'),

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

function toResult(found: Vulnerability, dependency: Dependency, context: ImportContext): Result {
  const { name: id, description, notes, references } = found;
  const { type, name, version, file, isLocal } = packageOf(dependency, context);
  const cvss = cvssFrom(found);
  const related = dependency.relatedDependencies.flatMap(
    ({ fileName, filePath }) => fileName ?? filePath ?? [],
  );
  return vulnerabilityResult({
    tool: 'dependency-check',
    entries: [dependency, found],
    identity: [type, name, isLocal ? undefined : withoutVersion(dependency.fileName, version)],
    id: id.trim(),
    name,
    version,
    summary: description,
    severity: severityOf(found.severity, severityOfScore(cvss?.score, 'medium')),
    cvss,
    cwes: found.cwes,
    file,
    isInFile: isLocal,
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
    /(?:^|[\s/\\])([^\s/\\]{1,300}?)-(\d{1,300}\.[\w.-]{0,300})\.\w{1,300}$/.exec(short) ??
    [];
  // The path of a package in a lock file is `package-lock.json?name`.
  const path = filePath?.trim().split('?', 1)[0];
  const isLocal = isInWorkspace(path, context);
  return {
    type: purl?.type,
    name: purl?.name ?? coordinates ?? bare,
    version: purl?.version ?? ofName ?? ofFile,
    file: isLocal ? relativePath(path, context) : plainPath(path),
    isLocal,
  };
}

function cvssFrom({ cvssv4, cvssv3: v3, cvssv2: v2, cvssScore }: Vulnerability): Partial<Cvss> | undefined {
  const newest = cvssOf(cvssv4?.vectorString);
  if (newest) return newest;
  if (v3) {
    const vector = vectorOf({
      AV: v3.attackVector,
      AC: v3.attackComplexity,
      PR: v3.privilegesRequired,
      UI: v3.userInteraction,
      S: v3.scope,
      C: v3.confidentialityImpact,
      I: v3.integrityImpact,
      A: v3.availabilityImpact,
    });
    const cvss = cvssOf(`CVSS:${v3.version === '3.0' ? '3.0' : '3.1'}/${vector}`);
    return { score: v3.baseScore ?? cvss?.score, vector: cvss?.vector };
  }
  const vector = vectorOf({
    AV: v2?.accessVector,
    AC: v2?.accessComplexity,
    Au: v2?.authenticationr,
    C: v2?.confidentialityImpact ?? v2?.confidentialImpact,
    I: v2?.integrityImpact,
    A: v2?.availabilityImpact,
  });
  const cvss = cvssOf(vector);
  const score = cvssv4?.baseScore ?? v2?.score ?? cvss?.score ?? cvssScore;
  return score === undefined
    ? undefined
    : { score, vector: cvssv4?.baseScore === undefined ? cvss?.vector : undefined };
}

/** The values are words or their first letters. */
const vectorOf = (metrics: Record<string, string | undefined>): string =>
  Object.entries(metrics)
    .map(([metric, value]) => `${metric}:${value?.trim().charAt(0).toUpperCase()}`)
    .join('/');

/** The content of a report, in the shape of the JSON report. */
interface Content {
  dependencies: unknown;
  /** Failures of the tool. */
  failures: string[];
}

/** Reads the JSON or XML report. @throws ReportError if the list of dependencies is missing */
function contentOf(report: Report): Content {
  if (report.kind === 'xml' && report.root === 'analysis') return contentOfXml(report.document);
  const document = documentOf(report);
  const dependencies = property(document, 'dependencies');
  if (!Array.isArray(dependencies)) throw new ReportError('expected a list', 'dependencies');
  const exceptions = property(document, 'scanInfo', 'analysisExceptions');
  return {
    dependencies: dependencies.map(
      (one) =>
        isObject(one) && {
          ...one,
          packages: [one.packages ?? []].flat().map((found) => property(found, 'id')),
          suppressed: [one.suppressedVulnerabilities ?? []].flat(),
        },
    ),
    failures: [exceptions ?? []].flat().flatMap((one) => {
      const message = property(property(one, 'exception') ?? one, 'message');
      return typeof message === 'string' ? [message] : [];
    }),
  };
}

/** Gives the elements the shape and the names of the JSON report. */
function contentOfXml(document: unknown): Content {
  const root = elementAt(document, 'analysis');
  const exceptions = elements(root, 'scanInfo', 'analysisExceptions', 'exception');
  return {
    dependencies: elements(root, 'dependencies', 'dependency').map((one) => {
      const outer = elementAt(one, 'identifiers');
      const identifiers = elementAt(outer, 'identifiers') ?? outer;
      const vulnerabilities = elementAt(one, 'vulnerabilities');
      return {
        fileName: one.fileName,
        filePath: one.filePath,
        isVirtual: one['@_isVirtual'],
        projectReferences: property(elementAt(one, 'projectReferences'), 'projectReference'),
        relatedDependencies: elements(one, 'relatedDependencies', 'relatedDependency'),
        packages: elements(identifiers, 'package').map(({ id }) => id),
        // Until 4: `<identifier type="maven"><name>group:artifact:version`.
        names: elements(outer, 'identifier')
          .filter((identifier) => identifier['@_type'] !== 'cpe')
          .map(({ name }) => name),
        vulnerabilities: elements(vulnerabilities, 'vulnerability').map((found) => ({
          ...found,
          source: found['@_source'],
          cvssv2: elementAt(found, 'cvssV2'),
          cvssv3: elementAt(found, 'cvssV3'),
          cvssv4: elementAt(found, 'cvssV4'),
          cwes: property(elementAt(found, 'cwes'), 'cwe') ?? found.cwe,
          references: elements(found, 'references', 'reference'),
        })),
        suppressed: elements(vulnerabilities, 'suppressedVulnerability'),
      };
    }),
    failures: exceptions.flatMap(({ message }) => texts.safeParse(message).data ?? []),
  };
}
