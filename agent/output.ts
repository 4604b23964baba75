import { SEVERITIES, type Severity } from '../lib/importers/finding.ts';
import { type Entry, isPending } from './journal/lines.ts';
import type { Outcome } from './reporter.ts';
import { oneLine, printable, printableJson } from './text.ts';

/** The output of a command: results on stdout, everything else on stderr. */
export interface Output {
  /** Prints a human-readable result. */
  result(text: string): void;
  /** Prints a machine-readable result. */
  json(value: unknown): void;
  /** Prints a status message. */
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

const countBySeverity = (entries: readonly Entry[]): number[] =>
  SEVERITIES.map((severity) => entries.filter(({ finding }) => finding.severity === severity).length);

/** The table at the end of a scan: new, known, refused and pending findings by severity. */
export function summaryTable(entries: readonly Entry[]): string {
  const row = (label: string, group: readonly Entry[]) => [label, group.length, ...countBySeverity(group)];
  const refused = entries.filter((entry) => entry.refused !== undefined);
  const pending = entries.filter(isPending);
  return table([
    ['', 'total', ...SEVERITIES],
    row(
      'new',
      entries.filter(({ receipt }) => receipt && !receipt.deduplicated),
    ),
    row(
      'seen again',
      entries.filter(({ receipt }) => receipt?.deduplicated),
    ),
    ...(refused.length > 0 ? [row('refused', refused)] : []),
    ...(pending.length > 0 ? [row('not delivered', pending)] : []),
  ]);
}

/** The content of {@link summaryTable} as JSON. */
export function summaryJson(outcome: Outcome, extra: object) {
  const { scanId, entries, fresh, seenAgain, refused, pending, stopped } = outcome;
  return {
    scan_id: scanId,
    ...extra,
    total: entries.length,
    new: fresh,
    seen_again: seenAgain,
    refused,
    not_delivered: pending,
    severities: Object.fromEntries(
      SEVERITIES.map((severity, i) => [severity, countBySeverity(entries)[i]]),
    ) as Record<Severity, number>,
    ...(stopped && { stopped: stopped.message }),
  };
}
