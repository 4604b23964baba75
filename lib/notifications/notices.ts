import { readProjectNames } from '../../db/events/details.ts';
import type { Sql } from '../../db/pool/query.ts';
import { readAssigned } from '../../db/projects/members.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import type { OwnEventType } from '../../db/schema/values.ts';
import type { EventBody } from '../events/body.ts';
import type { LoadedEvent } from '../events/render.ts';
import { isOfScan } from '../events/types.ts';
import type { DigestTime } from '../mail/digests.ts';
import { KINDS_OF } from './kinds.ts';
import type { NotificationKind } from './settings.ts';
import type { Recipient, Subscriber } from './subscribers.ts';
import { type Summary, summaryOf } from './summaries.ts';

/** A notice to a person, which is sent now or collected for a digest. */
export interface PersonalNotice {
  recipient: Recipient;
  time: DigestTime;
  kinds: readonly NotificationKind[];
  /** Absent: about the account itself. */
  orgId?: string;
  /** Absent: about the account, or about what admins of the organization see. */
  projectId?: string | undefined;
  summary: Summary;
}

/** The members of an organization who have chosen mails, and its projects, for some events. */
export interface NoticeContext {
  org: { id: string; slug: string; name: string };
  /** The address of the organization in the web UI. */
  base: string;
  subscribers: readonly Subscriber[];
  /** The names of the projects of the events. */
  names: ReadonlyMap<string, string>;
  /** The projects that limited members reach. */
  assigned: ReadonlyMap<string, readonly string[]>;
}

/** The members who reach only assigned projects. */
export const limitedOf = (members: readonly Subscriber[]): string[] =>
  members.flatMap(({ id, isLimited }) => (isLimited ? [id] : []));

/** Reads the projects of events. */
export async function readProjectsOf(
  client: Sql,
  tables: OrgTables,
  events: readonly LoadedEvent[],
  subscribers: readonly Subscriber[],
): Promise<Pick<NoticeContext, 'names' | 'assigned'>> {
  const ids = [...new Set(events.flatMap((event) => [...event.about().projects]))];
  if (ids.length === 0) return { names: new Map(), assigned: new Map() };
  const [names, assigned] = await Promise.all([
    readProjectNames(client, tables, ids),
    readAssigned(client, tables, ids, limitedOf(subscribers)),
  ]);
  return { names, assigned };
}

/** The projects of the events that a member reaches. Undefined: all. */
const projectsOf = (
  { assigned }: NoticeContext,
  { id, isLimited }: Subscriber,
): readonly string[] | undefined => (isLimited ? (assigned.get(id) ?? []) : undefined);

/** The kinds of an event that a member has chosen, by their times: each time makes one notice. */
function kindsByTime(
  { kinds }: Subscriber,
  possible: readonly NotificationKind[],
): Map<PersonalNotice['time'], NotificationKind[]> {
  const byTime = new Map<PersonalNotice['time'], NotificationKind[]>();
  for (const kind of possible) {
    const time = kinds[kind] ?? 'off';
    if (time !== 'off') byTime.set(time, [...(byTime.get(time) ?? []), kind]);
  }
  return byTime;
}

/** The notices about an event. Its actor gets none. */
export function noticesOf(context: NoticeContext, loaded: LoadedEvent): PersonalNotice[] {
  const { event } = loaded;
  const kinds = KINDS_OF[event.type as OwnEventType] ?? [];
  const others = context.subscribers.filter(({ id }) => id !== event.actor_id);
  if (isOfScan(event.type)) return scanNotices(context, loaded, others);
  const { users } = loaded.about();
  return others
    .filter(({ id }) => users.has(id))
    .flatMap((recipient) => {
      const projects = projectsOf(context, recipient);
      const isMention = event.type === 'finding.commented';
      const body = loaded.bodyFor({
        ...{ projects, isAdmin: false },
        assigneeId: isMention ? undefined : recipient.id,
      });
      return body ? notices(context, recipient, kinds, () => summaryOf(context, body, kinds)) : [];
    });
}

/** The notices about a scan, to all who reach its project. Members with the same choices get the same text. */
function scanNotices(
  context: NoticeContext,
  loaded: LoadedEvent,
  others: readonly Subscriber[],
): PersonalNotice[] {
  const body = loaded.bodyFor({ isAdmin: false });
  if (!body) return [];
  const critical = loaded.bodyFor({ isAdmin: false, minSeverity: 'critical' });
  const kinds = happened(body, critical);
  const { projects: ofEvent } = loaded.about();
  const summaries = new Map<string, Summary>();
  return others
    .filter((member) => {
      const projects = projectsOf(context, member);
      return [...ofEvent].every((id) => projects?.includes(id) ?? true);
    })
    .flatMap((member) =>
      notices(context, member, kinds, (chosen) => {
        const key = chosen.join();
        const summary = summaries.get(key) ?? summaryOf(context, body, chosen, critical);
        summaries.set(key, summary);
        return summary;
      }),
    );
}

/** The kinds of mails that the result of a scan is a reason for. */
function happened(body: EventBody, critical: EventBody | undefined): NotificationKind[] {
  if (body.type === 'scan.failed') return ['scan_failed'];
  if (body.type !== 'scan.completed') return [];
  const hasCritical = critical?.type === 'scan.completed' && critical.data.new > 0;
  return [
    ...(hasCritical ? ['new_critical' as const] : []),
    ...(body.data.regressed > 0 ? ['regressed' as const] : []),
  ];
}

const notices = (
  { org }: NoticeContext,
  recipient: Subscriber,
  possible: readonly NotificationKind[],
  summarize: (kinds: readonly NotificationKind[]) => Summary,
): PersonalNotice[] =>
  [...kindsByTime(recipient, possible)].map(([time, kinds]) => {
    const summary = summarize(kinds);
    return { recipient, time, kinds, orgId: org.id, projectId: summary.projectId, summary };
  });
