import { readFile } from 'node:fs/promises';

/* Most programs that read reports read one. These plugins leave out or delay what that does not need. */

/** Leaves out messages of zod in other languages, a quarter of a megabyte, and loads an importer when it is used. */
export const reportImports = {
  name: 'report imports',
  setup({ onLoad }) {
    onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
    onLoad({ filter: /lib[\\/]importers[\\/]formats[\\/]index\.ts$/ }, async ({ path }) => ({
      contents: delayFormats(await readFile(path, 'utf8')),
      loader: 'ts',
    }));
  },
};

/** The list of importers, each of which is evaluated when it is used: their schemas take a tenth of the start. */
function delayFormats(index) {
  const list = index.replace(/^import \{ (.+) \} from '(.+)';$/gm, (_, names, file) =>
    names
      .split(', ')
      .map((name) => `const ${name} = delay(() => require('${file}').${name});`)
      .join('\n'),
  );
  if (list === index) throw new Error('lib/importers/formats/index.ts has another layout');
  return `${list}
function delay(load: () => Importer): Importer {
  let importer: Importer;
  return new Proxy({} as Importer, { get: (_, key: keyof Importer) => (importer ??= load())[key] });
}`;
}

/** Packages that few runs of the agent use, with the functions and classes that it imports. */
const DELAYED = {
  'csv-parse/sync': ['parse'],
  fflate: ['unzipSync'],
  undici: ['EnvHttpProxyAgent', 'fetch'],
  yaml: ['parse'],
};

/** @returns a plugin that delays packages and, when the build has ended, the metafiles of these packages */
export function delayPackages() {
  const metafiles = [];
  const plugin = {
    name: 'delayed packages',
    setup({ initialOptions: { absWorkingDir, target }, onLoad, onResolve, esbuild }) {
      onResolve({ filter: new RegExp(`^(?:${Object.keys(DELAYED).join('|')})$`) }, ({ path }) => ({
        path,
        namespace: 'delayed',
      }));
      onLoad({ filter: /./, namespace: 'delayed' }, async ({ path }) => {
        const { outputFiles, metafile } = await esbuild.build({
          ...{ absWorkingDir, target, bundle: true, minify: true, write: false, metafile: true },
          ...{ platform: 'node', format: 'cjs', legalComments: 'eof' },
          stdin: {
            contents: `export { ${DELAYED[path].join(', ')} } from '${path}';`,
            resolveDir: absWorkingDir,
          },
        });
        metafiles.push(metafile);
        // Notices belong outside of the string, where the build of the agent collects them.
        const [code, notices = ''] = outputFiles[0].text.split(/^(?=\/\*! Bundled license information)/m);
        return { contents: notices + delayPackage(path, code) };
      });
    },
  };
  return { metafiles, plugin };
}

/** A module that contains a package as a string, which is not parsed at the start, and compiles it when it is used. */
const delayPackage = (name, code) => `import { createRequire } from 'node:module';
import { Script } from 'node:vm';
const code = ${JSON.stringify(`(function (module, require) { ${code}\n})`)};
let loaded;
function load() {
  if (loaded) return loaded;
  const module = { exports: {} };
  new Script(code, { filename: '${name}' }).runInThisContext()(module, createRequire(import.meta.url));
  return (loaded = module.exports);
}
${DELAYED[name]
  .map(
    (name) => `export function ${name}(...values) {
  return new.target ? new (load().${name})(...values) : load().${name}(...values);
}`,
  )
  .join('\n')}`;
