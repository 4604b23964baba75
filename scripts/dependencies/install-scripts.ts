import type { LockedPackage, Manifest } from './packages.ts';

const RUN_BY_NPM = ['preinstall', 'install', 'postinstall'];

/** @returns a line for each package that would run something when it is installed, unless it was refused by name */
export function installScriptFaults(
  packages: readonly LockedPackage[],
  manifest: Manifest,
  file = 'package.json',
): string[] {
  const reviewed = manifest.allowScripts ?? {};
  const found = packages.filter(hasInstallScript);
  const names = new Set(found.map(({ name }) => name));
  return [
    ...found
      .filter(({ name }) => reviewed[name] !== false)
      .map(
        ({ name, version }) =>
          `${name}@${version} has an install script: do without it, and set it to false in allowScripts of ${file}`,
      ),
    ...Object.keys(reviewed)
      .filter((name) => !names.has(name))
      .map((name) => `allowScripts of ${file} names ${name}, which has no install script`),
  ];
}

const hasInstallScript = ({ hasInstallScript, installed }: LockedPackage) =>
  hasInstallScript ||
  installed?.hasBindingGyp ||
  RUN_BY_NPM.some((name) => installed?.scripts?.[name] !== undefined);
