import { type Aim, type Figure, isMet, ratioOf } from './figure.ts';
import { table } from './stats.ts';

/** What one benchmark came to. */
export interface Report {
  bench: string;
  figures: readonly Figure[];
}

/** All figures as a table for the terminal. */
export function render(reports: readonly Report[]): string {
  const rows = reports.flatMap(({ bench, figures }) =>
    figures.map((figure, i) => [
      i === 0 ? bench : '',
      figure.name,
      number(figure.value),
      number(figure.limit),
      number(ratioOf(figure)),
      aimText(figure.aim),
      verdict(figure),
      figure.limitedBy ?? '',
    ]),
  );
  return table([['', 'figure', 'value', 'limit', 'ratio', 'aim', '', 'limited by'], ...rows], [0, 1, 6, 7]);
}

/** Three digits that matter, at least. */
function number(value: number | undefined): string {
  if (value === undefined) return '';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { maximumFractionDigits: digits, minimumFractionDigits: digits });
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
