import { describe, expect, it } from 'vitest';
import { TrackerError } from '../../lib/trackers/tracker.ts';
import type { TrackerRequest } from '../support/trackers/fake.ts';
import { connect, failureOf, MARKER, NOW, newIssue, RIGS, type Rig, TOKEN, TRIED } from './kit.ts';

const isCreation = ({ method, path }: TrackerRequest) => method === 'POST' && /\/issues?$/.test(path);

/** A rig with an issue. */
async function withIssue(start: () => Promise<Rig>): Promise<Rig & { key: string }> {
  const rig = await start();
  const key = await rig.tracker.create(newIssue());
  return { ...rig, key };
}

describe.each(Object.entries(RIGS))('%s', (name, start) => {
  it('creates an issue with its content, labels and marker', async () => {
    const { tracker, issues } = await start();
    const key = await tracker.create(newIssue());
    const [issue] = issues();
    expect(issues()).toHaveLength(1);
    expect(issue).toMatchObject({ key, title: 'SQL injection in login', isClosed: false });
    expect(issue?.labels).toEqual(['security', 'from scanner']);
    for (const text of ['Severity', 'high', 'The query is built from input.', MARKER])
      expect(issue?.text).toContain(text);
    expect(issue?.text).toContain('https://findings.example/findings/1');
    expect(await tracker.read(key)).toMatchObject({ key, isClosed: false });
  });

  it('creates one with one request, and finds one whose creation was answered, but not heard', async () => {
    const { tracker, fake, issues } = await start();
    await tracker.create(newIssue({ marker: 'another' }));
    expect(fake.requests).toHaveLength(1);
    expect(await tracker.find(MARKER, TRIED)).toBeUndefined();
    fake.intercept = (request) => (isCreation(request) ? 'lost' : undefined);
    expect(await failureOf(tracker.create(newIssue()))).toMatchObject({ kind: 'later' });
    fake.intercept = undefined;
    await tracker.create(newIssue({ marker: 'a third' }));
    const key = await tracker.find(MARKER, TRIED);
    expect(issues().find((issue) => issue.key === key)?.text).toContain(MARKER);
  });

  it('finds it behind pages of newer ones, and gives up after 500', async () => {
    const { tracker, fake } = await start();
    const key = await tracker.create(newIssue());
    for (let i = 0; i < 12; i++) await tracker.create(newIssue({ marker: `other ${i}` }));
    const pages = () =>
      fake.requests.filter(
        ({ path, method }) => /search/.test(path) || (method === 'GET' && /issues$/.test(path)),
      );
    expect(await tracker.find(MARKER, TRIED)).toBe(key);
    expect(pages()).toHaveLength(3);
    const all = (fake as unknown as { issues: object[] }).issues;
    all.push(...Array(500).fill(all[1]));
    const { kind, message } = await failureOf(tracker.find('new', TRIED));
    expect({ kind, message }).toMatchObject({ kind: 'refused', message: expect.stringContaining('500') });
  });

  it('finds one among long texts that take three bytes for each character', async () => {
    const { tracker } = await start();
    const key = await tracker.create(newIssue());
    const blocks = [{ kind: 'reported' as const, heading: 'Description', text: '漏'.repeat(40_000) }];
    for (let i = 0; i < 6; i++) await tracker.create(newIssue({ marker: `long ${i}`, blocks }));
    expect(await tracker.find(MARKER, TRIED)).toBe(key);
  });

  it('closes, reopens and comments, and repeats nothing', async () => {
    const { tracker, issues, fake, key } = await withIssue(start);
    const closed = await tracker.close(key, 'fixed');
    expect(issues()[0]?.isClosed).toBe(true);
    expect(await tracker.read(key)).toMatchObject({ isClosed: true, isCompleted: true, status: closed });
    const changes = () => fake.requests.filter(({ method }) => method !== 'GET').length;
    const after = changes();
    await tracker.close(key, 'dismissed');
    expect(changes()).toBe(after);
    await tracker.reopen(key);
    expect(issues()[0]?.isClosed).toBe(false);
    const reopened = changes();
    await tracker.reopen(key);
    expect(changes()).toBe(reopened);
    await tracker.comment(key, [{ kind: 'reported', heading: 'Note', text: 'Fixed in 1.2' }]);
    expect(issues()[0]?.comments).toEqual([expect.stringContaining('Fixed in 1.2')]);
  });

  it('checks its settings', async () => {
    const { tracker, hide } = await start();
    expect(await tracker.check()).toEqual({});
    hide();
    expect(await failureOf(tracker.check())).toMatchObject({ kind: 'forbidden' });
  });

  it('tells a deleted issue from one that was moved, and from a project out of reach', async () => {
    const calls = ({ tracker, key }: { tracker: Rig['tracker']; key: string }) => [
      () => tracker.read(key),
      () => tracker.close(key, 'fixed'),
      () => tracker.reopen(key),
    ];
    const deleted = await withIssue(start);
    deleted.remove();
    for (const call of [...calls(deleted), () => deleted.tracker.comment(deleted.key, newIssue().blocks)])
      expect(await failureOf(call())).toMatchObject({ kind: 'deleted' });
    const moved = await withIssue(start);
    moved.move();
    for (const call of calls(moved)) expect(await failureOf(call())).toMatchObject({ kind: 'moved' });
    const hidden = await withIssue(start);
    hidden.hide();
    for (const call of [...calls(hidden), () => hidden.tracker.comment(hidden.key, newIssue().blocks)])
      expect(await failureOf(call())).toMatchObject({ kind: 'forbidden' });
  });

  it('says that the token is not accepted, without the token', async () => {
    const { tracker, fake } = await start();
    fake.intercept = () => ({ status: 401, body: { message: `Bad credentials: ${TOKEN}` } });
    const failure = await failureOf(tracker.create(newIssue()));
    expect(failure).toMatchObject({ kind: 'unauthorized', status: 401 });
    expect(failure.message).toContain('Bad credentials');
    expect(failure.message).not.toContain(TOKEN);
    fake.intercept = () => ({
      status: 200,
      body: {},
      headers: { 'x-seraph-loginreason': 'AUTHENTICATED_FAILED' },
    });
    expect(await failureOf(tracker.check())).toMatchObject({ kind: 'unauthorized' });
  });

  it.each([
    [429, { 'retry-after': '120' }, 120],
    [403, { 'retry-after': '60' }, 60],
    [429, { 'retry-after': 'Mon, 30 Nov 2026 09:05:00 GMT' }, 300],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW.getTime() / 1_000 + 90) }, 90],
    [429, { 'ratelimit-remaining': '0', 'ratelimit-reset': String(NOW.getTime() / 1_000 + 30) }, 30],
    [
      502,
      { 'x-ratelimit-remaining': '4900', 'x-ratelimit-reset': String(NOW.getTime() / 1_000 + 90) },
      undefined,
    ],
    [503, { 'retry-after': '999999999' }, 3_600],
    [429, { 'retry-after': '0' }, 1],
    [429, { 'retry-after': 'soon' }, undefined],
    [502, {}, undefined],
  ])('waits after the status %i with %o', async (status, headers, seconds) => {
    const { tracker, fake } = await start();
    fake.intercept = () => ({ status, headers, body: '<h1>no JSON' });
    const { kind, retryAt } = await failureOf(tracker.check());
    expect(kind).toBe('later');
    expect(retryAt && (retryAt.getTime() - NOW.getTime()) / 1_000).toBe(seconds);
  });

  it('does not follow a redirect, and sends the token to nobody else', async () => {
    const { tracker, fake } = await start();
    const other = await start();
    fake.intercept = () => ({ status: 302, headers: { location: `${other.fake.url}/steal` } });
    expect(await failureOf(tracker.check())).toMatchObject({ kind: 'moved' });
    expect(await failureOf(tracker.create(newIssue()))).toMatchObject({ kind: 'moved' });
    expect(other.fake.requests).toEqual([]);
  });

  it.each([
    ['an empty body', ''],
    ['a page of HTML', '<html>'],
    ['another value', '"ok"'],
    ['null', 'null'],
    ['wrong types', '{"number":"1","iid":{},"key":7,"state":"?","fields":[],"issues":0,"transitions":{}}'],
    ['a key that is a path', '{"number":-1,"iid":0.5,"key":"../../x","id":1}'],
  ])('takes %s for no answer', async (_, body) => {
    const { tracker, fake, key } = await withIssue(start);
    fake.intercept = () => ({ status: 200, body });
    for (const call of [() => tracker.check(), () => tracker.create(newIssue()), () => tracker.read(key)])
      expect(await failureOf(call())).toMatchObject({ kind: 'later' });
  });

  it('does not ask again for an answer that is larger than 1 MiB', async () => {
    const { tracker, fake, key } = await withIssue(start);
    fake.intercept = () => ({ status: 200, body: JSON.stringify({ x: 'x'.repeat(1_100_000) }) });
    const { kind, message } = await failureOf(tracker.read(key));
    expect([kind, message]).toEqual(['refused', expect.stringContaining('1 MiB')]);
  });

  it('quotes why a request was refused, in a short line', async () => {
    const { tracker, fake, issues } = await start();
    fake.intercept = (request) =>
      isCreation(request)
        ? { status: 400, body: { message: { priority: ['is\nrequired'] }, errors: { x: 'y'.repeat(2_000) } } }
        : undefined;
    const { kind, message } = await failureOf(tracker.create(newIssue()));
    expect(kind).toBe('refused');
    expect(message).toContain('priority: is required');
    expect(message.length).toBeLessThan(400);
    expect(message).not.toContain('\n');
    expect(issues()).toEqual([]);
  });

  it('cannot be reached', async () => {
    const { settings } = await start();
    const tracker = connect({ ...settings, url: 'http://127.0.0.9:1' });
    const failure = await failureOf(tracker.check());
    expect(failure).toBeInstanceOf(TrackerError);
    expect(failure).toMatchObject({ kind: 'later', message: 'http://127.0.0.9:1 cannot be reached.' });
    const inside = connect({ ...settings, url: 'https://169.254.169.254' });
    expect((await failureOf(inside.check())).message).toContain('private address');
  });

  it('reads keys from addresses of issues of its project only', async () => {
    const { tracker, settings } = await start();
    const key = name.startsWith('Jira') ? 'WEB-12' : '12';
    const url = tracker.urlOf(key);
    expect(url.startsWith(`${settings.url}/`)).toBe(true);
    for (const text of [url, `${url}/`, `${url}?tab=all#note_1`]) expect(tracker.keyOf(text), text).toBe(key);
    const others = [
      url.replace('127.0.0.1', '127.0.0.2'),
      url.replace('http:', 'https:'),
      url.replace('web-shop', 'other').replace('WEB-', 'OPS-'),
      url.replace('12', '0').replace('WEB-0', 'WEB-x'),
      `${url}/../../x`,
      `${url}/pull/1`,
      'javascript:alert(1)',
      '',
    ];
    for (const text of others) expect(tracker.keyOf(text), text).toBeUndefined();
  });
});
