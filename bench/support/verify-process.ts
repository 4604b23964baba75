import { createNodeHasher } from '../../lib/node/argon2.ts';
import { serveJob } from '../../tests/support/load/helper.ts';

/** Verifications of one password, in a process that does nothing else. */
export interface VerificationLoad {
  password: string;
  atOnce: number;
  seconds: number;
}

/** @returns verifications per second */
serveJob<VerificationLoad, number>(async ({ password, atOnce, seconds }) => {
  const hasher = createNodeHasher();
  const hash = await hasher.hash(password);
  let verified = 0;
  const began = performance.now();
  const end = began + seconds * 1000;
  const one = async () => {
    while (performance.now() < end) if (await hasher.verify(hash, password)) verified++;
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return verified / ((performance.now() - began) / 1000);
});
