import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Site } from '../../tests/support/scenario/site.ts';

/** The same request on many connections: each sends the next one when it has its answer. */
export interface FloodPlan {
  url: string;
  headers: Record<string, string>;
  /** Sent in turns. */
  bodies: readonly string[];
  connections: number;
}

export interface FloodSeen {
  /** Answers by status and error code, such as `401 invalid_credentials`. */
  answers: Record<string, number>;
  slowestMs: number;
}

/** Floods from a process of its own. What it returns ends the flood when its last requests are answered. */
export async function beginFlood(site: Site, plan: FloodPlan): Promise<() => Promise<FloodSeen>> {
  const child = fork(join(import.meta.dirname, 'flood-process.ts'));
  const exited = once(child, 'exit');
  site.onClose(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  child.send(plan);
  await once(child, 'message');
  return async () => {
    child.send('stop');
    const [seen] = await once(child, 'message');
    await exited;
    return seen as FloodSeen;
  };
}
