import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** The files, scanners' rules and recorded reports of tests/fixtures/edits (see the README there). */
export const FIXTURES = new URL('../../../fixtures/edits/', import.meta.url);

/** Edits of the code. `base` is the code before the edit. */
export const EDITS = [
  'base',
  /** A comment and an empty line above every problem. */
  'insert',
  /** Indentation, quotes, wrapped lines, trailing commas, semicolons. */
  'reformat',
  /** A function or block to the end of the file. */
  'move',
  'rename',
  /** `rename` and `insert`. */
  'rename-edit',
  /** One problem fixed, and another one of the same rule added in the same file, with similar or the same code. */
  'replace',
  /** One of two equal lines in two functions fixed. */
  'fix-twin',
  /** A second or third equal line added in another function. */
  'add-twin',
  /** Both: their number stays the same. */
  'swap-twin',
  /** The same within one function. */
  'swap-repeat',
  /** The line above a problem changed. */
  'neighbour',
] as const;
export type Edit = (typeof EDITS)[number];

export interface Code {
  files: Record<string, string>;
  /** The problem of a line: `orders.py:12`. */
  labels: Map<string, string>;
  /** The path before the edit, by the path after it. */
  renamed: Record<string, string>;
}

/** The names of all files. */
export const FILES = readdirSync(new URL('code/', FIXTURES))
  .filter((name) => !name.endsWith('.reformat.txt'))
  .map((name) => basename(name, '.txt'));

interface Line {
  text: string;
  label: string | undefined;
}

/** The code after an edit. */
export function codeAfter(edit: Edit, names: readonly string[]): Code {
  const code: Code = { files: {}, labels: new Map(), renamed: {} };
  for (const name of names) {
    const isRenamed = edit === 'rename' || edit === 'rename-edit';
    const path = isRenamed ? `renamed/${name}` : name;
    if (isRenamed) code.renamed[path] = name;
    const lines = linesAfter(edit, name);
    code.files[path] = `${lines.map(({ text }) => text).join('\n')}\n`;
    for (const [index, { label }] of lines.entries())
      if (label) code.labels.set(`${path}:${index + 1}`, label);
  }
  return code;
}

function linesAfter(edit: Edit, name: string): Line[] {
  const template = readFileSync(
    new URL(`code/${name}${edit === 'reformat' ? '.reformat' : ''}.txt`, FIXTURES),
    'utf8',
  );
  const lines: Line[] = [];
  const moved: Line[] = [];
  let isMoving = false;
  for (const line of template.trimEnd().split('\n')) {
    const [text = '', marks = ''] = line.split(/ *@@ /);
    const words = marks.split(' ').filter(Boolean);
    if (words.includes('block') || words.includes('end')) {
      isMoving = words.includes('block') && edit === 'move';
      continue;
    }
    const additions = words.filter((word) => word.startsWith('+'));
    if (words.includes(`-${edit}`) || (additions.length > 0 && !additions.includes(`+${edit}`))) continue;
    const label = words.find((word) => /^\w/.test(word));
    (isMoving ? moved : lines).push({ text, label });
  }
  const all = moved.length > 0 ? [...lines, { text: '', label: undefined }, ...moved] : lines;
  return edit === 'insert' || edit === 'rename-edit'
    ? all.flatMap((line, at) => withComment(line, all[at - 1], name))
    : all;
}

/** Adds a comment above the first line of a problem. */
function withComment(line: Line, above: Line | undefined, name: string): Line[] {
  if (!line.label || line.label === above?.label) return [line];
  const [indent = ''] = /^\s*/.exec(line.text) ?? [];
  const mark = /\.(?:js|go)$/.test(name) ? '//' : name.endsWith('.ini') ? ';' : '#';
  return [
    { text: '', label: undefined },
    { text: `${indent}${mark} Checked by the team.`, label: undefined },
    line,
  ];
}
