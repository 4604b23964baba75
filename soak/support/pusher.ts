import { setTimeout as sleep } from 'node:timers/promises';
import { type Api, finding, must, type TestOrg } from '../../tests/support/api/client.ts';

/** Pushes to an organization, again and again. */
export interface Pusher {
  org: TestOrg;
  /** Prefix of its fingerprints. */
  name: string;
  /** By fingerprint: how many pushes were acknowledged. */
  seen: Map<string, number>;
  answered: number;
  /** The errors of other answers, or broken connections. */
  failed: string[];
  stop(): Promise<void>;
}

/** Pushes in progress at a time. */
const CLIENTS = 2;
/** So many findings are new, and seen again afterwards. */
const FINDINGS = 20;
const PAUSE_MS = 50;

export function startPusher(
  api: Api,
  { org, scanId, name }: { org: TestOrg; scanId: string; name: string },
): Pusher {
  let stopped = false;
  let count = 0;
  const pusher: Pusher = {
    ...{ org, name, seen: new Map(), answered: 0, failed: [] },
    async stop() {
      stopped = true;
      await running;
    },
  };

  async function push(): Promise<void> {
    const fingerprint = `${name} ${count++ % FINDINGS}`;
    const body = finding(org, scanId, { fingerprint });
    try {
      const { status, error } = await api.post('/agent/findings', { ...org.asAgent, body });
      if (status !== 200 && status !== 201) throw new Error(`${status} ${error}`);
      pusher.answered++;
      pusher.seen.set(fingerprint, (pusher.seen.get(fingerprint) ?? 0) + 1);
    } catch (error) {
      pusher.failed.push((error as Error).message);
      await sleep(PAUSE_MS);
    }
  }
  const running = Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      while (!stopped) await push();
    }),
  );
  return pusher;
}

/** @returns how many acknowledged pushes `seen_count` does not have */
export async function findLostPushes(api: Api, { org, name, seen }: Pusher): Promise<number> {
  const findings = must(await api.get('/findings', org.asOwner)) as {
    fingerprint: string;
    seen_count: number;
  }[];
  const stored = new Map(
    findings
      .filter(({ fingerprint }) => fingerprint.startsWith(`${name} `))
      .map((row) => [row.fingerprint, row.seen_count]),
  );
  let lost = 0;
  for (const [fingerprint, count] of seen) lost += Math.max(0, count - (stored.get(fingerprint) ?? 0));
  return lost;
}
