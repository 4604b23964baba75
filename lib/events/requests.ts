import type { DestinationKind, LeasedDestination } from '../../db/events/destinations.ts';
import { CHAT_KINDS } from '../../db/schema/destinations.ts';
import { VERSION } from '../config/version.ts';
import { CHAT_FORMATS, type ChatKind } from '../integrations/chat/formats.ts';
import { messageAbout, testMessage } from '../integrations/chat/message.ts';
import type { EventBody } from './body.ts';
import { signatureHeaders } from './signature.ts';

/** The content of a delivery: an event, or that the destination works. */
export type Told = { event: EventBody } | { test: { id: string; at: Date } };

/** A request to a destination. */
export interface DestinationRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Whether the address is a secret, which nothing that is stored may have. */
  isSecret: boolean;
}

/** A body with what identifies it. */
interface Sent {
  /** The same for each attempt, so that the receiver can leave out repetitions. */
  id: string;
  at: Date;
  body: string;
}

/** How the destinations of a kind are told. */
interface Kind {
  /** Makes the body of a request, as JSON. @returns undefined if there is nothing to tell */
  bodyOf(told: Told, org: LeasedDestination['org']): object | undefined;
  /** @param secrets the current one, and a former one that is still valid */
  requestOf(
    destination: LeasedDestination,
    secrets: readonly [string, ...string[]],
    sent: Sent,
  ): Promise<DestinationRequest>;
}

const HEADERS = { 'content-type': 'application/json', 'user-agent': `svc-findings/${VERSION}` };

const webhook: Kind = {
  bodyOf(told, org) {
    if ('event' in told) return told.event;
    const { id, at } = told.test;
    return { id, type: 'webhook.test', timestamp: at.toISOString(), organization: org, data: {} };
  },
  requestOf: async ({ url }, secrets, sent) => ({
    ...{ url, body: sent.body, isSecret: false },
    headers: { ...HEADERS, ...(await signatureHeaders(secrets, sent)) },
  }),
};

const chat = (kind: ChatKind): Kind => ({
  bodyOf(told, org) {
    const message = 'event' in told ? messageAbout(told.event) : testMessage(org);
    return message && CHAT_FORMATS[kind](message);
  },
  requestOf: async (_, [url], { body }) => ({ url, headers: HEADERS, body, isSecret: true }),
});

const KINDS = new Map<DestinationKind, Kind>([
  ['webhook', webhook],
  ...CHAT_KINDS.map((kind) => [kind, chat(kind)] as const),
]);

/** How a destination is told. */
export function kindOf({ kind }: Pick<LeasedDestination, 'kind'>): Kind {
  const found = KINDS.get(kind);
  if (!found) throw new Error(`destinations of the kind ${kind} get no requests`);
  return found;
}
