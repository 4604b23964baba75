import { readFileSync } from 'node:fs';
import net from 'node:net';
import { UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OVER_SHARE } from '../../db/pool/semaphore.ts';
import { mfaLogins } from '../../db/schema/accounts.ts';
import { endpoints } from '../../handlers/index.ts';
import { ApiError, ERRORS } from '../../lib/errors.ts';
import { createByteBudget } from '../../lib/fair-share/byte-budget.ts';
import { createApp, refuseMalformed } from '../../lib/http/app.ts';
import type { Endpoint } from '../../lib/http/endpoint.ts';
import { createHttpServer, type HttpServer } from '../../lib/node/http-server.ts';
import type { Services } from '../../lib/services.ts';
import { flowCookie, newFlow, sealFlow } from '../../lib/sso/flow.ts';
import {
  type Answer,
  type Api,
  type CallOptions,
  createApi,
  createOrg,
  must,
  type TestOrg,
} from '../support/api/api.ts';
import { createPasskeyDevice, signInOptions } from '../support/api/passkeys.ts';
import { declaredErrors, observe } from '../support/contract/contract.ts';
import { type Operation, operations } from '../support/contract/description.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
});

const withError = (key: string): [string, Operation][] =>
  operations
    .filter(({ responses }) =>
      Object.values(responses).some((response) => declaredErrors(response).includes(key)),
    )
    .map((operation) => [operation.operationId, operation]);

const bodyOf = ({ requestBody }: Operation) => requestBody?.content['application/json'];
const withBody = operations.filter(bodyOf).map((operation) => [operation.operationId, operation] as const);

/** Calls an operation with the required permissions and the body of its example; ids are random. */
function call(
  api: Api,
  operation: Operation,
  options: CallOptions = {},
  id: string = crypto.randomUUID(),
): Promise<Answer> {
  const { kind } = (endpoints as Record<string, Endpoint>)[operation.operationId]?.access ?? {};
  const path = operation.path
    .replaceAll(/\{\w+\}/g, id)
    .replace(/^\/api\/v1(?=\/)|^/, (prefix) => (prefix ? '' : '/'));
  const body = bodyOf(operation)?.example;
  return api.call(operation.method, path, {
    ...(kind === 'bearer' ? org.asAgent : org.asOwner),
    ...(body !== undefined && { body }),
    ...options,
  });
}

const outcome = ({ status, error }: Answer) => [status, error];
const over = (changed: Partial<Services>): Api => {
  const app = createApp({ ...t.services, ...changed }, endpoints);
  return createApi((request) => app.request(request));
};

describe('a body', () => {
  const required = (operation: Operation) => {
    const { $ref, ...inline } = bodyOf(operation)?.schema ?? {};
    expect($ref ?? inline.required).toBeDefined();
    return Object.keys(bodyOf(operation)?.example as object);
  };

  const requiredBody = withBody.filter(([, { requestBody }]) => requestBody?.required);
  it.each(requiredBody)('without anything in it is refused: %s', async (_, operation) => {
    const answer = await call(t.api, operation, { body: {} });
    expect(outcome(answer)).toEqual([400, 'validation_error/field_required']);
    expect(answer.badFields.length).toBeGreaterThan(0);
  });

  // The findings of a batch are refused one by one.
  const refusedWhole = requiredBody.filter(([name]) => name !== 'pushFindings');
  it.each(refusedWhole)('whose fields are all of another type is refused: %s', async (name, operation) => {
    const all = required(operation);
    // `project` is ignored beside `project_id`, whatever it holds.
    const names = all.filter((field) => field !== 'project' || !all.includes('project_id'));
    const body = Object.fromEntries(names.map((field) => [field, [[]]]));
    const answer = await call(t.api, operation, { body });
    expect(outcome(answer)).toEqual([400, 'validation_error/field_invalid']);
    // In a list, it is what stands in it.
    const bad = answer.badFields.map((field) => field.split('.', 1)[0]);
    // The kind of an integration decides which other fields it has.
    expect(bad.toSorted()).toEqual(name === 'createIntegration' ? ['kind'] : names.toSorted());
  });
});

describe('a bug of ours', () => {
  it.each(withError('server_error/internal'))(
    'is answered without a word of its cause: %s',
    async (_, operation) => {
      const broken = over({
        clock() {
          throw new Error('a secret of the house');
        },
      });
      const answer = await call(broken, operation);
      expect(outcome(answer)).toEqual([500, 'server_error/internal']);
      expect(answer.text).not.toContain('secret');
    },
  );
});

