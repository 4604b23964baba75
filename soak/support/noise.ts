import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { WireRequest } from '../../tests/support/http/requests.ts';
import type { Site } from '../../tests/support/scenario/site.ts';

/** Requests of an organization that asks for as much as it can get. */
export interface Noise {
  origin: string;
  /** Asked for in turns, one at a time by each client. */
  requests: readonly WireRequest[];
  clients: number;
  /** Answers that are not complete by then are broken off. */
  seconds: number;
}

export interface NoiseMade {
  /** How many answers there were, by status. */
  statuses: Record<string, number>;
  bytes: number;
}

/** @returns what makes noise, in a process of its own */
export function openNoise(site: Site): (noise: Noise) => Promise<NoiseMade> {
  const child = fork(join(import.meta.dirname, 'noise-process.ts'));
  site.onClose(async () => void child.kill());
  return async (noise) => {
    child.send(noise);
    const [made] = await once(child, 'message');
    return made as NoiseMade;
  };
}
