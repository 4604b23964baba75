import { z } from 'zod';
import {
  type ImportContext,
  type Importer,
  type Result,
  readList,
  skipped,
  type Workspace,
} from '../importer.ts';
import { decodeEscapes, imageName, parsePurl, vulnerabilityResult } from '../kinds/dependency.ts';
import { isObject, property } from '../read/values.ts';
import { folderName } from '../scanned.ts';
import {
  type Cvss,
  cvssOf,
  isRated,
  mostSevere,
  plainPath,
  relativePath,
  severityOf,
  severityOfScore,
} from '../support.ts';
import { escapeMarkdown, joined, sanitizeMarkdown } from '../text/markdown.ts';
import { bomOf, Component, isBom, type Rating, Vulnerability } from '../tools/cyclonedx.ts';

const Entry = z.object({ vulnerability: Vulnerability, component: Component.optional() });

/** A bill of materials with vulnerabilities, in JSON or XML: a finding for each vulnerability of a component. */
export const cyclonedx: Importer = {
  name: 'cyclonedx',
  about: {
    tool: '[CycloneDX](https://cyclonedx.org) of any tool',
    command:
      'a bill of materials with vulnerabilities: `trivy fs --format cyclonedx --scanners vuln -o report.json .`',
    versions: '1.0 to 1.2, 1.4 and 1.5, JSON and XML',
    identity: 'subject, package, file, advisory',
    severity: 'the highest rating of the source of the advisory, or of all sources',
  },
  split: {
    json: ['vulnerabilities'],
    reduced: { components: reducedComponent, dependencies: () => undefined },
    xml: { 'bom.vulnerabilities.vulnerability': 'vulnerabilities' },
  },

  detects: isBom,

  category(report, workspace) {
    const { subject } = bomOf(report);
    // The subject of a scanned folder has its path.
    return /^(?:[a-z]:)?[./\\]/i.test(subject?.name ?? '')
      ? folderName(subject?.name, workspace)
      : subjectOf(subject, workspace).name;
  },

  results(report, context) {
    const { subject, components, vulnerabilities } = bomOf(report);
    const scanned = subjectOf(subject, context);
    const byRef = new Map(components.map((component) => [refOf(component), component]));
    return readList(Entry, vulnerabilities, 'vulnerabilities', context).flatMap(
      ({ vulnerability, component }) => {
        const reason = exclusionOf(vulnerability);
        const affected = affectedBy(vulnerability, component, byRef);
        if (reason) {
          context.skip(reason, affected.length);
          return [];
        }
        return affected.flatMap(({ component: one, ref, unaffected }): Result[] => {
          if (!unaffected) return [toResult(vulnerability, one, ref, scanned, context)];
          return skipped('the version of the component is not affected', context);
        });
      },
    );
  },
};

/** A component without the fields that vulnerabilities do not need. */
function reducedComponent(value: unknown): unknown {
  if (!isObject(value)) return value;
  const {
    licenses: _l,
    hashes: _h,
    externalReferences: _e,
    supplier: _s,
    description: _d,
    ...component
  } = value;
  const { components } = component;
  return {
    ...component,
    ...(Array.isArray(components) && { components: components.map(reducedComponent) }),
    ...(Array.isArray(component.properties) && {
      properties: component.properties.filter((one) =>
        FILE_PROPERTIES.includes(String(property(one, 'name'))),
      ),
    }),
  };
}

/** The properties that name the file of a component, as Trivy, Syft and others write them. */
const FILE_PROPERTIES = ['aquasecurity:trivy:FilePath', 'syft:location:0:path', 'SrcFile'];

const refOf = (component: Component) => component['bom-ref'] ?? component['@_bom-ref'];

/** The scanned application or image. */
interface Scanned {
  /** Without its version. */
  name: string | undefined;
  isImage: boolean;
}

function subjectOf(subject: Component | undefined, context: Workspace): Scanned {
  const type = subject?.type ?? subject?.['@_type'];
  const isImage = type === 'container' || type === 'operating-system';
  if (!subject?.name) return { name: undefined, isImage };
  const name =
    type === 'file'
      ? relativePath(subject.name, context)
      : joined([subject.group, imageName(subject.name)], '/');
  return { name, isImage };
}

/** States of an analysis (VEX) that say that there is no problem. */
const SOLVED = new Map([
  ['not_affected', 'the analysis says “not affected”'],
  ['false_positive', 'the analysis says “false positive”'],
  ['resolved', 'the analysis says “resolved”'],
  ['resolved_with_pedigree', 'the analysis says “resolved”'],
]);

const exclusionOf = ({ analysis, rejected }: Vulnerability): string | undefined =>
  SOLVED.get(analysis?.state?.trim().toLowerCase() ?? '') ??
  (rejected?.trim() ? 'the advisory was rejected' : undefined);

interface Affected {
  component: Component | undefined;
  ref?: string | undefined;
  unaffected?: boolean;
}

