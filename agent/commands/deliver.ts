import type { Finding } from '../../lib/importers/finding.ts';
import { createAgentClient } from '../client.ts';
import { createReporter, type Outcome, type Reporter } from '../reporter.ts';
import { type ReportContent, scanMessage } from '../scanner/reports.ts';
import { countGone } from '../summary/gone.ts';
import { requireConnection, requireProject, type Session } from './common.ts';
import { EXIT, type ScanFlags } from './options.ts';
import { reportOutcome } from './outcome.ts';

export type StartedScan = ReturnType<typeof startScan>;

/** Creates the scan of a command. `push` reports findings and shows the progress. */
export function startScan(session: Session, flags: ScanFlags) {
  const { settings, output } = session;
  let step = () => {};
  const target = { type: flags.targetType, path: flags.targetPath, url: flags.targetUrl };
  const connection = requireConnection(session);
  const reporter = createReporter({
    ...connection,
    project: requireProject(settings),
    persona: flags.persona,
    name: flags.name,
    target,
    workspace: settings.workspace,
    concurrency: flags.concurrency,
    onProgress: () => step(),
  });
  return {
    reporter,
    async push(findings: readonly Finding[]): Promise<Outcome> {
      const progress = output.progress(findings.length);
      step = progress.step;
      const outcome = await reporter.report(findings);
      progress.done();
      return outcome;
    },
    /** The number of findings that the latest comparable scan reported and this one did not; undefined if unknown. */
    countGone: (sources: readonly string[]) =>
      countGone(createAgentClient(connection), reporter.scanId, sources),
  };
}

/** Pushes the content of the reports, ends the scan and prints the result. @returns the exit code */
export async function deliver(
  { reporter, push, countGone }: StartedScan,
  content: ReportContent,
  session: Session,
  flags: ScanFlags,
): Promise<number> {
  const { findings, errors } = content;
  try {
    await push(findings);
  } catch (error) {
    // The journal cannot be written.
    await reporter.fail((error as Error).message);
    throw error;
  }
  const isFailed = errors.length > 0 && findings.length === 0 && !flags.allowScannerErrors;
  const message = scanMessage(errors);
  const outcome = await (isFailed ? reporter.fail(message) : reporter.complete(message));
  // The findings of a scanner that failed are incomplete: the others are not gone.
  const isComparable = errors.length === 0 && outcome.pending === 0 && !outcome.stopped;
  const sources = new Set(findings.flatMap(({ source }) => source ?? []));
  const gone = isComparable ? await countGone([...sources, ...content.formats]) : undefined;
  return reportOutcome({ outcome, content, gone }, session, flags);
}

/**
 * Makes SIGINT, SIGTERM and SIGHUP abort the scan, end it as failed and exit the process within five seconds.
 * @param reporter undefined if nothing is sent
 * @param stop stops other work, such as the scanner
 * @returns a function that removes the signal handlers
 */
export function failOnSignal(
  reporter: Reporter | undefined,
  stop: () => Promise<void> = async () => {},
): () => void {
  // A second signal changes nothing: npm passes on the SIGINT that a terminal sends to all processes.
  let isStopping = false;
  const handlers = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => {
    const handler = () => {
      if (isStopping) return;
      isStopping = true;
      // Exit even if a request or the scanner hangs.
      setTimeout(() => process.exit(EXIT[signal]), SIGNAL_LIMIT_MS).unref();
      // The command may end first. It must not change the exit code.
      process.exitCode = EXIT[signal];
      reporter?.abort();
      void Promise.allSettled([reporter?.fail(`terminated by ${signal}`), stop()]).finally(() =>
        process.exit(EXIT[signal]),
      );
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const remove of handlers) remove();
  };
}

const SIGNAL_LIMIT_MS = 4_500;
