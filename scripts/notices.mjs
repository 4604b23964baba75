import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const NAMES = /^(licen[sc]e|copying|notice)(\.(md|txt))?$/i;
const LINE = '-'.repeat(80);

/** lib/accounts/passwords/common.ts is made from it. */
export const LIST_OF_PASSWORDS = 'node_modules/@zxcvbn-ts/language-common';

/** The notice of ui/src/icons/icons.ts, whose source is not installed. */
export const ICONS = 'ui/src/icons/LICENSE.txt';

/** The files of the notices. The second one is served, because browsers get the packages, too. */
export const NOTICES = ['dist/THIRD-PARTY-NOTICES.txt', 'dist/public/assets/THIRD-PARTY-NOTICES.txt'];

/** The directories of the packages that esbuild has put into what it built. */
export function bundledPackages(metafiles) {
  const dirs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs)))
    .map((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input)?.[0])
    .filter((dir) => dir !== undefined);
  return [...new Set(dirs)].sort();
}

/** The notices that licences ask to pass on with these packages, as a text. `more` are files beside those of a package. */
export async function noticesOf(root, dirs, more = []) {
  const parts = await Promise.all(dirs.map((dir) => noticeOf(join(root, dir))));
  const added = await Promise.all(more.map((file) => readFile(join(root, file), 'utf8')));
  return ['Parts of this program are the work of others.', ...parts, ...added]
    .map((part) => part.trim())
    .join(`\n\n${LINE}\n\n`)
    .concat('\n');
}

async function noticeOf(dir) {
  const { name, version, license, author, homepage } = JSON.parse(
    await readFile(join(dir, 'package.json'), 'utf8'),
  );
  const files = (await readdir(dir)).filter((file) => NAMES.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(dir, file), 'utf8')));
  if (texts.length === 0)
    texts.push(...(await standardText(name, license, author?.name ?? author ?? homepage ?? name)));
  return [`${name} ${version} (${license})`, ...texts].map((text) => text.trim()).join('\n\n');
}

/** Some packages name a licence and contain no text of it. */
async function standardText(name, license, author) {
  const file = `scripts/licenses/${license}.txt`;
  const text = await readFile(join(ROOT, file), 'utf8').catch(() => {
    throw new Error(`${name} contains no text of its licence: add ${file} from https://spdx.org/licenses`);
  });
  return license === 'MIT' ? [text.replace('<year> <copyright holders>', author)] : [`By ${author}`, text];
}

/** The text as a comment of JavaScript. */
export const asComment = (text) => `/*\n${text.replaceAll('*/', '* /')}*/\n`;
