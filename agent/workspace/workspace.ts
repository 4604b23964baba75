import { existsSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Workspace } from '../../lib/importers/importer.ts';
import { plainPath, relativePath } from '../../lib/importers/support.ts';
import { UsageError } from '../errors.ts';
import { findGitRoot, type Rename, readRenames } from './git.ts';
import { createLinks } from './links.ts';
import { createSourceReader } from './source.ts';

export interface WorkspaceOptions {
  /** The directory that the paths of reports are relative to. */
  directory: string;
  /** `--path-prefix`. Default: the path of the directory in its repository. */
  pathPrefix?: string | undefined;
}

/**
 * Gives importers access to the scanned code: its lines, its place in the repository, and earlier paths of its files.
 * @throws UsageError if the prefix is not a relative path
 */
export async function openWorkspace({ directory, pathPrefix }: WorkspaceOptions): Promise<Workspace> {
  const root = findGitRoot(directory);
  const ownPrefix = root === undefined ? '' : withSlashes(relative(root, realpathSync(directory)));
  const prefix = pathPrefix === undefined ? ownPrefix : parsePrefix(pathPrefix);
  const links = createLinks(directory, root ?? directory);
  const workspace: Workspace = {
    directory,
    pathPrefix: prefix,
    linesOf: createSourceReader(directory, root ?? directory),
    resolve: links.resolve,
  };
  const renames = root === undefined ? [] : await readRenames(root);
  const renamed = createRenameIndex(renames, (path) => existsSync(join(root ?? directory, path)));
  return {
    ...workspace,
    formerPathsOf(path) {
      // Earlier releases did not follow links.
      const linked = [...links.names].flatMap(
        (name) => replacePrefix(path, relativePath(name, workspace) ?? '', plainPath(name) ?? '') ?? [],
      );
      const own = replacePrefix(path, prefix, ownPrefix);
      const former = own === undefined ? [] : renamed(own);
      return [...linked, ...former.flatMap((name) => replacePrefix(name, ownPrefix, prefix) ?? [])];
    },
  };
}

const withSlashes = (path: string) => path.replaceAll(sep, '/');

function parsePrefix(text: string): string {
  const prefix = text
    .replaceAll('\\', '/')
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
  if (prefix.split('/').includes('..') || /^[a-z]:/i.test(prefix))
    throw new UsageError('--path-prefix must be a path in the repository without .. segments: packages/api');
  return prefix;
}

/** Replaces the prefix of a path; undefined if the path is not below it. */
function replacePrefix(path: string, prefix: string, replacement: string): string | undefined {
  if (prefix === replacement) return path;
  if (prefix !== '' && !path.startsWith(`${prefix}/`)) return undefined;
  const rest = prefix === '' ? path : path.slice(prefix.length + 1);
  return replacement === '' ? rest : `${replacement}/${rest}`;
}

const MAX_FORMER_PATHS = 5;

/**
 * @param renames latest first
 * @param exists whether a path exists now; it then belongs to another file
 * @returns a function that returns the earlier paths of a file, latest first
 */
export function createRenameIndex(renames: readonly Rename[], exists: (path: string) => boolean) {
  const byTarget = new Map<string, { index: number; from: string }[]>();
  renames.forEach(({ from, to }, index) => {
    const list = byTarget.get(to);
    if (list) list.push({ index, from });
    else byTarget.set(to, [{ index, from }]);
  });
  const known = new Map<string, readonly string[]>();

  function compute(path: string): readonly string[] {
    const former: string[] = [];
    let name = path;
    let index = -1;
    while (former.length < MAX_FORMER_PATHS) {
      const rename = byTarget.get(name)?.find((candidate) => candidate.index > index);
      if (rename === undefined) break;
      ({ from: name, index } = rename);
      former.push(name);
    }
    return [...new Set(former)].filter((name) => name !== path && !exists(name));
  }

  return (path: string): readonly string[] => {
    const paths = known.get(path) ?? compute(path);
    known.set(path, paths);
    return paths;
  };
}
