import type { Finding } from '../finding.ts';
import { importers } from '../formats/index.ts';
import { Copies, contentOf } from '../identity/copies.ts';
import { createIdentifier, Fingerprinter } from '../identity/fingerprints.ts';
import { HashCounter } from '../identity/hash-counter.ts';
import {
  type Importer,
  type Report,
  ReportError,
  type Result,
  type Split,
  toReportError,
  type Workspace,
} from '../importer.ts';
import {
  type Imported,
  type ImportOptions,
  importerOf,
  isEmpty,
  MEMBERS_PER_FINDING,
  REPEATED,
  refuseForeign,
  tooMany,
} from '../index.ts';
import { isArchive } from '../read/archive.ts';
import { encodingOf } from '../read/encoding.ts';
import { isCsv } from '../read/parse.ts';
import { formatSize, type ReportSource, startOf, textOf, unpacked } from '../read/source.ts';
import { findingOf, UnknownSeverities } from '../result.ts';
import { scannedBy } from '../scanned.ts';
import { openCsv } from './csv.ts';
import { type BlockStore, type Draft, Drafts } from './drafts.ts';
import { openJson } from './json.ts';
import { ADVICE, MAX_WHOLE_BYTES, type OpenReport, type PartLimits, type PartReader } from './part.ts';
import { Pass, SharedParts } from './session.ts';
import { openXml } from './xml.ts';

export type { ReportSource } from '../read/source.ts';
export type { BlockStore } from './drafts.ts';
export { MAX_WHOLE_BYTES } from './part.ts';

/** Larger reports are refused, also if they are smaller in gzip. */
export const MAX_REPORT_BYTES = 4 * 1024 * 1024 * 1024;

const LIMITS: PartLimits = { partBytes: 256 * 1024, maxBytes: 32 * 1024 * 1024 };

/** The content of a large report. Its findings are in the store, and returned when they are needed. */
export interface ImportedParts extends Omit<Imported, 'findings'> {
  count: number;
  /**
   * The findings, in the order of the report, some at a time. Findings that the importer merges from several parts are the last
   * ones.
   */
  findings(): AsyncIterable<Finding[]>;
}

export interface PartsOptions extends ImportOptions {
  /** Creates a store for results whose fingerprints are not known yet. */
  createStore: () => BlockStore;
}

/**
 * Imports a report without holding it in memory. The findings are the same as those of `importReport`, whose fingerprints
 * depend on the whole report: the report is read to the end, and only then the first finding is returned. So a report that is
 * broken at its end is refused as a whole.
 * @param limits for tests
 * @throws ReportError if the format is unknown or cannot be split, or the report is invalid
 */
