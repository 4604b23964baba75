import { SwaggerUI } from '@hono/swagger-ui';
import { publicAccess } from '../../lib/http/access.ts';
import { API_PREFIX, endpoint } from '../../lib/http/endpoint.ts';
import { contentSecurityPolicy, PAGE_HEADERS } from '../../lib/http/security-headers.ts';
import { shown } from '../../lib/schema.ts';

/** Follows the colours that the user has chosen in the web UI, or those of the system. Runs before the page is shown. */
const COLORS = `
const system = matchMedia('(prefers-color-scheme: dark)');
const apply = () => {
  const chosen = localStorage.getItem('mantine-color-scheme-value');
  const isDark = chosen === 'dark' || (chosen !== 'light' && system.matches);
  document.documentElement.classList.toggle('dark-mode', isDark);
};
apply();
system.addEventListener('change', apply);
addEventListener('storage', apply);
`;

/** Names the parts that Swagger UI leaves without one, makes its scrollable examples reachable by keyboard, and orders its headings. */
const NAMES = `
const name = () => {
  for (const one of document.querySelectorAll('.swagger-ui select:not([aria-label])')) {
    const label = one.closest('[data-param-name]')?.dataset.paramName
      ?? (one.id === 'servers' ? 'Server' : one.className.includes('examples') ? 'Example' : 'Media type');
    one.setAttribute('aria-label', label);
  }
  for (const one of document.querySelectorAll('.swagger-ui pre.microlight:not([tabindex])')) one.tabIndex = 0;
  for (const [level, headings] of [['2', 'h3.opblock-tag, .models h4'], ['3', '.opblock :is(h4, h5)']])
    for (const one of document.querySelectorAll(headings)) if (!one.ariaLevel) one.ariaLevel = level;
  for (const [part, label] of [['.information-container', 'About the API'], ['.scheme-container', 'Server and authorization']]) {
    const one = document.querySelector(part + ':not([role])');
    one?.setAttribute('role', 'region');
    one?.setAttribute('aria-label', label);
  }
  // A button must not contain a link. The button opens the operation, which changes the address.
  for (const one of document.querySelectorAll('.opblock-summary-control a[href]')) one.removeAttribute('href');
};
new MutationObserver(name).observe(document.getElementById('swagger-ui'), { childList: true, subtree: true });
`;

/** The way back, and the colours of Swagger UI that have too little contrast. */
const STYLES = `
body { margin: 0; }
header { max-width: 1460px; margin: 0 auto; padding: 1rem 20px 0; box-sizing: border-box; font: 600 14px/24px system-ui, sans-serif; }
header a, .swagger-ui a:not(.nostyle), .swagger-ui .info .link, .swagger-ui .info .title + a .url { color: #1864ab; }
.dark-mode header a, .dark-mode .swagger-ui a:not(.nostyle), .dark-mode .swagger-ui .info .title + a .url { color: #a5d8ff; }
.swagger-ui .info .title small, .swagger-ui .info .title small.version-stamp { background: #495057; }
.swagger-ui .btn.authorize { color: #1b6b3f; border-color: #1b6b3f; }
.swagger-ui .btn.authorize svg { fill: #1b6b3f; }
.dark-mode .swagger-ui .btn.authorize { color: #8ce99a; border-color: #8ce99a; }
.dark-mode .swagger-ui .btn.authorize svg { fill: #8ce99a; }
.swagger-ui .opblock .opblock-summary-method { color: #000; text-shadow: none; }
.swagger-ui .btn.execute { background: #1864ab; border-color: #1864ab; color: #fff; }
.swagger-ui .btn.cancel { color: #c92a2a; border-color: #c92a2a; }
.dark-mode .swagger-ui .btn.cancel { color: #ffa8a8; border-color: #ffa8a8; }
.swagger-ui .parameter__in, .swagger-ui .header-col .header-example { color: #495057 !important; }
.dark-mode .swagger-ui .parameter__in, .dark-mode .swagger-ui .header-col .header-example { color: #ced4da !important; }
.dark-mode .swagger-ui .header-col { color: #dee2e6; }
@media (max-width: 640px) {
  .swagger-ui .opblock-tag { flex-wrap: wrap; font-size: 18px; }
  .swagger-ui .opblock-tag a { flex: 1; }
  .swagger-ui .opblock-tag small { order: 1; flex: 1 0 100%; padding: 0; }
  .swagger-ui .scheme-container .schemes { flex-wrap: wrap; }
  .swagger-ui .opblock-body { overflow-x: auto; }
}
.swagger-ui .microlight span[style*="211, 99, 99"] { color: #ffa8a8 !important; }
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API · svc-findings</title>
<script>${COLORS}</script>
</head>
<body>
<header><a href="/">← Back to the web UI</a></header>
${SwaggerUI({
  url: `${API_PREFIX}/docs/openapi.yaml`,
  // Where the build has put the files of swagger-ui-dist; from us, not from its CDN.
  baseUrl: '/assets',
  deepLinking: true,
  docExpansion: 'none',
  displayRequestDuration: true,
})}
<script>${NAMES}</script>
<style>${STYLES}</style>
</body>
</html>
`;

export const apiDocs = endpoint(
  {
    method: 'get',
    path: '/docs',
    access: publicAccess,
    audit: { none: 'nothing' },
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
