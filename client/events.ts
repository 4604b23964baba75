import type { Schemas } from '../lib/client/index.ts';
import { isLost, TransportError } from './errors.ts';

/** An event, and the `last_event_id` to resume behind it. */
export interface ReceivedEvent {
  id: string;
  event: Schemas['Event'];
}

interface StreamOptions {
  /** Opens the stream behind an event. */
  open(lastEventId: string | undefined): Promise<{ chunks: AsyncIterable<Uint8Array> }>;
  lastEventId: string | undefined;
  /** The most characters of an event. */
  maxLength: number;
  /** Waits before a stream is opened again. @throws if the signal is aborted */
  pause(): Promise<void>;
}

/** The events of streams that follow each other: a new one begins behind the last event when a stream ends or is lost. */
export async function* eventsOf({ open, lastEventId, maxLength, pause }: StreamOptions) {
  for (let id = lastEventId; ; await pause()) {
    const { chunks } = await open(id);
    try {
      for await (const message of messagesOf(chunks, maxLength)) {
        id = message.get('id') ?? id;
        const data = message.get('data');
        if (data !== undefined && id !== undefined)
          yield { id, event: JSON.parse(data) } satisfies ReceivedEvent;
      }
    } catch (error) {
      if (!isLost(error)) throw error;
    }
  }
}

/** The fields of each message of a stream (server-sent events). The service writes each in one line. */
async function* messagesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxLength: number,
): AsyncGenerator<Map<string, string>, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    rest += decoder.decode(chunk, { stream: true });
    const messages = rest.split('\n\n');
    rest = messages.pop() ?? '';
    for (const message of messages) yield new Map(message.split('\n').map(fieldOf));
    if (rest.length > maxLength)
      throw new TransportError('too_large', `An event has more than ${maxLength} characters.`);
  }
}

function fieldOf(line: string): [name: string, value: string] {
  const end = line.indexOf(': ');
  return end < 0 ? [line, ''] : [line.slice(0, end), line.slice(end + 2)];
}
