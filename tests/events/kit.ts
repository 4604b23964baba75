import { readEventsById, type StoredEvent } from '../../db/events/read.ts';
import { orgSchemaName } from '../../db/schema/org-schema.ts';
import { Event, type EventBody } from '../../lib/events/body.ts';
import { type Audience, renderEvents } from '../../lib/events/render.ts';
import type { TestOrg } from '../support/api/api.ts';
import type { TestApp } from '../support/server/app.ts';

/** Events of an organization, read and rendered without publishing them. */
export function eventsOf({ services }: TestApp, { id, slug }: Pick<TestOrg, 'id' | 'slug'>) {
  const run = (text: string, params: string[] = []) =>
    services.database.sql.unsafe(text.replaceAll('ORG', `"${orgSchemaName(id)}"`), params);

  async function stored(): Promise<StoredEvent[]> {
    const org = await services.orgs.named(slug);
    const rows = await run('select id from ORG.events order by at, id');
    const found =
      org &&
      (await readEventsById(
        services.database.sql,
        org.tables,
        rows.map((row) => row.id),
      ));
    const byId = new Map(found?.map((event) => [event.id, event]));
    return rows.flatMap((row) => byId.get(row.id) ?? []);
  }

  /** The bodies that an audience hears of; by default an admin's. Each is as its schema says. */
  async function rendered(audience: Partial<Audience> = {}): Promise<EventBody[]> {
    const org = await services.orgs.named(slug);
    if (!org) throw new Error('no such organization');
    const context = { sql: services.database.sql, org, config: services.config };
    const events = await renderEvents(context, await stored(), { isAdmin: true, ...audience });
    return events.flatMap(({ body }) => (body ? [Event.parse(body)] : []));
  }

  return { run, stored, rendered, forget: () => run('delete from ORG.events') };
}
