import { describe, expect, it } from 'vitest';
import type { Tracker } from '../../lib/trackers/tracker.ts';
import { type FakeGitlab, startGitlab } from '../support/trackers/gitlab.ts';
import { connect, failureOf, NOW, newIssue, TOKEN } from './kit.ts';

async function start(): Promise<{ fake: FakeGitlab; tracker: Tracker }> {
  const fake = await startGitlab(TOKEN, () => NOW);
  const settings = {
    kind: 'gitlab' as const,
    url: fake.url,
    project: 'acme/web-shop',
    labels: [],
    token: TOKEN,
  };
  return { fake, tracker: connect(settings) };
}

describe('GitLab', () => {
  it('runs no commands of reports, in issues and comments', async () => {
    const { fake, tracker } = await start();
    const text = 'x\n```\n/close\n/assign @ada';
    const blocks = [{ kind: 'reported' as const, heading: 'Description', text }];
    const key = await tracker.create(newIssue({ title: '/close', blocks }));
    await tracker.comment(key, blocks);
    expect(fake.commands).toEqual([]);
    expect(fake.issues[0]?.state).toBe('opened');
  });

  it('needs a token that may write, and says when it expires', async () => {
    const { fake, tracker } = await start();
    fake.token.scopes = ['read_api'];
    expect(await failureOf(tracker.check())).toMatchObject({
      kind: 'forbidden',
      message: 'The token needs the scope `api` to create issues.',
    });
    Object.assign(fake.token, { scopes: ['api', 'read_user'], expires_at: '2026-12-31' });
    expect(await tracker.check()).toEqual({ tokenExpiresAt: new Date('2026-12-31T00:00:00Z') });
    fake.token.expires_at = 'never';
    expect(await tracker.check()).toEqual({});
  });

  it('says that the project has no issues, or is archived', async () => {
    const { fake, tracker } = await start();
    fake.project.issues_enabled = false;
    expect((await failureOf(tracker.check())).message).toBe(
      'Issues are switched off in the project acme/web-shop.',
    );
    Object.assign(fake.project, { issues_enabled: true, archived: true });
    expect((await failureOf(tracker.check())).message).toBe('The project acme/web-shop is archived.');
  });

  it('reads addresses of all forms', async () => {
    const { fake, tracker } = await start();
    for (const path of [
      'acme/web-shop/-/issues/12',
      'acme/web-shop/issues/12',
      'Acme/Web-Shop/-/work_items/12',
    ])
      expect(tracker.keyOf(`${fake.url}/${path}`), path).toBe('12');
    expect(tracker.keyOf(`${fake.url}/x/acme/web-shop/-/issues/12`)).toBeUndefined();
  });
});
