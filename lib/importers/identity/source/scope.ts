/** Declarations with a keyword: `def name`, `class Name`, `func name`, `resource "type" "name"`. */
const KEYWORD_DECLARATION =
  /^(?:[\w@]+(?:\([^)]*\))?\s+)*?(def|class|function\*?|func|fn|fun|sub|module|interface|struct|impl|trait|enum|object|record|namespace|package|proc|method|resource|data|variable|provider|output|stage|task|job|target)\b\s*((?:"[^"]*"\s*)+|[\w$.:!?]*[\w$!?])/;

/** `func (r *Receiver) name(` */
const GO_METHOD = /^func\s*\(\s*(?:\w+\s+)?(?:\*\s*)?([\w.]+)[^)]{0,100}\)\s*(\w+)/;

/** A call that gets a function, with its first text: `app.get("/path", (req, res) => {`, `it "works" do`. */
const CALLBACK = /^(?:[\w$.]+\s*=\s*)?(?:await\s+)?([\w$][\w$.:>-]*)(?:\s*\(\s*|\s+)(["'`])([^"'`]{1,100})\2/;

/** Functions without a keyword: `name(…) {`, `public static int name(…)`, `const name = (…) => {`, `name: function (`. */
const PLAIN_DECLARATION =
  /^(?:(?:[\w$<>[\],.?*&:@]+\s+)*[*&]?([\w$~:]+)\s*\([^;]*$|(?:export\s+)?(?:(?:const|let|var|this\.|module\.exports\.|exports\.)\s*)?([\w$.]+)\s*[=:]\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>))/;

/** A key of YAML on a line of its own, and a named member of a list. */
const KEY = /^(?:-\s+)?["']?([\w./-]+)["']?:$|^-\s+(?:name|id|key):\s*(\S.*)$/;

const CONTROL =
  /^(?:}\s*)?(?:if|else|elif|elsif|for|foreach|while|until|do|switch|case|default|when|match|try|catch|except|finally|with|using|lock|synchronized|unless|return|throw|await|yield|select|loop|begin|rescue|ensure)\b/;

const COMMENT = /^(?:#(?!\[)|\/\/|\/\*|\*|--|<!--|;|%|"""|''')/;

/** The end of a declaration that takes several lines, or of a block. */
const CLOSER = /^[)\]}>]/;

/** Limits the work for hostile files. */
const MAX_DECLARATION = 300;
const MAX_DEPTH = 20;

/** For each line, the index of the nearest line above it with less indentation; -1 on the top level. */
const parentsByFile = new WeakMap<readonly string[], Int32Array>();

/** Whether a line is empty or a comment. */
export const isIgnored = (line: string): boolean => {
  const trimmed = line.trimStart();
  return trimmed === '' || COMMENT.test(trimmed);
};

/**
 * The names of the functions, classes and blocks around a line, outermost first, found by its indentation; undefined on the
 * top level. In a Dockerfile, the stage.
 * @param line counts from 1
 */
export function scopeOf(lines: readonly string[], line: number, file = ''): string | undefined {
  if (/(?:^|\.)(?:docker|container)file/i.test(file.slice(file.lastIndexOf('/') + 1)))
    return stageOf(lines, line);
  const parents = parentsOf(lines);
  const names: string[] = [];
  let at = parents[line - 1] ?? -1;
  for (let depth = 0; at >= 0 && depth < MAX_DEPTH; depth++) {
    const name = declaredName(lines, at);
    if (name) names.unshift(name);
    at = parents[at] ?? -1;
  }
  return names.length > 0 ? names.join(' > ') : undefined;
}

function parentsOf(lines: readonly string[]): Int32Array {
  const known = parentsByFile.get(lines);
  if (known) return known;
  const parents = new Int32Array(lines.length);
  const open: { at: number; indent: number }[] = [];
  lines.forEach((text, at) => {
    const indent = indentOf(text);
    const isBlock = !isIgnored(text) && !CLOSER.test(text.trimStart());
    let above = open.length - 1;
    while (above >= 0 && (open[above]?.indent ?? 0) >= indent) above--;
    parents[at] = open[above]?.at ?? -1;
    if (!isBlock) return;
    open.length = above + 1;
    open.push({ at, indent });
  });
  parentsByFile.set(lines, parents);
  return parents;
}

function declaredName(lines: readonly string[], at: number): string | undefined {
  const text = (lines[at] ?? '').trim();
  if (text.length > MAX_DECLARATION) return undefined;
  const [, key, member] = KEY.exec(text) ?? [];
  if (key ?? member) return CONTROL.test(text) ? undefined : (key ?? member)?.replace(/["']/g, '').trim();
  if (CONTROL.test(text)) return undefined;
  const [, receiver, method] = GO_METHOD.exec(text) ?? [];
  if (receiver) return `func ${receiver}.${method}`;
  const [, keyword, named] = KEYWORD_DECLARATION.exec(text) ?? [];
  if (keyword && named) return `${keyword} ${named.replace(/\s+/g, ' ').trim()}`;
  const [, callee, , first] = CALLBACK.exec(joined(lines, at, text)) ?? [];
  if (callee) return `${callee} ${first}`;
  const [, called, assigned] = PLAIN_DECLARATION.exec(text) ?? [];
  return called ?? assigned;
}

/** A call whose first argument is on the next line. */
const joined = (lines: readonly string[], at: number, text: string): string =>
  text.endsWith('(') ? `${text}${(lines[at + 1] ?? '').slice(0, MAX_DECLARATION).trim()}` : text;

/** For each line of a Dockerfile, its stage. */
const stagesByFile = new WeakMap<readonly string[], (string | undefined)[]>();

/** The name of a stage, or of its image without the version. */
function stageOf(lines: readonly string[], line: number): string | undefined {
  let stages = stagesByFile.get(lines);
  if (!stages) {
    let stage: string | undefined;
    stages = lines.map((text) => {
      const [, image, name] =
        /^\s*FROM\s+(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?/i.exec(text.slice(0, MAX_DECLARATION)) ?? [];
      if (image) stage = `stage ${name ?? image.replace(/@.*|:[^:/]*$/, '')}`;
      return stage;
    });
    stagesByFile.set(lines, stages);
  }
  return stages[Math.min(line, lines.length) - 1];
}

/** The width of a line's indentation. A tab counts as four columns. */
function indentOf(text: string): number {
  let width = 0;
  for (const character of text) {
    if (character === ' ') width++;
    else if (character === '\t') width += 4;
    else break;
  }
  return width;
}
