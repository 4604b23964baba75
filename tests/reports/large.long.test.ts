import { describe, expect, it } from 'vitest';
import { sarifOf } from '../../bench/support/sarif.ts';
import type { Finding } from '../../lib/importers/finding.ts';
import { createImportLarge } from '../../lib/reports/large.ts';
import { type ImportLarge, type ReadOptions, readReport } from '../../lib/reports/read.ts';

/* Large reports are imported in parts. The answer is the same as that of the import at once. */

const importLarge = createImportLarge(1024 * 1024);
const MAX_BYTES = 64 * 1024 * 1024;
const FINDINGS = 3_000;

async function read(text: string, options: ReadOptions, format?: string) {
  const body = new Uint8Array(Buffer.from(text));
  const job = { body, contentType: '', encoding: '', maxBytes: MAX_BYTES, format };
  const outcome = await readReport(job, options);
  if (outcome.kind === 'refused') return outcome;
  const findings: Finding[] = [];
  for await (const batch of outcome.chunks) findings.push(...batch);
  return { ...outcome.head, findings };
}

async function readBothWays(text: string, format?: string) {
  let inParts = 0;
  const counted: ImportLarge = async (...given) => {
    const imported = await importLarge(...given);
    if (imported) inParts++;
    return imported;
  };
  const large = await read(text, { importLarge: counted }, format);
  return { large, whole: await read(text, {}, format), inParts };
}

const sarif = sarifOf(FINDINGS, 'run');

describe('a large report', () => {
  it('has the findings, in the order, of the import at once', async () => {
    const { large, whole, inParts } = await readBothWays(sarif);
    expect(inParts).toBe(1);
    expect(large).toEqual(whole);
    expect(large).toMatchObject({ format: 'sarif', count: FINDINGS, sources: ['codeql'] });
  });

  it('merges equal results, however far they are apart', async () => {
    const log = JSON.parse(sarif);
    log.runs[0].results.push(log.runs[0].results[0], log.runs[0].results[1]);
    const { large, whole, inParts } = await readBothWays(JSON.stringify(log));
    expect(inParts).toBe(1);
    expect(large).toEqual(whole);
    expect(large).toMatchObject({ count: FINDINGS });
  });

  it('masks the secrets of all its parts', async () => {
    const log = JSON.parse(sarif);
    const { results } = log.runs[0];
    const secret = 'AKIAQYLPMN5HNM4TPBJA';
    results.at(-1).ruleId = 'hardcoded-password';
    results.at(-1).properties = { tags: ['external/cwe/cwe-798'] };
    results.at(-1).locations[0].physicalLocation.region.snippet.text = `const password = "${secret}";`;
    results[0].locations = results.at(-1).locations;
    const { large, whole } = await readBothWays(JSON.stringify(log));
    expect(large).toEqual(whole);
    expect(JSON.stringify(large)).not.toContain(secret);
  });

  it.each([
    ['ends early', sarif.slice(0, -100)],
    ['has a syntax error at its end', `${sarif.slice(0, -4)}?${sarif.slice(-4)}`],
    ['is followed by something else', `${sarif} {`],
    ['is of another format', sarif, 'trivy'],
    ['is of no known format', JSON.stringify({ x: sarif })],
  ])('is refused with the same position if it %s', async (_, text, format = undefined as never) => {
    const { large, whole, inParts } = await readBothWays(text, format);
    expect(inParts).toBe(0);
    expect(large).toEqual(whole);
    expect(large).toMatchObject({ kind: 'refused' });
  });

  it('is refused if it has too many results', async () => {
    const results = '{"message":{"text":"0123456789"}},'.repeat(150_001).slice(0, -1);
    const text = `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":[${results}]}]}`;
    const { large, whole } = await readBothWays(text);
    const refusal = { message: expect.stringContaining('more than 150000 members. Split the report') };
    expect(large).toMatchObject({ kind: 'refused', refusal });
    expect(whole).toMatchObject({ kind: 'refused', refusal });
  });

  it('has invalid results, which are errors', async () => {
    const log = JSON.parse(sarif);
    log.runs[0].results[2_000] = 'a text';
    const { large, whole, inParts } = await readBothWays(JSON.stringify(log));
    expect(inParts).toBe(1);
    expect(large).toEqual(whole);
    expect(large).toMatchObject({ errors: [expect.stringContaining('runs.0.results.2000')] });
  });
});
