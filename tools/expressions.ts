import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { checkSync } from 'recheck';
import ts from 'typescript';

/*
 * Fails for a regular expression of the product that takes more than linear time for some text. It checks every literal, and calls of
 * `RegExp` with a text. `x{1,300}` counts as `x{1,2}`: a repetition with a maximum multiplies the time by a constant. Expressions
 * whose repetitions all have a maximum are not checked. Numbers instead of times limit recheck, so that every run finds the same.
 * Expressions that were safe are remembered beside the packages, which installing others removes.
 */

const root = resolve(import.meta.dirname, '..');
const FOLDERS = ['agent', 'client', 'db', 'handlers', 'lib', 'ui/src'];
const FILES = ['admin.ts', 'server.ts', 'worker.ts'];
const LIMITS = {
  ...{ timeout: null, attackTimeout: null, incubationTimeout: null, recallTimeout: -1 },
  ...{ maxNFASize: 2_000, incubationLimit: 3_000, attackLimit: 1_000_000, maxAttackStringSize: 4_000 },
  ...{
    maxIteration: 2,
    maxInitialGenerationSize: 50,
    maxGenerationSize: 10,
    mutationSize: 5,
    crossoverSize: 5,
  },
};
process.env.RECHECK_SYNC_BACKEND = 'pure';

const files = [
  ...FILES,
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => join(folder, path)),
  ),
].toSorted();

/** The places of each expression. */
const found = new Map<string, string[]>();
for (const file of files) collect(file);

const CACHE = join(root, 'tools/node_modules/.cache/expressions.json');
const cached: string[] = existsSync(CACHE) ? JSON.parse(readFileSync(CACHE, 'utf8')) : [];
const known = new Set(cached);
const safe: string[] = [];
for (const [expression, places] of found) {
  if (!/[*+]|,\}/.test(expression)) continue;
  const key = `${expression} ${JSON.stringify(LIMITS)}`;
  const problem = known.has(key) ? undefined : problemOf(expression);
  if (problem === undefined) {
    safe.push(key);
    continue;
  }
  process.stderr.write(`${places.join(', ')}: ${expression} ${problem}\n`);
  process.exitCode = 1;
}
mkdirSync(dirname(CACHE), { recursive: true });
writeFileSync(CACHE, JSON.stringify(safe));

function problemOf(expression: string): string | undefined {
  const end = expression.lastIndexOf('/');
  const most = (count: string) => (count === '' ? '' : Math.min(Number(count), 2));
  const source = expression
    .slice(1, end)
    .replace(/\{(\d+)(,?)(\d*)\}/g, (_, min, comma, max) => `{${most(min)}${comma}${most(max)}}`);
  const result = checkSync(source, expression.slice(end + 1), LIMITS);
  if (result.status === 'safe') return undefined;
  return result.status === 'vulnerable'
    ? `takes more than linear time (${result.complexity.summary}), such as for ${result.attack.pattern}`
    : `cannot be checked (${result.error.kind})`;
}

function collect(file: string): void {
  const text = readFileSync(join(root, file), 'utf8');
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const add = (node: ts.Node, expression: string) => {
    const { line } = parsed.getLineAndCharacterOfPosition(node.getStart());
    found.set(expression, [...(found.get(expression) ?? []), `${file}:${line + 1}`]);
  };
  const texts = new Map<string, ts.Expression>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && node.initializer) texts.set(node.name.getText(), node.initializer);
    if (ts.isRegularExpressionLiteral(node)) add(node, node.text);
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      const [source, flags] = node.arguments ?? [];
      const known = source && textOf(texts.get(source.getText()) ?? source);
      if (known) add(node, `/${known}/${(flags && textOf(flags)) ?? ''}`);
    }
    node.forEachChild(visit);
  };
  visit(parsed);
}

/** A text in the code, with `x` for what it inserts. None if it is computed otherwise, such as of expressions that are checked. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('x');
}
