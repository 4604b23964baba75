import { Anchor, Table, Text } from '@mantine/core';
import type { Element, ElementContent } from 'hast';
import { memo, type ReactNode } from 'react';
import Markdown, { type Components, type Options } from 'react-markdown';
import rehypeSanitize from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import * as words from '#strings/components/text.ts';
import { CodeBlock } from './CodeBlock.tsx';
import classes from './MarkdownText.module.css';
import { htmlAsText, isLinkable, limitDepth, restrictContent, schema } from './markdown-rules.ts';
import { type Mention, showMentions } from './mentions.ts';

interface Props {
  text: string;
  /** The levels of all headings of the complete text, the highest first. */
  levels: readonly number[];
  /** The members that the text mentions. */
  mentions?: readonly Mention[] | undefined;
  /** Shown if the text cannot be rendered. */
  fallback: ReactNode;
}

/** Renders a piece of Markdown. Its content loads nothing, runs nothing and cannot imitate the page. */
export const MarkdownPiece = memo(function MarkdownPiece({ text, levels, mentions, fallback }: Props) {
  try {
    return Markdown({
      ...OPTIONS,
      remarkPlugins: [...PLUGINS, ...(mentions ? [showMentions(mentions)] : [])],
      rehypePlugins: [
        [restrictContent, levels],
        [rehypeSanitize, schema],
      ],
      children: text,
    });
  } catch {
    return fallback;
  }
});

const components: Components = {
  a: ({ href, children }) => (
    <Anchor href={href} target="_blank" rel="noopener noreferrer nofollow" inherit underline="always">
      {children}
    </Anchor>
  ),
  pre: ({ node }) => {
    const code = node?.children.find((child) => child.type === 'element');
    const language = code && languageOf(code);
    return <CodeBlock code={node ? textOf(node) : ''} language={language} label={words.codeInDescription} />;
  },
  mark: ({ children }) => (
    <Text span inherit className={classes.mention ?? ''}>
      <bdi>{children}</bdi>
    </Text>
  ),
  table: ({ children }) => (
    <Table.ScrollContainer
      minWidth={0}
      type="native"
      my="sm"
      tabIndex={0}
      role="group"
      aria-label={words.table}
    >
      <Table withTableBorder withColumnBorders w="auto">
        {children}
      </Table>
    </Table.ScrollContainer>
  ),
  thead: ({ children }) => <Table.Thead>{children}</Table.Thead>,
  tbody: ({ children }) => <Table.Tbody>{children}</Table.Tbody>,
  tr: ({ children }) => <Table.Tr>{children}</Table.Tr>,
  th: ({ children, style }) => <Table.Th {...(style && { style })}>{children}</Table.Th>,
  td: ({ children, style }) => <Table.Td {...(style && { style })}>{children}</Table.Td>,
  input: ({ checked }) => (
    <Text span inherit role="img" aria-label={checked ? words.taskDone : words.taskToDo}>
      {checked ? '☑' : '☐'}
    </Text>
  ),
};

const PLUGINS = [remarkGfm, limitDepth] as const;

const OPTIONS: Options = {
  remarkRehypeOptions: { handlers: { html: htmlAsText } },
  urlTransform: (url) => (isLinkable(url) ? url : undefined),
  components,
};

function languageOf({ properties: { className } }: Element): string | undefined {
  const names = Array.isArray(className) ? className.map(String) : [];
  return names.find((name) => name.startsWith('language-'))?.slice('language-'.length);
}

const textOf = ({ children }: { children: ElementContent[] }): string =>
  children
    .map((child) => (child.type === 'text' ? child.value : child.type === 'element' ? textOf(child) : ''))
    .join('');
