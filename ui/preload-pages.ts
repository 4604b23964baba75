import { createHash } from 'node:crypto';
import type { Plugin, Rolldown } from 'vite';

/** The most visited pages: their modules, their addresses in an organization, and whether they need `src/late.css`. */
const PAGES: readonly (readonly [module: string, path: string, late: boolean])[] = [
  ['dashboard/Dashboard.tsx', '', true],
  ['findings/list/Findings.tsx', '/findings', false],
  ['findings/page/FindingPage.tsx', '/findings/[^/]+', true],
];

/** The first request of the list of findings: `findings/list-queries.ts` takes the response from `app/early.ts`. */
const FIRST_ROWS = new URLSearchParams({
  attention: 'true',
  sort: '-priority',
  omit: 'description',
  page: '1',
  per_page: '25',
});

/** Runs in the browser. The organization is in the host or in the path. */
const script = (files: readonly (readonly [string, readonly string[]])[]) => `{
const load = (rel, href, as) => document.head.append(Object.assign(document.createElement('link'), { rel, href, as, crossOrigin: '' }));
load('preload', '/api/v1/auth/session', 'fetch');
const [, org] = /^\\/o\\/([^/]+)/.exec(location.pathname) ?? [];
const path = location.pathname.replace(/^\\/o\\/[^/]+/, '').replace(/\\/$/, '');
if (path === '/findings' && !location.search) {
  const url = location.origin + '/api/v1/findings?${FIRST_ROWS}';
  const response = fetch(url, { headers: org ? { 'x-org-slug': org } : {} });
  response.catch(() => {});
  globalThis.early = { url, org, sent: performance.now(), response };
}
for (const [page, files] of ${JSON.stringify(files)})
  if (new RegExp('^' + page + '$').test(path)) for (const file of files) file.endsWith('.css') ? load('preload', file, 'style') : load('modulepreload', file, 'script');
}`;

/**
 * Adds a script to the page that loads the session, the code of the visited page and the first findings while the code that all pages
 * share is loaded. Without it, a slow connection waits for one after the other.
 */
export function preloadPages(): Plugin {
  let fileName: string;
  return {
    name: 'preload-pages',
    apply: 'build',
    generateBundle: {
      // Before the HTML is generated.
      order: 'pre',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
        const initial = reach(
          bundle,
          chunks.filter(({ isEntry }) => isEntry),
        );
        const [styles] = Object.keys(bundle).filter((name) => /\/late-[^/]*\.css$/.test(name));
        if (styles === undefined) this.error('src/late.css is not in the build');
        const files = PAGES.map(([module, path, late]) => {
          const page = chunks.filter(({ facadeModuleId }) => facadeModuleId?.endsWith(`/${module}`));
          if (page.length !== 1) this.error(`${module} is not the module of a page`);
          const scripts = [...reach(bundle, page)].filter((name) => !initial.has(name));
          return [path, [...scripts, ...(late ? [styles] : [])].map((name) => `/${name}`)] as const;
        });
        const source = script(files);
        fileName = `assets/ui/preload-${createHash('sha256').update(source).digest('hex').slice(0, 8)}.js`;
        this.emitFile({ type: 'asset', fileName, source });
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        { tag: 'script', attrs: { src: `/${fileName}`, async: true }, injectTo: 'head-prepend' },
      ],
    },
  };
}

/** The chunks that some chunks import, and those chunks. */
function reach(
  bundle: Rolldown.OutputBundle,
  from: readonly Rolldown.OutputChunk[],
  found = new Set<string>(),
): Set<string> {
  for (const chunk of from) {
    if (found.has(chunk.fileName)) continue;
    found.add(chunk.fileName);
    const imported = chunk.imports.flatMap((name) => bundle[name] ?? []);
    reach(
      bundle,
      imported.filter((file) => file.type === 'chunk'),
      found,
    );
  }
  return found;
}
