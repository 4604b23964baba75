import type { NewId } from '../../db/ids.ts';
import { countGone } from '../../db/scans/gone.ts';
import { finishScan, insertScan, readScan, removeScan, retargetScan } from '../../db/scans/scans.ts';
import type { ScanTarget } from '../../db/schema/values.ts';
import { ApiError, type FieldError } from '../errors.ts';
import { MAX_SOURCES } from '../importers/scanned.ts';
import { firstMessages, scanMessage } from '../importers/text/messages.ts';
import { endScan } from '../scans/end.ts';
import type { z } from '../schema.ts';
import { endedMeanwhile, type ReportLease, type ReportLeases } from './leases.ts';
import { type PushContext, pushReport, type Tally } from './push.ts';
import type { Refusal } from './read.ts';
import { type OpenReport, type ReportReader, UnreadableReport } from './reader.ts';
import type { ImportedReport, ReportQuery } from './schema.ts';
import type { SentReport } from './unwrap.ts';

/** An import: where its scan is written, and who sends the report. */
interface ReportImport extends PushContext {
  now: Date;
  /** The token or user that sends the report. */
  actorId: string;
  services: PushContext['services'] & {
    clock: () => Date;
    nextId: () => NewId;
    reportLeases: ReportLeases;
    reports: ReportReader;
  };
}

/** A report as it was sent, in memory until it is freed. */
export interface ReceivedReport extends SentReport {
  free(): void;
}

type Result = z.output<typeof ImportedReport>;

/** Tells clients the limit of the report, without parsing a message. */
export const maxBytesDetail = (maxBytes: number): FieldError => ({
  field: 'max_bytes',
  message: String(maxBytes),
});

/**
 * Imports a report as a scan of its own.
 * @throws ApiError `invalid_body` if it cannot be read; then no scan remains
 */
export async function importReport(
  call: ReportImport,
  projectId: string,
  query: ReportQuery,
  sent: ReceivedReport,
): Promise<Result> {
  const { actorId, now, org, services, sql } = call;
  const { persona, name, commit, format } = query;
  const scanId = services.nextId().id;
  const lease = await services.reportLeases.begin(org.id, scanId);
  try {
    await insertScan(sql, org.tables, {
      ...{ scanId, projectId, persona, commit, now },
      name: name ?? `${persona} scan ${now.toISOString()}`,
      target: targetOf(query),
    });
    const report = await openSent(call, sent, format);
    const { category } = report;
    if (category && !query.category)
      await retargetScan(sql, org.tables, { scanId, projectId, target: { ...targetOf(query), category } });
    const target = { scan_id: scanId, project_id: projectId, actorId };
    const { failed, ...tally } = await pushReport(call, target, report, lease.requireHeld);
    const { isComplete, ...ending } = endingOf(report, { failed, ...tally });
    const endedAt = services.clock();
    const end = await endScan(
      { log: call.log, nextId: services.nextId, org, sql },
      {
        ...{ scanId, projectId, now: endedAt },
        ...ending,
        sources: sourcesOf(query, report),
      },
    );
    if (end.kind !== 'ended') throw endedMeanwhile();
    // Findings that an incomplete report leaves out are not gone.
    const gone = isComplete ? await countGoneOf(call, scanId) : 0;
    await lease.end();
    const { format: found, warnings } = report;
    return { scan: end.scan, format: found, warnings: firstMessages(warnings), changes: { ...tally, gone } };
  } catch (error) {
    await undo(call, scanId, lease, error as Error);
    throw shownError(error);
  }
}

/** How the scan of a report ends. */
export function endingOf(
  report: Pick<OpenReport, 'errors' | 'count'>,
  { failed, new: fresh, again }: Pick<Tally, 'failed' | 'new' | 'again'>,
): { status: 'completed' | 'failed'; errorMessage: string | null; isComplete: boolean } {
  const errors = [...report.errors];
  if (failed > 0) errors.push(`${failed} of ${report.count} findings could not be stored`);
  return {
    status: errors.length > 0 && fresh + again === 0 ? 'failed' : 'completed',
    errorMessage: errors.length > 0 ? scanMessage(errors) : null,
    isComplete: errors.length === 0,
  };
}

/** @returns undefined if no part is known */
export function targetOf(query: ReportQuery): ScanTarget | undefined {
  const { target_type, target_path, target_url, target_ref, base_ref, default_ref, category } = query;
  const parts = {
    ...{ type: target_type, path: target_path, url: target_url, ref: target_ref },
    ...{ base_ref, default_ref, category },
  };
  const known = Object.entries(parts).filter(([, part]) => part);
  return known.length > 0 ? (Object.fromEntries(known) as ScanTarget) : undefined;
}

/** The scanners that ran. */
export const sourcesOf = (query: ReportQuery, report: Pick<OpenReport, 'sources'>): readonly string[] =>
  query.sources ?? report.sources.slice(0, MAX_SOURCES);

/** Reads a report and frees its body. In the caller, a variable would keep the body in memory until the end of the import. */
export async function openSent(
  { services }: { services: { reports: ReportReader } },
  sent: ReceivedReport,
  format: string | undefined,
): Promise<OpenReport> {
  const { body, contentType, encoding } = sent;
  const { maxBytes } = services.reports;
  const report = await services.reports.open({ body, contentType, encoding, format, maxBytes });
  sent.free();
  return report;
}

async function countGoneOf({ db, org }: ReportImport, scanId: string): Promise<number> {
  const scan = await readScan(db, org.tables, scanId);
  return scan ? (await countGone(db, org.tables, scan)).gone : 0;
}

/** Removes the scan of a report that cannot be read. Fails the scan of one whose import failed. */
async function undo(
  { log, org, services, sql }: ReportImport,
  scanId: string,
  lease: ReportLease,
  error: Error,
) {
  try {
    const isRemoved = error instanceof UnreadableReport && (await removeScan(sql, org.tables, scanId));
    if (!isRemoved) {
      const end = await finishScan(sql, org.tables, {
        ...{ scanId, projectId: null, now: services.clock() },
        ...{ status: 'failed', errorMessage: reasonOf(error) },
      });
      if (end.kind === 'missing') log.debug('a scan was not registered', { scan: scanId });
    }
    await lease.end();
  } catch (cause) {
    // The housekeeping fails it when the database is back.
    lease.abandon();
    log.warn('the scan of a failed import was not ended', { scan: scanId, error: cause });
  }
}

const reasonOf = (error: Error): string =>
  error instanceof ApiError || error instanceof UnreadableReport
    ? `The import failed: ${error.message}`
    : 'The import failed: something went wrong on our side. Send the report again.';

/** The error of an import as it is shown. */
export const shownError = (error: unknown): unknown =>
  error instanceof UnreadableReport ? unreadable(error.refusal, error) : error;

/** The error of a report that cannot be read: the position, and the formats that were tried. */
function unreadable({ message, location, formats, maxBytes }: Refusal, cause: Error): ApiError {
  const [only, ...others] = formats;
  const read = only !== undefined && others.length === 0 ? ` It was read as ${only}.` : '';
  const tried = { field: 'format', message: `tried ${formats.join(', ')}` };
  return new ApiError('validation_error/invalid_body', {
    message: `${message.replace(/\.$/, '')}.${read}`,
    cause,
    details: [
      { field: location ?? 'body', message },
      ...(formats.length > 0 ? [tried] : []),
      ...(maxBytes === undefined ? [] : [maxBytesDetail(maxBytes)]),
    ],
  });
}
