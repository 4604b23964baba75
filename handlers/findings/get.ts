import { eq } from 'drizzle-orm';
import { findingFields, toResource } from '../../db/resources.ts';
import { cookieOrg } from '../../lib/http/access.ts';
import { endpoint, ok } from '../../lib/http/endpoint.ts';
import { ApiError } from '../../lib/http/errors.ts';
import { idParam } from '../../lib/http/fields.ts';
import { z } from '../../lib/http/schema.ts';
import { Finding } from '../../lib/resources.ts';

export const getFinding = endpoint(
  {
    method: 'get',
    path: '/findings/{id}',
    access: cookieOrg(),
    tag: 'Findings',
    summary: 'Get a finding',
    request: { params: z.object({ id: idParam() }) },
    responses: { 200: { description: 'The finding.', result: Finding } },
  },
  async ({ db, org: { tables }, params: { id } }) => {
    const [row] = await db
      .select(findingFields(tables))
      .from(tables.findings)
      .where(eq(tables.findings.id, id));
    if (!row) throw new ApiError('resource_error/not_found');
    return ok(toResource(row));
  },
);
