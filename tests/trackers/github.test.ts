import { describe, expect, it } from 'vitest';
import { createTracker } from '../../lib/trackers/create.ts';
import type { Tracker } from '../../lib/trackers/tracker.ts';
import { type FakeGithub, startGithub } from '../support/trackers/github.ts';
import { connect, failureOf, MARKER, NOW, newIssue, TOKEN, TRIED } from './kit.ts';

async function start(): Promise<{ fake: FakeGithub; tracker: Tracker }> {
  const fake = await startGithub(TOKEN, () => NOW);
  const settings = {
    kind: 'github' as const,
    url: fake.url,
    project: 'acme/web-shop',
    labels: [],
    token: TOKEN,
  };
  return { fake, tracker: connect(settings) };
}

describe('GitHub', () => {
  it('names the reason of a closed issue, and says why it closes one', async () => {
    const { fake, tracker } = await start();
    const [fixed, dismissed] = [
      await tracker.create(newIssue()),
      await tracker.create(newIssue({ marker: 'b' })),
    ];
    await tracker.close(fixed, 'fixed');
    await tracker.close(dismissed, 'dismissed');
    expect(fake.issues.map(({ state_reason }) => state_reason)).toEqual(['completed', 'not_planned']);
    expect(await tracker.read(dismissed)).toMatchObject({
      ...{ status: 'closed as not planned', isClosed: true, isCompleted: false },
    });
    // Someone else has closed it: the reason stays.
    await tracker.close(dismissed, 'fixed');
    expect(fake.issues[1]?.state_reason).toBe('not_planned');
    await tracker.reopen(fixed);
    expect(fake.issues[0]).toMatchObject({ state: 'open', state_reason: 'reopened' });
    expect((await tracker.read(fixed)).status).toBe('open');
  });

  it('finds issues of the account of the token only, and shows no hidden characters', async () => {
    const { fake, tracker } = await start();
    const key = await tracker.create(newIssue());
    Object.assign(fake.issues[0] as object, {
      by: 'mallory',
      state: 'closed',
      state_reason: 'a\u0000b\u202ec',
    });
    expect(await tracker.find(MARKER, TRIED)).toBeUndefined();
    expect(await tracker.read(key)).toMatchObject({ status: 'closed as abc', isCompleted: false });
  });

  it('takes no pull request for an issue', async () => {
    const { fake, tracker } = await start();
    const key = await tracker.create(newIssue());
    Object.assign(fake.issues[0] as object, { pull_request: { url: 'x' } });
    expect(await failureOf(tracker.read(key))).toMatchObject({
      kind: 'refused',
      message: '#1 is a pull request.',
    });
    // A pull request that quotes an issue has its marker.
    expect(await tracker.find(MARKER, TRIED)).toBeUndefined();
  });

  it('tells deleted issues from a repository without issues, and refuses an archived one', async () => {
    const { fake, tracker } = await start();
    const key = await tracker.create(newIssue());
    fake.repository.has_issues = false;
    for (const call of [() => tracker.read(key), () => tracker.check()])
      expect(await failureOf(call())).toMatchObject({
        kind: 'forbidden',
        message: 'Issues are switched off in the repository acme/web-shop.',
      });
    Object.assign(fake.repository, { has_issues: true, archived: true });
    expect(await failureOf(tracker.check())).toMatchObject({ kind: 'forbidden' });
  });

  it('waits after a secondary limit, which has no headers', async () => {
    const { fake, tracker } = await start();
    fake.intercept = () => ({ status: 403, body: { message: 'You have exceeded a secondary rate limit.' } });
    expect(await failureOf(tracker.check())).toMatchObject({ kind: 'later' });
    fake.intercept = () => ({
      status: 403,
      body: { message: 'Resource not accessible by personal access token' },
    });
    expect(await failureOf(tracker.check())).toMatchObject({ kind: 'forbidden' });
  });

  it('says when the token expires', async () => {
    const { fake, tracker } = await start();
    fake.expiry = '2026-12-31 09:00:00 UTC';
    expect(await tracker.check()).toEqual({ tokenExpiresAt: new Date('2026-12-31T09:00:00Z') });
    fake.expiry = 'never';
    expect(await tracker.check()).toEqual({});
  });

  it.each([
    ['https://github.com', 'https://api.github.com/repos/acme/web-shop'],
    ['https://acme.ghe.com', 'https://api.acme.ghe.com/repos/acme/web-shop'],
    ['https://git.acme.example', 'https://git.acme.example/api/v3/repos/acme/web-shop'],
    ['https://github.com.evil.example', 'https://github.com.evil.example/api/v3/repos/acme/web-shop'],
  ])('has its API of %s at %s', async (url, expected) => {
    const asked: string[] = [];
    const request = async (address: string) => {
      asked.push(address);
      return { status: 401, text: '', headers: new Headers() };
    };
    const settings = { kind: 'github' as const, url, project: 'acme/web-shop', labels: [], token: TOKEN };
    const tracker = createTracker(settings, { outbound: { request }, clock: () => NOW });
    await failureOf(tracker.check());
    expect(asked).toEqual([expected]);
    expect(tracker.urlOf('1')).toBe(`${url}/acme/web-shop/issues/1`);
  });
});
