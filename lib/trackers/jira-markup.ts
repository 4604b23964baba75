import { type Block, fitting, inLine, JOINER, shortened, visible } from './blocks.ts';

/** The marker of an issue, which is a line of its text. */
export const jiraMarker = (marker: string): string => `svc-findings: ${marker}`;

interface Node {
  type: string;
  [key: string]: unknown;
}

const text = (value: string, ...marks: object[]): Node => ({
  // A text must not be empty.
  ...{ type: 'text', text: value === '' ? JOINER : value },
  ...(marks.length > 0 && { marks }),
});
const paragraph = (...content: Node[]): Node => ({ type: 'paragraph', content });

function nodesOf(block: Block, max: number): Node[] {
  switch (block.kind) {
    case 'text':
      return [paragraph(text(block.text))];
    case 'facts': {
      const items = block.facts.map(([label, value]) => ({
        type: 'listItem',
        content: [paragraph(text(`${label}: `, { type: 'strong' }), text(inLine(value, max)))],
      }));
      return [{ type: 'bulletList', content: items }];
    }
    case 'reported':
      return [
        { type: 'heading', attrs: { level: 3 }, content: [text(block.heading)] },
        { type: 'codeBlock', content: [text(shortened(visible(block.text), max))] },
      ];
    case 'link':
      return [paragraph(text(block.text, { type: 'link', attrs: { href: block.url } }))];
  }
}

/** Blocks as Atlassian Document Format, for Jira Cloud. Its texts have no markup. */
export function toAdf(blocks: readonly Block[], marker?: string): object {
  const tree = (max: number) => ({
    ...{ type: 'doc', version: 1 },
    content: [
      ...blocks.flatMap((block) => nodesOf(block, max)),
      ...(marker === undefined ? [] : [paragraph(text(jiraMarker(marker)))]),
    ],
  });
  return JSON.parse(fitting((max) => JSON.stringify(tree(max)))) as object;
}

/** Text in a block without markup, which it cannot end. Jira looks for mentions (`[~user]`) in such blocks, too. */
const noFormat = (value: string): string =>
  `{noformat}\n${value.replaceAll(/\{(?=noformat)/gi, `{${JOINER}`).replaceAll('[~', `[${JOINER}~`)}\n{noformat}`;

function write(block: Block, max: number): string {
  switch (block.kind) {
    case 'text':
      return block.text;
    case 'facts':
      return noFormat(block.facts.map(([label, value]) => `${label}: ${inLine(value, max)}`).join('\n'));
    case 'reported':
      return `h3. ${block.heading}\n\n${noFormat(shortened(visible(block.text), max))}`;
    case 'link':
      return `[${block.text}|${block.url}]`;
  }
}

/** Blocks as wiki text, for Jira Data Center. */
export const toWikiText = (blocks: readonly Block[], marker?: string): string =>
  fitting((max) =>
    [...blocks.map((block) => write(block, max)), ...(marker === undefined ? [] : [jiraMarker(marker)])].join(
      '\n\n',
    ),
  );
