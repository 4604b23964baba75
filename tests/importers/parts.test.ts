import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../lib/importers/finding.ts';
import { importers } from '../../lib/importers/formats/index.ts';
import { importReport } from '../../lib/importers/index.ts';
import { importInParts } from '../../lib/importers/parts/index.ts';
import { memoryStore } from '../../lib/reports/memory-store.ts';
import { damaged } from '../support/importers/formats.ts';
import { RUNS } from '../support/importers/importers.ts';
import { importedInParts, SMALL, sourceOf } from '../support/importers/parts.ts';
import { limit } from '../support/run/limits.ts';

const FIXTURES = 'tests/fixtures';
const workspace = { directory: '/builds/app' };

const filesIn = (path: string): string[] =>
  statSync(path).isFile() ? [path] : readdirSync(path).flatMap((name) => filesIn(join(path, name)));

const byFingerprint = (findings: readonly Finding[]) =>
  findings.toSorted((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));

/** A report as it is imported at once; undefined if it is refused. */
function whole(content: string | Uint8Array, options = {}) {
  try {
    const { findings, ...remarks } = importReport(content, workspace, options);
    return { ...remarks, sources: remarks.sources.toSorted(), findings: byFingerprint(findings) };
  } catch {
    return undefined;
  }
}

async function inParts(content: string | Uint8Array, options = {}, limits = {}) {
  const { count, findings, ...remarks } = await importedInParts(content, workspace, options, limits);
  expect(count).toBe(findings.length);
  return { ...remarks, sources: remarks.sources.toSorted(), findings: byFingerprint(findings) };
}

const reports = filesIn(FIXTURES).flatMap((path) => {
  const content = readFileSync(path);
  const imported = whole(content);
  return imported ? [{ path, content, imported }] : [];
});

const NOT_SPLIT = /can be read up to 256 MB|not recognized|neither JSON, XML nor CSV/;

/** The smallest report of each format and file type whose layout can be split. */
const splittable: typeof reports = [];
const tried = new Set<string>();
for (const report of reports.toSorted((a, b) => a.content.length - b.content.length)) {
  const key = `${report.imported.format} ${extname(report.path)}`;
  if (tried.has(key)) continue;
  const result = await inParts(report.content).catch((error: Error) => error);
  if (result instanceof Error && NOT_SPLIT.test(result.message)) continue;
  tried.add(key);
  splittable.push(report);
}

const fixture = (name: string) => readFileSync(join(FIXTURES, name), 'utf8');

