import { createAgentClient } from '../delivery/client.ts';
import { createDelivery, type DeliveryFailure } from '../delivery/delivery.ts';
import { UsageError } from '../errors.ts';
import { isPending } from '../journal/lines.ts';
import { acceptedJournals, openUnfinished } from '../journal/unfinished.ts';
import { quantity } from '../text.ts';
import { destinationOf } from '../trust/journals.ts';
import { commandWith, requireConnection, startSession } from './common.ts';
import { type CommonFlags, EXIT } from './options.ts';

export interface SyncFlags extends CommonFlags {
  concurrency: number;
  acceptJournal?: string[];
}

/** Delivers the findings that earlier runs could not deliver. @returns the exit code */
export async function sync(flags: SyncFlags): Promise<number> {
  const session = startSession(flags);
  const { settings, output, state } = session;
  const { concurrency, acceptJournal = [] } = flags;
  const connection = await requireConnection(session);
  const client = createAgentClient({ ...connection, concurrency });
  const destination = destinationOf(connection);
  const accepted = acceptedJournals(acceptJournal);
  const unfinished = openUnfinished(settings.workspace, state, destination, accepted.accepts);
  const { journals, busy, unreadable, failed, foreign, elsewhere, altered } = unfinished;
  const [unknown] = accepted.unused();
  if (unknown !== undefined) {
    for (const journal of journals) journal.close();
    throw new UsageError(`${unknown} is not a journal in ${settings.workspace}/.svc/scans`);
  }
  for (const path of unreadable) output.warn(`${path} is skipped: it is not a journal`);
  for (const { path, reason } of failed) output.warn(`${path} is not delivered: ${reason}`);
  for (const path of busy) output.warn(`${path} is skipped: another process is using it`);
  for (const { path, lines } of altered) {
    output.warn(
      `${path}: ${quantity(lines, 'line')} skipped, because this agent did not write them. To deliver them anyway, run: ${commandWith('--accept-journal', path)}`,
    );
  }
  for (const { path, findings } of foreign) {
    output.warn(
      `${path} is skipped: you did not write it on this machine, or it was already delivered. A repository can contain such a file. To deliver its ${quantity(findings, 'finding')} anyway, run: ${commandWith('--accept-journal', path)}`,
    );
  }
  for (const { path, findings, destination: other } of elsewhere) {
    output.warn(
      `${path} is skipped: it is for ${other}. To deliver its ${quantity(findings, 'finding')} to ${destination} instead, run: ${commandWith('--accept-journal', path)}`,
    );
  }
  const results = [];
  let isUnreachable = false;
  let isComplete = true;
  for (const journal of journals) {
    const pending = journal.entries.filter(isPending);
    const { scan_id } = journal.scan;
    const progress = output.progress(pending.length);
    const delivery = createDelivery(journal, { client, concurrency, onProgress: progress.step });
    // A run that crashed did not record how its scan ended.
    const end = journal.end ?? { status: 'failed', error_message: 'the agent was interrupted' };
    const stopped: DeliveryFailure | undefined = isUnreachable
      ? undefined
      : ((await delivery.push()) ?? (await delivery.end(end)));
    progress.done();
    journal.close();
    // After `not_accepted`, continue with the other scans.
    isUnreachable ||= stopped?.reason === 'unreachable';
    const result = {
      scan_id,
      delivered: pending.filter(({ receipt }) => receipt).length,
      refused: pending.filter(({ refused }) => refused !== undefined).length,
      not_delivered: pending.filter(isPending).length,
    };
    results.push(result);
    isComplete &&= journal.finished && result.refused === 0;
    const refused = result.refused > 0 ? `, ${result.refused} refused` : '';
    output.note(
      `scan ${scan_id}: ${quantity(result.delivered, 'finding')} delivered${refused}, ${result.not_delivered} not delivered`,
    );
    if (stopped) output.warn(`scan ${scan_id}: ${stopped.message}`);
  }
  if (flags.json) output.json(results);
  const skipped = busy.length + failed.length + foreign.length + elsewhere.length;
  if (!flags.json && journals.length + skipped === 0) output.note('Nothing to deliver.');
  return isComplete && skipped === 0 ? EXIT.ok : EXIT.undelivered;
}
