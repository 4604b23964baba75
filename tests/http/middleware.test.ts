import { beforeAll, describe, expect, it } from 'vitest';
import { endpoints } from '../../handlers/index.ts';
import { type App, createApp } from '../../lib/http/app.ts';
import { type Endpoint, toPattern } from '../../lib/http/endpoint.ts';
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

/** The documented order: docs/architecture.md, Request path. */
const ORDER = [
  'begin',
  'originCheck',
  'baseDomain',
  'session',
  'memberSession',
  'verifiedEmail',
  'bearerFormat',
  'organization',
  'membership',
  'requireMfa',
  'role',
  'bearerToken',
  'fairShare',
  'tokenUse',
  'activity',
  'memberActivity',
  'stepUp',
  'input',
  'projectScope',
  'handle',
];

describe('app.routes', () => {
  it('shows what runs for every request', () => {
    const global = app.routes.filter(({ path }) => path === '/*').map(({ handler }) => handler.name);
    expect(global).toEqual(['requestId', 'logging', 'metrics', 'securityHeaders', 'cors']);
  });

  it.each([
    [
      'getFinding',
      'begin memberSession verifiedEmail organization membership requireMfa fairShare memberActivity input',
    ],
    [
      'createProject',
      'begin originCheck memberSession verifiedEmail organization membership requireMfa role fairShare memberActivity input',
    ],
    ['getRecoveryCodes', 'begin session verifiedEmail activity'],
    ['me', 'begin session activity'],
    ['addEmail', 'begin originCheck session verifiedEmail activity stepUp input'],
    ['logout', 'begin originCheck baseDomain'],
    ['pushFindings', 'begin bearerFormat organization bearerToken fairShare tokenUse input'],
    ['pushFinding', 'begin bearerFormat organization bearerToken fairShare tokenUse input projectScope'],
    ['sendReport', 'begin bearerFormat organization bearerToken fairShare tokenUse input projectScope'],
    [
      'uploadReport',
      'begin originCheck memberSession verifiedEmail organization membership requireMfa role fairShare memberActivity input',
    ],
    [
      'deleteProject',
      'begin originCheck memberSession verifiedEmail organization membership requireMfa role fairShare memberActivity stepUp input',
    ],
    ['healthz', 'begin'],
  ] as const)('shows the middleware of %s', (id, names) => {
    expect(routeOf(endpoints[id])).toEqual([...names.split(' '), 'handle']);
  });

  it.each(Object.entries(endpoints))('shows the middleware of %s in the documented order', (_, endpoint) => {
    const names = routeOf(endpoint);
    expect(names.map((name) => ORDER.indexOf(name))).toEqual(
      names.map((name) => ORDER.indexOf(name)).sort((a, b) => a - b),
    );
    expect(names).not.toHaveLength(0);
    expect(ORDER).toEqual(expect.arrayContaining(names));
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
