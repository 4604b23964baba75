import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type ImportContext, type Importer, readList } from '../importer.ts';
import { imageName, listIn, upgrade, vulnerabilityTitle, withoutVersion } from '../kinds/dependency.ts';
import { firstDocument } from '../read/report.ts';
import {
  fields,
  list,
  number,
  object,
  objects,
  optional,
  requiredText,
  text,
  texts,
} from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { folderName } from '../scanned.ts';
import {
  type Cvss,
  cveOf,
  cvssOf,
  cweOf,
  isInWorkspace,
  isRated,
  mostSevere,
  plainPath,
  relativePath,
  severityOf,
  severityOfScore,
} from '../support.ts';
import { describeFinding, escapeMarkdown, joined, sanitizeMarkdown } from '../text/markdown.ts';

const Vector = z.object({ vector: text });

const Metadata = z.object({
  id: requiredText,
  ...fields(text, 'dataSource', 'severity', 'description'),
  urls: texts,
  cvss: objects({ type: text, version: text, vector: text }),
  epss: objects({ epss: number, percentile: number }),
  knownExploited: objects({ dateAdded: text }),
  cwes: objects({ cwe: text }),
  // Before 0.13.
  links: texts,
  cvssV2: optional(Vector),
  cvssV3: optional(Vector),
});

const Match = z.object({
  vulnerability: Metadata.extend({
    namespace: text,
    fix: object({ versions: texts, state: text }),
    advisories: objects({ id: text, link: text }),
    fixedInVersion: text,
  }),
  relatedVulnerabilities: list(Metadata),
  matchDetails: objects({ type: text, matcher: text }),
  artifact: z.object({
    name: requiredText,
    version: text,
    type: text,
    locations: objects({ path: text, annotations: object({ evidence: text }) }),
  }),
});

type Metadata = z.output<typeof Metadata>;

/** `grype … -o json` */
export const grype: Importer = {
  name: 'grype',
  about: {
    tool: '[Grype](https://github.com/anchore/grype)',
    command: '`grype dir:. -o json > report.json`',
    versions: '0.7 to 0.36, 0.75 to 0.96',
    identity: 'advisory, package, location',
    severity: '`severity`, the highest of related vulnerabilities, or CVSS',
  },

  detects: (report) => {
    const document = firstDocument(report);
    if (!Array.isArray(document?.matches)) return false;
    const [first] = document.matches;
    // Xeol writes the same document with other matches.
    if (first !== undefined && !('vulnerability' in Object(first))) return false;
    return 'descriptor' in document || 'source' in document || 'artifact' in Object(first);
  },

  category(report, workspace) {
    const source = property(firstDocument(report), 'source');
    const target = property(source, 'target');
    const name = text.parse(property(target, 'userInput') ?? target);
    return property(source, 'type') === 'directory' ? folderName(name, workspace) : imageName(name ?? '');
  },

  results(report, context) {
    const document = firstDocument(report);
    const ignored = [document?.ignoredMatches ?? []].flat();
    const undecided = ignored.filter(isUndecided);
    context.skip('Grype ignored them', ignored.length - undecided.length);
    const matches = [
      ...readList(Match, listIn(document, 'matches'), 'matches', context),
      ...readList(Match, undecided, 'ignoredMatches', context),
    ];
    const place = placeOf(document?.source, context);
    return matches.map((match) => {
      const { vulnerability, relatedVulnerabilities, matchDetails, artifact } = match;
      const { id } = vulnerability;
      const { name, version, type } = artifact;
      const fix = {
        state: vulnerability.fix?.state,
        versions: [...(vulnerability.fix?.versions ?? []), vulnerability.fixedInVersion],
      };
      const records = [vulnerability, ...relatedVulnerabilities];
      // Supporting evidence, such as a copyright file, is not the location of the package.
      const paths = artifact.locations
        .filter(({ annotations }) => annotations?.evidence !== 'supporting')
        .map(({ path }) => path)
        .filter((path): path is string => Boolean(path));
      const file = place.fileOf(paths[0]);
      const cvss = bestCvss(records);
      const details = records.find(({ description }) => description?.trim())?.description ?? '';
      const related = relatedVulnerabilities.flatMap(({ severity }) =>
        isRated(severity) ? severityOf(severity) : [],
      );
      const [epss] = records.flatMap((one) => one.epss);
      return {
        entries: [match],
        // Without the version, so that an upgrade that does not fix the vulnerability keeps the finding.
        repeats: true,
        identify: (file) =>
          fingerprintOf('grype', place.artifact(file), withoutVersion(file, version), type, name, id),
        // The scanned directory was part of it, besides the path of the file.
        identifyFormerly: (file) =>
          fingerprintOf('grype', place.formerly, withoutVersion(file, version), type, name, id),
        title: vulnerabilityTitle(id, name, version, details),
        rule_id: id,
        severity: severityOf(vulnerability.severity, mostSevere(related) ?? severityOfScore(cvss?.score)),
        description: describeFinding({
          what: /^GHSA-/.test(id) ? sanitizeMarkdown(details) : escapeMarkdown(details),
          facts: {
            Package: name,
            'Installed version': version,
            'Fixed version': joined(fix.versions, ', '),
            Type: type,
            Target: place.target,
            Path: [...new Set(paths)].slice(0, 10).join(', '),
            Aliases: records
              .slice(1)
              .map((related) => related.id)
              .filter((other) => other !== id)
              .join(', '),
            'Known to be exploited': records.some((one) => one.knownExploited.length > 0) ? 'yes' : undefined,
            EPSS: typeof epss?.epss === 'number' ? `${(epss.epss * 100).toFixed(1)} %` : undefined,
            'Matched by': matchDetails[0]?.type,
          },
          fix: fix.state === 'wont-fix' ? 'The vendor will not fix it.' : upgrade(name, fix.versions),
          references: [
            vulnerability.dataSource,
            ...vulnerability.advisories.map(({ link }) => link),
            ...records.flatMap(({ urls, links }) => [...urls, ...links]),
          ],
        }),
        cwe: cweOf(...records.flatMap(({ cwes }) => cwes).map(({ cwe }) => cwe)),
        cve: cveOf(...records.map((one) => one.id)),
        cvss_score: cvss?.score,
        cvss_vector: cvss?.vector,
        file,
      };
    });
  },
};

