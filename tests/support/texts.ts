import ts from 'typescript';

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

/** Finds the texts that a file shows and that are not in files for translation. */
export function textsIn(path: string, code: string): FoundText[] {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, code, ts.ScriptTarget.Latest, true, kind);
  const found = new Map<ts.Node, string>();
  const report = (node: ts.Node) => found.set(node, node.getText(file).trim().slice(0, 80));

  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node) && LETTERS.test(node.text)) report(node);
    for (const literal of shownBy(node).flatMap(literalsOf)) report(literal);
    if (isLiteral(node) && SENTENCE.test(textOf(node)) && !isHidden(node)) report(node);
    if (usesOtherLanguage(node)) report(node);
    ts.forEachChild(node, visit);
  };
  visit(file);

  return [...found].map(([node, text]) => ({
    line: file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1,
    text,
  }));
}

/** The expressions in a node that are shown, whatever their text. */
function shownBy(node: ts.Node): ts.Expression[] {
  if (ts.isJsxExpression(node) && node.expression && !ts.isJsxAttribute(node.parent))
    return [node.expression];
  if (ts.isJsxAttribute(node) && SHOWN.has(node.name.getText())) {
    const value = node.initializer;
    if (!value) return [];
    return ts.isJsxExpression(value)
      ? value.expression
        ? [value.expression]
        : []
      : [value as ts.Expression];
  }
  if (ts.isPropertyAssignment(node)) {
    const name = ts.isStringLiteral(node.name) ? node.name.text : node.name.getText();
    if (SHOWN.has(name)) return [node.initializer];
    if (name === 'validate') return resultsIn(node.initializer);
  }
  if (ts.isCallExpression(node)) {
    const name = ts.isPropertyAccessExpression(node.expression)
      ? node.expression.name.text
      : node.expression.getText();
    return (SHOWN_ARGUMENTS.get(name) ?? []).flatMap((index) => node.arguments[index] ?? []);
  }
  return [];
}

/** What the functions in an expression return. */
function resultsIn(node: ts.Node): ts.Expression[] {
  const results: ts.Expression[] = [];
  const visit = (inner: ts.Node): void => {
    if (ts.isArrowFunction(inner) && !ts.isBlock(inner.body)) results.push(inner.body);
    if (ts.isReturnStatement(inner) && inner.expression) results.push(inner.expression);
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return results;
}

type Literal = ts.StringLiteral | ts.NoSubstitutionTemplateLiteral | ts.TemplateExpression;

const isLiteral = (node: ts.Node): node is Literal =>
  ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);

const textOf = (literal: Literal): string =>
  ts.isTemplateExpression(literal)
    ? [literal.head.text, ...literal.templateSpans.map((span) => span.literal.text)].join('…')
    : literal.text;

/** The literals with letters that an expression can result in. */
function literalsOf(node: ts.Expression): Literal[] {
  if (isLiteral(node)) return LETTERS.test(textOf(node)) ? [node] : [];
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return literalsOf(node.expression);
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(literalsOf);
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(literalsOf);
  if (!ts.isBinaryExpression(node)) return [];
  switch (node.operatorToken.kind) {
    case ts.SyntaxKind.AmpersandAmpersandToken:
      return literalsOf(node.right);
    case ts.SyntaxKind.PlusToken:
    case ts.SyntaxKind.BarBarToken:
    case ts.SyntaxKind.QuestionQuestionToken:
      return [node.left, node.right].flatMap(literalsOf);
    default:
      return [];
  }
}

/** Messages of errors are for developers. */
const isHidden = ({ parent }: ts.Node): boolean =>
  ts.isNewExpression(parent) ||
  (ts.isCallExpression(parent) && parent.expression.kind === ts.SyntaxKind.SuperKeyword);

const LOCAL = new Set(['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']);

/** Whether numbers or dates are formatted for a language that is not that of the texts. */
function usesOtherLanguage(node: ts.Node): boolean {
  const isFixed = (locale: ts.Expression | undefined) =>
    locale === undefined || isLiteral(locale) || locale.getText() === 'undefined';
  if (ts.isNewExpression(node) && /^Intl\./.test(node.expression.getText())) {
    return isFixed(node.arguments?.[0]);
  }
  return (
    ts.isCallExpression(node) &&
    ts.isPropertyAccessExpression(node.expression) &&
    LOCAL.has(node.expression.name.text) &&
    isFixed(node.arguments[0])
  );
}
