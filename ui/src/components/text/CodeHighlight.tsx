import type { ElementContent, RootContent } from 'hast';
import { toJsxRuntime } from 'hast-util-to-jsx-runtime';
import { common, createLowlight } from 'lowlight';
import { type ReactNode, useMemo } from 'react';
import { Fragment, jsx, jsxs } from 'react/jsx-runtime';
import classes from './CodeBlock.module.css';

const lowlight = createLowlight(common);
lowlight.registerAlias({
  python: ['python3', 'python2'],
  bash: ['shell-script'],
  javascript: ['node', 'nodejs'],
});

interface Props {
  code: string;
  language: string;
  /** The number of lines to show. */
  lines: number;
  /** The index of the line that is marked. */
  marked: number | undefined;
  /** Shown if the language is unknown or the code cannot be parsed. */
  fallback: ReactNode;
}

/** Code with highlighted syntax, line by line. */
export function CodeHighlight({ code, language, lines, marked, fallback }: Props) {
  const highlighted = useMemo(
    () => linesIn(language.trim().toLowerCase(), code, marked),
    [language, code, marked],
  );
  return highlighted?.slice(0, lines) ?? fallback;
}

function linesIn(language: string, code: string, marked: number | undefined): ReactNode[] | undefined {
  if (!lowlight.registered(language)) return undefined;
  try {
    return linesOf(lowlight.highlight(language, code).children).map((children, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
      <span key={index} className={classes.line} data-marked={index === marked || undefined}>
        {children.length > 0 ? toJsxRuntime({ type: 'root', children }, { Fragment, jsx, jsxs }) : '\n'}
      </span>
    ));
  } catch {
    // For example code that is nested too deeply.
    return undefined;
  }
}

/** Splits a tree at line breaks. Elements that span lines are opened again in the next line. */
function linesOf(nodes: readonly RootContent[]): ElementContent[][] {
  const lines: ElementContent[][] = [[]];
  for (const node of nodes) {
    if (node.type === 'text') {
      node.value.split('\n').forEach((value, index) => {
        if (index > 0) lines.push([]);
        if (value !== '') lines.at(-1)?.push({ type: 'text', value });
      });
    } else if (node.type === 'element') {
      linesOf(node.children).forEach((children, index) => {
        if (index > 0) lines.push([]);
        if (children.length > 0) lines.at(-1)?.push({ ...node, children });
      });
    }
  }
  return lines;
}
