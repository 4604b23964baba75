import { createDelivery } from '../delivery.ts';
import { isPending, type Journal, openUnfinished } from '../journal.ts';
import { createAgentClient } from '../reporter.ts';
import { requireConnection, startSession } from './common.ts';
import { type CommonFlags, EXIT } from './options.ts';

export interface SyncFlags extends CommonFlags {
  concurrency: number;
}

/** Delivers what earlier runs could not. @returns the exit code */
export async function sync(flags: SyncFlags): Promise<number> {
  const session = startSession(flags);
  const { settings, output } = session;
  const client = createAgentClient({ ...requireConnection(settings), concurrency: flags.concurrency });
  const journals = openUnfinished(settings.workspace);
  const results = [];
  let stop: string | undefined;
  for (const journal of journals) {
    const before = journal.entries.filter(isPending).length;
    const progress = output.progress(before);
    stop ??= await deliver(journal, client, flags.concurrency, progress.step);
    progress.done();
    const left = journal.entries.filter(isPending).length;
    results.push({ scan_id: journal.scan.scan_id, delivered: before - left, not_delivered: left });
    output.note(`scan ${journal.scan.scan_id}: ${before - left} findings delivered, ${left} left`);
    journal.close();
  }
  if (flags.json) output.result(JSON.stringify(results));
  else if (journals.length === 0) output.note('There is nothing to deliver.');
  if (stop === undefined) return EXIT.ok;
  output.warn(`not everything is delivered: ${stop}`);
  return EXIT.undelivered;
}

/** @returns why it stopped before the end */
async function deliver(
  journal: Journal,
  client: Parameters<typeof createDelivery>[1]['client'],
  concurrency: number,
  onProgress: () => void,
): Promise<string | undefined> {
  const delivery = createDelivery(journal, { client, concurrency, onProgress });
  // A run that died could not say how its scan ended.
  const end = journal.end ?? ({ status: 'failed', error_message: 'the agent was interrupted' } as const);
  const stopped = (await delivery.push()) ?? (await delivery.end(end));
  return stopped?.message;
}
