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

/** Values that differ with each run. */
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
        without?.findings.length === before.findings.length - 1 &&
        // The values of what is skipped have no effect.
        JSON.stringify(without.skipped) === JSON.stringify(before.skipped);
      if (isResult) {
        const slots = [...leavesIn(copy)].filter(([, , path]) => !OF_RUN.test(path));
        const traceless = slots.filter(([parent, key]) => {
          const original = parent[key];
          parent[key] = changed(original);
          const after = importOrNothing(write());
          parent[key] = original;
          return after && isSame(repeated, after);
        });
        // Otherwise the copy is not read: it is an element around the list.
        if (traceless.length < slots.length) for (const [, , path] of traceless) lost.add(path);
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

const isSame = (before: Imported, after: Imported) =>
  JSON.stringify({ ...after, warnings: [] }) === JSON.stringify({ ...before, warnings: [] });

/** Formats whose results of one check and place are one finding, which lists what differs in the place and the evidence. */
const MERGING = /^(?:network|secrets|web)\/|^(?:gitleaks|zap)\b/;

/** The last name of a path that says where a result is. */
const PLACE =
  /(?:^|[._@])(?:host|hostname|ip|port|protocol|param\w*|url|uri|path|file\w*|method|affects|instance|repo\w*|container|namespace|region|account|package|version)$/i;

/** Values that are lost on purpose. */
const LOST: Record<string, string[]> = {
  // About the whole file, not the result.
  'checkov.json': ['summary.checkov_version', 'summary.failed', 'summary.passed', 'summary.resource_count'],
  // How sure the tool is of the name of the package, and a score beside a newer one.
  'dependencies/dependency-check.xml': [
    'identifiers.identifier.@_confidence',
    'identifiers.identifier.@_type',
  ],
  'infrastructure/images/anchore/anchore.json': ['nvd_data.cvss_v2.base_score'],
  // The request is evidence of the problem at the address that the result names.
  'web/arachni.json': ['request.method', 'request.url'],
  'web/burp-api.json': ['issue.evidence.request_response.url'],
  'web/burp.xml': ['host.@_ip', 'requestresponse.request.@_method'],
  'web/invicti.json': ['HttpRequest.Method', 'Url'],
  'zap.json': ['instances.uri'],
};

describe('two results that differ', () => {
  it.each(files)('are both kept: %s', (file) => {
    const lost = lostIn(file).filter((path) => !MERGING.test(file) || PLACE.test(path));
    expect(lost).toEqual(LOST[file] ?? []);
  });
});
