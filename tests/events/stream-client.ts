import { vi } from 'vitest';
import { Event, type EventBody } from '../../lib/events/body.ts';
import type { CallOptions } from '../support/api/api.ts';
import { afterSuite } from '../support/run/suite.ts';
import type { Called } from '../support/server/app.ts';

/** An open stream, read as it comes. */
export interface EventStream {
  headers: Headers;
  /** The bodies, each as its schema says. */
  events: EventBody[];
  /** The types of the events. */
  types(): string[];
  ids: number[];
  /** The text so far. */
  text(): string;
  /** The id to resume with. */
  lastId(): string;
  /** Waits until there are this many events. */
  until(count: number): Promise<EventBody[]>;
  /** How it ended; pending while it is open. */
  ended: Promise<'ended' | 'aborted'>;
  close(): Promise<void>;
}

/** Opens a stream. @throws Error with the status if it is refused */
export async function openStream(
  app: Called,
  query: string,
  { cookie, token, org, headers: given }: CallOptions,
): Promise<EventStream> {
  const headers = new Headers({ host: 'localhost', ...given });
  if (cookie) headers.set('cookie', `svc_token=${cookie}`);
  if (token) headers.set('authorization', `Bearer ${token}`);
  if (org) headers.set('x-org-slug', org);
  const response = await app.request(new Request(`http://localhost/api/v1/events${query}`, { headers }));
  if (response.status !== 200 || !response.body)
    throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const events: EventBody[] = [];
  const ids: number[] = [];
  let text = '';
  let lastId = '';

  async function read(): Promise<'ended' | 'aborted'> {
    let rest = '';
    for (;;) {
      const part = await reader.read().catch(() => undefined);
      if (!part) return 'aborted';
      if (part.done) return 'ended';
      const chunk = decoder.decode(part.value, { stream: true });
      text += chunk;
      rest += chunk;
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        lastId = /^id: (\d+)$/m.exec(block)?.[1] ?? lastId;
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data === undefined) continue;
        const body = Event.parse(JSON.parse(data));
        if (!block.includes(`\nevent: ${body.type}\n`)) throw new Error(`no type: ${block}`);
        ids.push(Number(lastId));
        events.push(body);
      }
    }
  }

  const ended = read();
  const close = async () => {
    await reader.cancel().catch(() => {});
  };
  afterSuite(close);
  await vi.waitUntil(() => lastId !== '');
  return {
    headers: response.headers,
    events,
    types: () => events.map(({ type }) => type),
    ids,
    text: () => text,
    lastId: () => lastId,
    async until(count) {
      await vi.waitUntil(() => events.length >= count, { timeout: 8_000, interval: 20 });
      return events;
    },
    ended,
    close,
  };
}
