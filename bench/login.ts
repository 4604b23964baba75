import { join } from 'node:path';
import { createClient, createUser, PASSWORD } from '../tests/support/api/client.ts';
import { wire } from '../tests/support/http/requests.ts';
import { startHelper } from '../tests/support/load/helper.ts';
import { bench, compare, perSecond } from './support/rounds.ts';
import type { VerificationLoad } from './support/verify-process.ts';

const CONNECTIONS = 8;

/** A login is the check of a password; everything else must be negligible. */
export const login = bench({
  summary: 'POST /auth/login, 8 connections, against bare Argon2id verifications, 8 at a time',

  async run(scene, { rounds, seconds }) {
    const { url } = await scene.server();
    const { email } = await createUser(createClient(fetch, url));
    const body = { email, password: PASSWORD };
    const requests = [wire(url, { method: 'POST', path: '/auth/login', body })];
    const job: VerificationLoad = { password: PASSWORD, atOnce: CONNECTIONS, seconds };
    const measures = {
      ours: perSecond(scene, { url, requests, connections: CONNECTIONS, seconds, status: 200 }),
      limit: () =>
        startHelper<VerificationLoad, number>(join(import.meta.dirname, 'support/verify-process.ts'), job)
          .result,
    };
    const figure = await compare(scene, rounds, 'login', measures, '/s');
    return [{ name: 'logins/s', ...figure, limitedBy: 'bare Argon2id', aim: { atLeast: 0.9 } }];
  },
});
