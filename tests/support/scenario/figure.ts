import { median } from './stats.ts';

/** The target of a figure. */
export type Aim = { atLeast: number } | { atMost: number };

/** The target of everything that must not happen. */
export const NONE: Aim = { atMost: 0 };

/** One measured number. */
export interface Figure {
  /** Name and unit, such as `findings/s` or `first byte ms`. */
  name: string;
  /** Median of the rounds. */
  value: number;
  /** The limit of the machine at the same time, in the same unit; its median. */
  limit?: number | undefined;
  /** How the limit was taken. */
  limitedBy?: string | undefined;
  /** Compared with `value / limit` when the figure has a limit, otherwise with `value`. */
  aim?: Aim | undefined;
  /** Every round's value and limit. */
  rounds?: { values: readonly number[]; limits?: readonly number[] | undefined };
}

/** Results of alternating rounds, and of what they are compared with. */
export interface Rounds<T> {
  ours: T[];
  /** Empty when there is nothing to compare with. */
  limit: T[];
}

/** Median and rounds of one number of the rounds, as fields of a figure. */
export function figureOf<T>({ ours, limit }: Rounds<T>, read: (result: T) => number) {
  const values = ours.map(read);
  const limits = limit.map(read);
  return {
    value: median(values),
    ...(limits.length > 0 && { limit: median(limits) }),
    rounds: { values, ...(limits.length > 0 && { limits }) },
  };
}

/** The figures of one scenario. */
export interface Report {
  scenario: string;
  figures: readonly Figure[];
}

/** `value / limit`; undefined without a limit. */
const ratioOf = ({ value, limit }: Figure): number | undefined =>
  limit === undefined ? undefined : value / limit;

/** Whether the figure meets its aim; undefined without an aim, or when the limit could not be taken. */
export function isMet(figure: Figure): boolean | undefined {
  const { aim, limitedBy, limit, value } = figure;
  if (!aim || (limitedBy !== undefined && limit === undefined)) return undefined;
  const held = ratioOf(figure) ?? value;
  return 'atLeast' in aim ? held >= aim.atLeast : held <= aim.atMost;
}

/** All figures as a table for the terminal. */
export function render(reports: readonly Report[]): string {
  const rows = reports.flatMap(({ scenario, figures }) =>
    figures.map((figure, i) => [
      ...[i === 0 ? scenario : '', figure.name, digits(figure.value), digits(figure.limit)],
      ...[digits(ratioOf(figure)), aimText(figure.aim), verdict(figure), figure.limitedBy ?? ''],
    ]),
  );
  return table([['', 'figure', 'value', 'limit', 'ratio', 'aim', '', 'limited by'], ...rows], [0, 1, 6, 7]);
}

/** At least three significant digits. */
function digits(value: number | undefined): string {
  if (value === undefined) return '';
  const fraction = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: fraction, minimumFractionDigits: fraction });
}

function aimText(aim: Aim | undefined): string {
  if (!aim) return '';
  return 'atLeast' in aim ? `≥ ${aim.atLeast}` : `≤ ${aim.atMost}`;
}

function verdict(figure: Figure): string {
  const met = isMet(figure);
  if (met === undefined) return '';
  return met ? 'met' : 'MISSED';
}

/** Rows of text in columns; the first row is the head. Numbers are aligned right, the columns of `texts` left. */
export function table(rows: readonly (readonly string[])[], texts: readonly number[] = [0]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => (texts.includes(i) ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  const [head = [], ...body] = rows;
  return [line(head), '-'.repeat(line(head).length), ...body.map(line)].join('\n');
}
