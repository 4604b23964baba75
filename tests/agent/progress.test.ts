import { afterEach, expect, it } from 'vitest';
import { createOutput, progressLine } from '../../agent/output.ts';

/* The progress of a delivery is shown on stderr. */

it.each([
  [0, 100, 0, '[..............................] 0/100'],
  [50, 100, 1_999, '[###############...............] 50/100'],
  [0, 100, 9_000, '[..............................] 0/100'],
  [10, 100, 5_000, '[###...........................] 10/100 2.0/s, 45 s left'],
  [5_000, 50_000, 2_000, '[###...........................] 5000/50000 2500/s, 18 s left'],
  [5_000, 1_000_000, 2_000, '[..............................] 5000/1000000 2500/s, 6 min 38 s left'],
  [50_000, 50_000, 9_000, '[##############################] 50000/50000 5556/s'],
])('after %i of %i findings in %i ms, shows %s', (count, total, elapsed, line) =>
  expect(progressLine(count, total, elapsed)).toBe(line),
);

it.each([
  [80, '[##............................] 50000/1000000 2500/s, 6 min 20 s left'],
  [60, '[#..................] 50000/1000000 2500/s, 6 min 20 s left'],
  [40, '50000/1000000 2500/s, 6 min 20 s left'],
  [30, '[#............] 50000/1000000'],
  [14, '50000/1000000'],
  [13, ''],
])('in a terminal of %i columns, shows %s', (columns, line) => {
  const shown = progressLine(50_000, 1_000_000, 20_000, columns);
  expect(shown).toBe(line);
  expect(shown.length).toBeLessThan(columns);
});

const real = Object.getOwnPropertyDescriptor(process, 'stderr') as PropertyDescriptor;
afterEach(() => Object.defineProperty(process, 'stderr', real));

/** The output of the progress of 200 findings on stderr. */
function shown({ isTTY, quiet = false, count = 200 }: { isTTY: boolean; quiet?: boolean; count?: number }) {
  let text = '';
  const write = (added: string) => {
    text += added;
  };
  Object.defineProperty(process, 'stderr', { value: { isTTY, write }, configurable: true });
  const progress = createOutput({ quiet, json: false }).progress(200);
  for (let i = 0; i < count; i++) progress.step();
  progress.done();
  return text;
}

it('draws a bar on a terminal, and replaces it', () => {
  const text = shown({ isTTY: true });
  const lines = text.split('\r');
  expect(lines[1]).toBe(`[${'.'.repeat(30)}] 0/200\x1b[K`);
  expect(lines.at(-1)).toBe(`[${'#'.repeat(30)}] 200/200\x1b[K\n`);
});

it('prints a line for each tenth to a log', () => {
  const lines = shown({ isTTY: false }).split('\n');
  expect(lines).toHaveLength(11);
  expect(lines[0]).toBe('20 of 200 findings delivered');
});

it('prints nothing with --quiet', () => {
  expect(shown({ isTTY: true, quiet: true }) + shown({ isTTY: false, quiet: true })).toBe('');
});

it('shows all findings of a batch, also if the delivery then stops', () => {
  const text = shown({ isTTY: true, count: 150 });
  expect(text.endsWith('] 150/200\x1b[K\n')).toBe(true);
});
