import type { LockedPackage } from './packages.ts';

/** The parts of a CycloneDX file that are changed here. */
export interface Bom {
  metadata: { component: { name: string; properties?: object[] } };
  components: Component[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

interface Component {
  'bom-ref': string;
  name: string;
  version: string;
  properties?: { name: string; value: string }[];
}

/**
 * Removes the packages that are only used to develop from what `npm sbom` lists. npm takes all devDependencies for such packages, but
 * the build bundles those of the web UI.
 */
export function distributedBom(bom: Bom, name: string, packages: readonly LockedPackage[]): Bom {
  const distributed = new Set(
    packages.filter((one) => one.distributed).map((one) => `${one.name}@${one.version}`),
  );
  const components = bom.components
    .filter((one) => distributed.has(`${one.name}@${one.version}`))
    .map((one) => ({
      ...one,
      properties: one.properties?.filter((property) => property.name !== 'cdx:npm:package:development') ?? [],
    }));
  const { component } = bom.metadata;
  const refs = new Set(components.map((one) => one['bom-ref']));
  return {
    ...bom,
    // npm uses the name of the directory.
    metadata: { ...bom.metadata, component: { ...component, name, properties: [] } },
    components,
    dependencies: bom.dependencies
      .filter(({ ref }) => refs.has(ref) || ref === (component as { 'bom-ref'?: string })['bom-ref'])
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) })),
  };
}