describe('a report that is imported in parts has the same content as one that is imported at once', () => {
  it('SARIF whose equal results refer to lists of the run', async () => {
    const located = (location: object, rest: object = {}) => ({
      ...{ ruleId: 'r', message: { text: 'x' }, locations: [location] },
      ...rest,
    });
    const inFile = (index: number) => located({ physicalLocation: { artifactLocation: { index } } });
    const atLine = { physicalLocation: { artifactLocation: { uri: 'a.c' }, region: { startLine: 1 } } };
    const results = [
      ...[inFile(1), inFile(3), inFile(4), inFile(5), inFile(1)],
      ...[0, 1].map((index) => located({ logicalLocations: [{ index }] })),
      ...[0, 1].map((index) => located({}, { webRequest: { index } })),
      ...['one', 'two', 'two'].map((name) => located(atLine, { properties: { name } })),
    ];
    const run = {
      artifacts: [
        ...[{ location: { uri: 'one.zip' } }, { location: { uri: 'in.c' }, parentIndex: 0 }],
        ...[{ location: { uri: 'two.zip' } }, { location: { uri: 'in.c' }, parentIndex: 2 }],
        ...[
          { parentIndex: 0, offset: 9 },
          { parentIndex: 0, offset: 99 },
        ],
      ],
      logicalLocations: [{ name: 'f' }, { name: 'g' }],
      webRequests: [{ target: 'https://a.example/' }, { target: 'https://b.example/' }],
    };
    const tool = { driver: { name: 'Lint OSS' } };
    const content = JSON.stringify({ runs: [{ tool, results, ...run }] });
    const imported = whole(content);
    expect(imported?.findings).toHaveLength(10);
    expect(await inParts(content, {}, { limits: { ...SMALL, partBytes: 100 } })).toEqual(imported);
  });

  it('for every format that can be split', () => {
    const formats = new Set(splittable.map(({ imported }) => imported.format));
    expect(new Set(importers.filter(({ split }) => split).map(({ name }) => name))).toEqual(formats);
  });

  it.each(splittable)('$path', async ({ content, imported }) => {
    for (const chunkBytes of [7, 4_099]) expect(await inParts(content, {}, { chunkBytes })).toEqual(imported);
    const limits = { ...SMALL, partBytes: 1_500 };
    expect(await inParts(content, {}, { limits })).toEqual(imported);
  });

  it.each(splittable)('$path, with the fingerprints of earlier releases', async ({ content }) => {
    const options = { migrate: true };
    expect(await inParts(content, options)).toEqual(whole(content, options));
  });

  it.each(splittable)('$path, with the results of the first pass', async ({ content }) => {
    const [options, limits] = [{}, { ...SMALL, partBytes: 1_500 }];
    const atOnce = importReport(content, { directory: '/\0' });
    const parts = await importedInParts(content, { directory: '/\0' }, options, { limits });
    expect(byFingerprint(parts.findings)).toEqual(byFingerprint(atOnce.findings));
    expect(parts.sources.toSorted()).toEqual(atOnce.sources.toSorted());
  });

  it.each(splittable)('$path, in gzip', async ({ content, imported }) => {
    expect(await inParts(gzipSync(content))).toEqual(imported);
  });

  it('in UTF-16', async () => {
    const report = Buffer.from(`\ufeff${fixture('generic/findings.csv')}`, 'utf16le');
    expect(await inParts(report, {}, { chunkBytes: 3 })).toEqual(whole(report));
    expect((await inParts(report)).findings).not.toEqual([]);
  });

  const place = (file: string, line: number) => ({
    physicalLocation: { artifactLocation: { uri: file }, region: { startLine: line } },
  });
  const sarif = (results: unknown[], order: 'first' | 'last' = 'first') => {
    const tool = { driver: { name: 'own', rules: [{ id: 'r', properties: { tags: ['critical'] } }] } };
    const run = order === 'first' ? { tool, results } : { results, artifacts: [], tool };
    return JSON.stringify({ version: '2.1.0', runs: [run] });
  };

  it.each(['\r\n', '\n', '\r'])('in CSV with lines that end in %j, and others', async (end) => {
    const other = end === '\n' ? '\r\n' : end === '\r\n' ? '\n' : '\r';
    const report = `title,severity${end}A,low${other}"B${other}b",high${end}C,low${other}`;
    const { findings } = await inParts(report);
    expect(findings.map(({ title }) => title).toSorted()).toEqual(['A', 'B b', 'C']);
    expect(findings).toEqual(whole(report)?.findings);
  });

  it('if equal results are in different parts', async () => {
    const lines = ['eval(a)', '', 'eval(a)', 'eval(a)', 'x = 1', 'eval(a)'];
    const source = { ...workspace, linesOf: (path: string) => (path.startsWith('a') ? lines : undefined) };
    const result = fc.record({
      ruleId: fc.constantFrom('r', 's'),
      message: fc.record({ text: fc.constantFrom('found', 'found again') }),
      locations: fc
        .tuple(fc.constantFrom('a.py', 'a2.py', 'b.py'), fc.integer({ min: 1, max: 6 }))
        .map((at) => [place(...at)]),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(result, { minLength: 1, maxLength: 25 }),
        fc.boolean(),
        async (results, isMoved) => {
          const report = sarif(results, 'last');
          const former = {
            ...source,
            pathPrefix: 'a',
            formerPathsOf: () => (isMoved ? ['old.py', 'older.py'] : []),
          };
          const { findings } = importReport(report, former, { migrate: true });
          const parts = await importedInParts(report, former, { migrate: true });
          expect(parts.findings).toEqual(findings);
        },
      ),
      { numRuns: RUNS / 5 },
    );
  });

  it('if they repeat, in number', async () => {
    const results = Array.from({ length: 300 }, (_, i) => ({
      ruleId: 'r',
      message: { text: `m${i % 7}` },
      locations: [place('a.js', 1 + (i % 50))],
    }));
    const report = sarif(results);
    const expected = whole(report);
    expect(Object.keys(expected?.skipped ?? {})).toEqual([]);
    expect(await inParts(report)).toEqual(expected);
    const twice = sarif([...results.slice(0, 9), ...results.slice(0, 9)]);
    expect((await inParts(twice)).skipped).toEqual({ 'the report contains them twice': 9 });
  });

  it('masks the secret of another part', async () => {
    const secret = 'ghs_notARealSecretButLong123';
    const leak = (line: number, ruleId: string, text: string) => ({
      ruleId,
      message: { text: 'found' },
      locations: [
        {
          physicalLocation: {
            ...place('app.py', line).physicalLocation,
            region: { startLine: line, snippet: { text } },
          },
        },
      ],
    });
    const report = sarif([
      leak(1, 'r', `connect("${secret}")`),
      leak(2, 'hardcoded-password', `p = "${secret}"`),
    ]);
    const { findings } = await inParts(report);
    expect(findings).toHaveLength(2);
    expect(JSON.stringify(findings)).not.toContain(secret);
    expect(findings).toEqual(whole(report)?.findings);
  });

  it('merges the plugin outputs of a host that a Nessus report lists twice', async () => {
    const report = fixture('network/nessus.xml');
    const [host = ''] = /<ReportHost[\s\S]*?<\/ReportHost>/.exec(report) ?? [];
    const again = host.replaceAll(/<plugin_output>/g, '<plugin_output>again: ');
    const twice = report.replace(host, () => `${host}<!-- <ReportHost> -->${again}`);
    expect(await inParts(twice)).toEqual(whole(twice));
  });

  it('counts what cannot be read once in total, with positions in the report', async () => {
    const findings = Array.from({ length: 30 }, (_, i) =>
      i % 3 ? { title: `t${i}`, severity: 'high' } : { severity: 'low' },
    );
    const report = JSON.stringify({ findings });
    const options = { format: 'generic-json' };
    const expected = whole(report, options);
    expect(expected?.errors).toHaveLength(6);
    expect(await inParts(report, options)).toEqual(expected);
  });

  it('fails if the tool says at the end that it failed', async () => {
    const log = JSON.parse(sarif([{ ruleId: 'r', message: { text: 'm' }, locations: [place('a.js', 1)] }]));
    log.runs[0].invocations = [{ executionSuccessful: false }];
    const report = JSON.stringify(log);
    const { errors } = await inParts(report);
    expect(errors).toEqual(whole(report)?.errors);
    expect(errors).toHaveLength(1);
  });

  it('finds components in front of and behind the vulnerabilities', async () => {
    const { components, ...bom } = JSON.parse(fixture('dependencies/cyclonedx.json'));
    for (const report of [
      { components, ...bom },
      { ...bom, components },
    ].map((one) => JSON.stringify(one)))
      expect(await inParts(report)).toEqual(whole(report));
  });
});

