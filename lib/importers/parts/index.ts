import { fitSource } from '../clean.ts';
import type { Finding } from '../finding.ts';
import { importers } from '../formats/index.ts';
import {
  type Importer,
  type Report,
  ReportError,
  type Result,
  toReportError,
  UnknownFormatError,
  type Workspace,
} from '../importer.ts';
import {
  type Imported,
  type ImportOptions,
  isEmpty,
  MEMBERS_PER_FINDING,
  refuseForeign,
  tooMany,
} from '../index.ts';
import { decodeText, isArchive } from '../read/archive.ts';
import { findingOf } from '../result.ts';
import { csvSample, isCsv, readCsv } from './csv.ts';
import { Drafts, draftOf } from './drafts.ts';
import { CHANGED, Identities } from './identities.ts';
import { readDocuments, readJson } from './json.ts';
import { sampleOf } from './json-sample.ts';
import type { Part, PartLimits, PartReader } from './part.ts';
import { Pass, SharedParts } from './session.ts';
import { formatSize, type ReportSource, startOf, unpacked, utf8 } from './source.ts';
import { readXml, xmlSample } from './xml.ts';

export type { ReportSource } from './source.ts';

/** Reports of at most this size are read at once, with `importReport`. */
export const MAX_WHOLE_BYTES = 256 * 1024 * 1024;

/** Larger reports are refused, also if they are smaller in gzip. */
export const MAX_REPORT_BYTES = 4 * 1024 * 1024 * 1024;

const LIMITS: PartLimits = { partBytes: 256 * 1024, maxBytes: 32 * 1024 * 1024 };

/** The content of a large report. Its findings are read from it when they are needed. */
export interface ImportedParts extends Omit<Imported, 'findings'> {
  count: number;
  /** The sources of the findings. */
  sources: string[];
  /**
   * The findings, in the order of the report, some at a time. Findings that the importer merges from several parts are the last
   * ones.
   * @throws ReportError if the report was changed meanwhile
   */
  findings(): AsyncIterable<Finding[]>;
}

export interface PartsOptions extends ImportOptions {
  /**
   * Keeps the results of the first pass, compressed, if there is room. Otherwise the findings are imported once more. Unused for
   * workspaces that know former paths.
   */
  keepResults?: boolean | undefined;
}

/**
 * Imports a report without holding it in memory. The findings are the same as those of `importReport`, whose fingerprints
 * depend on the whole report: the report is read to the end several times, and only then the first finding is returned. So a
 * report that is broken at its end is refused as a whole.
 * @param limits for tests
 * @throws ReportError if the format is unknown or cannot be split, or the report is invalid
 */
export async function importInParts(
  source: ReportSource,
  workspace: Workspace,
  { format, migrate = false, maxFindings = Infinity, onRecognized, keepResults = false }: PartsOptions = {},
  limits = LIMITS,
): Promise<ImportedParts> {
  const maxMembers = MEMBERS_PER_FINDING * maxFindings;
  const content = await unpacked(source, MAX_REPORT_BYTES);
  const chunks = () => utf8(content);
  const { sample, kind, count: documents = 0 } = await recognize(content, chunks);
  const importer =
    format === undefined
      ? importers.find(({ detects }) => detects(sample))
      : importers.find(({ name }) => name === format);
  if (!importer)
    throw format === undefined
      ? new UnknownFormatError('The report format is not recognized')
      : new ReportError(`Unknown report format “${format}”`);
  onRecognized?.();
  if (documents > maxMembers) throw tooMany(maxMembers, 'results');
  const reader = await readerOf(importer, kind, chunks, { ...limits, maxMembers });
  if (!reader) throw notSplit(source.size, importer.name);
  const shared = new SharedParts();
  let pass = new Pass(workspace, shared, true);
  let identities = new Identities(workspace, migrate);
  const { name } = importer;
  const sources = new Set<string>();
  const { pathPrefix, formerPathsOf } = workspace;
  const canKeep = keepResults && !migrate && pathPrefix === undefined && formerPathsOf === undefined;
  let drafts: Drafts | undefined;
  const survey = async () => {
    drafts = canKeep ? new Drafts() : undefined;
    for await (const results of resultsIn(importer, reader, pass)) {
      for (const result of results) {
        sources.add(result.source ?? name);
        if (drafts) {
          const draft = draftOf(result);
          identities.add(draft.result, draft.content);
          drafts.add(draft);
        } else identities.add(result);
      }
      if (identities.count + identities.repeated > maxMembers) throw tooMany(maxMembers, 'results');
      if (identities.count > maxFindings) throw tooMany(maxFindings, 'findings');
    }
  };
  try {
    await survey();
  } catch (error) {
    throw error instanceof NotSplit ? notSplit(source.size, importer.name) : error;
  }
  if (shared.mustRepeat) {
    // Secrets are masked wherever they are, and groups are complete, once all parts are known.
    pass = new Pass(workspace, shared, false);
    identities = new Identities(workspace, migrate);
    await survey();
  }
  const { errors, warnings, skipped } = pass.remarks();
  const isSilent = identities.count + errors.length + Object.keys(skipped).length === 0;
  if (isSilent && !importer.detects(sample) && !isEmpty(sample)) refuseForeign(sample, name);
  if (identities.repeated > 0) skipped[REPEATED] = (skipped[REPEATED] ?? 0) + identities.repeated;
  const { count } = identities;
  await identities.finish(pause);
  let isRead = false;

  async function* findings(): AsyncIterable<Finding[]> {
    if (isRead) throw new Error('The findings can be read once only');
    isRead = true;
    let found = 0;
    const again = () =>
      resultsIn(importer as Importer, reader as PartReader, new Pass(workspace, shared, false));
    for await (const results of drafts && !drafts.isFull ? drafts.results() : again()) {
      const batch = results.flatMap((result): Finding[] => {
        const fingerprints = identities.next(result);
        if (!fingerprints) return [];
        return [findingOf(result, fingerprints, name)];
      });
      found += batch.length;
      if (batch.length > 0) yield batch;
    }
    if (found !== count) throw new ReportError(CHANGED);
  }
  return { format: name, count, sources: [...sources].map(fitSource), errors, warnings, skipped, findings };
}

