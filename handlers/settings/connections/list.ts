import { asc, eq } from 'drizzle-orm';
import { ssoConnections as t } from '../../../db/schema/orgs.ts';
import { sessionOrg } from '../../../lib/http/access.ts';
import { ok } from '../../../lib/http/answer.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { z } from '../../../lib/schema.ts';
import { Connection, toConnection } from '../../../lib/sso/connection-fields.ts';

export const listConnections = endpoint(
  {
    method: 'get',
    path: '/settings/connections',
    access: sessionOrg('owner', 'none'),
    tag: 'Single sign-on',
    summary: 'List the connections for single sign-on',
    description: 'The oldest first.',
    responses: { 200: { description: 'The connections.', result: z.array(Connection) } },
  },
  async ({ db, org, services }) => {
    const rows = await db.select().from(t).where(eq(t.orgId, org.id)).orderBy(asc(t.createdAt), asc(t.id));
    return ok(rows.map((row) => toConnection(services.config, row)));
  },
);
