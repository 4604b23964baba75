import { Webhook } from 'standardwebhooks';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { endpoints } from '../../handlers/index.ts';
import { readAction } from '../../lib/audit/actions.ts';
import { Event } from '../../lib/events/body.ts';
import type { Endpoint } from '../../lib/http/endpoint.ts';
import { createLogger } from '../../lib/logger.ts';
import { addDestination, type Destination, type Received, startReceiver } from '../events/outbox-kit.ts';
import { type Api, type CallOptions, createApi } from '../support/api/api.ts';
import { planTour } from '../support/contract/tour.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/* One tour calls each endpoint with success. The tests are about what it leaves behind: log lines, the audit log and its webhooks. */

/** A call of the tour, with the entries of the audit log that its endpoint declares. */
interface Call {
  id: string;
  name: string;
  status: number;
  expected: readonly string[];
  /** At most one of these instead. */
  may: readonly string[];
}

interface Entry {
  id: string;
  action: string;
  request_id: string;
}

const lines: string[] = [];
const secrets = new Set<string>();
const calls: Call[] = [];
const entries: Entry[] = [];
let t: TestApp;

/** The webhook of each organization that the tour adds, by its id; the requests that all have received, and the entries of these organizations. */
const webhooks = new Map<string, Destination>();
let received: readonly Received[] = [];
const sent: Entry[] = [];

/** Fields whose values open something. */
const SECRET =
  /^(?:password|current_password|new_password|code|token|mfa_token|secret|url|link|recovery_codes)$/;

function secretsIn(value: unknown, name = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => secretsIn(one, name));
  if (value !== null && typeof value === 'object')
    // The codes of errors are no secrets.
    return Object.entries(value).flatMap(([key, one]) => (key === 'errors' ? [] : secretsIn(one, key)));
  // Shorter ones are no secrets, such as the address `/` of a server in the OpenAPI document.
  return typeof value === 'string' && value.length > 5 && SECRET.test(name) ? [value] : [];
}

const declared: readonly Endpoint[] = Object.values(endpoints);
/** Literal paths come first, as in the router. */
const inOrder = declared.toSorted((a, b) => (a.path < b.path ? -1 : 1));

function endpointOf(method: string, path: string) {
  const matches = (pattern: string) =>
    new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')}$`).test(path);
  return inOrder.find((one) => one.method === method && matches(one.path));
}

function noteCall({ method, url }: Request, { status, headers }: Response): void {
  const { pathname, searchParams } = new URL(url);
  const { audit } = endpointOf(method, pathname) ?? {};
  const action =
    method === 'GET'
      ? readAction(audit, Object.fromEntries(searchParams))
      : typeof audit === 'string' && audit;
  // The finding has the issue already.
  const isRepeated = action === 'issue.created' && status === 200;
  calls.push({
    ...{ id: headers.get('x-request-id') ?? '', name: `${method} ${pathname}`, status },
    expected: action && status < 300 && !isRepeated ? [action] : [],
    may: typeof audit === 'object' && 'may' in audit ? audit.may : [],
  });
}

/** A client that notes each call and the secrets in it. @param onOrg is called with each new organization */
function watchedApi(onOrg: (org: { id: string }) => Promise<void>): Api {
  const own = createApi(async (request) => {
    const answer = await t.app.fetch(request);
    noteCall(request, answer);
    return answer;
  });
  const call = async (method: string, path: string, options: CallOptions = {}) => {
    const answer = await own.call(method, path, options);
    // The documents of the API have examples.
    const shown = path.startsWith('/docs') ? undefined : answer.json;
    for (const secret of [...secretsIn(options.body), ...secretsIn(shown)]) secrets.add(secret);
    for (const cookie of [options.cookie, answer.cookie]) if (cookie) secrets.add(cookie);
    if (options.token) secrets.add(options.token);
    if (method === 'POST' && path === '/orgs' && answer.status === 201) await onOrg(answer.result);
    return answer;
  };
  return {
    call,
    get: (path, options) => call('GET', path, options),
    post: (path, options) => call('POST', path, options),
    put: (path, options) => call('PUT', path, options),
    patch: (path, options) => call('PATCH', path, options),
    delete: (path, options) => call('DELETE', path, options),
  };
}

