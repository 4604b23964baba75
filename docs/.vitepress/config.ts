import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type MarkdownIt from 'markdown-it';
import { withMermaid } from 'vitepress-plugin-mermaid';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const { homepage, description } = JSON.parse(read('package.json'));
const REPOSITORY = homepage.replace(/#.*/, '');

/** Links of the documentation to files outside of docs/ lead to the repository. */
function linkToRepository(md: MarkdownIt): void {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    const folder = posix.dirname(env.relativePath ?? '');
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet('href');
      if (!href?.startsWith('../')) continue;
      const target = posix.join(folder, href);
      if (target.startsWith('../')) token.attrSet('href', `${REPOSITORY}/blob/main/${target.slice(3)}`);
    }
  });
}

const titleOf = (page: string) => /^# (.*)$/m.exec(read(`docs/${page}`))?.[1] ?? page;

/** The pages by task, as the index in docs/README.md lists them. */
const sidebar = [...read('docs/README.md').matchAll(/^\| ([^|]+) \| (.+) \|$/gm)]
  .map(([, task, pages = '']) => ({
    text: task,
    items: [...pages.matchAll(/\]\(([\w/-]+\.md)\)/g)].map(([, page = '']) => ({
      text: titleOf(page),
      link: `/${page.replace(/\.md$/, '')}`,
    })),
  }))
  .filter(({ items }) => items.length > 0);

export default withMermaid({
  title: 'svc-findings',
  description,
  rewrites: { 'README.md': 'index.md' },
  cleanUrls: true,
  lastUpdated: true,
  ignoreDeadLinks: 'localhostLinks',
  // Labels as SVG text: the line height of the page would cut HTML labels.
  mermaid: { htmlLabels: false, flowchart: { htmlLabels: false } },
  markdown: { config: linkToRepository },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
    editLink: { pattern: `${REPOSITORY}/edit/main/docs/:path` },
    sidebar,
  },
});
