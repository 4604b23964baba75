import type { ScanEnd } from '../scan.ts';
import type { Delivered, Entry, Place, PlacedLine, SentBatch } from './lines.ts';

/**
 * Computes the state of a journal from its lines. Only the findings that are pending are kept.
 * @param toEntry creates the entry of a finding
 */
export function replay(lines: Iterable<PlacedLine>, toEntry: (n: number, place: Place) => Entry) {
  const entries = new Map<number, Entry>();
  const counts = { fresh: 0, seenAgain: 0, refused: 0 };
  let total = 0;
  let nextNumber = 0;
  /** The batches of which findings are pending, and the batch of each of these findings. */
  const batches = new Map<string, SentBatch>();
  const batchOf = new Map<number, { key: string; pending: number }>();
  let projectId: string | undefined;
  let scanId: string | undefined;
  let end: ScanEnd | undefined;
  let ended = false;
  for (const { line, place } of lines) {
    switch (line.type) {
      case 'scan':
        break;
      case 'registered':
        scanId = line.scan_id;
        projectId = line.project_id;
        break;
      case 'finding':
        if (!entries.has(line.n)) total++;
        entries.set(line.n, toEntry(line.n, place));
        nextNumber = Math.max(nextNumber, line.n + 1);
        break;
      case 'batch': {
        const { key, ns } = line;
        const sent = ns.flatMap((n) => entries.get(n) ?? []);
        batches.delete(key);
        // Without a finding whose line is damaged, it would be another batch.
        if (sent.length !== ns.length || sent.length === 0) break;
        batches.set(key, { key, entries: sent });
        const batch = { key, pending: sent.length };
        for (const n of ns) batchOf.set(n, batch);
        break;
      }
      case 'results':
        line.delivered.forEach(deliver);
        break;
      case 'delivered':
        deliver(line);
        break;
      case 'refused':
        if (settle(line.n, { refused: line.error })) counts.refused++;
        break;
      case 'end':
        end = line.end;
        break;
      case 'ended':
        ended = true;
        break;
    }
  }

  function deliver({ n, id, deduplicated, status, regressed }: Delivered): void {
    const receipt = { id, deduplicated, status, ...(regressed && { regressed }) };
    if (settle(n, { receipt })) counts[deduplicated ? 'seenAgain' : 'fresh']++;
  }

  /** @returns whether the finding was pending */
  function settle(n: number, outcome: Pick<Entry, 'receipt' | 'refused'>): boolean {
    const entry = entries.get(n);
    if (entry === undefined) return false;
    entries.delete(n);
    // The batch contains it as long as other findings of the batch are pending.
    Object.assign(entry, outcome);
    const batch = batchOf.get(n);
    batchOf.delete(n);
    if (batch && --batch.pending === 0) batches.delete(batch.key);
    return true;
  }
  return {
    entries,
    batches,
    counts,
    total,
    nextNumber,
    scanId,
    projectId,
    end,
    ended,
    finished: ended && entries.size === 0,
  };
}
