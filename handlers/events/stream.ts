import { SEVERITIES } from '../../db/schema/values.ts';
import { Event } from '../../lib/events/body.ts';
import { EVENT_FILTERS } from '../../lib/events/types.ts';
import { projectIds } from '../../lib/findings/filter/parameters.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { answerEvents } from '../../lib/http/lists/events.ts';
import { anyOf, z } from '../../lib/schema.ts';

const eventId = (description: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, 'must be the id of an event')
    .transform(Number)
    .optional()
    .openapi({ type: 'string', pattern: '^\\d{1,15}$', example: '42', description });

export const streamEvents = endpoint(
  {
    method: 'get',
    path: '/events',
    access: cookieOrg('viewer', 'list'),
    audit: { none: 'nothing' },
    tag: 'Events',
    summary: 'Stream events',
    description:
      'Server-sent events, as they happen. `id` is the position of the event, `event` its type and `data` its body as JSON, in one line. Without `last_event_id` the stream begins with the next event. Callers hear of the projects that they reach; only admins and owners who reach all projects hear of members and tokens. They get the audit log if they ask for `audit.*`, which others are refused (403 `denied`). A comment is sent every 15 seconds. The stream ends after 5 minutes, if the caller loses access or reaches fewer projects, and if the client reads too slowly. Connect again with the last `id`: events are kept for 30 days. An organization has at most 100 streams on each server, and a user or token 10.',
    request: {
      headers: z.object({ 'last-event-id': eventId('The `id` that was received last. Browsers send it.') }),
      query: z.object({
        events: anyOf(EVENT_FILTERS)
          .optional()
          .openapi({ description: 'Default: all except `audit.*`, the audit log.' }),
        project_id: projectIds('Events of these projects, without those of members and tokens.').optional(),
        min_severity: z.enum(SEVERITIES).optional().openapi({
          description:
            'Findings of at least this severity. Scans that completed without such a finding are left out.',
        }),
        last_event_id: eventId('The same as the header `Last-Event-ID`, which takes precedence.'),
      }),
    },
    responses: {
      200: {
        description: 'The events. The schema is that of each `data`.',
        body: { type: 'text/event-stream', schema: Event },
      },
    },
    errors: ['permission_error/denied'],
  },
  async (call) => {
    const { headers, query } = call;
    const { last_event_id, ...selection } = query;
    return answerEvents(call, selection, headers['last-event-id'] ?? last_event_id);
  },
);
