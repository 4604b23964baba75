import { expect, it } from 'vitest';
import { forEachOrg } from '../../lib/orgs/for-each-org.ts';

const ids = Array.from({ length: 10 }, (_, i) => `org-${i}`);

it('goes through all organizations, no more at a time than it may', async () => {
  const seen: string[] = [];
  let most = 0;
  let running = 0;
  await forEachOrg(ids, 3, async (id) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running--;
    seen.push(id);
  });
  expect([seen.sort(), most]).toEqual([ids, 3]);
});

it('starts no more after one has failed, and waits for those in progress', async () => {
  const started: string[] = [];
  const ended: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const work = async (id: string) => {
    started.push(id);
    if (id === 'org-1') throw new Error('on purpose');
    await released;
    ended.push(id);
  };
  const all = forEachOrg(ids, 2, work);
  await new Promise((resolve) => setTimeout(resolve, 1));
  release();
  await expect(all).rejects.toThrow('on purpose');
  expect([started, ended]).toEqual([['org-0', 'org-1'], ['org-0']]);
});
