import { isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { isInside, realPathOf } from './source.ts';

/** Names of directories outside of a repository that lead into it. */
export interface Links {
  /** As `Workspace.resolve`. */
  resolve(path: string): string | undefined;
  /** The first directories by which `resolve` found files. */
  readonly names: ReadonlySet<string>;
}

/** The real paths that are remembered. */
const MAX_KNOWN = 10_000;

const MAX_NAMES = 5;

/**
 * Follows symbolic links up to the first directory of the repository. The rest of a path stays, so that a file has the same path
 * by each name of the repository. Nothing but the targets of links is read.
 */
export function createLinks(directory: string, root: string): Links {
  const realRoot = realPathOf(root) ?? root;
  const realDirectory = realPathOf(directory) ?? directory;
  const known = new Map<string, string | undefined>();
  const names = new Set<string>();

  function remembered(path: string): string | undefined {
    if (known.has(path)) return known.get(path);
    if (known.size >= MAX_KNOWN) known.clear();
    const real = realPathOf(path);
    known.set(path, real);
    return real;
  }

  return {
    names,
    resolve(path) {
      // Windows would connect to the host that a path with two slashes names.
      if (!isAbsolute(path) || /^[\\/]{2}/.test(path)) return undefined;
      const absolute = resolve(path);
      const { root: top } = parse(absolute);
      const parts = absolute.slice(top.length).split(sep);
      let real: string | undefined = top;
      for (let depth = 0; real !== undefined; depth++) {
        if (isInside(realRoot, real)) {
          if (names.size < MAX_NAMES) names.add(join(top, ...parts.slice(0, depth)));
          return relative(realDirectory, join(real, ...parts.slice(depth))).replaceAll(sep, '/');
        }
        const part: string | undefined = parts[depth];
        real = part === undefined ? undefined : remembered(join(real, part));
      }
      return undefined;
    },
  };
}
