import type { BuildOptions } from 'esbuild';

export declare function clientBuild(root: string, outdir: string): BuildOptions & { metafile: true };
