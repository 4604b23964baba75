export interface Manifest {
  began: number;
  inputs: string[];
  outputs: string[];
  packages: string[];
}

export declare function lastBuild(root: string, file: string): Promise<Manifest | undefined>;
export declare function writeManifest<M extends Manifest>(root: string, file: string, made: M): Promise<M>;
export declare function ownInputs(modules: readonly string[]): string[];
