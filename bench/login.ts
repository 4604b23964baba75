import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createClient, createUser, PASSWORD } from '../tests/support/api/client.ts';
import { wire } from '../tests/support/http/requests.ts';
import type { Bench } from '../tests/support/scenario/figure.ts';
import { figureOf, inTurns } from './support/rounds.ts';
import type { VerificationLoad } from './support/verify-process.ts';

const CONNECTIONS = 8;

/** Logging in is checking a password; all else should not be felt. */
export const login: Bench = {
  summary: 'POST /auth/login, 8 connections, against bare Argon2id verifications, 8 at a time',

  async run(stage) {
    const { site, options, loader } = stage;
    const { origin } = await stage.server();
    const { email } = await createUser(createClient(fetch, origin));
    const request = wire(origin, {
      method: 'POST',
      path: '/auth/login',
      body: { email, password: PASSWORD },
    });
    const load = { origin, requests: [request], run: '00000000', connections: CONNECTIONS, status: 200 };
    const rounds = await inTurns(
      stage,
      'login',
      {
        ours: async () => (await loader.run({ ...load, seconds: options.seconds }, site.workDir)).perSecond,
        limit: () => verifyBare({ password: PASSWORD, atOnce: CONNECTIONS, seconds: options.seconds }),
      },
      (perSecond) => `${perSecond.toFixed(1)}/s`,
    );
    return [
      {
        name: 'logins/s',
        ...figureOf(rounds, (perSecond) => perSecond),
        ...{ limitedBy: 'bare Argon2id', aim: { atLeast: 0.9 } },
      },
    ];
  },
};

async function verifyBare(load: VerificationLoad): Promise<number> {
  const child = fork(join(import.meta.dirname, 'support/verify-process.ts'));
  child.send(load);
  const [perSecond] = await once(child, 'message');
  return perSecond as number;
}
