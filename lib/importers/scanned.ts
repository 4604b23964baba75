import { fitSource, removeUnstorable } from './clean.ts';
import { sha256 } from './identity/fingerprints.ts';
import type { Importer, Report, Workspace } from './importer.ts';
import { documentOf } from './read/report.ts';
import { text } from './read/schema.ts';
import { property } from './read/values.ts';
import { collapseWhitespace, relativePath } from './support.ts';

/** The most sources that a scan can declare. */
export const MAX_SOURCES = 20;

/** The scanners that wrote a report, and what they scanned. */
export interface Scanned {
  /** The scanners that ran, also those that found nothing: the sources that their findings have. */
  sources: string[];
  /** Tells scans of one source apart that look at different things. Undefined if the report does not say. */
  category?: string;
}

/** @param found the sources of the findings of the report */
export function scannedBy(
  importer: Importer,
  report: Report,
  workspace: Workspace,
  found: Iterable<string>,
): Scanned {
  const sources = new Set([...(importer.sources?.(report) ?? []), ...found].map(fitSource));
  if (sources.size === 0 && !importer.sources) sources.add(importer.name);
  const category = fitCategory(importer.category?.(report, workspace));
  return { sources: [...sources], ...(category !== undefined && { category }) };
}

/** The category of a report about several things: their names, in an order that does not depend on the report. */
export const joinedNames = (names: Iterable<string | undefined>): string =>
  [...new Set(names)].filter(Boolean).sort().join(', ');

const MAX_CATEGORY = 255;

/** A category that the service can store. Longer ones are hashed, because two of them may begin with the same text. */
function fitCategory(category: string | undefined): string | undefined {
  const fitting = collapseWhitespace(removeUnstorable(category ?? ''));
  return [...fitting].length > MAX_CATEGORY ? sha256(fitting) : fitting || undefined;
}

/** The text at a path of names in a JSON report. */
export const nameIn = (report: Report, ...path: string[]): string | undefined =>
  text.parse(property(documentOf(report), ...path));

/** The name, if all things that have one have the same: a report does not name some things when it is empty. */
export function onlyName(names: Iterable<string | undefined>): string | undefined {
  const [only, ...others] = [...new Set(names)].filter(Boolean);
  return others.length === 0 ? only : undefined;
}

/** The host and port of an address. */
export const siteName = (address: string | undefined): string | undefined =>
  address && URL.canParse(address) ? new URL(address).host : undefined;

/** A scanned folder, relative to the repository, or the repository that a URL names. The root of the workspace has no name. */
export function folderName(path: string | undefined, workspace: Workspace): string | undefined {
  if (!path || /^(?:https?|ssh|git):\/\//i.test(path)) return path && repositoryName(path);
  const directory = workspace.directory.replaceAll('\\', '/').replace(/(?<!\/)\/+$/, '');
  const plain = path.replaceAll('\\', '/');
  const isAbsolute = /^(?:[a-z]:)?\//i.test(plain);
  if (isAbsolute && !plain.startsWith(`${directory}/`)) return undefined;
  const folder = relativePath(plain, workspace);
  return folder === workspace.pathPrefix ? undefined : folder;
}

function repositoryName(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { host, pathname } = new URL(address);
  return `${host}${pathname}`.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, '');
}
