import type { ImportContext } from '../importer.ts';
import { pathInRepository, relativePath } from '../support.ts';
import type { Location, Run } from './sarif-schema.ts';

/** Where a location is: a file, or a URL that is not a file. */
export interface Place {
  file?: string | undefined;
  url?: string | undefined;
}

export type Resolve = (location: Location | undefined) => Place;

/** Creates a function that resolves the locations of a run to files in the workspace or URLs. */
export function createResolver(run: Run, context: ImportContext): Resolve {
  const bases = Object.keys(run.originalUriBaseIds ?? {})
    .slice(0, MAX_BASES)
    .map((id) => withoutSlash(toPath(resolveBase(id, run))))
    .filter((base) => base !== '');

  return (location) => {
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
    const containing =
      pathInRepository(path, context) === undefined
        ? bases.find((each) => path.startsWith(`${each}/`))
        : undefined;
    return { file: relativePath(containing ? path.slice(containing.length + 1) : path, context) };
  };
}

/** Limits the work for hostile reports. */
const MAX_BASES = 20;

const withoutSlash = (path: string) => path.replace(/\/+$/, '');

/** Resolves a base, which may be relative to another base. */
function resolveBase(id: string | undefined, { originalUriBaseIds }: Run, depth = 0): string {
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
