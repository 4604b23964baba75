import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** How a client uses its connections. */
export const MANNERS = ['kept', 'pipelined', 'chunked', 'new for each', 'whole lists'] as const;
export type Manner = (typeof MANNERS)[number];

/** Requests without end, until there is nobody to connect to. */
export interface Traffic {
  origin: string;
  /** Whole requests that read something. */
  reads: readonly string[];
  /** One for `whole lists`. */
  list: string;
  /** Head of a push without its length, and its body; {@link FINGERPRINT} stands for what is new in each. */
  push: { head: string; body: string };
  /** Connections of each manner. */
  connections: Record<Manner, number>;
  /** Part of every fingerprint. */
  run: string;
}

/** What came of it. */
export interface Answered {
  answered: number;
  /** Whole answers that were no success, by status. */
  failed: Record<string, number>;
  /** Requests that were sent, at least in part, and got no answer, or half of one. */
  resets: Record<string, number>;
  /** Sent behind one whose answer turned out to be the last on its connection: to be sent again, by RFC 9112, 9.3.2. */
  toRepeat: number;
  /** Fingerprints of the pushes that were acknowledged. */
  acknowledged: string[];
}

/** As long as the text that takes its place. */
export const FINGERPRINT = '#'.repeat(32);

export interface TrafficUnderWay {
  /** Resolves when a number of requests is answered. */
  reached(answers: number): Promise<void>;
  ended: Promise<Answered>;
}

/** Begins to send, from a process of its own. */
export function beginTraffic(traffic: Traffic): TrafficUnderWay {
  const child = fork(join(import.meta.dirname, 'traffic-process.ts'));
  child.send(traffic);
  let answered = 0;
  let ended: (result: Answered) => void = () => {};
  let failed: (error: Error) => void = () => {};
  const result = new Promise<Answered>((resolve, reject) => {
    ended = resolve;
    failed = reject;
  });
  result.catch(() => {});
  child.on('message', (message: { answered: number } | Answered) => {
    answered = message.answered;
    if ('resets' in message) ended(message);
  });
  child.once('exit', (code) => failed(new Error(`the traffic ended with ${code}`)));
  return {
    async reached(answers) {
      while (answered < answers) await once(child, 'message');
    },
    ended: result,
  };
}
