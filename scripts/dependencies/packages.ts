import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a package.json that are looked at. */
export interface Manifest {
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
  /** Not needed by what is served. */
  dev?: boolean;
  /** Set on what is made for one platform. */
  os?: string[];
  hasInstallScript?: boolean;
  /** What was installed says so itself. */
  installed?: Manifest & { hasBindingGyp: boolean };
}

type LockEntry = Omit<LockedPackage, 'name' | 'installed'> & { name?: string };

/** Every package of a project, as its lock file and what is installed have it. */
export function readPackages(root: string): LockedPackage[] {
  const lock: { packages: Record<string, LockEntry> } = readJson(join(root, 'package-lock.json'));
  return Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .map(([path, entry]) => {
      const dir = join(root, path);
      const manifest = join(dir, 'package.json');
      return {
        ...entry,
        name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
        ...(existsSync(manifest) && {
          installed: { ...readJson<Manifest>(manifest), hasBindingGyp: existsSync(join(dir, 'binding.gyp')) },
        }),
      };
    });
}

export const readManifest = (root: string): Manifest => readJson(join(root, 'package.json'));

function readJson<T>(file: string): T {
  return JSON.parse(readFileSync(file, 'utf8'));
}
