import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { isAbsolute, join, relative, sep } from 'node:path';

/** Larger files are not read: they are generated, and a line of them identifies nothing. */
const MAX_FILE_BYTES = 4 * 1_048_576;

/** The content that the cache keeps. */
const MAX_CACHED_BYTES = 32 * 1_048_576;

/** Remembers files that cannot be read, and small ones. */
const MAX_CACHED_FILES = 10_000;

// Windows does not define these flags.
const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;

/** Whether a path is a directory or below it. */
export function isInside(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`));
}

/**
 * Reads the source code that a report refers to. A report names any path, and a repository contains symbolic links, so only
 * regular files whose real path is inside the root are read.
 * @param directory the directory that paths are relative to
 * @param root the directory that files must be in: the repository, or the workspace
 * @returns the lines of a file; undefined if there is no such file or it cannot be read
 */
export function createSourceReader(directory: string, root: string) {
  const cache = new Map<string, { lines: readonly string[] | undefined; bytes: number }>();
  let cachedBytes = 0;
  const realRoot = realPathOf(root);

  return (path: string): readonly string[] | undefined => {
    const cached = cache.get(path);
    if (cached) {
      // The last entry of a map is the latest one.
      cache.delete(path);
      cache.set(path, cached);
      return cached.lines;
    }
    const text = realRoot === undefined ? undefined : readSource(join(directory, path), realRoot);
    const entry = { lines: text?.split(/\r\n|\n|\r/), bytes: text?.length ?? 0 };
    cache.set(path, entry);
    cachedBytes += entry.bytes;
    for (const [oldest, { bytes }] of cache) {
      if (cachedBytes <= MAX_CACHED_BYTES && cache.size <= MAX_CACHED_FILES) break;
      cache.delete(oldest);
      cachedBytes -= bytes;
    }
    return entry.lines;
  };
}

function readSource(path: string, realRoot: string): string | undefined {
  // Reports name many files that are not there, and errors are slow.
  if (!existsSync(path)) return undefined;
  let file: number | undefined;
  try {
    const realPath = realpathSync(path);
    if (!isInside(realRoot, realPath)) return undefined;
    // O_NONBLOCK: opening a named pipe must not wait for a writer.
    file = openSync(realPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fstatSync(file);
    if (!stat.isFile() || stat.size > MAX_FILE_BYTES) return undefined;
    // A directory of the path may have been replaced by a link since its real path was determined.
    if (!isInside(realRoot, openedPath(file, realPath))) return undefined;
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Undefined if there is no such file, or it cannot be reached. */
export function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** The real path of an open file. */
function openedPath(file: number, path: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${file}`);
  } catch {
    // The system has no /proc.
    return realpathSync(path);
  }
}
