import { z } from 'zod';
import { isMalicious } from '../kinds/dependency.ts';
import { anything, list, object, objects, requiredText, text, texts } from '../read/schema.ts';
import {
  type Cvss,
  cveOf,
  cvssOf,
  cweOf,
  isRated,
  mostSevere,
  severityOf,
  severityOfScore,
} from '../support.ts';
import { sanitizeMarkdown } from '../text/markdown.ts';

const DatabaseSpecific = object({ severity: anything, cwe_ids: texts, url: text });

/** The used fields of an advisory in the OSV format (https://ossf.github.io/osv-schema/). */
export const Osv = z.object({
  id: requiredText,
  aliases: texts,
  upstream: texts,
  summary: text,
  details: text,
  /** A list of CVSS vectors. Some databases write a word. */
  severity: anything,
  affected: objects({
    package: object({ ecosystem: text, name: text }),
    ranges: objects({ type: text, events: objects({ fixed: text }) }),
    database_specific: DatabaseSpecific,
  }),
  references: objects({ type: text, url: text }),
  database_specific: DatabaseSpecific,
  // Newer versions of OSV-Scanner use this name.
  databaseSpecific: DatabaseSpecific,
});

export type Osv = z.output<typeof Osv>;

const Rating = z.object({ type: text, score: text });

const ratingsOf = ({ severity }: Osv) => list(Rating).parse(typeof severity === 'string' ? [] : severity);

/** The fields that the publishing database added. */
const databaseSpecificOf = (osv: Osv) => osv.database_specific ?? osv.databaseSpecific ?? undefined;

/** The page of an advisory in its database. */
export const pageOf = (osv: Osv): string | undefined =>
  databaseSpecificOf(osv)?.url ??
  osv.affected.find((one) => one.database_specific?.url)?.database_specific?.url;

/** The newest CVSS of an advisory. */
export function cvssOfOsv(osv: Osv): Cvss | undefined {
  const vectors = ratingsOf(osv).sort((a, b) => (b.type ?? '').localeCompare(a.type ?? ''));
  for (const { score } of vectors) {
    const cvss = cvssOf(score);
    if (cvss) return cvss;
  }
  return undefined;
}

/** The words with which a database rates an advisory, such as “MODERATE”. Vectors have an order of their own. */
const wordsOf = (osv: Osv): string[] =>
  [osv.severity, databaseSpecificOf(osv)?.severity, ...ratingsOf(osv).map(({ score }) => score)].filter(
    (word) => typeof word === 'string' && cvssOf(word) === undefined,
  ) as string[];

/**
 * The severity of a vulnerability from advisories that describe it, of which some are not rated. Malicious packages are
 * critical.
 * @param score the score of the group of advisories
 * @returns undefined if none is rated
 */
export function severityOfOsv(advisories: readonly Osv[], score?: number) {
  if (advisories.some(({ id, aliases }) => isMalicious(id, ...aliases))) return 'critical';
  const rated = advisories
    .flatMap(wordsOf)
    .filter(isRated)
    .map((word) => severityOf(word));
  return (
    rated.find((one) => typeof one === 'string' && one !== 'info') ??
    severityOfScore(advisories.map(cvssOfOsv).find(Boolean)?.score ?? score) ??
    mostSevere(rated)
  );
}

/** The versions of a package that fix an advisory. */
export function fixedVersions({ affected }: Osv, ecosystem: string, name: string): string[] {
  return affected
    .filter(
      ({ package: one }) =>
        one?.name?.toLowerCase() === name.toLowerCase() &&
        // The ecosystem of an operating system ends with a colon and its version.
        one.ecosystem?.split(':')[0] === ecosystem.split(':')[0],
    )
    .flatMap(({ ranges }) => ranges)
    .filter(({ type }) => type !== 'GIT')
    .flatMap(({ events }) => events)
    .map(({ fixed }) => fixed)
    .filter((fixed): fixed is string => Boolean(fixed));
}

/** The fields of a finding from an OSV advisory, whose details are Markdown. */
export const describeAdvisory = (osv: Osv) => ({
  what: sanitizeMarkdown(osv.summary?.trim() || osv.details || ''),
  details: osv.summary?.trim() ? sanitizeMarkdown(osv.details ?? '') : undefined,
  references: osv.references.map(({ url }) => url),
  cwe: cweOf(...(databaseSpecificOf(osv)?.cwe_ids ?? []), isMalicious(osv.id, ...osv.aliases) ? MALWARE : ''),
  cve: cveOf(osv.id, ...osv.aliases, ...osv.upstream),
});

/** Embedded malicious code */
const MALWARE = 'CWE-506';
