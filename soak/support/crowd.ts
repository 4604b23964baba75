import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, finding, type TestOrg } from '../../tests/support/api/client.ts';

/** One request as its sender saw it; times by `performance.now()`. */
export interface Seen {
  kind: 'push' | 'read' | 'probe';
  began: number;
  ended: number;
  /** `unavailable` is the documented refusal, `wrong` any other, `broken` a connection without a response. */
  outcome: 'ok' | 'unavailable' | 'wrong' | 'broken';
  /** Why it is wrong or broken. */
  text: string;
}

/** Ordinary clients that continue whatever the response is. */
export interface Crowd {
  seen: readonly Seen[];
  /** Fingerprints of the pushes that were acknowledged. */
  acknowledged: ReadonlySet<string>;
  /** Stops, and resolves when the last response has arrived. */
  stop(): Promise<void>;
}

export interface CrowdOptions {
  api: Api;
  org: TestOrg;
  scanId: string;
  writers: number;
  readers: number;
}

const PROBE_MS = 100;
/** Pause after a refusal. */
const PAUSE_MS = 20;

export function startCrowd({ api, org, scanId, writers, readers }: CrowdOptions): Crowd {
  const seen: Seen[] = [];
  const acknowledged = new Set<string>();
  let over = false;

  async function look(kind: Seen['kind'], ask: () => ReturnType<typeof api.get>): Promise<Seen['outcome']> {
    const began = performance.now();
    let outcome: Seen['outcome'] = 'broken';
    let text = '';
    try {
      const answer = await ask();
      const refused = answer.error === 'server_error/unavailable';
      outcome = answer.status < 300 ? 'ok' : refused ? 'unavailable' : 'wrong';
      if (outcome === 'wrong') text = `${answer.status} ${answer.text.slice(0, 300)}`;
    } catch (error) {
      text = `${error} ${(error as Error).cause ?? ''}`;
    }
    seen.push({ kind, began, ended: performance.now(), outcome, text });
    return outcome;
  }

  const repeat = async (pauseMs: number, act: () => Promise<Seen['outcome']>) => {
    while (!over) {
      const outcome = await act();
      if (pauseMs > 0 || outcome !== 'ok') await sleep(Math.max(pauseMs, PAUSE_MS));
    }
  };
  const push = async () => {
    const body = finding(org, scanId);
    const outcome = await look('push', () => api.post('/agent/findings', { ...org.asAgent, body }));
    if (outcome === 'ok') acknowledged.add(body.fingerprint);
    return outcome;
  };
  const all = [
    ...Array.from({ length: writers }, () => repeat(0, push)),
    ...Array.from({ length: readers }, () =>
      repeat(0, () => look('read', () => api.get('/findings?per_page=20', org.asOwner))),
    ),
    repeat(PROBE_MS, () => look('probe', () => api.get('//readyz'))),
  ];
  return {
    seen,
    acknowledged,
    async stop() {
      over = true;
      await Promise.all(all);
    },
  };
}
