import { type Report, ReportError } from '../importer.ts';
import { documentOf } from '../read/report.ts';
import { elementAt, elements, isObject, property, texts } from '../read/schema.ts';

/** The content of a report, in the shape of the JSON report. */
export interface Content {
  dependencies: unknown;
  /** Failures of the tool. */
  failures: string[];
}

/** Reads the JSON or XML report. @throws ReportError if the list of dependencies is missing */
export function contentOf(report: Report): Content {
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
  const exceptions = elements(elementAt(root, 'scanInfo', 'analysisExceptions'), 'exception');
  return {
    dependencies: elements(elementAt(root, 'dependencies'), 'dependency').map((one) => {
      const outer = elementAt(one, 'identifiers');
      const identifiers = elementAt(outer, 'identifiers') ?? outer;
      const vulnerabilities = elementAt(one, 'vulnerabilities');
      return {
        fileName: one.fileName,
        filePath: one.filePath,
        isVirtual: one['@_isVirtual'],
        projectReferences: property(elementAt(one, 'projectReferences'), 'projectReference'),
        relatedDependencies: elements(elementAt(one, 'relatedDependencies'), 'relatedDependency'),
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
          references: elements(elementAt(found, 'references'), 'reference'),
        })),
        suppressed: elements(vulnerabilities, 'suppressedVulnerability'),
      };
    }),
    failures: exceptions.flatMap(({ message }) => texts.safeParse(message).data ?? []),
  };
}
