import { parseAst } from 'vite';

/** A text in the code of the web UI. */
export interface FoundText {
  line: number;
  text: string;
}

/** Attributes of elements, and fields of their options, that are shown or read aloud. */
const SHOWN = new Set([
  ...['label', 'title', 'placeholder', 'description', 'alt', 'children', 'text', 'heading', 'note', 'about'],
  ...['aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'nothingFoundMessage'],
  ...[
    'message',
    'advice',
    'confirm',
    'cancel',
    'action',
    'saved',
    'warning',
    'error',
    'hint',
    'suffix',
    'prefix',
  ],
  ...['content', 'summary', 'caption', 'legend', 'empty', 'tooltip', 'unit', 'what'],
]);

/** Functions, and which of their arguments is shown. */
const SHOWN_ARGUMENTS: ReadonlyMap<string, readonly number[]> = new Map([
  ['showSuccess', [0, 1]],
  ['setFieldError', [1]],
  ['useDocumentTitle', [0]],
]);

const LETTERS = /\p{L}/u;
/** Anything that begins like a sentence, wherever it stands. */
const SENTENCE = /^\p{Lu}\p{L}+[’,]?\s.*\p{L}/su;

/** A node of the syntax tree (ESTree, with JSX and TypeScript). */
interface Node {
  type: string;
  start: number;
  end: number;
  // biome-ignore lint/suspicious/noExplicitAny: each type has fields of its own
  [field: string]: any;
}

/** Finds the texts that a file shows and that are not in files for translation. */
export function textsIn(path: string, code: string): FoundText[] {
  const lang = path.endsWith('.tsx') ? 'tsx' : 'ts';
  const program: Node = parseAst(code, { lang, preserveParens: false }, path);
  const found = new Set<Node>();

  const visit = (node: Node, parent: Node): void => {
    if (node.type === 'JSXText' && LETTERS.test(node.value)) found.add(node);
    for (const literal of shownBy(node, parent).flatMap(literalsOf)) found.add(literal);
    if (isLiteral(node) && SENTENCE.test(textOf(node)) && !isHidden(parent)) found.add(node);
    if (usesOtherLanguage(node)) found.add(node);
    for (const child of childrenOf(node)) visit(child, node);
  };
  visit(program, program);

  return [...found].map(({ start, end }) => {
    const text = code.slice(start, end);
    const before = code.slice(0, start + text.length - text.trimStart().length);
    return { line: before.split('\n').length, text: text.trim().slice(0, 80) };
  });
}

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((value) => typeof value?.type === 'string');

/** The expressions in a node that are shown, whatever their text. */
function shownBy(node: Node, parent: Node): Node[] {
  switch (node.type) {
    case 'JSXExpressionContainer':
      return parent.type === 'JSXAttribute' ? [] : [node.expression];
    case 'JSXAttribute':
      if (!SHOWN.has(node.name.name) || !node.value) return [];
      return [node.value.type === 'JSXExpressionContainer' ? node.value.expression : node.value];
    case 'Property': {
      const name = node.computed ? undefined : (node.key.name ?? node.key.value);
      if (SHOWN.has(name)) return [node.value];
      return name === 'validate' ? resultsIn(node.value) : [];
    }
    case 'CallExpression': {
      const name = node.callee.property?.name ?? node.callee.name;
      return (SHOWN_ARGUMENTS.get(name) ?? []).flatMap((index) => node.arguments[index] ?? []);
    }
    default:
      return [];
  }
}

/** The values that functions in an expression return. */
function resultsIn(node: Node): Node[] {
  const results: Node[] = [];
  const visit = (inner: Node): void => {
    if (inner.type === 'ArrowFunctionExpression' && inner.expression) results.push(inner.body);
    if (inner.type === 'ReturnStatement' && inner.argument) results.push(inner.argument);
    childrenOf(inner).forEach(visit);
  };
  visit(node);
  return results;
}

const isLiteral = ({ type, value }: Node): boolean =>
  type === 'TemplateLiteral' || (type === 'Literal' && typeof value === 'string');

const textOf = ({ quasis, value }: Node): string =>
  quasis ? quasis.map((quasi: Node) => quasi.value.cooked).join('…') : value;

/** The literals with letters that an expression can result in. */
function literalsOf(node: Node): Node[] {
  if (isLiteral(node)) return LETTERS.test(textOf(node)) ? [node] : [];
  switch (node.type) {
    case 'TSAsExpression':
      return literalsOf(node.expression);
    case 'ConditionalExpression':
      return [node.consequent, node.alternate].flatMap(literalsOf);
    case 'ArrayExpression':
      return node.elements.flatMap((element: Node | null) => (element ? literalsOf(element) : []));
    case 'LogicalExpression':
      return (node.operator === '&&' ? [node.right] : [node.left, node.right]).flatMap(literalsOf);
    case 'BinaryExpression':
      return node.operator === '+' ? [node.left, node.right].flatMap(literalsOf) : [];
    default:
      return [];
  }
}

/** Messages of errors are for developers. */
const isHidden = (parent: Node): boolean =>
  parent.type === 'NewExpression' || (parent.type === 'CallExpression' && parent.callee.type === 'Super');

const LOCAL = new Set(['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']);

/** Whether numbers or dates are formatted for a language that is not that of the texts. */
function usesOtherLanguage({ type, callee, arguments: values = [] }: Node): boolean {
  const [locale] = values;
  const isFixed = locale === undefined || isLiteral(locale) || locale.name === 'undefined';
  if (type === 'NewExpression') return callee.object?.name === 'Intl' && isFixed;
  return type === 'CallExpression' && LOCAL.has(callee.property?.name) && isFixed;
}