export const REPEATED = 'the report contains them twice';

type Kind = 'json' | 'documents' | 'xml' | 'csv';

/** The kind of a report, and a small report of the same format. */
async function recognize(
  content: ReportSource,
  chunks: () => AsyncIterable<Uint8Array>,
): Promise<{ sample: Report; kind: Kind; count?: number }> {
  const bytes = await startOf(content, START_BYTES);
  if (isArchive(bytes))
    throw new ReportError(
      `The archive is larger than ${formatSize(MAX_WHOLE_BYTES)} (${formatSize(content.size)}): split the scan`,
    );
  const start = decodeText(bytes).trimStart();
  if (/^[[{]/.test(start)) {
    const { documents, count } = await sampleOf(chunks());
    return { sample: { kind: 'json', documents }, kind: count > 1 ? 'documents' : 'json', count };
  }
  if (/^<(?:!doctype html|html)\b/i.test(start))
    throw new ReportError('HTML reports cannot be read: write the report as JSON, XML, CSV or SARIF');
  if (start.startsWith('<')) return { sample: await xmlSample(chunks), kind: 'xml' };
  if (isCsv(start)) return { sample: await csvSample(chunks), kind: 'csv' };
  throw new ReportError('The report is neither JSON, XML nor CSV');
}

const START_BYTES = 64 * 1024;

async function readerOf(
  { split }: Importer,
  kind: Kind,
  chunks: () => AsyncIterable<Uint8Array>,
  limits: PartLimits,
): Promise<PartReader | undefined> {
  switch (kind) {
    case 'json':
      return split?.json && readJson(chunks, split, limits);
    case 'documents':
      return split?.documents ? readDocuments(chunks, limits) : undefined;
    case 'xml':
      return split?.xml && readXml(chunks, split, limits);
    case 'csv':
      return split?.csv ? readCsv(chunks, limits) : undefined;
  }
}

class NotSplit extends Error {}

const notSplit = (bytes: number, name: string) =>
  new ReportError(
    `The report has ${formatSize(bytes)}. Reports of ${name} in this layout can be read up to ${formatSize(MAX_WHOLE_BYTES)}: split the scan, for example by folder or by host, or write SARIF`,
  );

/** The results of all parts, one after the other. */
async function* resultsIn(importer: Importer, reader: PartReader, pass: Pass): AsyncIterable<Result[]> {
  const { common } = reader;
  const importPart = (report: Report) => {
    try {
      return importer.results(report, pass.context);
    } catch (error) {
      throw toReportError(error);
    }
  };
  // The report has results outside of the lists that are split.
  if (common && pass.common(() => importPart(common)).length > 0) throw new NotSplit();
  for await (const { report, locate } of reader.parts()) {
    yield pass.part(() => located(() => importPart(report), locate), locate);
    // A chunk of the report may contain several parts.
    await pause();
  }
  const last = pass.last(() => importPart(common ?? { kind: 'json', documents: [] }));
  if (last) yield last;
}

/** Corrects the position in an error. */
function located<T>(run: () => T, locate: Part['locate']): T {
  try {
    return run();
  } catch (error) {
    throw error instanceof ReportError ? new ReportError(locate(error.message)) : error;
  }
}

/** Lets timers and I/O run. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve));
