import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLogger, type Logger } from '../../../lib/logger.ts';
import { PASSWORD, textOf } from '../../support/api/api.ts';
import { observe } from '../../support/contract/contract.ts';
import { mutations, spoil } from '../../support/hostile/mutations.ts';
import { type HostileOperation, hostileOperations } from '../../support/hostile/operations.ts';
import { createHostileWorld, type HostileWorld } from '../../support/hostile/world.ts';
import { startApp, type TestApp } from '../../support/server/app.ts';
import { plainHasher } from '../../support/server/hasher.ts';
import { withoutOutbox } from '../../support/server/no-outbox.ts';

/** Requests per endpoint. `npm run soak -- hostile` sends more, and others. */
const REQUESTS = 20;
const SEED = 7;

const operations = hostileOperations();

/** Operations that only mails, a second factor or a provider let in. */
const SECRETS = new Set([
  ...['resetPassword', 'verifyEmail', 'validateMfa', 'sendEmailOtp', 'verifyTotpDevice', 'disableMfa'],
  ...['regenerateRecoveryCodes', 'undoEmailChange', 'unsubscribe', 'unsubscribePage'],
  ...['createPasskey', 'verifyPasskey'],
  ...['startSso', 'ssoCallback', 'backchannelLogout', 'connectIdentity', 'testConnection', 'verifyOrgDomain'],
  'exchangeCiToken',
  ...['undoOrgChange', 'declineInvitation', 'acceptOwnership', 'declineOwnership'],
]);

let t: TestApp;
let world: HostileWorld;
/** The log, in both formats. */
const lines = { text: [] as string[], json: [] as string[] };

beforeAll(async () => {
  const both = (['text', 'json'] as const).map((format) =>
    createLogger({ level: 'debug', format, write: (line) => lines[format].push(line) }),
  );
  const log = Object.fromEntries(
    (['debug', 'info', 'warn', 'error'] as const).map((level) => [
      level,
      (message: string, fields?: Record<string, unknown>) => {
        for (const one of both) one[level](message, fields);
      },
    ]),
  ) as unknown as Logger;
  // Each renewal of the world makes tokens.
  t = await startApp({ log, env: { SVC_MAX_TOKENS_PER_PROJECT: '100000' } });
  await withoutOutbox(t);
  const { sql } = t.services.database;
  world = await createHostileWorld({
    api: t.api,
    sql,
    signedTokens: t.services.signedTokens,
    passwordHash: await plainHasher.hash(PASSWORD),
  });
});

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);

interface Batch {
  findings: unknown[];
}

const isBatch = ({ id }: HostileOperation) => id === 'pushFindings';
const resultsOf = (text: string): { status: string }[] => JSON.parse(text).result.results;

/** The input that the service accepted: the findings of a batch fail one by one. */
const taken = (operation: HostileOperation, given: unknown, text: string): unknown =>
  isBatch(operation)
    ? { findings: (given as Batch).findings.filter((_, i) => resultsOf(text)[i]?.status !== 'failed') }
    : given;

const isRefused = (operation: HostileOperation, text: string): boolean =>
  isBatch(operation) && resultsOf(text).every(({ status }) => status === 'failed');

describe.each(operations.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  '%s',
  (_, operation) => {
    it.skipIf(SECRETS.has(operation.id))('is reached by a request as it should be', async () => {
      const { status, text } = await send(operation, spoil(operation, world.base(operation)));
      await world.renew();
      expect(status, text).toBeLessThan(300);
    });

    it('takes what is valid, and refuses what is not with nothing written', async () => {
      const isValid = operation.schema && ajv.compile(operation.schema);
      await fc.assert(
        fc.asyncProperty(mutations(operation), async (mutation) => {
          const request = spoil(operation, world.base(operation), mutation);
          const { status, text } = await send(operation, request);
          const written = await world.written();
          if (status >= 400 || operation.method === 'GET') expect(written).toEqual([]);
          else if (written.length > 0) await world.renew();
          if (status >= 400) {
            expect(text.length).toBeLessThan(5_000);
            expect(text).not.toMatch(/postgres|syntax error|relation|\.ts:\d|node_modules/i);
          }
          if (isValid && status < 300 && !isRefused(operation, text)) {
            const body =
              typeof request.body === 'string' ? request.body : new TextDecoder().decode(request.body);
            const given = taken(operation, JSON.parse(body), text);
            expect(isValid(given) || isValid(trimmed(given)), ajv.errorsText(isValid.errors)).toBe(true);
          }
        }),
        { numRuns: REQUESTS, seed: SEED, endOnFailure: true },
      );
    });
  },
);

describe('the log of these requests', () => {
  const OTHER_LINES = /[\n\r\v\f\x85\u2028\u2029]/;
  const UNSEEN = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

  it.each(['text', 'json'] as const)('is one line for each event, as %s', (format) => {
    expect(lines[format].length).toBeGreaterThan(operations.length * REQUESTS * 0.9);
    for (const line of lines[format]) {
      expect(line.endsWith('\n')).toBe(true);
      expect(line.slice(0, -1)).not.toMatch(OTHER_LINES);
      expect(line.slice(0, -1)).not.toMatch(UNSEEN);
    }
  });

  it('is JSON', () => {
    for (const line of lines.json) expect(Object.keys(JSON.parse(line))).toContain('message');
  });

  it('tells of no failure', () => {
    expect(lines.text.filter((line) => /^\S+ (warn|error)/.test(line)).slice(0, 3)).toEqual([]);
  });
});

it('metrics have no labels but ours', async () => {
  const { text } = await t.api.get('//metrics');
  const paths = new Set([...operations.map(({ path }) => path), 'unmatched', '/assets/*']);
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'other'];
  const samples = [
    ...text.matchAll(/^svc_http_requests_total\{method="(.*?)",path="(.*?)",status="(.*?)"\}/gm),
  ];
  expect(samples.length).toBeGreaterThan(operations.length);
  for (const [, method, path, status] of samples) {
    expect(methods).toContain(method);
    expect(paths).toContain(path);
    expect(status).toMatch(/^[2-5]\d\d$/);
  }
});

/** Sends a request, and holds the answer to the description. */
async function send(operation: HostileOperation, { method, path, headers, body }: ReturnType<typeof spoil>) {
  const url = new URL(path, 'http://localhost');
  const init: RequestInit = { method, headers: new Headers({ host: 'localhost', ...headers }) };
  if (body !== undefined) init.body = body;
  const response = await t.app.request(new Request(url, init));
  const text = await textOf(response);
  const { status } = response;
  // A path may have become another one on its way through the URL.
  const same = url.pathname.split('/').length === operation.path.split('/').length;
  if (same) observe({ method, path: url.pathname, status, headers: response.headers, text });
  expect(status, text).toBeLessThan(500);
  return { status, text };
}

/** Texts without the white space around them, which is cut off where it does not count. */
function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, trimmed(inner)]));
}
