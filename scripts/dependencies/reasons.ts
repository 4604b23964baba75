import type { Manifest } from './packages.ts';

/** The first cell of a row that names a package, or a scope with all that is in it. */
const ROW = /^\| ((?:@[\w-]+\/)?[a-z*][\w.*-]*) \| [^\s|]/gm;

/** @returns a line for each direct dependency that docs/dependencies.md gives no reason for, and for what it names in vain */
export function reasonFaults(document: string, manifest: Manifest): string[] {
  const { dependencies, devDependencies, optionalDependencies } = manifest;
  const direct = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const named = [...document.matchAll(ROW)].map(([, name = '']) => name);
  const isOf = (name: string) => (one: string) =>
    name.endsWith('/*') ? one.startsWith(name.slice(0, -1)) : one === name;
  return [
    ...direct
      .filter((one) => !named.some((name) => isOf(name)(one)))
      .map((one) => `docs/dependencies.md does not say what ${one} is for`),
    ...named
      .filter((name) => !direct.some(isOf(name)))
      .map((name) => `docs/dependencies.md names ${name}, on which nothing here depends`),
  ];
}
