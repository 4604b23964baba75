import { readdirSync } from 'node:fs';
import { XMLBuilder } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { type Imported, importReport } from '../../lib/importers/index.ts';
import { parseReport } from '../../lib/importers/read/parse.ts';
import { isObject } from '../../lib/importers/read/values.ts';
import { context, own } from '../support/importers/importers.ts';

/*
 * Results are duplicates only if the report says the same about them, except for what differs with each run. For every list of every
 * report in fixtures/ whose members become results: a member is repeated, and each of its values is changed in the copy. Then either
 * both are findings, or the finding shows the changed value.
 */

const files = readdirSync(new URL('../fixtures/', import.meta.url), { recursive: true })
  .map((name) => String(name).replaceAll('\\', '/'))
  .filter(
    (name) => /\.(?:jsonl?|xml|csv|fvdl)$/.test(name) && !/fortify-audit|killed-run|^edits\//.test(name),
  )
  .sort();

type Container = Record<string | number, unknown>;
type Slot = [parent: Container, key: string | number, path: string];

/** A report as a value, and how it is written. */
function open(content: string): { value: unknown; write: () => string } {
  const report = parseReport(content);
  if (report.kind === 'xml') {
    const builder = new XMLBuilder({ ignoreAttributes: false, suppressBooleanAttributes: false });
    return { value: report.document, write: () => builder.build(report.document) };
  }
  if (report.kind === 'csv') {
    const cell = (text: unknown) => `"${String(text).replaceAll('"', '""')}"`;
    const line = (cells: readonly unknown[]) => cells.map(cell).join(',');
    const write = () =>
      [line(report.columns), ...report.rows.map((row) => line(report.columns.map((name) => row[name])))].join(
        '\n',
      );
    return { value: { rows: report.rows }, write };
  }
  const { documents } = report as { documents: unknown[] };
  return { value: { documents }, write: () => documents.map((one) => JSON.stringify(one)).join('\n') };
}

function* listsIn(value: unknown): Generator<unknown[]> {
  if (Array.isArray(value)) yield value;
  if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* listsIn(member);
}

/** The places of all values in an entry. */
function* leavesIn(parent: Container, path = ''): Generator<Slot> {
  for (const [key, value] of Object.entries(parent)) {
    const at = Array.isArray(parent) ? path : path ? `${path}.${key}` : key;
    if (typeof value === 'object' && value !== null) yield* leavesIn(value as Container, at);
    else if (value !== null) yield [parent, key, at];
  }
}

/** What differs with each run. */
const OF_RUN = /(?:time|timestamp|date|_at|At|seen|created|updated|duration|elapsed|response)$/i;

function importOrNothing(text: string): Imported | undefined {
  try {
    return importReport(text, context);
  } catch {
    return undefined;
  }
}

/** The paths of the values that can be changed in a copy of a result without a trace. */
function lostIn(file: string): string[] {
  const { value, write } = open(own(file));
  const before = importOrNothing(write());
  if (!before) throw new Error(`${file} cannot be written`);
  const lost = new Set<string>();
  for (const list of [...listsIn(value)]) {
    for (const member of list.filter((one) => isObject(one)).slice(0, MAX_MEMBERS)) {
      const at = list.indexOf(member);
      list.splice(at, 1);
      const without = importOrNothing(write());
      list.splice(at, 0, member);
      const copy = structuredClone(member) as Container;
      list.push(copy);
      const repeated = importOrNothing(write());
      const isResult =
        repeated?.findings.length === before.findings.length &&
        without !== undefined &&
        without.findings.length < before.findings.length;
      if (isResult)
        for (const [parent, key, path] of leavesIn(copy)) {
          const original = parent[key];
          if (OF_RUN.test(path) || OF_RUN.test(String(original))) continue;
          parent[key] = changed(original);
          const after = importOrNothing(write());
          parent[key] = original;
          if (after && isLost(repeated, after)) lost.add(path);
        }
      list.pop();
    }
  }
  return [...lost].sort();
}

const MAX_MEMBERS = 2;

function changed(value: unknown): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return 2 * value + 1;
  return `${value}${MARK}`;
}

const MARK = '7q';

const isLost = (before: Imported, after: Imported) =>
  JSON.stringify({ ...after, warnings: [] }) === JSON.stringify({ ...before, warnings: [] });

describe('two results that differ', () => {
  it.each(files)('are both kept: %s', (file) => {
    expect(lostIn(file)).toEqual([]);
  });
});