/** The scanned image or directory. */
function placeOf(source: unknown, context: ImportContext) {
  const type = property(source, 'type');
  const value = property(source, 'target');
  const named = isObject(value) ? (value.userInput ?? value) : value;
  const target = typeof named === 'string' && named !== '' ? named : undefined;
  if (type !== 'directory') {
    const image = imageName(target ?? '');
    const isImage = type === 'image' || type === 'snap';
    return {
      target,
      artifact: () => image,
      formerly: image,
      fileOf: (path: string | undefined) => (isImage ? plainPath(path) : relativePath(path, context)),
    };
  }
  const folder = relativePath(target, context);
  return {
    target,
    // The path of the file contains it.
    artifact: (file: string | undefined) => (file ? '' : (folder ?? '')),
    formerly: relativePath(target, { directory: context.directory }) ?? '',
    /** Paths are relative to the scanned directory, some with a leading slash. */
    fileOf: (path: string | undefined) =>
      path && !isInWorkspace(path, context)
        ? plainPath(joined([folder, path], '/'))
        : relativePath(path, context),
  };
}

/** Whether only VEX statements that decide nothing hide a match. */
function isUndecided(match: unknown): boolean {
  const rules = [property(match, 'appliedIgnoreRules') ?? []].flat();
  return (
    rules.length > 0 &&
    rules.every((rule) => /^(?:under_investigation|affected)$/.test(String(property(rule, 'vex-status'))))
  );
}

/** The newest CVSS of the vulnerability, otherwise of a related one. */
function bestCvss(all: Metadata[]): Cvss | undefined {
  for (const { cvss, cvssV3, cvssV2 } of all) {
    const [best] = cvss.filter(({ vector }) => cvssOf(vector)).sort((a, b) => rank(b) - rank(a));
    const found = cvssOf(best?.vector) ?? cvssOf(cvssV3?.vector) ?? cvssOf(cvssV2?.vector);
    if (found) return found;
  }
  return undefined;
}

const rank = ({ version, type }: { version?: string | undefined; type?: string | undefined }) =>
  (Number.parseFloat(version ?? '') || 0) * 10 + (type === 'Primary' ? 1 : 0);
