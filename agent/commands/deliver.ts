import { type Finding, SEVERITIES, type Severity } from '../../lib/importers/finding.ts';
import type { Entry } from '../journal-lines.ts';
import { summaryJson, summaryTable } from '../output.ts';
import { createReporter, type Outcome, type Reporter } from '../reporter.ts';
import { requireConnection, requireProject, type Session } from './common.ts';
import { EXIT, type ScanFlags } from './options.ts';

/** The scan of a command, with a progress display that can be started later. */
export function startScan(session: Session, flags: ScanFlags) {
  const { settings, output } = session;
  let step = () => {};
  const target = { type: flags.targetType, path: flags.targetPath, url: flags.targetUrl };
  const reporter = createReporter({
    ...requireConnection(session),
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
  };
}

/**
 * Lets a signal stop a scan: what was started is stopped, the scan is failed, and the process ends, within five seconds.
 * @param stop ends what runs besides the reporter
 * @returns takes the handlers away again
 */
export function failOnSignal(reporter: Reporter, stop: () => Promise<void> = async () => {}): () => void {
  const handlers = (['SIGINT', 'SIGTERM'] as const).map((signal) => {
    const handler = () => {
      // Whatever hangs, this ends.
      setTimeout(() => process.exit(EXIT[signal]), SIGNAL_LIMIT_MS).unref();
      // Whatever the command itself comes to meanwhile.
      process.exitCode = EXIT[signal];
      reporter.abort();
      void Promise.allSettled([reporter.fail(`terminated by ${signal}`), stop()]).finally(() =>
        process.exit(EXIT[signal]),
      );
    };
    process.once(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const remove of handlers) remove();
  };
}

const SIGNAL_LIMIT_MS = 4_500;

const SETTLED = new Set(['false_positive', 'wontfix']);

/** Findings that are at least so severe, but for those that users have settled. */
function atLeast(severity: Severity, entries: readonly Entry[]): Entry[] {
  const limit = SEVERITIES.indexOf(severity);
  return entries.filter(
    ({ finding, receipt }) =>
      SEVERITIES.indexOf(finding.severity) <= limit && !SETTLED.has(receipt?.status ?? 'open'),
  );
}

/** Says how a scan went. @returns the exit code */
export function conclude(outcome: Outcome, { settings, output }: Session, flags: ScanFlags): number {
  const { entries, stopped, pending, refused } = outcome;
  const { baseUrl, org } = settings;
  // Its page. An organization with a host of its own needs no prefix.
  const url = `${baseUrl.value}${org.value ? `/o/${org.value}` : ''}/scans/${outcome.scanId}`;
  const severe = flags.failOn ? atLeast(flags.failOn, entries) : [];
  if (flags.json) {
    output.json(summaryJson(outcome, { url, ...(flags.failOn && { failing: severe.length }) }));
  } else if (!flags.quiet) {
    output.result(summaryTable(entries));
    if (outcome.registered) output.result(url);
  }
  for (const { finding, refused } of entries
    .filter((entry) => entry.refused !== undefined)
    .slice(0, MAX_LISTED)) {
    output.warn(`refused: ${finding.title}: ${refused}`);
  }
  if (refused > MAX_LISTED) output.warn(`… and ${refused - MAX_LISTED} more`);
  if (pending > 0 || stopped) {
    const why = stopped ? ` (${stopped.message.replace(/\.$/, '')})` : '';
    output.warn(
      `${pending} of ${entries.length} findings are not delivered${why}. They are in ${settings.workspace}/.svc/scans; \`svc-agent sync\` delivers them.`,
    );
  }
  if (severe.length > 0) {
    output.note(`${severe.length} findings are ${flags.failOn} or more severe.`);
    return EXIT.failOn;
  }
  if (stopped?.reason === 'not_accepted' && outcome.fresh + outcome.seenAgain === 0) return EXIT.usage;
  return pending > 0 || refused > 0 || stopped ? EXIT.undelivered : EXIT.ok;
}

const MAX_LISTED = 5;