export async function importInParts(
  source: ReportSource,
  workspace: Workspace,
  { format, migrate = false, maxFindings = Infinity, createStore }: PartsOptions,
  limits = LIMITS,
): Promise<ImportedParts> {
  const maxMembers = MEMBERS_PER_FINDING * maxFindings;
  const content = await unpacked(source, MAX_REPORT_BYTES);
  const encoding = await encodingOf(content);
  const report = await open(content, encoding.name, { ...limits, maxMembers });
  const { sample } = report;
  const importer = importerOf(sample, format);
  const { name, split } = importer;
  const reader = split && report.split(split);
  if (!reader) {
    if (!importer.detects(sample)) refuseForeign(sample, name);
    throw notSplit(source.size, name);
  }
  const shared = new SharedParts();
  const identify = createIdentifier(workspace, migrate);
  const found = new Set<string>();
  const survey = async (pass: Pass) => {
    const copies = new Copies(() => new HashCounter());
    const drafts = new Drafts(createStore(), copies);
    const unknown = new UnknownSeverities();
    for await (const results of resultsIn(importer, reader, pass, () => notSplit(source.size, name))) {
      for (const result of results) {
        found.add(result.source ?? name);
        if (drafts.add(result, identify(result))) unknown.add(result.severity);
      }
      if (drafts.count + drafts.repeated > maxMembers) throw tooMany(maxMembers, 'results');
      if (drafts.count > maxFindings) throw tooMany(maxFindings, 'findings');
    }
    drafts.finish();
    return { drafts, copies, remarks: pass.remarks(), unknown: unknown.warnings() };
  };
  let surveyed = await survey(new Pass(workspace, shared, true));
  // Secrets are masked wherever they are, and groups are complete, once all parts are known.
  if (shared.mustRepeat) surveyed = await survey(new Pass(workspace, shared, false));
  const { drafts, copies, remarks, unknown } = surveyed;
  const { errors, skipped } = remarks;
  const warnings = [...(encoding.warning ? [encoding.warning] : []), ...remarks.warnings, ...unknown];
  const isSilent = drafts.count + errors.length + Object.keys(skipped).length === 0;
  if (isSilent && !importer.detects(sample) && !isEmpty(sample)) refuseForeign(sample, name);
  if (drafts.repeated > 0) skipped[REPEATED] = drafts.repeated;
  if (copies.hasAny)
    for await (const [index, block] of indexed(drafts))
      for (const [at, { shown, identified, leaves }] of block.entries())
        copies.collect(contentOf(shown, identified), leaves, index + at);
  const fingerprinter = new Fingerprinter(() => new HashCounter());
  for (const step of ['count', 'collect', 'claim'] as const)
    for await (const [index, block] of indexed(drafts))
      for (const [at, { identified }] of block.entries())
        fingerprinter[step](copies.identified(identified, index + at), index + at);

  async function* findings(): AsyncIterable<Finding[]> {
    for await (const [index, block] of indexed(drafts))
      yield block.map(({ shown, identified }, at) =>
        findingOf(
          copies.described(shown, index + at),
          fingerprinter.of(copies.identified(identified, index + at), index + at),
          name,
        ),
      );
  }
  const { count } = drafts;
  const scanned = scannedBy(importer, sample, workspace, found);
  return { ...scanned, format: name, count, errors, warnings, skipped, findings };
}

/** The blocks of results, each with the number of its first one. Other work runs between them. */
async function* indexed(drafts: Drafts): AsyncIterable<[index: number, block: Draft[]]> {
  let index = 0;
  for (const block of drafts.blocks()) {
    yield [index, block];
    index += block.length;
    await pause();
  }
}

// A function, so that importers load when a report is read.
const allSplits = () => importers.flatMap(({ split }): Split[] => (split ? [split] : []));

/** Reads the structure of a report. */
async function open(content: ReportSource, encoding: string, limits: PartLimits): Promise<OpenReport> {
  const bytes = await startOf(content, START_BYTES);
  if (isArchive(bytes))
    throw new ReportError(
      `The archive is larger than ${formatSize(MAX_WHOLE_BYTES)} (${formatSize(content.size)}): split the scan`,
    );
  const start = new TextDecoder(encoding).decode(bytes, { stream: true }).trimStart();
  const texts = () => textOf(content, encoding);
  if (/^[[{]/.test(start)) return openJson(texts, allSplits(), limits);
  if (/^<(?:!doctype html|html)\b/i.test(start))
    throw new ReportError('HTML reports cannot be read: write the report as JSON, XML, CSV or SARIF');
  if (start.startsWith('<')) return openXml(texts, allSplits(), limits);
  if (isCsv(start)) return openCsv(texts, start, limits);
  throw new ReportError('The report is neither JSON, XML nor CSV');
}

const START_BYTES = 64 * 1024;

const notSplit = (bytes: number, name: string) =>
  new ReportError(
    `The report has ${formatSize(bytes)}. Reports of ${name} in this layout can be read up to ${formatSize(MAX_WHOLE_BYTES)}. ${ADVICE}`,
  );

/**
 * The results of all parts, one after the other.
 * @param refusal the error if there are results outside of the lists that are split
 */
async function* resultsIn(
  importer: Importer,
  { common, parts }: PartReader,
  pass: Pass,
  refusal: () => ReportError,
): AsyncIterable<Result[]> {
  const importPart = (report: Report) => {
    try {
      return importer.results(report, pass.context);
    } catch (error) {
      throw toReportError(error);
    }
  };
  if (common && pass.common(() => importPart(common)).length > 0) throw refusal();
  for await (const { report, offsets } of parts()) {
    yield pass.part(() => importPart(report), offsets);
    // A chunk of the report may contain several parts.
    await pause();
  }
  const last = pass.last(() => importPart(common ?? { kind: 'json', documents: [] }));
  if (last) yield last;
}

/** Lets timers and I/O run. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve));
