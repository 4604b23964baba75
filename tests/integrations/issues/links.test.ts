import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { must } from '../../support/api/api.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { createIssueWorld, ENV, type IssueWorld, TOKEN } from './kit.ts';

/* Issues of a tracker that findings are linked to, and unlinked from. */

let t: TestApp;
let w: IssueWorld;

beforeAll(async () => {
  t = await startApp({ env: ENV });
});

beforeEach(async () => {
  w = await createIssueWorld(t);
});

describe('an issue', () => {
  it('is linked by its address, and read', async () => {
    const finding = await w.report();
    w.github.issues.push({
      ...{ number: 1, title: 'Known', body: null, labels: [], state: 'closed', state_reason: 'completed' },
      ...{ created_at: t.services.clock().toISOString(), comments: [] },
    });
    const url = `${w.github.url}/acme/web-shop/issues/1`;
    const answer = await w.request(finding, { url });
    expect([answer.status, answer.result]).toMatchObject([202, { key: '1', url, state: 'pending' }]);
    expect(await w.inState(finding, 'closed')).toMatchObject({ key: '1', url, status: expect.any(String) });
    // Another finding of the same issue, and the same request again.
    const other = await w.report();
    expect((await w.request(other, { url })).result).toMatchObject({
      id: answer.result.id,
      finding_count: 2,
    });
    expect((await w.request(other, { url })).status).toBe(200);
    expect((await w.request(other, { url: `${url}2` })).status).toBe(409);
    expect(w.github.issues).toHaveLength(1);
    expect((await w.audit()).at(-1)).toMatchObject({ changes: { url: { to: url } } });
  });

  it.each([
    ['another repository', (base: string) => `${base}/acme/other/issues/1`],
    ['another host', () => 'https://github.evil.example/acme/web-shop/issues/1'],
    ['a host that begins the same', (base: string) => `${base}.evil.example/acme/web-shop/issues/1`],
    ['credentials before another host', (base: string) => `${base}@evil.example/acme/web-shop/issues/1`],
    ['a path that leads elsewhere', (base: string) => `${base}/acme/web-shop/issues/../../../user`],
    ['no number', (base: string) => `${base}/acme/web-shop/issues/x`],
    ['a script', () => 'javascript:alert(1)'],
    ['no address', () => 'issue 12'],
  ])('of %s is not linked', async (_, url) => {
    const finding = await w.report();
    const answer = await w.request(finding, { url: url(w.github.url) });
    expect([answer.status, answer.badFields]).toEqual([400, ['url']]);
    expect([await w.issues(finding), w.github.requests]).toEqual([[], []]);
  });

  it('stays at the tracker when it is unlinked', async () => {
    const finding = await w.report();
    const { id } = must(await w.request(finding));
    await w.inState(finding, 'open');
    expect((await w.unlink(finding, id)).status).toBe(204);
    expect((await w.unlink(finding, id)).status).toBe(404);
    expect([await w.issues(finding), await w.run('select id from ORG.issues')]).toEqual([[], []]);
    expect(w.github.issues.map(({ state }) => state)).toEqual(['open']);
    expect(await w.actions()).toEqual(['issue.unlinked', 'issue.created']);
  });
});

describe('a tracker', () => {
  it.each<[string, () => unknown]>([
    ['deleted', () => Object.assign(w.github.issues[0] ?? {}, { is: 'deleted' })],
    ['moved', () => Object.assign(w.github.issues[0] ?? {}, { is: 'transferred' })],
    [
      'out of reach',
      () => {
        w.github.intercept = () => ({ status: 404, body: { message: 'Not Found' } });
      },
    ],
  ])('tells that a linked issue is %s', async (_, change) => {
    const first = await w.report();
    must(await w.request(first));
    const { url } = await w.inState(first, 'open');
    await change();
    const second = await w.report();
    must(await w.request(second, { url }));
    expect(await w.inState(second, 'gone')).toMatchObject({ reason: expect.any(String) });
    // 410 of an issue is not 410 of the tracker.
    expect((await w.integrations())[0]).toMatchObject({ enabled: true });
  });

  it('of another project does not answer for issues of the former one', async () => {
    const first = await w.report();
    must(await w.request(first));
    const { url } = await w.inState(first, 'open');
    await w.patch({ project: 'acme/other', token: TOKEN });
    const asked = w.github.requests.length;
    const second = await w.report();
    expect((await w.request(second, { url })).badFields).toEqual(['url']);
    await w.run(
      `insert into ORG.events (id, at, type, subject) select gen_random_uuid(), $1, 'issue.requested', id from ORG.issues`,
      [t.services.clock().toISOString()],
    );
    expect(await w.inState(first, 'gone')).toMatchObject({
      reason: expect.stringContaining('another project'),
    });
    expect(w.github.requests).toHaveLength(asked);
  });
});
