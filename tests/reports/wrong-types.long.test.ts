import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readReport } from '../../lib/reports/read.ts';

const FIXTURES = join(import.meta.dirname, '../fixtures');
const MAX_BYTES = 64 * 1024 * 1024;
const WRONG = [7, 'x', [{}], {}];

/**
 * The damaged versions of each report that are tried. `WRONG_TYPES_SEED` chooses others.
 * `WRONG_TYPES=all npx vitest run tests/reports/wrong-types.long.test.ts` tries all.
 */
const RUNS = process.env.WRONG_TYPES === 'all' ? Infinity : Number(process.env.WRONG_TYPES ?? 6);
const SEED = Number(process.env.WRONG_TYPES_SEED ?? 1);

/** A sample of the items, in their order. */
function sample<T>(items: readonly T[], name: string, runs = RUNS): T[] {
  if (items.length <= runs) return [...items];
  const rank = (index: number) => createHash('sha256').update(`${SEED} ${name} ${index}`).digest('hex');
  const chosen = items.map((_, index) => [rank(index), index] as const).sort();
  return chosen
    .slice(0, runs)
    .map(([, index]) => index)
    .sort((a, b) => a - b)
    .map((index) => items[index] as T);
}

/** Two values of types that a field does not have. */
const wrongFor = (right: unknown): unknown[] =>
  WRONG.filter(
    (wrong) => typeof wrong !== typeof right || Array.isArray(wrong) !== Array.isArray(right),
  ).slice(-2);

const reports = readdirSync(FIXTURES, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
  .map((file) => ({ name: relative(FIXTURES, file), content: readFileSync(file) }));

/** Reads a report as the service does. @returns the stack of an importer that threw */
async function bugOf(report: string | Uint8Array, format?: string): Promise<string | undefined> {
  const body = new Uint8Array(Buffer.from(report as Uint8Array));
  const job = { body, contentType: '', encoding: '', maxBytes: MAX_BYTES, format };
  const outcome = await readReport(job);
  return outcome.kind === 'refused' ? outcome.bug : undefined;
}

async function formatOf(content: Uint8Array): Promise<string | undefined> {
  const body = new Uint8Array(content);
  const outcome = await readReport({ body, contentType: '', encoding: '', maxBytes: MAX_BYTES });
  return outcome.kind === 'read' ? outcome.head.format : undefined;
}

type Slot = [parent: Record<string, unknown>, key: string];

/** The first field of each path; the members of a list have the same one. */
function fieldsOf(document: unknown): Slot[] {
  const fields = new Map<string, Slot>();
  const visit = (value: unknown, path: string) => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const inner = Array.isArray(value) ? `${path}[]` : `${path}.${key}`;
      if (!fields.has(inner)) fields.set(inner, [value as Record<string, unknown>, key]);
      visit(member, inner);
    }
  };
  visit(document, '');
  return [...fields.values()];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('a wrong type in each field', () => {
  const documents = reports.flatMap(({ name, content }) => {
    const document = parsed(content.toString());
    return typeof document === 'object' && document !== null ? [{ name, content, document }] : [];
  });
  it.each(documents)('does not break the importer: $name', async ({ name, content, document }) => {
    const format = await formatOf(content);
    const changes = fieldsOf(document).flatMap(([parent, key]) =>
      wrongFor(parent[key]).map((wrong) => ({ parent, key, wrong })),
    );
    for (const { parent, key, wrong } of sample(changes, name)) {
      const right = parent[key];
      parent[key] = wrong;
      expect(await bugOf(JSON.stringify(document), format), `${key}: ${JSON.stringify(wrong)}`).toBe(
        undefined,
      );
      parent[key] = right;
    }
  });

  const xml = reports.filter(({ content }) => /^\s*</.test(content.toString()));
  it.each(xml)('does not break the importer: $name', async ({ name: file, content }) => {
    const format = await formatOf(content);
    const text = content.toString();
    const names = new Set([...text.matchAll(/<([\w.:-]+)/g)].map(([, name]) => name as string));
    for (const name of sample([...names], file)) {
      const tag = new RegExp(`(</?)${name}(?=[\\s/>])`, 'g');
      expect(await bugOf(text.replace(tag, '$1x'), format), name).toBe(undefined);
    }
    const attributes = new Set([...text.matchAll(/\s([\w.:-]+)="/g)].map(([, name]) => name as string));
    for (const name of sample([...attributes], file)) {
      const value = new RegExp(`\\s${name}="[^"]*"`, 'g');
      expect(await bugOf(text.replace(value, ` ${name}="x"`), format), name).toBe(undefined);
    }
  });
});

const TENTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

it.each(reports)('a truncated report does not break the importer: $name', async ({ name, content }) => {
  const format = await formatOf(content);
  for (const tenth of sample(TENTHS, name, Math.ceil(RUNS / 2))) {
    const part = content.subarray(0, (content.length * tenth) / 10);
    expect(await bugOf(part), `${tenth} tenths`).toBe(undefined);
    expect(await bugOf(part, format), `${tenth} tenths as ${format}`).toBe(undefined);
  }
});
