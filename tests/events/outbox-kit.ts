import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { StoredEvent } from '../../db/events/read.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import type { EventBody } from '../../lib/events/body.ts';
import { createFollowedOrgs } from '../../lib/events/followed.ts';
import { createOutbox, type Outbox, type OutboxOptions } from '../../lib/events/outbox.ts';
import type { LoadedEvent } from '../../lib/events/render.ts';
import { newSecret, sealSecret } from '../../lib/webhooks/secrets.ts';
import { createOrg, type TestOrg } from '../support/api/api.ts';
import { afterTest } from '../support/run/suite.ts';
import type { TestApp } from '../support/server/app.ts';

/** A request that a webhook received. */
export interface Received {
  id: string;
  headers: IncomingHttpHeaders;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  body: any;
}

/** A webhook on loopback. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Answers a request. By default with the status 204. */
  answer(response: ServerResponse, request: IncomingMessage): unknown;
  /** Connections that were made. */
  connections: number;
}

/** Starts a webhook, for the current test. */
export async function startReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const receiver: Receiver = {
    ...{ url: '', received: [], connections: 0 },
    answer: (response) => response.writeHead(204).end(),
  };
  const server = createServer(async (request, response) => {
    const text = await readText(request);
    const { headers } = request;
    receiver.received.push({ id: String(headers['webhook-id']), headers, text, body: JSON.parse(text) });
    receiver.answer(response, request);
  }).listen(0, host);
  server.on('connection', () => {
    receiver.connections++;
  });
  await once(server, 'listening');
  receiver.url = `http://${host}:${(server.address() as AddressInfo).port}/hook`;
  afterTest(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}

/** An organization whose events a test writes. */
export interface EventOrg extends TestOrg {
  // biome-ignore lint/suspicious/noExplicitAny: rows of any table
  run(text: string, params?: unknown[]): Promise<any[]>;
}

/** Makes an organization with tables and without events. `ORG` in a statement is its schema. */
export async function createEventOrg({ api, services }: TestApp): Promise<EventOrg> {
  const org = await createOrg(api);
  const run = (text: string, params: unknown[] = []) =>
    services.database.sql.unsafe(text.replaceAll('ORG', `"${orgSchemaName(org.id)}"`), params as never[]);
  await run('delete from ORG.events');
  return { ...org, run };
}

/** A destination of an organization, as the API creates it. */
export interface Destination {
  id: string;
  secret: string;
}

/** Adds a destination. It was created an hour ago, so that it receives events of before. */
export async function addDestination(
  { services }: TestApp,
  org: Pick<EventOrg, 'id' | 'run'>,
  url: string,
  events: string[] = ['finding.commented'],
): Promise<Destination> {
  const id = randomUUID();
  const secret = newSecret();
  const at = new Date(services.clock().getTime() - 3_600_000).toISOString();
  await org.run(
    `insert into shared.destinations (id, org_id, kind, url, secret, events, enabled, created_at, updated_at)
      values ($1, $2, 'webhook', $3, $4, $5::text[], true, $6, $6)`,
    [id, org.id, url, await sealSecret(services.secretBox, id, secret), `{${events.join(',')}}`, at],
  );
  return { id, secret };
}

/** Gives a destination a new secret; the former one signs for a day. @returns the new one */
export async function rotate({ services }: TestApp, org: EventOrg, { id }: Destination): Promise<string> {
  const secret = newSecret();
  const until = new Date(services.clock().getTime() + 24 * 3_600_000).toISOString();
  await org.run(
    'update shared.destinations set former_secret = secret, former_secret_until = $3, secret = $2 where id = $1',
    [id, await sealSecret(services.secretBox, id, secret), until],
  );
  return secret;
}

/** Writes events, each a millisecond after the one before. @returns their ids in this order */
export async function writeEvents(
  { services }: TestApp,
  org: EventOrg,
  count = 1,
  type = 'finding.commented',
): Promise<string[]> {
  const rows = await org.run(
    `insert into ORG.events (id, at, type) select gen_random_uuid(), $1::timestamptz + n * interval '1 ms', $2
      from generate_series(1, $3) n returning id, at`,
    [new Date(services.clock().getTime() - count - 1).toISOString(), type, count],
  );
  return rows.map(({ id }) => id);
}

/** Events whose bodies a test makes. */
export const loadedAs = (
  events: readonly StoredEvent[],
  bodyOf: (event: StoredEvent) => object | undefined,
): LoadedEvent[] =>
  events.map((event) => ({
    event,
    about: () => ({ users: new Set<string>(), projects: new Set<string>() }),
    bodyFor: () => bodyOf(event) as EventBody | undefined,
  }));

/** Another process over the same database, which is stopped after the test. */
export function createProcess({ services }: TestApp, options: Partial<OutboxOptions> = {}): Outbox {
  const { config, database, log, clock, nextId, mail, knownOrgs, orgMigrations, outbound, secretBox } =
    services;
  const outbox = createOutbox({
    ...{ config, database, log, clock, nextId, mail, outbound, secretBox },
    ...{ tablesOf: knownOrgs.tablesOf, version: orgMigrations.length, followed: createFollowedOrgs() },
    load: async ({ id, slug, name }, events) =>
      loadedAs(events, (event) => ({
        ...{ id: event.id, type: event.type, timestamp: event.at },
        ...{ organization: { id, slug, name }, data: { seq: event.seq } },
      })),
    takeMailTurn: async () => {},
    ...{ onOutcome: () => {}, stopMs: 50, ...options },
  });
  afterTest(() => outbox.stop());
  return outbox;
}

/** Publishes the events of an organization and sends all that is due. @returns how many deliveries arrived */
export async function send(t: TestApp, org: EventOrg, options?: Partial<OutboxOptions>): Promise<number> {
  const process = createProcess(t, options);
  await process.publish(org.id);
  return await process.run();
}

/** The row of a destination. */
export const destinationRow = async (org: EventOrg, { id }: Destination) =>
  (await org.run('select * from shared.destinations where id = $1', [id]))[0];

/** The deliveries to a destination, in the order of their events. */
export const deliveriesOf = (org: EventOrg, { id }: Destination) =>
  org.run(
    'select d.*, e.seq from ORG.deliveries d left join ORG.events e on e.id = d.event_id where destination_id = $1 order by e.seq',
    [id],
  );
