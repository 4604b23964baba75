import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Site } from '../../tests/support/scenario/site.ts';

export type SteadyKind = 'read' | 'push';

/** Requests at a fixed rate, however long their answers take. */
export interface SteadyLoad {
  origin: string;
  /** Whole requests, sent in turns; `MARK` stands for a text that is new in each. */
  requests: Record<SteadyKind, readonly string[]>;
  status: Record<SteadyKind, number>;
  perSecond: Record<SteadyKind, number>;
  /** Eight characters, part of the texts. */
  run: string;
}

/** Observations of a few seconds; times in milliseconds. */
export type SteadyWindow = Record<SteadyKind, number[]> & { errors: Record<string, number> };

/** Begins to observe, from a process of its own; @returns what observes for some seconds */
export function openSteadyLoad(site: Site, load: SteadyLoad): (seconds: number) => Promise<SteadyWindow> {
  const child = fork(join(import.meta.dirname, 'steady-process.ts'));
  site.onClose(async () => void child.kill());
  child.send(load);
  return async (seconds) => {
    child.send({ seconds });
    const [window] = await once(child, 'message');
    return window as SteadyWindow;
  };
}
