import { firstSentence, inlineCode } from './markdown.ts';
import { collapseWhitespace } from './support.ts';

/** `CVE-2021-44228 in log4j-core 2.14.1: Remote code injection` */
export function vulnerabilityTitle(
  id: string,
  name: string | undefined | null,
  version: string | undefined | null,
  summary: string | undefined | null,
): string {
  const where = [name, version].filter(Boolean).join(' ');
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

/** Removes the package version from a path such as `log4j-core-2.14.1.jar`. */
export const withoutVersion = (path: string | undefined, version: string | undefined | null) =>
  version ? path?.replaceAll(version, '') : path;

/** The first JSON document of a report; undefined if it is not an object. */
export const firstDocument = (report: {
  kind: string;
  documents?: unknown[];
}): Record<string, unknown> | undefined => {
  const [document] = report.documents ?? [];
  return typeof document === 'object' && document !== null
    ? (document as Record<string, unknown>)
    : undefined;
};
