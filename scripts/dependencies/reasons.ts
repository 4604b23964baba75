import { type Manifest, namesOf } from './packages.ts';

/** @returns a line for each direct dependency that docs/dependencies.md gives no reason for, and for what it names in vain */
export function reasonFaults(document: string, manifest: Manifest): string[] {
  const { direct, named, isOf, isNamed } = namesOf(document, manifest);
  return [
    ...direct
      .filter((one) => !isNamed(one))
      .map((one) => `docs/dependencies.md does not say what ${one} is for`),
    ...named
      .filter((name) => !direct.some(isOf(name)))
      .map((name) => `docs/dependencies.md names ${name}, on which nothing here depends`),
  ];
}
