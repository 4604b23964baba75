import { createNodeHasher } from '../../lib/node/argon2.ts';

/** Verifications of one password, in a process that does nothing else. */
export interface VerificationLoad {
  password: string;
  /** Under way at the same time. */
  atOnce: number;
  seconds: number;
}

process.once('message', (load: VerificationLoad) => {
  void verify(load).then((perSecond) => process.send?.(perSecond, () => process.disconnect()));
});

async function verify({ password, atOnce, seconds }: VerificationLoad): Promise<number> {
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
}
