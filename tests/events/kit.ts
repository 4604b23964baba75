import type { StoredEvent } from '../../db/events/read.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import type { Audience } from '../../lib/events/audience.ts';
import { Event, type EventBody } from '../../lib/events/body.ts';
import { loadEvents } from '../../lib/events/render.ts';
import type { TestOrg } from '../support/api/api.ts';
import type { TestApp } from '../support/server/app.ts';

/** Events of an organization, read and rendered without publishing them. */
export function eventsOf({ services }: TestApp, { id, slug }: Pick<TestOrg, 'id' | 'slug'>) {
  const run = (text: string, params: string[] = []) =>
    services.database.sql.unsafe(text.replaceAll('ORG', `"${orgSchemaName(id)}"`), params);

  async function stored(): Promise<StoredEvent[]> {
    const rows = await run(
      `select id, seq::float8 as seq, at, type, subject, actor_id, array_to_json(finding_ids) as finding_ids
       from ORG.events order by at, id`,
    );
    return rows.map((row) => ({ ...(row as unknown as StoredEvent), at: new Date(row.at).toISOString() }));
  }

  /** The bodies that an audience hears of; by default an admin's. Each is as its schema says. */
  async function rendered(audience: Partial<Audience> = {}): Promise<EventBody[]> {
    const org = await services.orgs.named(slug);
    if (!org) throw new Error('no such organization');
    const context = { sql: services.database.sql, org, config: services.config };
    const events = await loadEvents(context, await stored());
    return events.flatMap(({ bodyFor }) => {
      const body = bodyFor({ isAdmin: true, ...audience });
      return body ? [Event.parse(body)] : [];
    });
  }

  return { run, stored, rendered, forget: () => run('delete from ORG.events') };
}