describe('a damaged report', () => {
  const report = fixture('flows.sarif');
  const refusal = async (content: string | Uint8Array, limits = {}, options = {}) => {
    const result = await importedInParts(content, workspace, options, limits).catch((error: Error) => error);
    if (!(result instanceof Error)) throw new Error(`imported with ${result.count} findings`);
    expect(result.name).toBe('ReportError');
    return result.message;
  };

  it.each(splittable.filter(({ content }) => content.length < 30_000))(
    '$path is refused if it is truncated, before any finding is returned',
    async ({ content, imported }) => {
      // The rest of CSV and of documents in a row is valid.
      if (!/^\s*[[{<]/.test(content.toString())) return;
      const text = content.toString().trimEnd();
      if (text.split('\n').every((line) => line.startsWith('{') && line.endsWith('}'))) return;
      expect(await refusal(text.slice(0, -1))).toMatch(/ends early|invalid/);
      expect(imported.findings).toBeDefined();
    },
  );

  it.each(splittable.filter(({ content }) => content.length < 10_000))(
    '$path is imported or refused with a message if parts of it are changed',
    async ({ content, imported: { format } }) => {
      await fc.assert(
        fc.asyncProperty(damaged(content.toString()), async (text) => {
          const result = await importedInParts(text, workspace, { format }).catch((error: Error) => error);
          if (result instanceof Error) expect(result.name, result.stack).toBe('ReportError');
        }),
        { numRuns: RUNS / 10 },
      );
    },
  );

  it('names the member that is invalid', async () => {
    const results = Array.from({ length: 30 }, (_, i) => `{"title": "t${i}", "severity": "high"}`);
    results[27] = '{"title": tru}';
    expect(await refusal(`{"findings": [${results}]}`)).toBe('The JSON is invalid at findings.27');
    expect(await refusal(`[${results}]`, { limits: { ...SMALL, partBytes: 90 } })).toBe(
      'The JSON is invalid at 27',
    );
    expect(await refusal(results.join('\n'))).toBe('The JSON is invalid at document 28');
  });

  it.each([
    ['NUL bytes', report.replace('"results"', '\0"results"')],
    ['NUL bytes only', '\0'.repeat(1_000)],
    ['a comma too many', report.replace('"results": [', '"results": [,')],
    ['brackets that do not match', report.replace(/\]\s*\}\s*$/, '}}')],
    ['text behind it', `${report} x`],
    ['two lists of results', '{"findings": [{"title": "a", "severity": "low"}], "findings": []}'],
  ])('is refused: %s', async (_what, content) => {
    expect(await refusal(content)).toMatch(/invalid|neither|ends early|twice/);
  });

  it('is refused if a single member is too large', async () => {
    const limits = { partBytes: 100, maxBytes: 50_000 };
    const findings = [{ title: 'x'.repeat(60_000), severity: 'high' }];
    expect(await refusal(JSON.stringify({ findings }), { limits })).toMatch(
      /A result, or the report without its lists of results, is larger than 1 MB\. Above 256 MB/,
    );
    expect(await refusal(`title,severity\n"${'x'.repeat(60_000)}",high\n`, { limits })).toMatch(
      /A row of the report is larger/,
    );
    const host = `<ReportHost name="a">${'<HostProperties/>'.repeat(9_000)}</ReportHost>`;
    const nessus = `<NessusClientData_v2><Report>${host}</Report></NessusClientData_v2>`;
    expect(await refusal(nessus, { limits })).toMatch(
      /A result, or the report without its lists of results, is larger than 1 MB/,
    );
  });

  it('is refused if too much of it is outside of its lists', async () => {
    const limits = { partBytes: 100, maxBytes: 50_000 };
    const content = JSON.stringify({ ...JSON.parse(report), version: 'x'.repeat(60_000) });
    expect(await refusal(content, { limits })).toMatch(
      /A result, or the report without its lists of results, is larger than 1 MB/,
    );
  });

  it.each([
    ['lists', '['.repeat(2_000_000), /nested/],
    ['lists that end', '['.repeat(500_000) + ']'.repeat(500_000), /nested/],
    ['objects', '{"a":'.repeat(500_000), /nested/],
    ['elements', '<a>'.repeat(500_000), /nested/],
  ])('is refused quickly if it nests %s', async (_what, content, message) => {
    const started = performance.now();
    expect(await refusal(content, { chunkBytes: 65_536 })).toMatch(message);
    expect(performance.now() - started).toBeLessThan(limit(10_000));
  });

  it('refuses a bomb in gzip', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, `["${'x'.repeat(1_000)}"]\n`));
    expect(await refusal(bomb)).toMatch(/packed more than 200 times/);
    expect(await refusal(gzipSync(report).subarray(0, 400))).toMatch(/gzip file cannot be read/);
  });

  it('is refused if its format cannot be split, with what to do', async () => {
    const govulncheck = fixture('govulncheck.jsonl');
    expect(await refusal(govulncheck)).toBe(
      'The report has 1 MB. Reports of govulncheck in this layout can be read up to 256 MB. Above 256 MB, reports of CycloneDX, Nessus, SARIF and Trivy and the generic CSV and JSON can be read: split the scan, for example by folder or by host, or write SARIF',
    );
    expect(await refusal('PK\x03\x04 archive')).toMatch(/The archive is larger than 256 MB/);
  });

  it('is refused if it is of another tool than the one that was named', async () => {
    expect(await refusal(report, {}, { format: 'cyclonedx' })).toBe(
      'This is no report of cyclonedx but of sarif',
    );
    expect(await refusal('{"matches": [], "source": {}}', {}, { format: 'semgrep' })).toBe(
      'This is no report of semgrep but of grype',
    );
  });

  it('stops if the report is changed between the passes', async () => {
    const list = (...titles: string[]) =>
      JSON.stringify({ findings: titles.map((title) => ({ title, severity: 'low' })) });
    let content = list('first');
    const source = { size: 1, open: () => sourceOf(content).open() };
    // Called once, between the passes.
    const createStore = () => {
      content = list('first', 'second');
      return memoryStore();
    };
    await expect(importInParts(source, workspace, { createStore })).rejects.toThrow(
      'The report was changed while it was read',
    );
  });
});
