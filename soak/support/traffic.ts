import { join } from 'node:path';
import { type Running, startHelper } from '../../tests/support/load/helper.ts';

/** The ways in which a client uses its connections. */
export const MANNERS = ['kept', 'pipelined', 'chunked', 'new for each', 'whole lists'] as const;
export type Manner = (typeof MANNERS)[number];

/** Requests until the server refuses connections. */
export interface Traffic {
  url: string;
  /** Whole requests that read something. */
  reads: readonly string[];
  /** The request of `whole lists`. */
  list: string;
  /** Head of a push without its length, and its body; {@link FINGERPRINT} stands for a text that is new in each. */
  push: { head: string; body: string };
  /** Connections of each manner. */
  connections: Record<Manner, number>;
  /** Part of every fingerprint. */
  run: string;
}

/** The outcomes of the requests. */
export interface Answered {
  answered: number;
  /** Complete responses that were no success, by status. */
  failed: Record<string, number>;
  /** Requests that were sent, at least in part, and got no response or a part of one. */
  resets: Record<string, number>;
  /** Pipelined behind the last response of a connection: the client has to repeat them (RFC 9112, 9.3.2). */
  toRepeat: number;
  /** Fingerprints of the pushes that were acknowledged. */
  acknowledged: string[];
}

/** Has the length of the text that takes its place. */
export const FINGERPRINT = '#'.repeat(32);

/** Begins to send, from a process of its own. It reports the number of answered requests. */
export const beginTraffic = (traffic: Traffic): Running<number, Answered> =>
  startHelper(join(import.meta.dirname, 'traffic-process.ts'), traffic);
