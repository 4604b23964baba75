import { asc } from 'drizzle-orm';
import { featureFlags } from '../../db/schema/platform.ts';
import { cookie } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { shown, z } from '../../lib/schema.ts';

const Feature = z
  .object({
    name: shown('signup'),
    enabled: z.boolean().openapi({ example: true }),
    description: shown('Anybody may register.'),
  })
  .openapi('Feature');

export const listFeatures = endpoint(
  {
    method: 'get',
    path: '/config/features',
    access: cookie,
    tag: 'Configuration',
    summary: 'List the global feature flags',
    responses: { 200: { description: 'The flags, by name.', result: z.array(Feature) } },
  },
  async ({ db }) => ok(await db.select().from(featureFlags).orderBy(asc(featureFlags.name))),
);
