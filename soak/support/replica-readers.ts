import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, finding, type TestOrg } from '../../tests/support/api/client.ts';

/** The observations of clients of a server with a replica. */
export interface ReaderCounts {
  pushes: number;
  searches: number;
  exports: number;
  /** Searches that did not find what was acknowledged before, and exports that ended in order without it. */
  stale: string[];
  /** Requests that failed, and responses other than a success. */
  failed: string[];
  /** Exports that were aborted after they had begun. */
  broken: number;
  /** The slowest search in milliseconds. */
  slowest: number;
}

export interface ReaderOptions {
  /** Servers over the same databases. Each must show the writes that the other has acknowledged. */
  apis: [Api, Api];
  org: TestOrg;
  scanId: string;
  writers: number;
  exporters: number;
}

/** Pushes with one server and searches for it with the other at once, and exports everything meanwhile. */
export function startReaders({ apis, org, scanId, writers, exporters }: ReaderOptions) {
  const counts: ReaderCounts = {
    ...{ pushes: 0, searches: 0, exports: 0, broken: 0, slowest: 0 },
    ...{ stale: [], failed: [] },
  };
  const acknowledged = new Set<string>();
  let isOver = false;

  const noteFailure = (what: string, error: unknown) => {
    counts.failed.push(`${what}: ${error} ${(error as Error).cause ?? ''}`);
  };

  async function pushAndSearch(api: Api, other: Api): Promise<void> {
    const body = finding(org, scanId);
    const pushed = await api.post('/agent/findings', { ...org.asAgent, body });
    if (pushed.status !== 201) throw new Error(`${pushed.status} ${pushed.text.slice(0, 200)}`);
    counts.pushes++;
    const { id } = pushed.result;
    acknowledged.add(id);
    const began = performance.now();
    const found = await other.get(`/findings?seen_after=${pushed.result.created_at}&page=1`, org.asOwner);
    counts.slowest = Math.max(counts.slowest, performance.now() - began);
    if (found.status !== 200) throw new Error(`${found.status} ${found.text.slice(0, 200)}`);
    counts.searches++;
    if (!found.result.some((one: { id: string }) => one.id === id)) counts.stale.push(`search without ${id}`);
  }

  async function exportAll(api: Api): Promise<void> {
    const known = [...acknowledged];
    const answer = await api.get('/findings?format=csv', org.asOwner).catch(() => undefined);
    if (!answer) {
      counts.broken++;
      return;
    }
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text.slice(0, 200)}`);
    counts.exports++;
    const ids = new Set(answer.text.split('\r\n').map((line) => line.slice(0, 36)));
    const missing = known.filter((id) => !ids.has(id));
    if (missing.length > 0) counts.stale.push(`export without ${missing.length} of ${known.length}`);
  }

  const repeat = async (what: string, act: () => Promise<void>) => {
    while (!isOver) {
      await act().catch((error) => noteFailure(what, error));
      await sleep(10);
    }
  };
  const [one, other] = apis;
  const all = [
    ...Array.from({ length: writers }, (_, i) =>
      repeat('push', () => (i % 2 === 0 ? pushAndSearch(one, other) : pushAndSearch(other, one))),
    ),
    ...Array.from({ length: exporters }, (_, i) =>
      repeat('export', () => exportAll(i % 2 === 0 ? one : other)),
    ),
  ];
  return {
    counts,
    async stop() {
      isOver = true;
      await Promise.all(all);
    },
  };
}