describe('a database that is lost', () => {
  let lost: TestApp;
  beforeAll(async () => {
    lost = await startApp({ databaseUrl: 'postgres://nobody:x@127.0.0.1:1/none' });
  });

  const ofLogin = /^\/api\/v1\/auth\/(?:mfa\/|passkey\/options)/;

  /** A body that is refused no earlier than in the database. */
  async function bodyOf(path: string) {
    if (ofLogin.test(path)) return await mfaBody();
    if (!path.endsWith('/auth/passkey/verify')) return undefined;
    return { credential: createPasskeyDevice().get(await signInOptions(lost.api)) };
  }

  /** Calls with a query or body of ours that get as far as the database. */
  async function ofSigned({ operationId, path }: Operation): Promise<{ path: string; options: CallOptions }> {
    if (operationId === 'unsubscribe') {
      const token = lost.services.unsubscribeTokens.sign(crypto.randomUUID(), 'daily');
      return { path: `${path}?token=${token}`, options: {} };
    }
    if (operationId === 'startSso') return { path: `${path}?org=acme`, options: {} };
    if (operationId === 'ssoCallback') {
      const flow = newFlow(lost.services.clock(), {
        ...{ connectionId: crypto.randomUUID(), purpose: 'sign-in' },
      });
      const cookie = `${flowCookie(flow.state)}=${await sealFlow(lost.services.ssoBox, flow)}`;
      return { path: `${path}?state=${flow.state}`, options: { cookie: undefined, headers: { cookie } } };
    }
    if (operationId === 'backchannelLogout') {
      const token = new UnsecuredJWT({ iss: 'https://login.example', aud: 'x' }).encode();
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return { path, options: { headers, body: `logout_token=${token}` } };
    }
    return { path, options: {} };
  }

  it.each(withError('server_error/unavailable'))('is said to be: %s', async (_, operation) => {
    const body = await bodyOf(operation.path);
    const { path, options: more } = await ofSigned(operation);
    const options = { ...(body && { body }), ...more };
    const { status, error, text } = await call(lost.api, { ...operation, path }, options);
    expect([error, status]).toEqual(['server_error/unavailable', operation.path.endsWith('z') ? 503 : 500]);
    expect(text).not.toMatch(/ECONN|127\.0\.0\.1|nobody/);
  });
});

/** A body that passes as the start of a login with MFA. */
async function mfaBody() {
  const { id, at } = t.services.nextId();
  const mfa_token = await t.services.signedTokens.sign('mfa', { userId: org.owner.id, id }, at);
  const expiresAt = new Date(at.getTime() + 60_000);
  await t.services.database.db.insert(mfaLogins).values({ id, userId: org.owner.id, expiresAt });
  return { mfa_token, device_id: crypto.randomUUID(), code: '123456' };
}

