import { type Finding, SEVERITIES, type Severity } from '../../lib/importers/finding.ts';
import type { Entry } from '../journal/lines.ts';
import { summaryJson, summaryTable } from '../output.ts';
import { createReporter, type Outcome, type Reporter } from '../reporter.ts';
import { quantity } from '../text.ts';
import { requireConnection, requireProject, type Session } from './common.ts';
import { EXIT, type ScanFlags } from './options.ts';

/** Creates the scan of a command. `push` reports findings and shows the progress. */
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
 * Makes SIGINT and SIGTERM abort the scan, end it as failed and exit the process within five seconds.
 * @param stop stops other work, such as the scanner
 * @returns a function that removes the signal handlers
 */
export function failOnSignal(reporter: Reporter, stop: () => Promise<void> = async () => {}): () => void {
  const handlers = (['SIGINT', 'SIGTERM'] as const).map((signal) => {
    const handler = () => {
      // Exit even if a request or the scanner hangs.
      setTimeout(() => process.exit(EXIT[signal]), SIGNAL_LIMIT_MS).unref();
      // The command may end first. It must not change the exit code.
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

const DISMISSED = new Set(['false_positive', 'wontfix']);

/** Findings of at least a severity that users have not dismissed. */
function findingsAtLeast(severity: Severity, entries: readonly Entry[]): Entry[] {
  const limit = SEVERITIES.indexOf(severity);
  return entries.filter(
    ({ finding, receipt }) =>
      SEVERITIES.indexOf(finding.severity) <= limit && !DISMISSED.has(receipt?.status ?? 'open'),
  );
}

/** Prints the result of a scan. @returns the exit code */
export function reportOutcome(outcome: Outcome, { settings, output }: Session, flags: ScanFlags): number {
  const { entries, stopped, pending, refused } = outcome;
  const { baseUrl, org } = settings;
  // The page of the scan. An organization with its own host needs no prefix.
  const url = `${baseUrl.value}${org.value ? `/o/${org.value}` : ''}/scans/${outcome.scanId}`;
  const failing = flags.failOn ? findingsAtLeast(flags.failOn, entries) : [];
  if (flags.json) {
    output.json(summaryJson(outcome, { url, ...(flags.failOn && { failing: failing.length }) }));
  } else if (!flags.quiet) {
    output.result(summaryTable(entries));
    if (outcome.registered) output.result(url);
  }
  for (const { finding, refused } of entries
    .filter((entry) => entry.refused !== undefined)
    .slice(0, MAX_LISTED_REFUSALS)) {
    output.warn(`the service refused “${finding.title}”: ${refused}`);
  }
  if (refused > MAX_LISTED_REFUSALS)
    output.warn(`the service refused ${quantity(refused - MAX_LISTED_REFUSALS, 'more finding')}`);
  if (pending > 0 || stopped) {
    const reason = stopped ? ` (${stopped.message.replace(/\.$/, '')})` : '';
    const problem =
      pending > 0
        ? `${pending} of ${quantity(entries.length, 'finding')} not delivered`
        : 'The scan has not ended at the service';
    output.warn(
      `${problem}${reason}. The scan is queued in ${settings.workspace}/.svc/scans: run \`svc-agent sync\` to deliver it.`,
    );
  }
  if (failing.length > 0) {
    output.note(`${quantity(failing.length, 'finding')} with severity ${flags.failOn} or higher`);
    return EXIT.failOn;
  }
  if (stopped?.reason === 'not_accepted' && outcome.fresh + outcome.seenAgain === 0) return EXIT.usage;
  return pending > 0 || refused > 0 || stopped ? EXIT.undelivered : EXIT.ok;
}

const MAX_LISTED_REFUSALS = 5;
