import { describe, expect, it } from 'vitest';
import { type Checked, describeFiles, describeFormats } from '../../scripts/importers-check/tables.ts';

const bandit: Checked = {
  file: 'bandit/many.json',
  format: 'bandit',
  findings: 3,
  severities: [0, 1, 2, 0, 0],
  skipped: 1,
  errors: 0,
  warnings: 0,
};
const empty: Checked = {
  ...bandit,
  file: 'bandit/none.json',
  format: 'gitleaks',
  findings: 0,
  severities: [0, 0, 0, 0, 0],
  skipped: 0,
};

/** The cells of the row of a format. */
const rowOf = (format: string, list: readonly Checked[]) =>
  describeFormats(list)
    .split('\n')
    .find((line) => line.startsWith(`| ${format} |`))
    ?.split('|')
    .map((cell) => cell.trim())
    .slice(2, -1);

describe('the results over a collection', () => {
  it('sum up files, findings and differences by format', () => {
    const files: Checked[] = [
      { ...bandit, isExpected: true },
      { ...bandit, file: 'bandit/other.json', isExpected: false },
      { file: 'bandit/broken.json', refused: 'The report is empty' },
    ];
    expect(rowOf('`bandit`', files)?.join(' ')).toBe('3 2 1 0 2 4 0 0 6 2 1 1');
    expect(rowOf('**Total**', files)?.[0]).toBe('**3**');
    expect(describeFormats(files)).toContain('| `bandit` | 1 | The report is empty |');
  });

  it('count empty lists, which name no tool, for the format of their folder', () => {
    expect(rowOf('`bandit`', [bandit, empty])?.slice(0, 2)).toEqual(['2', '2']);
    expect(rowOf('`gitleaks`', [bandit, empty])).toBeUndefined();
  });

  it('leave out folders of which nothing was imported', () => {
    const files = [bandit, { file: 'other/a.json', refused: 'x' }, { ...empty, file: 'other/b.json' }];
    expect(rowOf('**Total**', files)?.[0]).toBe('**1**');
    expect(describeFormats(files)).toContain('2 other files, of 1 folders');
  });

  it('name the files that differ', () => {
    const table = describeFiles([
      { ...bandit, isExpected: false },
      { ...empty, isExpected: true },
    ]);
    expect(table.split('\n').filter((line) => line.endsWith('differs'))).toHaveLength(1);
    expect(table).toContain('2 compared: 1 as expected, 1 differ');
  });
});
