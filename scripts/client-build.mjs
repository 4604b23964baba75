/**
 * The options that bundle the typed client. The platform is neutral: an import of a Node module fails the build, because the
 * client also runs in browsers and workers.
 * @param {string} root
 * @param {string} outdir
 * @returns {import('esbuild').BuildOptions & { metafile: true }}
 */
export const clientBuild = (root, outdir) => ({
  absWorkingDir: root,
  entryPoints: ['client/index.ts'],
  outdir,
  bundle: true,
  platform: 'neutral',
  mainFields: ['module', 'main'],
  format: 'esm',
  target: 'es2022',
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'eof',
  metafile: true,
  logLevel: 'warning',
});
