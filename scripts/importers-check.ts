import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { SEVERITIES } from '../lib/importers/finding.ts';
import { ReportError } from '../lib/importers/importer.ts';
import { importReport } from '../lib/importers/index.ts';

/*
 * Imports every file of a folder and prints what became of it, for trying the importers on a collection of reports:
 * npm run importers:check -- <folder> [--json]
 */

const [folder, option] = process.argv.slice(2);
if (folder === undefined || (option !== undefined && option !== '--json')) {
  process.stderr.write('usage: npm run importers:check -- <folder> [--json]\n');
  process.exit(1);
}

interface Checked {
  file: string;
  format?: string;
  findings?: number;
  /** Most severe first. */
  severities?: number[];
  skipped?: number;
  errors?: number;
  warnings?: number;
  refused?: string;
}

const root = resolve(folder);
const files = statSync(root).isFile() ? [root] : filesIn(root);
const checked = files.map(check);
process.stdout.write(option === '--json' ? `${JSON.stringify(checked, null, 2)}\n` : describe(checked));

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
    const { format, findings, errors, warnings, skipped } = importReport(readFileSync(path, 'utf8'), {
      directory: root,
    });
    return {
      file,
      format,
      findings: findings.length,
      severities: SEVERITIES.map((wanted) => findings.filter(({ severity }) => severity === wanted).length),
      skipped: Object.values(skipped).reduce((sum, count) => sum + count, 0),
      errors: errors.length,
      warnings: warnings.length,
    };
  } catch (error) {
    // Anything but a ReportError is a defect of an importer.
    const { name, message } = error as Error;
    return { file, refused: error instanceof ReportError ? message : `DEFECT ${name}: ${message}` };
  }
}

function describe(list: readonly Checked[]): string {
  const imported = list.filter(({ refused }) => refused === undefined);
  const columns = ['findings', ...SEVERITIES, 'skipped', 'errors', 'warnings'] as const;
  const cells = ({ findings = 0, severities = [], skipped = 0, errors = 0, warnings = 0 }: Checked) =>
    [findings, ...severities, skipped, errors, warnings].map((count, i) =>
      String(count).padStart(columns[i]?.length ?? 0),
    );
  const totals = imported.reduce<number[]>(
    (sums, entry) => cells(entry).map((cell, i) => (sums[i] ?? 0) + Number(cell)),
    [],
  );
  const width = Math.max(4, ...list.map(({ file }) => file.length));
  const formatWidth = Math.max(6, ...imported.map(({ format = '' }) => format.length));
  const line = (file: string, format: string, rest: string) =>
    `${file.padEnd(width)}  ${format.padEnd(formatWidth)}  ${rest}`.trimEnd();
  const refused = list.length - imported.length;
  const defects = list.filter((entry) => entry.refused?.startsWith('DEFECT')).length;
  return [
    line('file', 'format', columns.join('  ')),
    ...list.map((entry) =>
      entry.refused === undefined
        ? line(entry.file, entry.format ?? '', cells(entry).join('  '))
        : line(entry.file, '-', `refused: ${entry.refused}`),
    ),
    line('total', '', totals.map((sum, i) => String(sum).padStart(columns[i]?.length ?? 0)).join('  ')),
    `${list.length} files: ${imported.length} imported, ${refused} refused, ${defects} of them by a defect`,
    '',
  ].join('\n');
}
