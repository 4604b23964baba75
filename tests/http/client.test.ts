import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { type Client, createClient, type Schemas, ServiceError } from '../../lib/client/index.ts';
import { createOrg, createScan, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;
let agent: Client;
/** As a browser: with the owner's cookie. */
let user: Client;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
  const options = { baseUrl: 'http://localhost/', orgSlug: org.slug };
  agent = createClient({ ...options, token: org.token, fetch: async (request) => t.app.request(request) });
  user = createClient({
    ...options,
    async fetch(request) {
      request.headers.set('cookie', `svc_token=${org.owner.cookie}`);
      return t.app.request(request);
    },
  });
});

const pushed = async (fingerprint: string) => {
  const body = {
    scan_id: await createScan(t.api, org),
    project_id: org.projectId,
    fingerprint,
    title: 'SQL injection in search',
    severity: 'high' as const,
    description: 'User input reaches the query.',
  };
  return agent.post('/agent/findings', { body });
};

const failure = (call: Promise<unknown>) =>
  call.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as ServiceError,
  );

describe('the client', () => {
  it('gives the result out of its envelope', async () => {
    const { result, status, requestId } = await pushed('first');
    expectTypeOf(result).toEqualTypeOf<Schemas['PushedFinding']>();
    expect(status).toBe(201);
    expect(requestId).toMatch(/^req_/);
    expect(result).toMatchObject({ fingerprint: 'first', deduplicated: false, status: 'open' });
    expect((await pushed('first')).status).toBe(200);
  });

  it('fills paths and queries', async () => {
    const { id } = (await pushed('second')).result;
    const { result } = await user.get('/findings/{id}', { params: { path: { id } } });
    expectTypeOf(result).toEqualTypeOf<Schemas['Finding']>();
    expect(result.id).toBe(id);
    const list = await user.get('/findings', {
      params: { query: { severity: ['high', 'critical'], status: ['open'], per_page: 1 } },
    });
    expectTypeOf(list.result).toEqualTypeOf<Schemas['ListedFinding'][]>();
    expect(list.result.map((finding) => finding.id)).toEqual([id]);
    expect(list.resultInfo).toMatchObject({ page: 1, per_page: 1, total: 2, has_next: true });
    expect((await user.get('/findings')).resultInfo).toBeUndefined();
  });

  it('gives the message where there is no result', async () => {
    const { result, message } = await user.delete('/profile/sessions');
    expectTypeOf(result).toEqualTypeOf<undefined>();
    expect([result, message]).toEqual([undefined, '0 sessions were revoked.']);
  });

  it('gives nothing where there is no body', async () => {
    const project = await user.post('/projects/{projectId}/tokens', {
      params: { path: { projectId: org.projectId } },
      body: { name: 'short-lived' },
    });
    const path = { projectId: org.projectId, id: project.result.info.id };
    const { status, result } = await user.delete('/projects/{projectId}/tokens/{id}', { params: { path } });
    expectTypeOf(result).toEqualTypeOf<undefined>();
    expect([status, result]).toEqual([204, undefined]);
  });

  it('throws what the service refuses', async () => {
    const error = await failure(
      // @ts-expect-error a finding has more required fields
      agent.post('/agent/findings', { body: { title: 'x'.repeat(501) } }),
    );
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({
      status: 400,
      type: 'validation_error',
      code: 'field_required',
      ref: 'E50003',
      message: 'A required field is missing.',
      requestId: expect.stringMatching(/^req_/),
      details: expect.arrayContaining([{ field: 'title', message: 'must have at most 500 characters' }]),
      retryAfter: undefined,
    });
  });

  it('throws what a proxy answers in place of the service', async () => {
    const proxied = createClient({
      baseUrl: 'http://localhost',
      fetch: async () =>
        new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'retry-after': '3' } }),
    });
    const error = await failure(proxied.get('/orgs'));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ status: 502, type: '', code: '', retryAfter: 3, details: [] });
  });

  it.each(['null', '', '<h1>Log in first</h1>', '{"status":"ok"}'])(
    'does not take the success of somebody else for one of the service: %s',
    async (text) => {
      const portal = createClient({ baseUrl: 'http://localhost', fetch: async () => new Response(text) });
      expect(await failure(portal.get('/orgs'))).toMatchObject({
        name: 'ServiceError',
        status: 200,
        code: '',
      });
    },
  );

  it('passes on that the service was not reached', async () => {
    const away = createClient({
      baseUrl: 'http://localhost',
      fetch: async () => {
        throw new TypeError('fetch failed');
      },
    });
    expect(await failure(away.get('/orgs'))).toEqual(new TypeError('fetch failed'));
  });

  it('knows the paths, parameters and values there are', () => {
    const misuse = () => [
      // @ts-expect-error no such path
      agent.get('/nothing'),
      // @ts-expect-error not with this method
      agent.delete('/orgs'),
      // @ts-expect-error the id is missing
      agent.get('/findings/{id}'),
      // @ts-expect-error no such severity
      user.get('/findings', { params: { query: { severity: ['awful'] } } }),
    ];
    expect(misuse).toBeInstanceOf(Function);
  });
});
