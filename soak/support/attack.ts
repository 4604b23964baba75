import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Site } from '../../tests/support/scenario/site.ts';

/** What clients do that nobody wants as clients. Each takes a new connection when it has lost its own. */
export const ATTACKS = {
  'slow head': 'a byte of the head per second',
  'slow body': 'a byte of the body per second',
  idle: 'one request, then silence',
  'stopped reader': 'asks, and does not read',
  'trickling reader': 'reads a little now and then',
  'gone in the request': 'sends half of a request, and is gone',
  'gone in the answer': 'reads the first bytes of the answer, and is gone',
} as const;
export type AttackName = keyof typeof ATTACKS;

export interface AttackPlan {
  origin: string;
  name: AttackName;
  connections: number;
  /** A whole request. */
  request: string;
}

export interface Attack {
  /** Connections that the server has ended so far. */
  lost(): number;
  end(): Promise<void>;
}

/** Attacks from a process of its own; resolves when all connections are made. */
export async function beginAttack(site: Site, plan: AttackPlan): Promise<Attack> {
  const child = fork(join(import.meta.dirname, 'attack-process.ts'));
  const exited = once(child, 'exit');
  const end = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  site.onClose(end);
  let lost = 0;
  child.on('message', (message: { lost: number }) => {
    lost = message.lost;
  });
  child.send(plan);
  await once(child, 'message');
  return { lost: () => lost, end };
}
