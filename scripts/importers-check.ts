import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { SEVERITIES } from '../lib/importers/finding.ts';
import { ReportError } from '../lib/importers/importer.ts';
import { importReport } from '../lib/importers/index.ts';
import { type Checked, describeFiles, describeFormats, type Expected } from './importers-check/tables.ts';

/*
 * Imports every file of a folder and prints what became of it, for trying the importers on a collection of reports:
 * npm run importers:check -- <folder> [--json | --markdown] [--expected <file>]
 * The file with the expected numbers of findings is {"path in the folder": [[critical, high, medium, low, info], …]}.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, markdown: { type: 'boolean' }, expected: { type: 'string' } },
});
const [folder, ...others] = positionals;
if (folder === undefined || others.length > 0) {
  process.stderr.write(
    'usage: npm run importers:check -- <folder> [--json | --markdown] [--expected <file>]\n',
  );
  process.exit(1);
}

const root = resolve(folder);
const expected: Expected = values.expected ? JSON.parse(readFileSync(values.expected, 'utf8')) : {};
const files = statSync(root).isFile() ? [root] : filesIn(root);
const checked = files.map(check);
if (values.json) process.stdout.write(`${JSON.stringify(checked, null, 2)}\n`);
else process.stdout.write(values.markdown ? describeFormats(checked) : describeFiles(checked));

function filesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => !entry.name.startsWith('.'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return filesIn(path);
      return entry.isFile() ? [path] : [];
    });
}

function check(path: string): Checked {
  const file = relative(root, path) || path;
  try {
    const { format, findings, errors, warnings, skipped } = importReport(readFileSync(path), {
      directory: root,
    });
    const severities = SEVERITIES.map(
      (wanted) => findings.filter(({ severity }) => severity === wanted).length,
    );
    return {
      file,
      format,
      findings: findings.length,
      severities,
      skipped: Object.values(skipped).reduce((sum, count) => sum + count, 0),
      errors: errors.length,
      warnings: warnings.length,
      isExpected: expected[file]?.some((wanted) => wanted.join() === severities.join()),
    };
  } catch (error) {
    // Anything but a ReportError is a defect of an importer.
    const { name, message } = error as Error;
    return { file, refused: error instanceof ReportError ? message : `DEFECT ${name}: ${message}` };
  }
}
