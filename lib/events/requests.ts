import type { DestinationKind, LeasedDestination } from '../../db/events/destinations.ts';
import type { StoredEvent } from '../../db/events/read.ts';
import { CHAT_KINDS, TRACKER_KINDS } from '../../db/schema/destinations.ts';
import { VERSION } from '../config/version.ts';
import { CHAT_FORMATS, type ChatKind } from '../integrations/chat/formats.ts';
import { messageAbout, testMessage } from '../integrations/chat/message.ts';
import type { EventBody } from './body.ts';
import { type Answered, type DestinationRequest, deliver } from './deliver.ts';
import { signatureHeaders } from './signature.ts';
import { noteUntold, type TrackerOptions, type TrackerTask, tellTracker, trackerTask } from './trackers.ts';

/** The content of a delivery: an event, or that the destination works. */
export type Told = { event: EventBody } | { test: { id: string; at: Date } };

/** A body with what identifies it. */
interface Sent<Body = object> {
  /** The same for each attempt, so that the receiver can leave out repetitions. */
  id: string;
  at: Date;
  body: Body;
}

/** The current secret of a destination, and a former one that is still valid. */
type Secrets = readonly [string, ...string[]];

/** How the destinations of a kind are told. */
interface Kind {
  /** Makes the body of a request. @returns undefined if there is nothing to tell */
  bodyOf(told: Told, org: LeasedDestination['org']): object | undefined;
  /** Makes the body of a stored event instead, for kinds that get events which are for nobody else. */
  read?(
    options: TrackerOptions,
    destination: LeasedDestination,
    event: StoredEvent,
  ): Promise<object | undefined>;
  /** Tells it once. Failures of the other side are in the result. @throws Error if the signal is aborted */
  tell(
    options: TrackerOptions,
    destination: LeasedDestination,
    secrets: Secrets,
    sent: Sent,
    signal: AbortSignal,
  ): Promise<Answered>;
  /** Notes why it cannot be told, where members look for it beside the list of deliveries. */
  noteUntold?(
    options: TrackerOptions,
    destination: LeasedDestination,
    body: object,
    reason: string,
  ): Promise<void>;
}

/** Tells destinations by one request. */
const byRequest =
  (
    requestOf: (
      destination: LeasedDestination,
      secrets: Secrets,
      sent: Sent<string>,
    ) => Promise<DestinationRequest>,
  ): Kind['tell'] =>
  async (options, destination, secrets, sent, signal) => {
    const request = await requestOf(destination, secrets, { ...sent, body: JSON.stringify(sent.body) });
    return await deliver(options, request, signal);
  };

const HEADERS = { 'content-type': 'application/json', 'user-agent': `svc-findings/${VERSION}` };

const webhook: Kind = {
  bodyOf(told, org) {
    if ('event' in told) return told.event;
    const { id, at } = told.test;
    return { id, type: 'webhook.test', timestamp: at.toISOString(), organization: org, data: {} };
  },
  tell: byRequest(async ({ url }, secrets, sent) => ({
    ...{ url, body: sent.body, isSecret: false },
    headers: { ...HEADERS, ...(await signatureHeaders(secrets, sent)) },
  })),
};

const chat = (kind: ChatKind): Kind => ({
  bodyOf(told, org) {
    const message = 'event' in told ? messageAbout(told.event) : testMessage(org);
    return message && CHAT_FORMATS[kind](message);
  },
  tell: byRequest(async (_, [url], { body }) => ({ url, headers: HEADERS, body, isSecret: true })),
});

const tracker: Kind = {
  bodyOf: (told) => ('test' in told ? { test: told.test.id } : undefined),
  read: trackerTask,
  tell: (options, destination, [token], { body }, signal) =>
    tellTracker(options, destination, token, body as TrackerTask, signal),
  noteUntold: (options, destination, body, reason) =>
    noteUntold(options, destination, body as TrackerTask, reason),
};

const KINDS = new Map<DestinationKind, Kind>([
  ['webhook', webhook],
  ...CHAT_KINDS.map((kind) => [kind, chat(kind)] as const),
  ...TRACKER_KINDS.map((kind) => [kind, tracker] as const),
]);

/** How a destination is told. */
export function kindOf({ kind }: Pick<LeasedDestination, 'kind'>): Kind {
  const found = KINDS.get(kind);
  if (!found) throw new Error(`destinations of the kind ${kind} get no requests`);
  return found;
}
