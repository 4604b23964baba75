import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { limiterImports } from '../limiter-imports.mjs';

export const ROOT = join(import.meta.dirname, '../..');

export interface BuildOptions {
  /** Absolute, or relative to the checkout. */
  outdir: string;
  entry?: string;
}

/** Modules that are useless in a worker, or fail there. */
const NODE_ONLY =
  /^(lib\/(node|admin)|db\/(embedded|pool\/(pool|connection)))\b|node_modules\/(@node-rs|@hono\/node-server|nodemailer|undici)\//;

/** prom-client's own entry also loads what looks into a Node process. */
const countersOnly: Plugin = {
  name: 'counters only',
  setup({ onResolve }) {
    onResolve({ filter: /^prom-client$/ }, () => ({ path: join(ROOT, 'scripts/edge/prom-client.js') }));
  },
};

/**
 * Builds a worker in the form in which it is deployed: one module, and the WebAssembly it imports. The web UI is to be
 * there already.
 */
export async function buildWorker({ outdir, entry = 'worker.ts' }: BuildOptions): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { worker: entry },
    outdir,
    bundle: true,
    platform: 'neutral',
    format: 'esm',
    target: 'es2023',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker'],
    plugins: [countersOnly, limiterImports],
    external: ['node:*', 'cloudflare:*', ...builtinModules],
    loader: { '.wasm': 'copy', '.html': 'text' },
    assetNames: '[name]',
    sourcemap: true,
    sourcesContent: false,
    legalComments: 'eof',
    metafile: true,
    logLevel: 'warning',
    // For the CommonJS among the packages.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module';const require = requireOf('/');",
    },
  });
  const foreign = Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .filter((file) => NODE_ONLY.test(file));
  if (foreign.length > 0) throw new Error(`not for the edge: ${foreign.join(', ')}`);
  return metafile;
}
