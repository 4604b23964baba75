import { type ImportContext, type Importer, ReportError, type Result, readList } from '../importer.ts';
import { imageName, readPart } from '../kinds/dependency.ts';
import { documentOf, firstDocument } from '../read/report.ts';
import { text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { folderName } from '../scanned.ts';
import { joined } from '../text/markdown.ts';
import { license, misconfiguration, secret, vulnerability } from '../tools/trivy-findings.ts';
import { inCluster, inImage, inWorkspace, isOsSection, type Place } from '../tools/trivy-places.ts';
import {
  License,
  Misconfiguration,
  Resource,
  Secret,
  Section,
  Vulnerability,
} from '../tools/trivy-schema.ts';

/** The fields of a report of a cluster that list resources. The first two are those of Trivy before 0.40. */
const RESOURCES = ['Vulnerabilities', 'Misconfigurations', 'Resources', 'Findings'];

/** `trivy image|fs|repo|config|k8s … --format json`. Before 0.20, the report is the bare list of results. */
export const trivy: Importer = {
  name: 'trivy',
  about: {
    tool: '[Trivy](https://trivy.dev)',
    command: '`trivy fs --format json -o report.json .` (or `trivy image`, `trivy k8s --report all`)',
    versions: '0.69; schema 2; clusters; before 0.20',
    identity: 'image, cluster resource or file; package and advisory, or check, or source code of the secret',
    severity: '`Severity`, CVSS, or the highest `VendorSeverity`',
  },
  split: {
    json: [
      ...['Vulnerabilities', 'Misconfigurations', 'Secrets', 'Licenses'].map((list) => `Results.*.${list}`),
      ...RESOURCES,
    ],
    reduced: { 'Results.*.Packages': () => undefined },
  },

  acceptsNull: true,

  detects: (report) => {
    const document = documentOf(report);
    if (Array.isArray(document)) return isSection(document[0]);
    return isObject(document) && (isCluster(document) || isReport(document));
  },

  category(report, workspace) {
    const document = firstDocument(report);
    const name = text.parse(document?.ArtifactName);
    if (typeof document?.ClusterName === 'string') return document.ClusterName;
    const isImage = document?.ArtifactType === 'container_image';
    return isImage ? imageName(name ?? '') : folderName(name, workspace);
  },

  results(report, context) {
    const whole = documentOf(report);
    // Nothing was found.
    if (whole === null) return [];
    if (Array.isArray(whole)) return formerResults(whole, context);
    const document = firstDocument(report);
    if (document && isCluster(document)) return clusterResults(document, context);
    if (!document || !isReport(document)) throw new ReportError('The list is missing', 'Results');
    const name = text.parse(document.ArtifactName);
    const type = text.parse(document.ArtifactType);
    if (property(document.Metadata, 'OS', 'EOSL') === true)
      context.warn(
        `The operating system of ${name ?? 'the target'} gets no updates: advisories may be missing`,
      );
    return sectionsOf(document.Results ?? [], 'Results', context, (section) =>
      type === 'container_image' ? inImage(section, name) : inWorkspace(section, name, type, context),
    );
  },
};

const isReport = (document: Record<string, unknown>) =>
  typeof document.SchemaVersion === 'number' && ('Results' in document || 'ArtifactName' in document);

const isCluster = (document: Record<string, unknown>) =>
  typeof document.ClusterName === 'string' && RESOURCES.some((name) => Array.isArray(document[name]));

const isSection = (value: unknown) =>
  isObject(value) &&
  typeof value.Target === 'string' &&
  ['Type', 'Class', 'Vulnerabilities', 'Misconfigurations'].some((name) => name in value);

/** Trivy before 0.20 does not say what it scanned: an image if there are packages of an operating system. */
function formerResults(document: unknown[], context: ImportContext): Result[] {
  if (document.length > 0 && !document.some(isSection)) throw new ReportError('not a result', 'Target');
  const sections = readList(Section, document, '', context);
  const image = sections.find(isOsSection)?.Target;
  return sectionsOf(document, '', context, (section) =>
    image ? inImage(section, imageName(image)) : inWorkspace(section, undefined, undefined, context),
  );
}

function clusterResults(document: Record<string, unknown>, context: ImportContext): Result[] {
  const cluster = String(document.ClusterName);
  return RESOURCES.flatMap((field) => {
    const resources = readPart(Resource, document[field], field, context);
    return resources.flatMap((resource, index) => {
      if (resource.Error) {
        const name = joined([resource.Namespace, resource.Kind, resource.Name], '/');
        context.error(`${name || 'A resource'} was not checked: ${resource.Error}`);
      }
      return sectionsOf(resource.Results, `${field}.${index}.Results`, context, (section) =>
        inCluster(section, cluster, resource),
      );
    });
  });
}

type Modified = Section['ExperimentalModifiedFindings'][number];

const DECIDED = /^(?:ignored|not_affected|fixed)$/;

function sectionsOf(
  value: unknown,
  path: string,
  context: ImportContext,
  placeOf: (section: Section) => Place,
): Result[] {
  return readPart(Section, value, path, context).flatMap((section, index) => {
    const place = placeOf(section);
    const at = (name: string) => [path, index, name].filter((part) => part !== '').join('.');
    const [suppressed, undecided] = [true, false].map((wanted) =>
      section.ExperimentalModifiedFindings.filter(({ Status }) => DECIDED.test(Status ?? '') === wanted),
    ) as [Modified[], Modified[]];
    // A VEX statement such as “under investigation” suppresses nothing.
    const members = (listed: unknown, type: string) => {
      const added = undecided.flatMap(({ Type, Finding }) => (Type === type ? [Finding] : []));
      return added.length > 0 ? [...[listed ?? []].flat(), ...added] : listed;
    };
    const checks = readPart(
      Misconfiguration,
      members(section.Misconfigurations, 'misconfiguration'),
      at('Misconfigurations'),
      context,
    );
    const exceptions = checks.filter(({ Status }) => Status === 'EXCEPTION').length;
    context.skip('excepted by a policy', Math.max(exceptions, section.MisconfSummary?.Exceptions ?? 0));
    context.skip('suppressed in Trivy', suppressed.length);
    return [
      ...readPart(
        Vulnerability,
        members(section.Vulnerabilities, 'vulnerability'),
        at('Vulnerabilities'),
        context,
      ).map((found) => vulnerability(found, section, place)),
      ...checks
        .filter(({ Status }) => Status !== 'PASS' && Status !== 'EXCEPTION')
        .map((found) => misconfiguration(found, section, place)),
      ...readPart(Secret, members(section.Secrets, 'secret'), at('Secrets'), context).map((found) =>
        secret(found, section, place, context),
      ),
      ...readPart(License, members(section.Licenses, 'license'), at('Licenses'), context).map((found) =>
        license(found, section, place),
      ),
    ];
  });
}
