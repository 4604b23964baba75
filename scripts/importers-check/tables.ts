import { SEVERITIES } from '../../lib/importers/finding.ts';

/** The result of a file. */
export interface Checked {
  file: string;
  format?: string;
  findings?: number;
  /** Most severe first. */
  severities?: number[];
  skipped?: number;
  errors?: number;
  warnings?: number;
  /** Undefined if nothing is known about the file. */
  isExpected?: boolean | undefined;
  refused?: string;
}

/** The numbers of findings by severity that are right for a file, most severe first. */
export type Expected = Record<string, number[][]>;

/** A table with all files, in columns. */
export function describeFiles(list: readonly Checked[]): string {
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
  const differ = imported.filter(({ isExpected }) => isExpected === false).length;
  const compared = imported.filter(({ isExpected }) => isExpected !== undefined).length;
  return [
    line('file', 'format', columns.join('  ')),
    ...list.map((entry) =>
      entry.refused === undefined
        ? line(
            entry.file,
            entry.format ?? '',
            `${cells(entry).join('  ')}${entry.isExpected === false ? '  differs' : ''}`,
          )
        : line(entry.file, '-', `refused: ${entry.refused}`),
    ),
    line('total', '', totals.map((sum, i) => String(sum).padStart(columns[i]?.length ?? 0)).join('  ')),
    `${list.length} files: ${imported.length} imported, ${refused} refused, ${defects} of them by a defect`,
    ...(compared > 0 ? [`${compared} compared: ${compared - differ} as expected, ${differ} differ`] : []),
    '',
  ].join('\n');
}

/** Markdown: a table by format, and the reasons for refusing files. */
export function describeFormats(list: readonly Checked[]): string {
  const formatOf = createFormatFinder(list);
  const formats = [...new Set(list.flatMap((entry) => formatOf(entry) ?? []))].sort();
  const ofFormat = (format: string) => list.filter((entry) => formatOf(entry) === format);
  const supported = list.filter((entry) => formatOf(entry) !== undefined);
  const columns = ['Format', 'Reports', 'Imported', 'Refused', ...SEVERITIES.map(capitalized)].concat([
    'Findings',
    'Skipped',
    'As expected',
    'Different',
  ]);
  const others = list.filter((entry) => formatOf(entry) === undefined);
  const folders = new Set(others.map(folderOf));
  return [
    row(columns),
    row(columns.map((_, index) => (index === 0 ? '---' : '--:'))),
    ...formats.map((format) => row([`\`${format}\``, ...counts(ofFormat(format))])),
    row(['**Total**', ...counts(supported).map((count) => `**${count}**`)]),
    '',
    `${others.length} other files, of ${folders.size} folders, belong to tools without an importer.`,
    '',
    row(['Format', 'Refused', 'Reason']),
    row(['---', '--:', '---']),
    ...formats.flatMap((format) => refusals(format, ofFormat(format))),
    '',
  ].join('\n');
}

const row = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
const folderOf = ({ file }: Checked) => (file.includes('/') ? file.slice(0, file.indexOf('/')) : '');

/**
 * The format that a file belongs to. A refused file, and an empty list that names no tool, belong to the most frequent format
 * of their folder.
 */
function createFormatFinder(list: readonly Checked[]): (entry: Checked) => string | undefined {
  const isTelling = ({ findings = 0, skipped = 0, errors = 0 }: Checked) => findings + skipped + errors > 0;
  const ofFolder = new Map<string, Map<string, number>>();
  for (const entry of list.filter(isTelling)) {
    const formats = ofFolder.get(folderOf(entry)) ?? new Map<string, number>();
    formats.set(entry.format ?? '', (formats.get(entry.format ?? '') ?? 0) + 1);
    ofFolder.set(folderOf(entry), formats);
  }
  return (entry) => {
    if (isTelling(entry)) return entry.format;
    const formats = [...(ofFolder.get(folderOf(entry)) ?? [])];
    return formats.sort(([, a], [, b]) => b - a)[0]?.[0];
  };
}

function counts(list: readonly Checked[]): number[] {
  const sum = (count: (entry: Checked) => number | undefined) =>
    list.reduce((total, entry) => total + (count(entry) ?? 0), 0);
  const refused = sum((entry) => Number(entry.refused !== undefined));
  return [
    list.length,
    list.length - refused,
    refused,
    ...SEVERITIES.map((_, index) => sum(({ severities }) => severities?.[index])),
    sum(({ findings }) => findings),
    sum(({ skipped }) => skipped),
    sum(({ isExpected }) => Number(isExpected === true)),
    sum(({ isExpected }) => Number(isExpected === false)),
  ];
}

function refusals(format: string, list: readonly Checked[]): string[] {
  const reasons = new Map<string, number>();
  for (const { refused } of list)
    if (refused !== undefined) reasons.set(refused, (reasons.get(refused) ?? 0) + 1);
  return [...reasons].map(([reason, count]) =>
    row([`\`${format}\``, count, reason.replaceAll('|', '\\|').replaceAll('<', '&lt;')]),
  );
}
