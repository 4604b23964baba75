import type { Plugin } from 'esbuild';

export declare const limiterImports: Plugin;
