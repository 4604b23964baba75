import { publicAccess } from '../../lib/http/access.ts';
import type { Raw } from '../../lib/http/answer.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { shown, z } from '../../lib/schema.ts';

const OpenApi = z.looseObject({ openapi: shown('3.0.3') });

/** A document changes with the version of the service only, but nobody can tell from its address. */
const answer = (type: string, body: string): Raw => ({
  status: 200,
  body,
  headers: { 'content-type': type, 'cache-control': 'no-cache' },
});

export const openApiDocument = endpoint(
  {
    method: 'get',
    path: '/docs/openapi.yaml',
    access: publicAccess,
    audit: { none: 'nothing' },
    tag: 'Health, metrics, documentation',
    summary: 'Get this document',
    responses: {
      200: { description: 'OpenAPI 3.0.3.', body: { type: 'application/yaml', schema: OpenApi } },
    },
    withoutDatabase: true,
  },
  async ({ openApi }) => answer('application/yaml', openApi('yaml')),
);

export const openApiDocumentJson = endpoint(
  {
    method: 'get',
    path: '/docs/openapi.json',
    access: publicAccess,
    audit: { none: 'nothing' },
    tag: 'Health, metrics, documentation',
    summary: 'Get this document as JSON',
    responses: {
      200: { description: 'OpenAPI 3.0.3.', body: { type: 'application/json', schema: OpenApi } },
    },
    withoutDatabase: true,
  },
  async ({ openApi }) => answer('application/json', openApi('json')),
);
