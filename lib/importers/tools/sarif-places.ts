import type { ImportContext } from '../importer.ts';
import { pathInRepository, plainPath, relativePath } from '../support.ts';
import type { Artifact, Location, Result, Run } from './sarif-schema.ts';

/** Where a location is: a file, or a URL that is not a file. */
export interface Place {
  file?: string | undefined;
  url?: string | undefined;
  /** The name of the base, if files of several bases have the same paths. */
  base?: string | undefined;
  /** The place that release 0.2 read, if it was another one. */
  former?: Pick<Place, 'file' | 'url'> | undefined;
}

export type Resolve = (location: Pick<Location, 'physicalLocation'> | undefined) => Place;

/** A directory or repository that paths are relative to. */
interface Base {
  id: string;
  /** Without a slash at the end. */
  path: string;
}

/** Creates a function that resolves the locations of a run to files in the workspace or URLs. */
export function createResolver(run: Run, context: ImportContext): Resolve {
  const { artifacts = [], originalUriBaseIds: ids = {} } = run;
  const repositories = run.versionControlProvenance
    .slice(0, MAX_BASES)
    .flatMap(({ repositoryUri = '' }) => withoutSlash(repositoryUri).replace(/\.git$/, '') || []);
  const bases = Object.keys(ids)
    .slice(0, MAX_BASES)
    .map((id): Base => ({ id, path: withoutSlash(toPath(resolveBase(id, ids))) }))
    .filter(({ path }) => path !== '');
  const isIn = (path: string, base: string) => path.startsWith(`${base}/`);
  const isInRepository = (path: string) => pathInRepository(path, context) !== undefined;
  const stripped = (path: string, base: Base | undefined) =>
    relativePath(base ? path.slice(base.path.length + 1) : path, context);
  const outermost = bases
    .filter(({ id, path }) => isAbsolute(path) && (!isUrl(path) || isRepository(id, path)))
    .filter(({ path }, _index, all) => !all.some((other) => isIn(path, other.path)))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const others = outermost.filter(({ path }) => path !== outermost[0]?.path);

  const placeIn = (path: string, uri: string): Place => {
    const base = isInRepository(path) ? undefined : outermost.find((each) => isIn(path, each.path));
    if (base) return { file: stripped(path, base), ...(others.includes(base) && { base: base.id }) };
    if (!isUrl(path)) return { file: relativePath(path, context) };
    const repository = repositories.find((each) => isIn(path, each));
    return repository ? { file: plainPath(pathInForge(path.slice(repository.length + 1))) } : { url: uri };
  };

  /** Release 0.2 removed the first base that contains the path, also a relative one. It read neither archives nor repositories. */
  const formerPlace = (path: string, uri: string): Place =>
    isUrl(path)
      ? { url: uri }
      : {
          file: stripped(
            path,
            isInRepository(path) ? undefined : bases.find((each) => isIn(path, each.path)),
          ),
        };

  const locate = (location: Artifact | undefined, depth = 0): Place => {
    const listed = artifacts[location?.index ?? -1];
    const artifact = location?.uri ? location : (listed?.location ?? location);
    const container =
      depth < MAX_NESTING && artifacts[listed?.parentIndex ?? -1]
        ? locate({ index: listed?.parentIndex }, depth + 1)
        : {};
    const outer = container.file ?? container.url;
    // A part of an archive may have no name.
    const uri = artifact?.uri ?? (outer && `${listed?.offset ?? ''}`);
    if (!uri) return {};
    const absolute = isAbsolute(uri) ? uri : `${resolveBase(artifact?.uriBaseId, ids)}${uri}`;
    const path = toPath(absolute);
    const former = artifact?.uri ? formerPlace(path, absolute) : {};
    const nested = outer && `${outer}/${plainPath(toPath(uri)) ?? ''}`;
    const place = nested
      ? { ...container, [container.file ? 'file' : 'url']: nested }
      : placeIn(path, absolute);
    const isSame = place.file === former.file && place.url === former.url && !place.base;
    return isSame ? place : { ...place, former };
  };
  const known = new Map<string, Place>();
  return (location) => {
    const artifact = location?.physicalLocation?.artifactLocation;
    const key = `${artifact?.uri}\n${artifact?.uriBaseId}\n${artifact?.index}`;
    const found = known.get(key) ?? locate(artifact);
    known.set(key, found);
    return found;
  };
}

/** Where a result is: at a location, else at what was scanned, else at the address that was requested. */
export function placeOf(result: Result, location: Location | undefined, run: Run, resolve: Resolve): Place {
  const { analysisTarget, webRequest } = result;
  const place = resolve(location);
  if (place.file || place.url) return place;
  const scanned = resolve({ physicalLocation: { artifactLocation: analysisTarget } });
  const url = webRequest?.target ?? run.webRequests?.[webRequest?.index ?? -1]?.target;
  const found = scanned.file || scanned.url ? scanned : url ? { url } : undefined;
  return found ? { ...found, former: {} } : place;
}

/** Limits the work for hostile reports. */
const MAX_BASES = 20;
const MAX_NESTING = 8;

const isUrl = (uri: string): boolean => /^(?!file:)[a-z][\w+.-]+:\/\//i.test(uri);

const isAbsolute = (uri: string): boolean => /^(?:[a-z][\w+.-]+:|[a-z]:[\\/]|\/)/i.test(uri);

/** Whether a base is the address of a repository, whose files are named relative to it. Others are websites. */
const isRepository = (id: string, url: string): boolean =>
  /src|source|repo|checkout|project|workspace/i.test(id) ||
  /\bgit|\bbitbucket|\.git\b|\bdev\.azure/i.test(url);

/** The path of a file from its address in a repository: `blob/main/src/a.ts`. */
const pathInForge = (path: string): string => path.replace(/^(?:-\/)?(?:blob|raw|tree)\/[^/]+\//, '');

const withoutSlash = (path: string) => path.replace(/(?<!\/)\/+$/, '');

/** Resolves a base, which may be relative to another base. */
function resolveBase(
  id: string | undefined,
  ids: NonNullable<Run['originalUriBaseIds']>,
  seen: readonly string[] = [],
): string {
  const base = id === undefined || seen.includes(id) ? undefined : ids[id];
  if (!id || !base) return '';
  const { uri = '', uriBaseId } = base;
  const directory = uri === '' || uri.endsWith('/') ? uri : `${uri}/`;
  return isAbsolute(directory) ? directory : resolveBase(uriBaseId, ids, [...seen, id]) + directory;
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
