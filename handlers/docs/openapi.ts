import { publicAccess } from '../../lib/http/access.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { shown, z } from '../../lib/http/schema.ts';

export const openApiDocument = endpoint(
  {
    method: 'get',
    path: '/docs/openapi.yaml',
    access: publicAccess,
    tag: 'Health, metrics, documentation',
    summary: 'Get this document',
    responses: {
      200: {
        description: 'OpenAPI 3.0.3.',
        body: { type: 'application/yaml', schema: z.object({ openapi: shown('3.0.3') }) },
      },
    },
    withoutDatabase: true,
  },
  async ({ openApi }) => ({
    status: 200,
    body: openApi(),
    headers: { 'content-type': 'application/yaml', 'cache-control': 'no-cache' },
  }),
);