async function entriesOf(orgId: string): Promise<Entry[]> {
  const { sql } = t.services.database;
  const table = `"${orgSchemaName(orgId)}".audit_entries`;
  const [{ exists }] = (await sql.unsafe('select to_regclass($1) is not null as exists', [table])) as [
    { exists: boolean },
  ];
  return exists ? await sql.unsafe(`select id, action, request_id from ${table} order by seq`) : [];
}

/** Each id once: a delivery that takes longer than its lease is repeated with its id. */
const idsOf = (of: readonly { id: string }[]) => [...new Set(of.map(({ id }) => id))].toSorted();

beforeAll(async () => {
  t = await startApp({
    log: createLogger({ level: 'debug', format: 'json', write: (line) => lines.push(line) }),
    env: { SVC_OUTBOUND_ALLOW: '127.0.0.1' },
  });
  const { database, outbox } = t.services;
  const run = (text: string, params: unknown[] = []) => database.sql.unsafe(text, params as string[]);
  const receiver = await startReceiver();
  const api = watchedApi(async ({ id }) => {
    webhooks.set(id, await addDestination(t, { id, run }, receiver.url, ['audit.*', 'member.*']));
  });
  for (const stop of Object.values(planTour({ ...t, api }))) await stop();
  for (const { id } of await run('select id from shared.orgs')) {
    const found = await entriesOf(id);
    entries.push(...found);
    if (webhooks.has(id)) sent.push(...found);
  }
  await vi.waitFor(async () => {
    await outbox.run();
    expect(idsOf(receiver.received).length).toBeGreaterThanOrEqual(sent.length);
  });
  // Nothing else is due.
  await outbox.run();
  received = receiver.received;
});

it('has no password, code, token, cookie or link in the log, whatever is called', () => {
  for (const { link, text } of t.mails) {
    for (const code of text.match(/^\d{6}$/gm) ?? []) secrets.add(code);
    if (!link) continue;
    secrets.add(link);
    secrets.add(new URL(link).searchParams.get('token') ?? '');
  }
  // Every secret is looked for in the log of requests, events, and sent mails.
  const log = lines.join('');
  expect(lines.length).toBeGreaterThan(100);
  expect(secrets.size).toBeGreaterThan(30);
  const events = lines
    .map((line) => JSON.parse(line))
    .filter(({ message }) => message === 'security event')
    .map(({ event }) => event);
  expect(events).toEqual(expect.arrayContaining(['token_created', 'token_first_used', 'token_revoked']));
  // Six digits may stand in the middle of an id.
  const shown = [...secrets].filter((secret) =>
    /^\d{6}$/.test(secret) ? new RegExp(`(?<![\\w.-])${secret}(?![\\w.-])`).test(log) : log.includes(secret),
  );
  expect(shown).toEqual([]);
});

describe('the audit log', () => {
  it('has exactly one entry of a call that changes something or exports, and none of the others', () => {
    const wrong = calls.flatMap(({ id, name, status, expected, may }) => {
      const actions = entries.flatMap(({ request_id, action }) => (request_id === id ? action : []));
      const isAllowed =
        may.length > 0 && actions.length <= 1 && actions.every((action) => may.includes(action));
      return isAllowed || String(actions) === String(expected)
        ? []
        : [{ name, status, expected, found: actions }];
    });
    expect(wrong).toEqual([]);
    const seen = new Set(calls.flatMap(({ expected }) => expected));
    const actions = declared.flatMap(({ audit }) => (typeof audit === 'string' ? [audit] : []));
    expect(actions.filter((action) => !seen.has(action))).toEqual([]);
  });

  it('arrives at a webhook entry by entry, each signed and with one id', () => {
    expect(new Set(sent.map(({ action }) => action)).size).toBeGreaterThan(40);
    expect(idsOf(received)).toEqual(idsOf(sent));
    const actions = new Map(sent.map(({ id, action }) => [id, action]));
    for (const { headers, text } of received) {
      const { organization } = JSON.parse(text);
      const { secret = '' } = webhooks.get(organization.id) ?? {};
      const body = Event.parse(new Webhook(secret).verify(text, headers as Record<string, string>));
      expect([body.id, body.type]).toEqual([body.id, actions.get(body.id)]);
    }
  });
});
