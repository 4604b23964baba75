import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a package.json that are looked at. */
export interface Manifest {
  private?: boolean;
  license?: string;
  scripts?: Record<string, string>;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  /** Reviewed install scripts: npm runs none that is set to false. */
  allowScripts?: Record<string, boolean>;
}

/** A package of package-lock.json; those of other platforms are there without being installed. */
export interface LockedPackage {
  name: string;
  version: string;
  license?: string;
  /** Part of what users get: installed with the package, or bundled by the build. */
  distributed?: boolean;
  /** Set on what is made for one platform. */
  os?: string[];
  hasInstallScript?: boolean;
  /** The manifest of the installed package. */
  installed?: Manifest & { hasBindingGyp: boolean };
}

type LockEntry = Omit<LockedPackage, 'name' | 'installed' | 'distributed'> &
  Pick<Manifest, 'dependencies' | 'optionalDependencies'> & {
    name?: string;
    peerDependencies?: Record<string, string>;
  };
type Lock = Record<string, LockEntry>;

/**
 * Every package of a project, as its lock file and what is installed have it.
 * @param names direct dependencies that users get with all that they depend on
 */
export function readPackages(root: string, names: readonly string[] = []): LockedPackage[] {
  const { packages: lock }: { packages: Lock } = readJson(join(root, 'package-lock.json'));
  const distributed = distributedPaths(lock, names);
  return Object.entries(lock)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => {
      const dir = join(root, path);
      const manifest = join(dir, 'package.json');
      return {
        ...entry,
        distributed: distributed.has(path),
        name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
        ...(existsSync(manifest) && {
          installed: { ...readJson<Manifest>(manifest), hasBindingGyp: existsSync(join(dir, 'binding.gyp')) },
        }),
      };
    });
}

/** The first cell of a row that names a package, or a scope with all that is in it. */
const ROW = /^\| ((?:@[\w-]+\/)?[a-z*][\w.*-]*) \| [^\s|]/gm;

/** The packages that the tables of some sections of docs/dependencies.md name. */
export function namedIn(document: string, titles: readonly string[]): string[] {
  const sections = document
    .split(/^## /m)
    .filter((section) => titles.includes(section.split('\n', 1)[0] ?? ''));
  return sections.flatMap((section) => [...section.matchAll(ROW)].map(([, name = '']) => name));
}

/** The direct dependencies that are installed with the package or bundled: those of the service, and those of the web UI. */
export function distributedDependencies(root: string): string[] {
  const { dependencies, optionalDependencies } = readManifest(root);
  const ui = namedIn(readFileSync(join(root, 'docs/dependencies.md'), 'utf8'), ['Web UI']);
  const all = [...Object.keys({ ...dependencies, ...optionalDependencies }), ...ui];
  return all.filter((name) => !COPIED.includes(name));
}

/** Packages of which only files are distributed, as they are or in a generated file: their own dependencies are not. */
const COPIED = [
  'swagger-ui-dist',
  '@zxcvbn-ts/language-common',
  '@fontsource-variable/inter',
  '@tabler/icons',
];

/** Where the lock file has these packages and all that they depend on. */
function distributedPaths(lock: Lock, names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const add = (name: string, from: string): void => {
    const path = resolveIn(lock, name, from);
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = lock[path] as LockEntry;
    const needed = { ...dependencies, ...optionalDependencies, ...peerDependencies };
    for (const one of Object.keys(needed)) add(one, path);
  };
  for (const name of names) add(name, '');
  for (const path of COPIED.map((name) => `node_modules/${name}`)) if (path in lock) found.add(path);
  return found;
}

/** Resolves a package as Node does, from the folder of the package that needs it upwards. */
function resolveIn(lock: Lock, name: string, from: string): string | undefined {
  for (let dir = from; ; dir = dir.slice(0, Math.max(0, dir.lastIndexOf('node_modules/') - 1))) {
    const path = `${dir && `${dir}/`}node_modules/${name}`;
    if (path in lock) return path;
    if (dir === '') return undefined;
  }
}

export const readManifest = (root: string): Manifest => readJson(join(root, 'package.json'));

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8'));
}
