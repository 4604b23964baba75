import { sqlState } from '../../../db/errors.ts';
import { TOO_BUSY } from '../../../db/pool/semaphore.ts';
import { ApiError } from '../../errors.ts';
import { permitOr } from '../../fair-share/over-share.ts';
import { requireStays } from '../../projects/transfer/guard.ts';
import { importReport, maxBytesDetail, type ReceivedReport } from '../../reports/import.ts';
import { previewReport } from '../../reports/preview.ts';
import { isTooExpensive } from '../../reports/reader.ts';
import type { ReportQuery } from '../../reports/schema.ts';
import { FORM_BYTES, isForm } from '../../reports/unwrap.ts';
import { created, ok } from '../answer.ts';
import type { InOrgCall } from '../call.ts';
import { announcedLength, bodyTooLarge } from './body-stream.ts';
import { holdBody, tooManyOf } from './held-body.ts';

const invalidBody = (message: string) => new ApiError('validation_error/invalid_body', { message });

const NOUNS = { one: 'report', many: 'reports' };

/** Imports a report, or previews that. */
type UseReport<Result> = (
  context: Pick<InOrgCall, 'db' | 'log' | 'now' | 'org' | 'services' | 'sql'> & { actorId: string },
  projectId: string,
  query: ReportQuery,
  sent: ReceivedReport,
) => Promise<Result>;

/**
 * Imports the report in the body of a request as a scan of its own, or previews that.
 * @param actorId the token or user that sends it
 * @throws ApiError `invalid_body` if it cannot be read; then no scan remains. `resource_error/conflict` if the project is being
 *   transferred
 */
export async function answerReport(call: InOrgCall, actorId: string, projectId: string, query: ReportQuery) {
  return query.preview
    ? ok(await withReport(previewReport, call, actorId, projectId, query))
    : created(await withReport(importReport, call, actorId, projectId, query));
}

async function withReport<Result>(
  use: UseReport<Result>,
  call: InOrgCall,
  actorId: string,
  projectId: string,
  query: ReportQuery,
): Promise<Result> {
  const { db, log, now, org, services, sql } = call;
  await requireStays(call, { project: projectId });
  const { killedImports, reports } = services;
  killedImports.require(org);
  // From here on, the limits of reports apply.
  call.leaveGate();
  const { bodies } = reports;
  const releases: (() => void)[] = [];
  try {
    // Without a budget for bodies, the permit limits them, too.
    if (!bodies) releases.push(await enterReader(call));
    const sent = await receiveReport(call);
    releases.push(sent.free);
    if (bodies) releases.push(await enterReader(call));
    // Another one may have been killed while this one waited.
    killedImports.require(org);
    return await use({ actorId, db, log, now, org, services, sql }, projectId, query, sent);
  } catch (error) {
    if (isTooExpensive(error))
      log.warn('the import of a report was killed', { waitMs: killedImports.add(org), error });
    throw error;
  } finally {
    for (const release of releases) release();
  }
}

/**
 * Receives the body of a request with a report, once there is memory for it.
 * @throws ApiError `invalid_body`; OverShareError when the organization's share of the memory is in use for too long, or when
 * the body arrives slowly while others wait for memory
 */
async function receiveReport({ c, org, services }: InOrgCall): Promise<ReceivedReport> {
  const { arrivalMs, bodies, maxBytes: maxReport } = services.reports;
  const contentType = c.req.header('content-type') ?? '';
  const encoding = encodingOf(c.req.header('content-encoding'));
  const maxBytes = maxReport + (isForm(contentType) ? FORM_BYTES : 0);
  const { bytes, free } = await holdBody(
    c,
    {
      ...{ maxBytes, arrivalMs, nouns: NOUNS },
      tooLarge: () => bodyTooLarge(maxBytes, [maxBytesDetail(maxReport)]),
    },
    () => ({ budget: bodies, sharer: org }),
  );
  if (bytes.byteLength === 0) {
    free();
    throw invalidBody('The body must be a report.');
  }
  const report = {
    ...{ body: bytes, contentType, encoding },
    free() {
      report.body = new Uint8Array();
      free();
    },
  };
  return report;
}

/** A small report takes little memory while it waits, so it may wait until others have imported large ones. */
const SMALL_BYTES = 1024 * 1024;
const SMALL_WAIT_MS = 35_000;

/** Waits until the organization may have one more report read. @throws OverShareError */
async function enterReader({ c, org, services }: InOrgCall): Promise<() => void> {
  const request = { sharer: org, signal: c.req.raw.signal };
  const isSmall = (announcedLength(c) ?? Number.POSITIVE_INFINITY) <= SMALL_BYTES;
  const permit = services.reportPermits.acquire(request).catch((error) => {
    if (isSmall && sqlState(error) === TOO_BUSY)
      return services.reportPermits.acquire({ ...request, timeoutMs: SMALL_WAIT_MS });
    throw error;
  });
  const release = await permitOr(permit, tooManyOf(NOUNS));
  return () => release();
}

const ENCODINGS: Record<string, string> = { '': '', identity: '', gzip: 'gzip', 'x-gzip': 'gzip' };

function encodingOf(header = ''): string {
  const encoding = ENCODINGS[header.trim().toLowerCase()];
  if (encoding === undefined) throw invalidBody('The content encoding must be gzip, or none.');
  return encoding;
}
