import type { Metafile } from 'esbuild';

export declare const LIST_OF_PASSWORDS: string;
export declare function bundledPackages(metafiles: Metafile[]): string[];
export declare function noticesOf(root: string, dirs: string[], more?: string[]): Promise<string>;
export declare function asComment(text: string): string;
