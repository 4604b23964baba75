import { createDelivery, type Stopped } from '../delivery.ts';
import { UsageError } from '../errors.ts';
import { isPending } from '../journal-lines.ts';
import { createAgentClient } from '../reporter.ts';
import { acceptedJournals, openUnfinished } from '../unfinished.ts';
import { commandWith, requireConnection, startSession } from './common.ts';
import { type CommonFlags, EXIT } from './options.ts';

export interface SyncFlags extends CommonFlags {
  concurrency: number;
  acceptJournal?: string[];
}

/** Delivers what earlier runs could not. @returns the exit code */
export async function sync(flags: SyncFlags): Promise<number> {
  const session = startSession(flags);
  const { settings, output, state } = session;
  const { concurrency, acceptJournal = [] } = flags;
  const client = createAgentClient({ ...requireConnection(session), concurrency });
  const accepted = acceptedJournals(acceptJournal);
  const unfinished = openUnfinished(settings.workspace, state, accepted.accepts);
  const { journals, busy, unreadable, foreign, altered } = unfinished;
  const [unknown] = accepted.unused();
  if (unknown !== undefined) {
    for (const journal of journals) journal.close();
    throw new UsageError(`${unknown} is no journal in ${settings.workspace}/.svc/scans`);
  }
  for (const path of unreadable) output.warn(`${path} is left out: it is no journal`);
  for (const path of busy) output.warn(`${path} is left out: another process is working on it`);
  for (const { path, lines } of altered) {
    output.warn(
      `${path}: ${lines} lines are left out: they were not written by this agent. To deliver them anyway: ${commandWith('--accept-journal', path)}`,
    );
  }
  for (const { path, findings } of foreign) {
    output.warn(
      `${path} is left out: you did not write it on this machine, or it was delivered before. A repository can bring such a file. To deliver its ${findings} findings anyway: ${commandWith('--accept-journal', path)}`,
    );
  }
  const results = [];
  let isAway = false;
  let isComplete = true;
  for (const journal of journals) {
    const open = journal.entries.filter(isPending);
    const { scan_id } = journal.scan;
    const progress = output.progress(open.length);
    const delivery = createDelivery(journal, { client, concurrency, onProgress: progress.step });
    // A run that died could not say how its scan ended.
    const end = journal.end ?? { status: 'failed', error_message: 'the agent was interrupted' };
    const stopped: Stopped | undefined = isAway
      ? undefined
      : ((await delivery.push()) ?? (await delivery.end(end)));
    progress.done();
    journal.close();
    // One that is not accepted does not keep the others.
    isAway ||= stopped?.reason === 'unreachable';
    const result = {
      scan_id,
      delivered: open.filter(({ receipt }) => receipt).length,
      refused: open.filter(({ refused }) => refused !== undefined).length,
      not_delivered: open.filter(isPending).length,
    };
    results.push(result);
    isComplete &&= journal.finished && result.refused === 0;
    const refused = result.refused > 0 ? `, ${result.refused} refused` : '';
    output.note(
      `scan ${scan_id}: ${result.delivered} findings delivered${refused}, ${result.not_delivered} left`,
    );
    if (stopped) output.warn(`scan ${scan_id}: ${stopped.message}`);
  }
  if (flags.json) output.json(results);
  else if (journals.length + busy.length + foreign.length === 0) output.note('There is nothing to deliver.');
  return isComplete && busy.length + foreign.length === 0 ? EXIT.ok : EXIT.undelivered;
}
