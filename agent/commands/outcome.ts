import { gateOf, gateTable, type ScanResult, summaryJson, summaryTable } from '../summary/result.ts';
import { countAtLeast, sum } from '../summary/tally.ts';
import { appendFailure, appendSummary } from '../summary/write.ts';
import { quantity } from '../text.ts';
import type { Session } from './common.ts';
import { EXIT, type ScanFlags } from './options.ts';

/** The page of a scan. An organization with its own host needs no prefix. */
function pageOf({ baseUrl, org }: Session['settings'], scanId: string): string {
  const prefix = org.value ? `/o/${encodeURIComponent(org.value)}` : '';
  return `${baseUrl.value}${prefix}/scans/${scanId}`;
}

/** Prints the result of a scan. @returns the exit code */
export function reportOutcome(result: ScanResult, session: Session, flags: ScanFlags): number {
  const { outcome, content } = result;
  const { settings, output } = session;
  const { tally, stopped, pending, refused } = outcome;
  const url = pageOf(settings, outcome.scanId);
  const failing = countAtLeast(flags.failOn, tally.open);
  const gate = gateOf(result);
  const noGate = result.gate && !('total' in result.gate) ? result.gate : undefined;
  // Without a gate, the findings count that this run was the first to deliver, or that have regressed.
  const failingNew = gate?.total ?? countAtLeast(flags.failOnNew, tally.openNew);
  if (flags.json) {
    output.json(
      summaryJson(result, {
        url,
        ...(flags.failOn && { failing }),
        ...(flags.failOnNew && { failing_new: failingNew }),
      }),
    );
  } else if (!flags.quiet) {
    output.result(summaryTable(result));
    if (gate && gate.total > 0) output.result(gateTable(gate));
    if (outcome.registered) output.result(url);
  }
  const { refusals } = tally;
  for (const { title, reason } of refusals) output.warn(`the service refused “${title}”: ${reason}`);
  if (refused > refusals.length)
    output.warn(`the service refused ${quantity(refused - refusals.length, 'more finding')}`);
  if (noGate)
    output.warn(
      `${noGate.reason}: --fail-on-new counts the findings that the service did not know before, and a second run passes.`,
    );
  if (pending > 0 || stopped) {
    const reason = stopped ? ` (${stopped.message.replace(/\.$/, '')})` : '';
    const problem =
      pending > 0
        ? `${pending} of ${quantity(sum(tally.total), 'finding')} not delivered`
        : 'The scan has not ended at the service';
    const way =
      stopped?.reason === 'not_accepted'
        ? `run \`svc-agent sync\` when the service accepts it, or delete ${outcome.scanId}.jsonl there`
        : 'run `svc-agent sync` to deliver it';
    output.warn(`${problem}${reason}. The scan is queued in ${outcome.queue}: ${way}.`);
  }
  if (flags.summary !== undefined) {
    const registeredUrl = outcome.registered ? url : undefined;
    appendSummary(flags.summary, result, { ...summaryOptions(session, flags), url: registeredUrl });
  }
  if (failing > 0) output.note(`${quantity(failing, 'finding')} with severity ${flags.failOn} or higher`);
  if (failingNew > 0)
    output.note(`${quantity(failingNew, 'new finding')} with severity ${flags.failOnNew} or higher`);
  return exitCode();

  /** A finding that blocks the build is certain, so it comes first. A failed scanner is never hidden by a delivery problem. */
  function exitCode(): number {
    if (failing + failingNew > 0) return EXIT.failOn;
    if (stopped?.reason === 'not_accepted' && outcome.fresh + outcome.seenAgain === 0) return EXIT.usage;
    if (content.errors.length > 0 && !flags.allowScannerErrors) return EXIT.scanner;
    return pending > 0 || refused > 0 || stopped || noGate?.isOlder === false ? EXIT.undelivered : EXIT.ok;
  }
}

/** Appends the error of a scanner that wrote no report to the file in `--summary`. */
export function summarizeFailure(error: Error, session: Session, flags: ScanFlags): void {
  if (flags.summary !== undefined) appendFailure(flags.summary, error, summaryOptions(session, flags));
}

const summaryOptions = ({ settings, output }: Session, { name }: ScanFlags) => ({
  name,
  secret: settings.apiKey.value,
  onWarning: output.warn,
});
