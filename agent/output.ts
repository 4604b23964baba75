import { once } from 'node:events';
import { oneLine, printable, printableJson } from './text.ts';

/** The output of a command: results on stdout, everything else on stderr. */
export interface Output {
  /** Prints a human-readable result. */
  result(text: string): void;
  /** Prints a machine-readable result. */
  json(value: unknown): void;
  /** Waits until a pipe has taken what was printed. */
  drain(): Promise<void>;
  /** Prints a status message. */
  note(text: string): void;
  warn(text: string): void;
  /** Starts a progress display. @returns `step`, to call after each finding, and `done`, to call at the end */
  progress(total: number): { step(): void; done(): void };
}

const BAR_WIDTH = 30;
const MIN_BAR_WIDTH = 5;

/** @param quiet prints warnings, errors and JSON only */
export function createOutput({ quiet, json }: { quiet: boolean; json: boolean }): Output {
  const { stdout, stderr } = process;
  const silent = quiet || json;
  return {
    result: (text) => stdout.write(`${printable(text)}\n`),
    json: (value) => stdout.write(`${printableJson(value)}\n`),
    drain: async () => {
      if (stdout.writableNeedDrain) await once(stdout, 'drain');
    },
    note: (text) => {
      if (!silent) stderr.write(`${oneLine(text)}\n`);
    },
    warn: (text) => stderr.write(`warning: ${oneLine(text)}\n`),
    progress(total) {
      if (silent || total === 0) return { step() {}, done() {} };
      return stderr.isTTY ? bar(total) : lines(total);
    },
  };
}

/** The rate and the remaining time are shown after so many milliseconds, when the rate is known well enough. */
const SHOW_RATE_AFTER_MS = 2_000;

/**
 * Formats the progress of a delivery: `[###...] 1200/50000 3400/s, 14 s left`.
 * @param columns the width of the terminal. A line that does not fit would be repeated instead of replaced.
 */
export function progressLine(count: number, total: number, elapsedMs: number, columns = 80): string {
  const counts = `${count}/${total}`;
  const texts = [`${counts}${rateOf(count, total, elapsedMs)}`, counts];
  const text = texts.find(({ length }) => length < columns) ?? '';
  if (text === '') return text;
  const width = Math.min(BAR_WIDTH, columns - text.length - '[] '.length - 1);
  if (width < MIN_BAR_WIDTH) return text;
  const filled = Math.round((count / total) * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${text}`;
}

function rateOf(count: number, total: number, elapsedMs: number): string {
  if (elapsedMs < SHOW_RATE_AFTER_MS || count === 0) return '';
  const perSecond = (count / elapsedMs) * 1_000;
  const rate = ` ${perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond)}/s`;
  const left = Math.ceil((total - count) / perSecond);
  if (left === 0) return rate;
  const minutes = Math.floor(left / 60);
  return `${rate}, ${minutes > 0 ? `${minutes} min ` : ''}${left % 60} s left`;
}

const REDRAW_AFTER_MS = 100;

function bar(total: number) {
  const { stderr } = process;
  const startedAt = Date.now();
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    clearTimeout(timer);
    timer = undefined;
    // The end of a longer line is cleared.
    const line = progressLine(count, total, Date.now() - startedAt, stderr.columns || undefined);
    stderr.write(`\r${line}\x1b[K`);
  };
  draw();
  return {
    step() {
      count++;
      // The results of a batch arrive at the same time.
      if (count >= total) draw();
      else timer ??= setTimeout(draw, REDRAW_AFTER_MS).unref();
    },
    done() {
      if (timer) draw();
      stderr.write('\n');
    },
  };
}

/** Prints one line per 10 %, for logs. */
function lines(total: number) {
  let count = 0;
  return {
    step() {
      const previousTenth = Math.floor((count / total) * 10);
      count++;
      if (total >= 100 && Math.floor((count / total) * 10) > previousTenth) {
        process.stderr.write(`${count} of ${total} findings delivered\n`);
      }
    },
    done() {},
  };
}

/** Formats a table. All columns but the first are right-aligned unless `left` is set. */
export function table(rows: readonly (readonly (string | number)[])[], { left = false } = {}): string {
  const texts = rows.map((row) => row.map((cell) => oneLine(String(cell))));
  const widths = (texts[0] ?? []).map((_, i) =>
    texts.reduce((max, row) => Math.max(max, (row[i] ?? '').length), 0),
  );
  return texts
    .map((row) =>
      row
        .map((cell, i) => (i === 0 || left ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
