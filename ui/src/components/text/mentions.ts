import type { Nodes, Parents, PhrasingContent } from 'mdast';

/** A member that a text mentions. */
export interface Mention {
  id: string;
  name: string;
}

const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Shows `@[name](user-id)` as the current name of the member. A mention of anybody else becomes the text that its author wrote,
 * because its address leads nowhere.
 */
export const showMentions = (mentions: readonly Mention[]) => () => (tree: Nodes) => {
  const visit = (node: Parents) => {
    node.children.forEach((child, i) => {
      const before = node.children[i - 1];
      if (
        child.type !== 'link' ||
        !ID.test(child.url) ||
        before?.type !== 'text' ||
        !before.value.endsWith('@')
      ) {
        if ('children' in child) visit(child);
        return;
      }
      const member = mentions.find(({ id }) => id === child.url.toLowerCase());
      if (member) before.value = before.value.slice(0, -1);
      node.children[i] = member ? mark(`@${member.name}`) : { type: 'text', value: textOf(child) };
    });
  };
  if ('children' in tree) visit(tree);
};

/** Text that is highlighted. The data makes it an element `mark`. */
const mark = (value: string): PhrasingContent => ({
  type: 'emphasis',
  data: { hName: 'mark' },
  children: [{ type: 'text', value }],
});

const textOf = (node: Nodes): string =>
  'value' in node ? node.value : 'children' in node ? node.children.map(textOf).join('') : '';
