import { setMaxListeners } from 'node:events';
import { setPriority } from 'node:os';
import { download } from '../../tests/support/http/requests.ts';
import type { Noise, NoiseMade } from './noise.ts';

// Attackers have machines of their own: here they must not take the processors from the service.
setPriority(19);

process.on('message', (noise: Noise) => {
  void make(noise).then((made) => process.send?.(made));
});

/** One request after the other by each client, whatever the answers are, until the time is over. */
async function make({ origin, requests, clients, seconds }: Noise): Promise<NoiseMade> {
  const statuses: Record<string, number> = {};
  let bytes = 0;
  const end = performance.now() + seconds * 1_000;
  const controller = new AbortController();
  setMaxListeners(clients, controller.signal);
  const over = setTimeout(() => controller.abort(), seconds * 1_000);
  const client = async (i: number) => {
    for (let n = i; performance.now() < end; n++) {
      const request = requests[n % requests.length];
      if (!request) return;
      const answer = await download(origin, request, controller.signal).catch(() => undefined);
      const outcome = controller.signal.aborted ? 'left at the end' : `${answer?.status ?? 'no answer'}`;
      statuses[outcome] = (statuses[outcome] ?? 0) + 1;
      bytes += answer?.bytes ?? 0;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, i) => client(i)));
  clearTimeout(over);
  return { statuses, bytes };
}
