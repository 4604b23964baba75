import type { Severity } from '../../../db/schema/values.ts';
import { ApiError } from '../../errors.ts';
import type { Audience } from '../../events/audience.ts';
import type { EventFeed, EventPage } from '../../events/feeds.ts';
import { AUDIT_LOG, type EventFilter, filtersOf } from '../../events/types.ts';
import { projectsAmong } from '../../projects/reach.ts';
import { rankOf } from '../../tokens/scopes.ts';
import type { Raw } from '../answer.ts';
import { auditRefusal } from '../audit.ts';
import type { OrgCall } from '../call.ts';
import { createBodyStream } from './stream.ts';

/** The longest life of a stream: proxies and servers limit responses to some minutes. The client connects again. */
const LIFE_MS = 5 * 60_000;
/** A comment is sent after this time without an event, so that nobody takes the connection for dead. */
const HEARTBEAT_MS = 15_000;
/** How long a client waits before it connects again. */
const RETRY_MS = 3_000;

/** The events that a client wants. */
export interface EventSelection {
  /** Unset: all except the audit log. */
  events?: readonly EventFilter[] | undefined;
  project_id?: readonly string[] | undefined;
  min_severity?: Severity | undefined;
}

/** The part of the selection that the caller may hear of now. */
const audienceOf = (call: OrgCall, { events, project_id, min_severity }: EventSelection): Audience => ({
  projects: projectsAmong(call, project_id),
  minSeverity: min_severity,
  isAdmin: rankOf(call.role) >= rankOf('admin') && call.reach === undefined,
  wantsAuditLog: events?.includes(AUDIT_LOG),
});

const encoder = new TextEncoder();

/** Answers with the events behind a position as they are published (server-sent events). @param after unset: the latest event */
export async function answerEvents(call: OrgCall, selection: EventSelection, after?: number): Promise<Raw> {
  const { c, org, services } = call;
  await requireAuditAccess(call, selection);
  const headers = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };
  const leave = services.openStreams.enter(org, c.get('request').token ?? call.actor.id);
  const feed = await services.eventFeeds.follow(org, after).catch((error) => {
    leave();
    throw error;
  });
  const end = async () => {
    feed.close();
    leave();
  };
  const position = after ?? feed.latest;
  const isUnknown = position > feed.latest;
  if (isUnknown || c.req.method === 'HEAD') await end();
  if (isUnknown) throw unknownEvent();
  // The body of a HEAD response is never read.
  if (c.req.method === 'HEAD') return { status: 200, headers, body: null };
  call.leaveGate();
  const hearing = hearingOf(call, selection);
  const { first, next } = eventParts(feed, position, selection, hearing);
  const body = createBodyStream(call, 'event stream').send(first, { next, end });
  return { status: 200, headers, body };
}

/** Refuses callers who ask for the audit log and cannot read it. The log has the refused call, as those of `GET /audit`. */
async function requireAuditAccess(call: OrgCall, selection: EventSelection): Promise<void> {
  const { isAdmin, wantsAuditLog } = audienceOf(call, selection);
  if (isAdmin || !wantsAuditLog) return;
  const error = new ApiError('permission_error/denied');
  await auditRefusal(call, error);
  throw error;
}

/** The error of an id that no event of the organization has. */
const unknownEvent = () =>
  new ApiError('validation_error/invalid_request', {
    details: [{ field: 'last_event_id', message: 'is not the id of an event' }],
  });

/**
 * The part that the caller may hear of, as of the latest check of access. The checks change the call step by step, so it is not read while they run.
 */
function hearingOf(call: OrgCall, selection: EventSelection): () => Audience {
  const { recheck } = call;
  let audience = audienceOf(call, selection);
  call.recheck = async () => {
    await recheck?.();
    audience = audienceOf(call, selection);
  };
  return () => audience;
}

/** The parts of a stream. Each has one event, or is a comment. */
export function eventParts(
  feed: EventFeed,
  after: number,
  { events }: EventSelection,
  hearing: () => Audience,
) {
  const until = performance.now() + LIFE_MS;
  const wanted = events && new Set<string>(events);
  let page: EventPage = { events: [], end: after };
  let index = 0;
  let position = after;
  let sent = after;

  /** After events that the client does not hear of, too, so that it resumes behind them. */
  const idLine = () => {
    if (sent === position) return '';
    sent = position;
    return `id: ${position}\n`;
  };

  /** The next event that the client hears of, of the page that was read. */
  function nextOfPage(): string | undefined {
    for (const { event, bodyFor } of page.events.slice(index)) {
      index++;
      position = event.seq ?? position;
      if (wanted && !filtersOf(event.type).some((name) => wanted.has(name))) continue;
      const body = bodyFor(hearing());
      if (body) return `${idLine()}event: ${event.type}\ndata: ${JSON.stringify(body)}\n\n`;
    }
    position = page.end;
    page = { events: [], end: position };
    return undefined;
  }

  return {
    // A client that loses the connection before the first event resumes here.
    first: encoder.encode(`: events\nretry: ${RETRY_MS}\nid: ${after}\n\n`),
    async next() {
      const heartbeatAt = performance.now() + HEARTBEAT_MS;
      for (;;) {
        // A slow client gets none of what was read long ago.
        const isLast = feed.isOver || performance.now() >= until;
        const text = isLast ? undefined : nextOfPage();
        if (text !== undefined) return { bytes: encoder.encode(text), isLast };
        const now = performance.now();
        if (isLast || now >= heartbeatAt) return { bytes: encoder.encode(`:\n${idLine()}\n`), isLast };
        if (!(await feed.wait(position, Math.min(heartbeatAt, until) - now))) continue;
        page = await feed.read(position);
        index = 0;
      }
    },
  };
}
