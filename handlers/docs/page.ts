import { SwaggerUI } from '@hono/swagger-ui';
import { publicAccess } from '../../lib/http/access.ts';
import { API_PREFIX, endpoint } from '../../lib/http/endpoint.ts';
import { contentSecurityPolicy, PAGE_HEADERS } from '../../lib/http/security-headers.ts';
import { shown } from '../../lib/schema.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>API · svc-findings</title>
</head>
<body>
${SwaggerUI({
  url: `${API_PREFIX}/docs/openapi.yaml`,
  // Where the build has put the files of swagger-ui-dist; from us, not from its CDN.
  baseUrl: '/assets',
  deepLinking: true,
  docExpansion: 'none',
  displayRequestDuration: true,
})}
</body>
</html>
`;

export const apiDocs = endpoint(
  {
    method: 'get',
    path: '/docs',
    access: publicAccess,
    tag: 'Health, metrics, documentation',
    summary: 'Get the interactive documentation',
    responses: {
      200: { description: 'Swagger UI.', body: { type: 'text/html', schema: shown('<!doctype html>') } },
    },
    withoutDatabase: true,
  },
  async () => ({
    status: 200,
    body: PAGE,
    headers: {
      ...PAGE_HEADERS,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': contentSecurityPolicy(await inlineScripts(PAGE)),
    },
  }),
);

/** The CSP sources that allow exactly the scripts that stand in a page. */
async function inlineScripts(page: string): Promise<string[]> {
  const scripts = page
    .split('<script>')
    .slice(1)
    .map((part) => part.slice(0, part.indexOf('</script>')));
  return Promise.all(
    scripts.map(async (script) => {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(script));
      return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}'`;
    }),
  );
}
