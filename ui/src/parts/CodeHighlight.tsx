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
  /** How many lines of it are shown. */
  lines: number;
  /** Shown when the language is not known. */
  fallback: ReactNode;
}

/** The lines of a text, with what a language makes of it in colours. */
export function CodeHighlight({ code, language, lines, fallback }: Props) {
  const name = language.trim().toLowerCase();
  const known = lowlight.registered(name);
  const tree = useMemo(
    () => (known ? linesOf(lowlight.highlight(name, code).children) : []),
    [known, name, code],
  );
  if (!known) return fallback;
  return tree.slice(0, lines).map((children, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines never change places
    <span key={index} className={classes.line}>
      {toJsxRuntime({ type: 'root', children }, { Fragment, jsx, jsxs })}
      {'\n'}
    </span>
  ));
}

/** Cuts a tree at the ends of its lines; elements that go on are opened again. */
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
