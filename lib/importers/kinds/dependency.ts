import type { z } from 'zod';
import type { Rating } from '../finding.ts';
import { fingerprintOf } from '../identity/identity.ts';
import { type ImportContext, ReportError, type Result, readList, type Workspace } from '../importer.ts';
import { type Cvss, collapseWhitespace, cveOf, cweOf, relativePath, severityOfScore } from '../support.ts';
import { type Description, describeFinding, firstSentence, inlineCode, joined } from '../text/markdown.ts';

/** `CVE-2021-44228 in log4j-core 2.14.1: Remote code injection` */
export function vulnerabilityTitle(
  id: string,
  name: string | undefined | null,
  version: string | undefined | null,
  summary: string | undefined | null,
): string {
  const where = joined([name, version], ' ');
  const what = firstSentence(skipBoilerplate(summary ?? ''), 120);
  return `${id}${where && ` in ${where}`}${what && `: ${what}`}`;
}

/** Removes an initial heading and an initial sentence without information, such as “A flaw was found in x.” */
const skipBoilerplate = (summary: string): string =>
  collapseWhitespace(
    summary.replace(/^\s*#{1,6} +(?:impact|summary|description|overview|background|details?)\b:?\s*/i, ''),
  ).replace(
    /^(?:An? (?:[\w-]+ )?(?:vulnerability|flaw|issue|bug|weakness) (?:was|has been|exists?)|\S+ is an?) (?:[^.]|\.(?! )){0,160}\. (?=\S)/,
    '',
  );

/** The fix for a vulnerable package, as Markdown. */
export function upgrade(
  name: string | undefined | null,
  versions: readonly (string | undefined | null)[] | undefined | null,
): string {
  const fixed = [
    ...new Set((versions ?? []).filter((version): version is string => Boolean(version?.trim()))),
  ];
  if (fixed.length === 0) return 'No fixed version is known.';
  const last = inlineCode(fixed.at(-1) ?? '');
  const others = fixed.slice(0, -1).map(inlineCode).join(', ');
  return `Upgrade ${name ? `${inlineCode(name)} ` : ''}to ${others && `${others} or `}${last}, or later.`;
}

/** An image name without tag, digest and operating system, which change with every build. */
export const imageName = (image: string): string =>
  image
    .trim()
    .replace(/ \([^()]*\)$/, '')
    .replace(/@sha\d+:[0-9a-f]+$/i, '')
    .replace(/:[^/:]+$/, '');

/**
 * Removes the package version from a path such as `log4j-core-2.14.1.jar`. A version without a point stays, because the path may
 * contain it by chance: `app2`.
 */
export const withoutVersion = (path: string | undefined, version: string | undefined | null) =>
  version && /\d\.\d/.test(version) ? path?.replaceAll(version, '') : path;

/**
 * The first of some manifests that is in the scanned directory, with the prefix of the workspace. Undefined if there is none,
 * and without access to the source code.
 */
export function manifestIn(names: readonly string[], context: Workspace): string | undefined {
  const found = names.find((name) => context.linesOf?.(name));
  return found && relativePath(found, context);
}

/**
 * Identifies the manifest of a tool that does not name it: by its folder, so that the packages of a repository have different
 * findings. The top folder adds nothing.
 * @param file the manifest, if it is known
 */
export function folderParts(file: string | undefined, { pathPrefix }: Workspace): string[] {
  const folder = file === undefined ? (pathPrefix ?? '') : file.slice(0, Math.max(0, file.lastIndexOf('/')));
  return folder === '' ? [] : ['folder', folder];
}

/** Whether an advisory says that the package itself is malicious, not that it has a vulnerability. */
export const isMalicious = (...ids: (string | undefined | null)[]): boolean =>
  ids.some((id) => /^MAL-\d/i.test(id ?? ''));

/** The fix for a malicious package. */
export const REMOVE_PACKAGE =
  'Remove the package, and replace the credentials of the machines that installed it.';

/** A list that a report must have. It may be null. @throws ReportError if it is missing */
export function listIn(document: Record<string, unknown> | undefined, name: string): unknown {
  if (!document || !(name in document)) throw new ReportError('The list is missing', name);
  return document[name];
}

/** Validates the members of a list within a report. If none is valid, that is recorded, and the rest of the report is read. */
export function readPart<S extends z.ZodType>(
  schema: S,
  value: unknown,
  path: string,
  context: Pick<ImportContext, 'error' | 'parts'>,
): z.output<S>[] {
  try {
    return readList(schema, value, path, context);
  } catch (error) {
    if (!(error instanceof ReportError)) throw error;
    context.error(`Results cannot be read: ${error.message}`);
    return [];
  }
}

/** A vulnerability of a package. */
export interface VulnerablePackage {
  /** The name of the importer. */
  tool: string;
  /** The entries of the report ({@link Result.entries}). */
  entries: readonly unknown[];
  /** The identity besides the file. It lacks the version: an upgrade that fixes nothing keeps the finding. */
  identity: readonly (string | undefined | null)[];
  /** The advisory, and other ids and texts that name it. The first CVE among them is the CVE of the finding. */
  id: string;
  /** The id that the title shows, if another one is better known. */
  shown?: string | undefined;
  aliases?: readonly (string | undefined | null)[];
  name?: string | undefined;
  version?: string | undefined;
  /** Plain text that completes the title. */
  summary?: string | undefined;
  /** The rating of the tool. Default: the one of `cvss`. */
  severity?: Rating | undefined;
  cvss?: Partial<Cvss> | undefined;
  cwes?: readonly (string | number | undefined | null)[];
  /** Where the package is: a manifest or a file. */
  file?: string | undefined;
  /** Whether the file identifies it. Default: true. */
  isInFile?: boolean;
  description: Description;
}

/** The result of a vulnerable package. Several versions of it at the same place are one problem. */
export function vulnerabilityResult(found: VulnerablePackage): Result {
  const { tool, identity, id, aliases = [], name, version, summary, cvss, file, description } = found;
  const cve = cveOf(id, ...aliases);
  // A path may contain a short version by chance.
  const stable = (path?: string) => (/\d\.\d/.test(version ?? '') ? withoutVersion(path, version) : path);
  const others = [...new Set(aliases)].filter(
    (alias) => alias && alias !== id && /^[\w.:-]{4,60}$/.test(alias),
  );
  return {
    entries: found.entries,
    repeats: true,
    identify: (path) =>
      fingerprintOf(tool, ...identity, found.isInFile === false ? undefined : stable(path), id),
    title: vulnerabilityTitle(found.shown ?? id, name, version, summary),
    severity: found.severity ?? severityOfScore(cvss?.score, 'medium'),
    rule_id: id,
    description: describeFinding({
      ...description,
      facts: {
        Package: name,
        'Installed version': version,
        Aliases: others.join(', '),
        ...description.facts,
      },
    }),
    cwe: cweOf(...(found.cwes ?? [])),
    cve,
    cvss_score: cvss?.score,
    cvss_vector: cvss?.vector,
    file,
  };
}

/** The name and the version of a package URL: `pkg:maven/org.example/lib@1.0?type=jar` is `org.example/lib` and `1.0`. */
export function parsePurl(purl: string | undefined | null) {
  const [, type, path = '', version] =
    /^pkg:([^/]+)\/+([^?#]*?)(?:@([^@?#]*))?(?:[?#][\s\S]*)?$/.exec(purl ?? '') ?? [];
  return type && path
    ? { type, name: decodeEscapes(path), version: version === undefined ? undefined : decodeEscapes(version) }
    : undefined;
}

/** Decodes the escapes of a URL, if the text has any. */
export function decodeEscapes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The percent sign is not an escape.
    return text;
  }
}
