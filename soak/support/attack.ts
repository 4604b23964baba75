import { join } from 'node:path';
import { type Running, startHelper } from '../../tests/support/load/helper.ts';
import type { Site } from '../../tests/support/scenario/site.ts';

/** Misbehaving clients. Each opens a new connection when it has lost its own. */
export const ATTACKS = {
  'slow head': 'a byte of the head per second',
  'slow body': 'a byte of the body per second',
  idle: 'one request, then silence',
  'stopped reader': 'sends a request and does not read',
  'trickling reader': 'reads a little now and then',
  'gone in the request': 'sends half of a request and resets the connection',
  'gone in the answer': 'resets the connection after the first bytes of the response',
} as const;
export type AttackName = keyof typeof ATTACKS;

export interface AttackPlan {
  url: string;
  name: AttackName;
  connections: number;
  /** A whole request. */
  request: string;
}

/** The progress that the attack reports. */
export interface AttackProgress {
  /** Connections that the server has closed. */
  lost: number;
}

/** Attacks from a process of its own; resolves when all connections are open. */
export async function beginAttack(site: Site, plan: AttackPlan): Promise<Running<AttackProgress, void>> {
  const attack = startHelper<AttackPlan, void, AttackProgress>(
    join(import.meta.dirname, 'attack-process.ts'),
    plan,
  );
  site.onClose(attack.kill);
  await attack.reached();
  return attack;
}
