import type { Client } from '../../lib/client/index.ts';

const MAX_SOURCES = 2_000;

/** The number of findings that the latest comparable scan reported and this one did not; undefined if unknown. */
export async function countGone(
  client: Client,
  scanId: string,
  sources: readonly string[],
): Promise<number | undefined> {
  try {
    const { result } = await client.get('/agent/scans/{id}/gone', {
      params: { path: { id: scanId }, query: { source: sources.join(',').slice(0, MAX_SOURCES) } },
    });
    return typeof result.gone === 'number' ? result.gone : undefined;
  } catch {
    // An older service does not know. The findings are delivered.
    return undefined;
  }
}
