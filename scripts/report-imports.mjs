import { readFile } from 'node:fs/promises';

/**
 * A plugin for programs that read reports, most of which read one: it leaves out messages of zod in other languages, a quarter of a
 * megabyte, and loads an importer when it is used.
 */
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
