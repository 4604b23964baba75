import type { Element, ElementContent, Root, RootContent } from 'hast';
import type { Html, Nodes, Parents } from 'mdast';
import { defaultSchema, type Options as Schema } from 'rehype-sanitize';
import * as text from '#strings/components/text.ts';

const LINKED = ['http:', 'https:', 'mailto:'];
const MAX_DEPTH = 40;

/** Whether an address in untrusted text may become a link. */
export function isLinkable(address: string): boolean {
  try {
    return LINKED.includes(new URL(address).protocol);
  } catch {
    return false;
  }
}

/** The allowed elements and attributes: nothing that loads, no ids and no styles. */
export const schema: Schema = {
  ...defaultSchema,
  tagNames: [
    ...['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'ul', 'ol', 'li', 'hr', 'br'],
    ...['strong', 'em', 'del', 'sup', 'span', 'mark', 'code', 'pre', 'a', 'input'],
    ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'section'],
  ],
  attributes: {
    a: ['href'],
    code: [['className', /^language-./]],
    input: [
      ['type', 'checkbox'],
      ['disabled', true],
      ['checked', true],
    ],
    ol: ['start', ['className', 'contains-task-list']],
    ul: [['className', 'contains-task-list']],
    th: ['align'],
    td: ['align'],
  },
  protocols: { href: LINKED.map((protocol) => protocol.slice(0, -1)) },
};

/** Shows HTML in Markdown as text. */
export const htmlAsText = (_state: unknown, { value }: Html, parent: Parents | undefined): ElementContent => {
  const node = { type: 'text', value } as const;
  const inline = parent !== undefined && ['paragraph', 'heading', 'tableCell', 'link'].includes(parent.type);
  return inline ? node : { type: 'element', tagName: 'p', properties: {}, children: [node] };
};

/** Rejects text that is nested so deeply that a browser may fail. */
export const limitDepth = () => (tree: Nodes) => {
  const open: [Nodes, number][] = [[tree, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, depth] = next;
    if (depth > MAX_DEPTH) throw new RangeError('nested too deeply');
    if ('children' in node) for (const child of node.children) open.push([child, depth + 1]);
  }
};

/**
 * Shows addresses that may not become links as text, turns images into links, and lowers headings below those of the page.
 * @param levels of all headings of the text, the highest first
 */
export const restrictContent = (levels: readonly number[]) => (tree: Root) => {
  const visit = (node: Root | Element, inLink: boolean) => {
    node.children = node.children.map((child: RootContent): RootContent => {
      if (child.type !== 'element') return child;
      if (/^h[1-6]$/.test(child.tagName))
        child.tagName = `h${Math.min(6, Math.max(0, levels.indexOf(Number(child.tagName[1]))) + 3)}`;
      const tamed = child.tagName === 'img' ? imageLink(child) : child;
      const isLink = tamed.tagName === 'a';
      if (isLink) restrictLink(tamed, inLink);
      visit(tamed, inLink || isLink);
      return tamed;
    }) as typeof node.children;
  };
  visit(tree, false);
};

function imageLink({ properties: { src, alt } }: Element): Element {
  const label = text.image(alt ? String(alt) : text.withoutDescription);
  return {
    type: 'element',
    tagName: 'a',
    properties: { href: src ?? '' },
    children: [{ type: 'text', value: label }],
  };
}

function restrictLink(link: Element, inLink: boolean) {
  const address = String(link.properties.href ?? '');
  if (isLinkable(address) && !inLink) return;
  link.tagName = 'span';
  link.properties = {};
  const isFootnote = address.startsWith('#');
  if (!isFootnote && address !== '' && !inLink)
    link.children.push({ type: 'text', value: ` (${readable(address)})` });
}

function readable(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}
