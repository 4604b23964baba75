import { type Manifest, namedIn } from './packages.ts';

/**
 * Compares the tables of docs/dependencies.md with the manifests that they describe.
 * @returns a line for each direct dependency without a purpose, and for each purpose without a dependency
 */
export function reasonFaults(document: string, manifest: Manifest, tools: Manifest): string[] {
  const { dependencies, optionalDependencies, devDependencies } = manifest;
  return [
    ...compare(document, ['Service', 'svc-agent'], { ...dependencies, ...optionalDependencies }),
    ...compare(document, ['Web UI', 'Development'], devDependencies),
    ...compare(document, ['Tools'], tools.devDependencies),
  ];
}

function compare(document: string, titles: readonly string[], dependencies: object = {}): string[] {
  const named = namedIn(document, titles);
  const direct = Object.keys(dependencies);
  const matches = (name: string, one: string) =>
    name.endsWith('/*') ? one.startsWith(name.slice(0, -1)) : one === name;
  const where = `docs/dependencies.md (${titles.join(', ')})`;
  return [
    ...direct
      .filter((one) => !named.some((name) => matches(name, one)))
      .map((one) => `${where} does not say what ${one} is for`),
    ...named
      .filter((name) => !direct.some((one) => matches(name, one)))
      .map((name) => `${where} names ${name}, which is not a dependency of that kind`),
  ];
}
