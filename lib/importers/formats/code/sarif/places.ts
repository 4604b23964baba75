import type { ImportContext } from '../../../importer.ts';
import { relativePath } from '../../../support.ts';
import type { Location, Run } from './schema.ts';

/** Resolves a location to a file, relative to the workspace or to a base of the run, or to a URL that is not a file. */
export function resolveLocation(
  location: Location | undefined,
  run: Run,
  context: ImportContext,
): { file?: string | undefined; url?: string | undefined } {
  const artifactLocation = location?.physicalLocation?.artifactLocation;
  const artifact = artifactLocation?.uri
    ? artifactLocation
    : (run.artifacts?.[artifactLocation?.index ?? -1]?.location ?? artifactLocation);
  const uri = artifact?.uri;
  if (!uri) return {};
  const base = /^[a-z][\w+.-]+:|^\//i.test(uri) ? '' : resolveBase(artifact.uriBaseId, run);
  const absoluteUri = `${base}${uri}`;
  if (/^(?!file:)[a-z][\w+.-]+:\/\//i.test(absoluteUri)) return { url: absoluteUri };
  const path = toPath(absoluteUri);
  const bases = Object.keys(run.originalUriBaseIds ?? {}).map((id) => toPath(resolveBase(id, run)));
  for (const root of [context.directory.replaceAll('\\', '/'), ...bases].map((r) => r.replace(/\/+$/, ''))) {
    if (root && path.startsWith(`${root}/`)) {
      return { file: relativePath(path.slice(root.length), { directory: '' }) };
    }
  }
  return { file: relativePath(path, { directory: '' }) };
}

/** Resolves a base, which may be relative to another base. */
function resolveBase(id: string | undefined | null, { originalUriBaseIds }: Run, depth = 0): string {
  const base = id && depth < 8 ? originalUriBaseIds?.[id] : undefined;
  if (!base?.uri) return '';
  const uri = base.uri.endsWith('/') ? base.uri : `${base.uri}/`;
  return base.uriBaseId ? resolveBase(base.uriBaseId, { originalUriBaseIds } as Run, depth + 1) + uri : uri;
}

function toPath(uri: string): string {
  const path = uri
    .replace(/^file:(?:\/\/[^/]*)?(?=\/)/i, '')
    .replaceAll('\\', '/')
    .replace(/^\/(?=[a-z]:\/)/i, '');
  try {
    return decodeURIComponent(path);
  } catch {
    // Some tools do not escape percent signs.
    return path;
  }
}
