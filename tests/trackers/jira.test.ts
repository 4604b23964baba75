import { describe, expect, it } from 'vitest';
import type { Tracker } from '../../lib/trackers/tracker.ts';
import { type FakeJira, startJira } from '../support/trackers/jira.ts';
import { connect, failureOf, MARKER, NOW, newIssue, TOKEN, TRIED } from './kit.ts';

async function start(issueType = 'Task'): Promise<{ fake: FakeJira; tracker: Tracker; key: string }> {
  const email = 'ada@acme.example';
  const fake = await startJira(TOKEN, email);
  const settings = {
    kind: 'jira' as const,
    url: fake.url,
    project: 'WEB',
    issueType,
    email,
    labels: [],
    token: TOKEN,
  };
  const tracker = connect(settings);
  return { fake, tracker, key: await tracker.create(newIssue()) };
}

const first = ({ issues: [issue] }: FakeJira) => {
  if (!issue) throw new Error('there is no issue');
  return issue;
};

describe('Jira', () => {
  it('reads the category of the status, and not the resolution', async () => {
    const { fake, tracker, key } = await start();
    const issue = first(fake);
    issue.resolution = 'Fixed';
    expect(await tracker.read(key)).toMatchObject({ key, isClosed: false, status: 'To Do' });
    Object.assign(issue, { status: 'Declined', resolution: null });
    expect(await tracker.read(key)).toMatchObject({ key, isClosed: true, status: 'Declined' });
  });

  it('chooses a transition by the category of its status, and one that needs no fields', async () => {
    const { fake, tracker, key } = await start();
    fake.transitions = [
      { id: '1', to: 'In Progress' },
      { id: '2', to: 'Declined', requires: 'resolution' },
      { id: '3', to: 'Done' },
      { id: '4', to: 'To Do' },
    ];
    await tracker.close(key, 'fixed');
    expect(first(fake).status).toBe('Done');
    await tracker.reopen(key);
    expect(first(fake).status).toBe('To Do');
    fake.transitions = [{ id: '1', to: 'In Progress' }];
    first(fake).status = 'Done';
    await tracker.reopen(key);
    expect(first(fake).status).toBe('In Progress');
  });

  it('says that the workflow has no such transition, and changes nothing', async () => {
    const { fake, tracker, key } = await start();
    fake.transitions = [{ id: '1', to: 'In Progress' }];
    expect(await failureOf(tracker.close(key, 'fixed'))).toMatchObject({
      kind: 'refused',
      message: 'The workflow has no transition of WEB-1 to a status of the category "Done".',
    });
    fake.transitions = [{ id: '1', to: 'Done', requires: 'customfield_1' }];
    expect((await failureOf(tracker.close(key, 'fixed'))).message).toContain('without required fields');
    expect(first(fake).status).toBe('To Do');
  });

  it('searches for an issue a minute after it was tried, because its index is behind', async () => {
    const { fake, tracker, key } = await start();
    const asked = fake.requests.length;
    const early = await failureOf(tracker.find(MARKER, new Date(NOW.getTime() - 1_000)));
    expect(early).toMatchObject({ kind: 'later', retryAt: new Date(NOW.getTime() + 59_000) });
    expect(fake.requests).toHaveLength(asked);
    expect(await tracker.find(MARKER, TRIED)).toBe(key);
  });

  it('takes a description that is nested too deeply for another issue', async () => {
    const { fake, tracker } = await start();
    const body = `{"issues":[{"key":"WEB-1","fields":{"description":${'['.repeat(100_000)}${']'.repeat(100_000)}}}]}`;
    fake.intercept = () => ({ status: 200, body });
    expect(await tracker.find(MARKER, TRIED)).toBeUndefined();
  });

  it('names the new key of an issue that was moved', async () => {
    const { fake, tracker, key } = await start();
    Object.assign(first(fake), { formerKey: key, key: 'OPS-7' });
    expect((await failureOf(tracker.read(key))).message).toBe('The issue WEB-1 was moved. It is OPS-7 now.');
  });

  it('names missing permissions, and an unknown type of issues', async () => {
    const { fake, tracker } = await start();
    Object.assign(fake.permissions, { CREATE_ISSUES: false, TRANSITION_ISSUES: false });
    expect(await failureOf(tracker.check())).toMatchObject({
      kind: 'forbidden',
      message: 'The account may not do this in the project WEB: create issues, transition issues.',
    });
    for (const issueType of ['Epic', 'Sub-task'])
      expect(await failureOf((await start(issueType)).tracker.check())).toMatchObject({ kind: 'refused' });
  });
});
