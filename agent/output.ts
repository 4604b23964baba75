import { once } from 'node:events';
import { oneLine, printable, printableJson } from './text.ts';

/** The output of a command: results on stdout, everything else on stderr. */
export interface Output {
  /** Prints a human-readable result. */
  result(text: string): void;
  /** Prints a machine-readable result. */
  json(value: unknown): void;
  /** Prints a status message. */
  /** Waits until a pipe has taken what was printed. */
  drain(): Promise<void>;
  note(text: string): void;
  warn(text: string): void;
  /** Starts a progress display. @returns `step`, to call after each finding, and `done`, to call at the end */
  progress(total: number): { step(): void; done(): void };
}

const BAR_WIDTH = 30;

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

function bar(total: number) {
  const { stderr } = process;
  let count = 0;
  let drawnAt = 0;
  const draw = () => {
    const filled = Math.round((count / total) * BAR_WIDTH);
    stderr.write(`\r[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${count}/${total}`);
  };
  draw();
  return {
    step() {
      count++;
      const now = Date.now();
      if (now - drawnAt < 100 && count < total) return;
      drawnAt = now;
      draw();
    },
    done: () => stderr.write('\n'),
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
