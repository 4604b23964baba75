import type { Manifest } from './dependencies/packages.ts';

/** The packages that are installed with the published one: the bundles leave out the first, and the published types name the others. */
const INSTALLED = ['@node-rs/argon2', 'openapi-fetch', 'openapi-typescript-helpers', 'zod'];

/** The fields of package.json that only the checkout uses. */
const OWN = ['private', 'imports', 'scripts', 'devDependencies', 'overrides', 'allowScripts'];

/** The manifest of the published package. That of the checkout also lists the packages that are bundled. */
export function publishedManifest({ dependencies = {}, ...manifest }: Manifest): object {
  const fields = Object.entries(manifest).filter(([name]) => !OWN.includes(name));
  const installed = INSTALLED.map((name) => {
    if (!dependencies[name]) throw new Error(`${name} is not one of the dependencies in package.json`);
    return [name, dependencies[name]];
  });
  return { ...Object.fromEntries(fields), dependencies: Object.fromEntries(installed) };
}
