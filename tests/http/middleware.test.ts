import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../handlers/index.ts';
import { type App, createApp } from '../../lib/http/app.ts';
import { type Endpoint, toPattern } from '../../lib/http/endpoint.ts';
import { accessKey } from '../support/contract/access-groups.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

let t: TestApp;
let app: App;

beforeAll(async () => {
  t = await startApp();
  app = createApp(t.services, endpoints);
});

/** The names of the functions that a route runs, as `app.routes` shows them. */
function routeOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): string[] {
  const own = app.routes.filter((route) => route.method === method && route.path === toPattern(path));
  return own.map(({ handler }) => handler.name);
}

/** The names of the access checks that a route chooses from by the credential. */
function checksOf({ method, path }: Pick<Endpoint, 'method' | 'path'>): Record<string, string[]> {
  const routes = app.routes.filter((route) => route.method === method && route.path === toPattern(path));
  const choice = routes.map(({ handler }) => handler).find((handler) => 'checks' in handler);
  const checks = Object.entries((choice as unknown as { checks?: object } | undefined)?.checks ?? {});
  return Object.fromEntries(
    checks.map(([credential, chain]) => [
      credential,
      Array.isArray(chain) ? chain.map(({ name }) => name) : [chain],
    ]),
  );
}

/** The documented order: docs/architecture.md, Request path. */
const ORDER = [
  'begin',
  'refusals',
  'byCredential',
  'originCheck',
  'baseDomain',
  'session',
  'memberSession',
  'personalToken',
  'memberToken',
  'verifiedEmail',
  'bearerFormat',
  'organization',
  'tokenOrganization',
  'membership',
  'requireSso',
  'requireMfa',
  'recentSession',
  'personalScope',
  'role',
  'reach',
  'bearerToken',
  'ingestScope',
  'tokenScope',
  'fairShare',
  'tokenUse',
  'activity',
  'memberActivity',
  'personalUse',
  'memberTokenUse',
  'memberUse',
  'stepUp',
  'input',
  'projectScope',
  'withinProject',
  'storageQuota',
  'ownTables',
  'events',
  'handle',
];

describe('app.routes', () => {
  it('shows what runs for every request', () => {
    const global = app.routes.filter(({ path }) => path === '/*').map(({ handler }) => handler.name);
    expect(global).toEqual(['requestId', 'logging', 'metrics', 'securityHeaders', 'cors']);
  });

  it.each([
    ['getFinding', 'begin byCredential input withinProject'],
    [
      'createToken',
      'begin refusals originCheck memberSession verifiedEmail organization membership requireSso requireMfa recentSession role reach fairShare memberActivity stepUp input storageQuota ownTables events',
    ],
    ['getRecoveryCodes', 'begin session verifiedEmail activity input'],
    ['me', 'begin byCredential input'],
    ['addEmail', 'begin originCheck session verifiedEmail activity stepUp input'],
    ['logout', 'begin originCheck baseDomain input'],
    [
      'pushFindings',
      'begin bearerFormat organization bearerToken ingestScope fairShare tokenUse input storageQuota',
    ],
    [
      'pushFinding',
      'begin bearerFormat organization bearerToken ingestScope fairShare tokenUse input projectScope storageQuota',
    ],
    [
      'deleteProject',
      'begin refusals originCheck memberSession verifiedEmail organization membership requireSso requireMfa recentSession role reach fairShare memberActivity stepUp input withinProject storageQuota ownTables events',
    ],
    [
      'sendReport',
      'begin bearerFormat organization bearerToken ingestScope fairShare tokenUse input projectScope storageQuota events',
    ],
    ['uploadReport', 'begin byCredential input withinProject storageQuota ownTables events'],
    ['healthz', 'begin input'],
  ] as const)('shows the middleware of %s', (id, names) => {
    expect(routeOf(endpoints[id])).toEqual([...names.split(' '), 'handle']);
  });

  it('shows the access checks of each credential', () => {
    expect(checksOf(endpoints.uploadReport)).toEqual({
      session: [
        ...[
          'originCheck',
          'memberSession',
          'verifiedEmail',
          'organization',
          'membership',
          'requireSso',
          'requireMfa',
        ],
        ...['recentSession', 'role', 'reach', 'fairShare', 'memberActivity'],
      ],
      personal: [
        ...[
          'memberToken',
          'verifiedEmail',
          'organization',
          'tokenOrganization',
          'membership',
          'requireSso',
          'requireMfa',
        ],
        ...['personalScope', 'role', 'reach', 'fairShare', 'memberTokenUse'],
      ],
      organization: ['tokenScope', 'fairShare', 'memberUse'],
    });
    expect(checksOf(endpoints.createView).organization).toEqual(['refused']);
    expect(checksOf(endpoints.me)).toEqual({
      session: ['session', 'activity'],
      personal: ['personalToken', 'personalUse'],
    });
  });

  it.each(Object.entries(endpoints))('shows the middleware of %s in the documented order', (_, endpoint) => {
    const names = routeOf(endpoint);
    expect(names.map((name) => ORDER.indexOf(name))).toEqual(
      names.map((name) => ORDER.indexOf(name)).sort((a, b) => a - b),
    );
    expect(names).not.toHaveLength(0);
    expect(ORDER).toEqual(expect.arrayContaining(names));
    for (const chain of Object.values(checksOf(endpoint)).filter(([first]) => first !== 'refused')) {
      expect(ORDER).toEqual(expect.arrayContaining(chain));
      expect(chain.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b))).toEqual(chain);
    }
  });
});

describe('endpoints with the same access', () => {
  /** The middleware that depends on the endpoint's input, tables and audit instead. */
  const OWN = ['refusals', 'input', 'storageQuota', 'ownTables', 'events', 'handle'];
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of Object.values(endpoints) as Endpoint[])
    groups.set(accessKey(endpoint), [...(groups.get(accessKey(endpoint)) ?? []), endpoint]);

  it.each([...groups])('have the same checks: %s', (_, [first, ...others]) => {
    const chainOf = (endpoint: Endpoint) => [
      routeOf(endpoint).filter((name) => !OWN.includes(name)),
      checksOf(endpoint),
    ];
    for (const other of others) expect(chainOf(other)).toEqual(chainOf(first as Endpoint));
  });
});

describe('paths that are spelled out', () => {
  it.each([
    ['PATCH', '/members/leave', 'POST'],
    ['DELETE', '/members/leave', 'POST'],
    ['PUT', '/findings', 'GET, HEAD, PATCH'],
  ])('answer %s %s themselves', async (method, path, allow) => {
    // Past the test client, which refuses answers that the OpenAPI document does not describe.
    const answer = await t.app.request(`/api/v1${path}`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
  });
});
