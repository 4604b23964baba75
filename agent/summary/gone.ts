import type { Client } from '../../lib/client/index.ts';

/** The number of findings that the latest comparable scan reported and this one did not; undefined if unknown. */
export async function countGone(
  client: Client,
  scanId: string,
  sources: readonly string[],
): Promise<number | undefined> {
  void [client, scanId, sources];
  return undefined;
}
