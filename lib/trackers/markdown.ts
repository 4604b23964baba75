import { type Block, fitting, inLine, JOINER, shortened, visible } from './blocks.ts';

/* Markdown of GitHub and GitLab. Both read no mentions, references and markup in code. */

/** The marker of an issue, which browsers do not show. */
export const markdownMarker = (marker: string): string => `<!-- svc-findings: ${marker} -->`;

/** A value. The joiner keeps an empty one from being no code. */
const code = (value: string, max: number): string =>
  `\`${inLine(value, max).replaceAll('`', "'") || JOINER}\``;

/**
 * A code block. The text has no fence, because GitLab ends a block at any fence when it looks for commands, and no line begins with `/`,
 * which begins a command.
 */
const codeBlock = (text: string, max: number): string => {
  const inert = shortened(visible(text), max)
    .replaceAll(/(?<=[`~]{2})[`~]/g, `${JOINER}$&`)
    .replaceAll(/^\//gm, ' /');
  return `\`\`\`text\n${inert}\n\`\`\``;
};

function write(block: Block, max: number): string {
  switch (block.kind) {
    case 'text':
      return block.text;
    case 'facts':
      return block.facts.map(([label, value]) => `- **${label}:** ${code(value, max)}`).join('\n');
    case 'reported':
      return `### ${block.heading}\n\n${codeBlock(block.text, max)}`;
    case 'link':
      return `[${block.text}](${block.url})`;
  }
}

/** Blocks as Markdown. */
export const toMarkdown = (blocks: readonly Block[], marker?: string): string =>
  fitting((max) =>
    [
      ...blocks.map((block) => write(block, max)),
      ...(marker === undefined ? [] : [markdownMarker(marker)]),
    ].join('\n\n'),
  );