/** The components that a vulnerability affects; one unknown component if it names none. */
function affectedBy(
  vulnerability: Vulnerability,
  component: Component | undefined,
  byRef: ReadonlyMap<string | undefined, Component>,
): Affected[] {
  if (component) return [{ component }];
  const affected = vulnerability.affects.map(({ ref, versions }) => {
    // A reference to another document ends with the reference in it: `urn:cdx:serial/1#ref`.
    const [, linked = ref] = /^urn:cdx:[^#]*#(.*)$/.exec(ref) ?? [];
    const found = byRef.get(linked) ?? byRef.get(decodeEscapes(linked));
    const own = versions.filter(({ version }) => !version || !found?.version || version === found.version);
    const unaffected = own.length > 0 && own.every(({ status }) => status === 'unaffected');
    return { component: found, ref: linked, unaffected };
  });
  if (affected.length > 0) return affected;
  const ref = vulnerability['@_ref'];
  return [{ component: byRef.get(ref) }];
}

function toResult(
  vulnerability: Vulnerability,
  component: Component | undefined,
  ref: string | undefined,
  scanned: Scanned,
  context: ImportContext,
): Result {
  const { ratings, source, description, detail, recommendation, recommendations, analysis } = vulnerability;
  const purl = parsePurl(component?.purl ?? ref);
  const name = component?.name
    ? joined([component.group, component.name], '/')
    : (purl?.name ?? (ref && !UNSTABLE.test(ref) ? ref : undefined));
  const aliases = [...vulnerability.references.map(({ id }) => id), description?.slice(0, 80)];
  const id = vulnerability.id?.trim() || aliases.find((alias) => alias?.trim()) || 'Vulnerability without id';
  const file = fileOf(component, scanned, context);
  const detailed = detail?.trim() && detail.trim() !== description?.trim() ? detail : undefined;
  return vulnerabilityResult({
    tool: 'cyclonedx',
    entries: [vulnerability, ownOf(vulnerability, component, ref ?? (component && refOf(component)))],
    identity: [scanned.name, purl?.type, purl?.name ?? name],
    id,
    aliases,
    name,
    version: component?.version ?? purl?.version,
    summary: description ?? detail,
    severity: severityFrom(ratings, source?.name ?? source?.['@_name']),
    cvss: cvssFrom(ratings),
    cwes: vulnerability.cwes,
    file,
    description: {
      what: escapeMarkdown(description ?? ''),
      facts: {
        'Package type': purl?.type,
        Subject: scanned.name,
        Path: file,
        Source: source?.name ?? source?.['@_name'],
        Analysis: analysis?.state,
      },
      fix: sanitizeMarkdown(joined([recommendation, ...recommendations], '\n\n')),
      details: joined(
        [detailed, vulnerability.workaround, analysis?.detail].map((text) => sanitizeMarkdown(text ?? '')),
        '\n\n',
      ),
      references: [source?.url, ...vulnerability.advisories.map(({ url }) => url)],
    },
  });
}

/** The fields of a component that parts of large reports have too, and the lists of the vulnerability. */
const ownOf = (
  { affects: _, ...vulnerability }: Vulnerability,
  component: Component | undefined,
  ref: string | undefined,
) => ({
  ...component,
  vulnerability,
  'bom-ref': undefined,
  '@_bom-ref': undefined,
  properties: component?.properties.filter(({ name }) => FILE_PROPERTIES.includes(name)),
  ref: ref && UNSTABLE.test(ref) ? undefined : ref,
});

/** References that every run of a tool invents. */
const UNSTABLE = /^(?:urn:)?(?:uuid:)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** The file that a component was found in. */
function fileOf(component: Component | undefined, scanned: Scanned, context: ImportContext) {
  const properties = new Map(component?.properties.map(({ name, value }) => [name, value]));
  const path =
    component?.evidence?.occurrences.find(({ location }) => location)?.location ??
    FILE_PROPERTIES.map((name) => properties.get(name)).find((value) => value !== undefined);
  // A file in an image is not in the workspace.
  return scanned.isImage ? plainPath(path) : relativePath(path, context);
}

/** The source of an advisory knows best how severe it is for its packages. */
function severityFrom(ratings: readonly Rating[], source: string | undefined) {
  const own = ratings.filter(({ source: rater }) => source && (rater?.name ?? rater?.['@_name']) === source);
  return severityOfRatings(own) ?? severityOfRatings(ratings);
}

/** The most severe one; undefined if none says anything. */
const severityOfRatings = (ratings: readonly Rating[]) =>
  mostSevere(
    ratings.flatMap(({ severity, score, vector }) => {
      const byScore = severityOfScore(score ?? cvssOf(vector)?.score);
      return isRated(severity) || byScore ? [severityOf(severity, byScore)] : [];
    }),
  );

/** The CVSS of the newest version. */
function cvssFrom(ratings: readonly Rating[]): Partial<Cvss> | undefined {
  const rank = ({ method, vector }: Rating) => {
    if (vector?.startsWith('CVSS:4') || method === 'CVSSv4') return 3;
    return /\/PR:/.test(vector ?? '') || /^CVSSv3/.test(method ?? '') ? 2 : 1;
  };
  const scored = ratings
    .map((rating) => ({ rating, cvss: cvssOf(rating.vector) }))
    .filter(({ rating, cvss }) => cvss || (/^CVSS/.test(rating.method ?? '') && rating.score !== undefined))
    .sort((a, b) => rank(b.rating) - rank(a.rating));
  const [best] = scored;
  return best && { score: best.rating.score ?? best.cvss?.score, vector: best.cvss?.vector };
}