describe('a limit that is reached', () => {
  const limits: Services['limits'] = {
    on: true,
    async count() {
      throw new ApiError('rate_limit_error/exceeded', { retryAfter: 7 });
    },
    async guess() {
      throw new ApiError('rate_limit_error/exceeded', { retryAfter: 7 });
    },
    async forget() {},
  };

  /** The id in the path, where it has to be of something. */
  async function existing(operationId: string) {
    const as = { cookie: org.owner.cookie };
    if (operationId === 'sendVerification') return must(await t.api.get('/profile/emails', as)).emails[0].id;
    if (operationId === 'verifyTotpDevice')
      return must(await t.api.post('/profile/mfa/devices/totp', { ...as, body: { name: 'Phone' } })).device
        .id;
    return undefined;
  }

  /** An organization whose share is in use. */
  const gate: Services['gate'] = {
    isShared: () => true,
    work: (_org, run) => run(),
    fetch: (_org, read) => read(),
    tryEnter: () => undefined,
    enter() {
      throw Object.assign(new Error('not admitted'), { code: OVER_SHARE });
    },
  };
  const ofOrg = ({ operationId }: Operation) =>
    ['cookieOrg', 'bearer'].includes((endpoints as Record<string, Endpoint>)[operationId]?.access.kind ?? '');
  /** Limits its responses that are in progress: see tests/accounts/export.test.ts. */
  const isExport = ([, { operationId }]: [string, Operation]) => operationId === 'exportMe';
  const limited = withError('rate_limit_error/exceeded').filter((one) => !isExport(one));

  it.each(limited.filter(([, operation]) => ofOrg(operation)))(
    'says how long to wait for an organization over its share: %s',
    async (_, operation) => {
      const answer = await call(over({ gate }), operation);
      expect(outcome(answer)).toEqual([429, 'rate_limit_error/exceeded']);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    },
  );

  /** Have no limit but that on the memory for bodies. */
  const BODY_ONLY = [
    ...['updateMe', 'deleteMe', 'createTotpDevice', 'createEmailDevice', 'createPersonalToken'],
    ...['createOrg', 'updateOrg', 'deleteOrg', 'createPasskey', 'updatePasskey', 'passkeyOptions'],
    ...['connectIdentity', 'updateNotifications'],
  ];
  const others = limited.filter(([name, operation]) => !ofOrg(operation) && !BODY_ONLY.includes(name));

  it.each(withBody)('says how long to wait for memory for a large body: %s', async (_, operation) => {
    const full = createByteBudget({ total: 1, perAccount: 1, timeoutMs: 10 });
    const bodies = { ofOrgs: full, ofClients: full };
    const unknown = 'x'.repeat(100_000);
    const answer = await call(over({ bodies }), operation, { body: { unknown } });
    expect(outcome(answer)).toEqual([429, 'rate_limit_error/exceeded']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it.each(others)('says how long to wait: %s', async (_, operation) => {
    const options = operation.path.startsWith('/api/v1/auth/mfa/') ? { body: await mfaBody() } : {};
    const answer = await call(over({ limits }), operation, options, await existing(operation.operationId));
    expect(outcome(answer)).toEqual([429, 'rate_limit_error/exceeded']);
    expect(answer.headers.get('retry-after')).toBe('7');
  });
});

describe('a request that cannot be understood', () => {
  let server: HttpServer;
  let port: number;
  beforeAll(async () => {
    server = createHttpServer({ fetch: t.app.fetch, malformed: refuseMalformed });
    port = await server.listen(0, '127.0.0.1');
  });
  afterAll(() => server.stop(1_000));

  const exchange = (request: string) =>
    new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = net.connect(port, '127.0.0.1', () => socket.write(request));
      socket.setEncoding('utf8').on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', reject).on('close', () => resolve(received));
    });

  it.each(withError('validation_error/invalid_request'))(
    'is refused in the envelope: %s',
    async (_, operation) => {
      const { method } = operation;
      const path = operation.path.replaceAll(/\{\w+\}/g, crypto.randomUUID());
      const received = await exchange(`${method} ${path} HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n`);
      const [head = '', text = ''] = received.split('\r\n\r\n');
      const [line = '', ...fields] = head.split('\r\n');
      const headers = new Headers(fields.map((field) => field.split(': ') as [string, string]));
      const status = Number(line.split(' ')[1]);
      expect(status).toBe(400);
      expect(JSON.parse(text).errors).toMatchObject([{ type: 'validation_error', code: 'invalid_request' }]);
      observe({ method, path, status, headers, text });
    },
  );
});

describe('the reference of an error', () => {
  it('is the one in docs/api.md', () => {
    const rows = readFileSync('docs/api.md', 'utf8').matchAll(
      /^\| `(\w+)` \| `(\w+)`.*? \| (E\d+) \| (\d+)/gm,
    );
    const listed = Array.from(rows, ([, type, code, ref, status]) => [
      `${type}/${code}`,
      ref,
      Number(status),
    ]);
    const errors = Object.entries(ERRORS).map(([key, { ref, status }]) => [key, ref, status]);
    expect(errors.toSorted()).toEqual(listed.toSorted());
  });

  it('is of no other error, and begins with the digit of its type', () => {
    const refs = Object.values(ERRORS).map(({ ref }) => ref);
    expect(new Set(refs).size).toBe(refs.length);
    const digits = Object.entries(ERRORS).map(([key, { ref }]) => `${key.split('/', 1)} ${ref[1]}`);
    expect(new Set(digits)).toEqual(
      new Set([
        ...['auth_error 1', 'token_error 2', 'tenant_error 3', 'resource_error 4', 'validation_error 5'],
        ...['permission_error 6', 'rate_limit_error 7', 'server_error 9'],
      ]),
    );
  });
});
