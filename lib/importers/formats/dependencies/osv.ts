import { z } from 'zod';
import { sanitizeMarkdown, toStrings } from '../../markdown.ts';
import { type Cvss, cveOf, cvssOf, cweOf } from '../../support.ts';

const text = z.string().nullish();
const list = <S extends z.ZodType>(item: S) => z.array(item).nullish();
const any = z.unknown().optional();
const DatabaseSpecific = z.object({ severity: any, cwe_ids: any, url: any }).nullish();

/** The used fields of an advisory in the OSV format (https://ossf.github.io/osv-schema/). */
export const Osv = z.object({
  id: z.string(),
  aliases: list(z.string()),
  upstream: list(z.string()),
  summary: text,
  details: text,
  severity: list(z.object({ type: text, score: text })),
  affected: list(
    z.object({
      package: z.object({ ecosystem: text, name: text }).nullish(),
      ranges: list(z.object({ type: text, events: list(z.object({ fixed: text })) })),
    }),
  ),
  references: list(z.object({ type: text, url: text })),
  database_specific: DatabaseSpecific,
  // Newer versions of OSV-Scanner use this name.
  databaseSpecific: DatabaseSpecific,
});

export type Osv = z.output<typeof Osv>;

/** The fields that the publishing database added. */
export const databaseSpecificOf = (osv: Osv | undefined) =>
  osv?.database_specific ?? osv?.databaseSpecific ?? undefined;

/** The newest CVSS of an advisory. */
export function cvssOfOsv({ severity }: Osv): Cvss | undefined {
  const vectors = [...(severity ?? [])].sort((a, b) => (b.type ?? '').localeCompare(a.type ?? ''));
  for (const { score } of vectors) {
    const cvss = cvssOf(score);
    if (cvss) return cvss;
  }
  return undefined;
}

/** The versions of a package that fix an advisory. */
export function fixedVersions({ affected }: Osv, ecosystem: string, name: string): string[] {
  return (affected ?? [])
    .filter(
      ({ package: one }) =>
        one?.name?.toLowerCase() === name.toLowerCase() &&
        // The ecosystem of an operating system ends with a colon and its version.
        one.ecosystem?.split(':')[0] === ecosystem.split(':')[0],
    )
    .flatMap(({ ranges }) => ranges ?? [])
    .filter(({ type }) => type !== 'GIT')
    .flatMap(({ events }) => events ?? [])
    .map(({ fixed }) => fixed)
    .filter((fixed): fixed is string => Boolean(fixed));
}

/** The fields of a finding from an OSV advisory, whose details are Markdown. */
export const describeAdvisory = (osv: Osv) => ({
  what: sanitizeMarkdown(osv.summary?.trim() || osv.details || ''),
  details: osv.summary?.trim() ? sanitizeMarkdown(osv.details ?? '') : undefined,
  references: (osv.references ?? []).map(({ url }) => url),
  cwe: cweOf(...toStrings(databaseSpecificOf(osv)?.cwe_ids)),
  cve: cveOf(osv.id, ...(osv.aliases ?? []), ...(osv.upstream ?? [])),
});
