import { z } from 'zod';
import { firstDocument, imageName, upgrade, vulnerabilityTitle, withoutVersion } from '../../dependency.ts';
import { fingerprintOf } from '../../identity.ts';
import { type Importer, read } from '../../importer.ts';
import { describeFinding, escapeMarkdown, sanitizeMarkdown } from '../../markdown.ts';
import { type Cvss, cveOf, cvssOf, cweOf, relativePath, severityOf, severityOfScore } from '../../support.ts';

const text = z.string().nullish();
const list = <S extends z.ZodType>(item: S) => z.array(item).nullish();

const Metadata = z.object({
  id: z.string(),
  dataSource: text,
  severity: text,
  urls: list(z.string()),
  description: text,
  cvss: list(z.object({ type: text, version: text, vector: text })),
  epss: list(z.object({ epss: z.number().nullish(), percentile: z.number().nullish() })),
  knownExploited: list(z.object({ dateAdded: text })),
  cwes: list(z.object({ cwe: text })),
});

const Match = z.object({
  vulnerability: Metadata.extend({
    namespace: text,
    fix: z.object({ versions: list(z.string()), state: text }).nullish(),
    advisories: list(z.object({ id: text, link: text })),
  }),
  relatedVulnerabilities: list(Metadata),
  matchDetails: list(z.object({ type: text, matcher: text })),
  artifact: z.object({
    name: z.string(),
    version: text,
    type: text,
    purl: text,
    locations: list(z.object({ path: text, annotations: z.object({ evidence: text }).nullish() })),
  }),
});

const Document = z.object({
  matches: z.array(Match),
  source: z.object({ type: text, target: z.unknown().optional() }).nullish(),
});

type Metadata = z.output<typeof Metadata>;

/** `grype … -o json` */
export const grype: Importer = {
  name: 'grype',
  about: {
    tool: '[Grype](https://github.com/anchore/grype)',
    command: '`grype dir:. -o json > report.json`',
    versions: '0.13 to 0.100',
    identity: 'advisory, package, location',
    severity: '`severity`',
  },

  detects: (report) => {
    const document = firstDocument(report);
    return Array.isArray(document?.matches) && ('descriptor' in document || 'source' in document);
  },

  results(report, context) {
    const { matches, source } = read(Document, firstDocument(report));
    const target = targetOf(source?.target);
    const folder = source?.type === 'directory' ? (relativePath(target, context) ?? '') : undefined;
    const scanned = folder ?? imageName(target ?? '');
    return matches.map(({ vulnerability, relatedVulnerabilities, matchDetails, artifact }) => {
      const { id, fix } = vulnerability;
      const { name, version, type } = artifact;
      const records = [vulnerability, ...(relatedVulnerabilities ?? [])];
      // Supporting evidence, such as a copyright file, is not the location of the package.
      const paths = (artifact.locations ?? [])
        .filter(({ annotations }) => annotations?.evidence !== 'supporting')
        .map(({ path }) => path)
        .filter((path): path is string => Boolean(path));
      // If a directory was scanned, paths are relative to it.
      const file = relativePath(folder && paths[0] ? `${folder}/${paths[0]}` : paths[0], context);
      const cvss = bestCvss(records);
      const details = records.find(({ description }) => description?.trim())?.description ?? '';
      const severityWord = records
        .map(({ severity }) => severity)
        .find((known) => known && !/^unknown$/i.test(known));
      const [epss] = records.flatMap((one) => one.epss ?? []);
      return {
        // Without the version, so that an upgrade that does not fix the vulnerability keeps the finding.
        repeats: true,
        identify: () => fingerprintOf('grype', scanned, withoutVersion(file, version), type, name, id),
        title: vulnerabilityTitle(id, name, version, details),
        severity: severityOf(severityWord, cvss ? severityOfScore(cvss.score) : 'info'),
        description: describeFinding({
          what: /^GHSA-/.test(id) ? sanitizeMarkdown(details) : escapeMarkdown(details),
          facts: {
            Package: name,
            'Installed version': version,
            'Fixed version': fix?.versions?.join(', '),
            Type: type,
            Target: target,
            Path: [...new Set(paths)].slice(0, 10).join(', '),
            Aliases: records
              .slice(1)
              .map((related) => related.id)
              .filter((other) => other !== id)
              .join(', '),
            'Known to be exploited': records.some((one) => one.knownExploited?.length) ? 'yes' : undefined,
            EPSS: typeof epss?.epss === 'number' ? `${(epss.epss * 100).toFixed(1)} %` : undefined,
            'Matched by': matchDetails?.[0]?.type,
          },
          fix: fix?.state === 'wont-fix' ? 'The vendor will not fix it.' : upgrade(name, fix?.versions),
          references: [
            vulnerability.dataSource,
            ...(vulnerability.advisories ?? []).map(({ link }) => link),
            ...records.flatMap(({ urls }) => urls ?? []),
          ],
        }),
        cwe: cweOf(...records.flatMap(({ cwes }) => cwes ?? []).map(({ cwe }) => cwe)),
        cve: cveOf(...records.map((one) => one.id)),
        cvss_score: cvss?.score,
        cvss_vector: cvss?.vector,
        file,
      };
    });
  },
};

/** The scanned image as the user named it, the directory or the file. */
function targetOf(target: unknown): string | undefined {
  const named = (target as { userInput?: unknown } | null)?.userInput ?? target;
  return typeof named === 'string' && named !== '' ? named : undefined;
}

/** The newest CVSS of the vulnerability, otherwise of a related one. */
function bestCvss(all: Metadata[]): Cvss | undefined {
  for (const { cvss } of all) {
    const [best] = (cvss ?? []).filter(({ vector }) => cvssOf(vector)).sort((a, b) => rank(b) - rank(a));
    if (best) return cvssOf(best.vector);
  }
  return undefined;
}

const rank = ({ version, type }: { version?: string | null; type?: string | null }) =>
  (Number.parseFloat(version ?? '') || 0) * 10 + (type === 'Primary' ? 1 : 0);
