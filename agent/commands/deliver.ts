import type { Severity } from '../../lib/importers/finding.ts';
import { MAX_SOURCES } from '../../lib/importers/scanned.ts';
import { createAgentClient } from '../delivery/client.ts';
import { createReporter, type Reporter } from '../reporter.ts';
import type { Described } from '../scan.ts';
import type { Findings } from '../scanner/findings.ts';
import { type ReportContent, scanMessage } from '../scanner/reports.ts';
import { askGate } from '../summary/gate.ts';
import { countGone } from '../summary/gone.ts';
import { readCommit } from '../workspace/git.ts';
import { readRefs } from '../workspace/refs.ts';
import { requireConnection, requireProject, type Session } from './common.ts';
import { EXIT, type ScanFlags } from './options.ts';
import { reportOutcome } from './outcome.ts';

export type StartedScan = Awaited<ReturnType<typeof startScan>>;

/** Finds what identifies the scanned thing. `describe` adds what the reports say. */
export async function describeScan({ settings }: Session, flags: ScanFlags) {
  const [commit, refs] = await Promise.all([
    flags.commit ?? readCommit(settings.workspace),
    readRefs(settings.workspace, process.env),
  ]);
  const describe = (content?: Pick<ReportContent, 'category' | 'sources'>) => ({
    target: {
      type: flags.targetType,
      path: flags.targetPath,
      url: flags.targetUrl,
      ref: (flags.targetRef ?? refs.ref) || undefined,
      base_ref: (flags.baseRef ?? refs.base_ref) || undefined,
      default_ref: (flags.defaultRef ?? refs.default_ref) || undefined,
      category: (flags.category ?? content?.category) || undefined,
    },
    sources: content?.sources.slice(0, MAX_SOURCES),
  });
  return { commit, describe };
}

/**
 * Creates the scan of a command. `push` reports findings and shows the progress.
 * @param known the reports, unless the scanner has not written them yet
 */
export async function startScan(session: Session, flags: ScanFlags, known?: ReportContent) {
  const { settings, output } = session;
  let step = () => {};
  const connection = await requireConnection(session);
  const { commit, describe } = await describeScan(session, flags);
  const reporter = createReporter({
    ...connection,
    project: requireProject(settings),
    persona: flags.persona,
    name: flags.name,
    ...describe(known),
    commit,
    workspace: settings.workspace,
    concurrency: flags.concurrency,
    onProgress: () => step(),
  });
  return {
    reporter,
    /** The description of the scan that its registration lacked. */
    described: (content: ReportContent): Described => (known ? {} : describe(content)),
    /** @returns the sources of the findings */
    async push(findings: Findings): Promise<Set<string>> {
      const progress = output.progress(findings.count);
      step = progress.step;
      const sources = new Set<string>();
      if (!findings.list) reporter.expectMany();
      for await (const batch of findings.batches()) {
        for (const { source } of batch) if (source !== undefined) sources.add(source);
        const { stopped } = await reporter.report(batch);
        if (stopped?.reason === 'aborted') break;
      }
      progress.done();
      return sources;
    },
    /** The number of findings that the latest comparable scan reported and this one did not; undefined if unknown. */
    countGone: (sources: readonly string[]) =>
      countGone(createAgentClient(connection), reporter.scanId, sources),
    askGate: (failOn: Severity) =>
      askGate(createAgentClient(connection), reporter.scanId, { failOn, ref: describe().target.ref }),
  };
}

/** Pushes the content of the reports, ends the scan and prints the result. @returns the exit code */
export async function deliver(
  { reporter, described, push, countGone, askGate }: StartedScan,
  content: ReportContent,
  session: Session,
  flags: ScanFlags,
): Promise<number> {
  const { findings, errors } = content;
  let sources: Set<string>;
  try {
    sources = await push(findings);
  } catch (error) {
    // The journal cannot be written, or the results of a large report cannot be read again.
    await reporter.fail((error as Error).message);
    throw error;
  }
  const isFailed = errors.length > 0 && findings.count === 0 && !flags.allowScannerErrors;
  const message = scanMessage(errors);
  const outcome = await (isFailed ? reporter.fail(message) : reporter.complete(message, described(content)));
  // The findings of a scanner that failed are incomplete: the others are not gone.
  const isDelivered = outcome.pending === 0 && !outcome.stopped;
  const [gone, gate] = await Promise.all([
    isDelivered && errors.length === 0 ? countGone([...sources, ...content.formats]) : undefined,
    isDelivered && flags.failOnNew ? askGate(flags.failOnNew) : undefined,
  ]);
  return reportOutcome({ outcome, content, gone, gate }, session, flags);
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
