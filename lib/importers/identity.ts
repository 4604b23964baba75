import { createHash } from 'node:crypto';
import type { Identify, Workspace } from './importer.ts';
import { sourceIdentity } from './secrets.ts';

type Part = string | number | undefined | null;

/** A stable fingerprint: the name of the tool and the SHA-256 of the parts that identify a finding. */
export function fingerprintOf(tool: string, ...parts: Part[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts.map((part) => part ?? null)));
  return `${tool}:${digest.digest('hex')}`;
}

/** Where a result is in the source code. */
export interface CodeLocation {
  /** Relative to the workspace, as `relativePath` returns it. */
  file: string | undefined;
  /** The first and the last flagged line. */
  line: number | undefined | null;
  endLine?: number | undefined | null;
  column?: number | undefined | null;
  /** The flagged lines, if the report contains them: without line numbers and without lines around them. */
  code?: string | undefined | null;
  secrets?: readonly string[];
}

/**
 * Identifies a result in source code by its rule, its file, the flagged lines and the function that contains them. It stays
 * the same when lines are added elsewhere, when code is formatted, and when the function is moved within the file.
 *
 * Without the source code, the line number identifies it: a result that moved is a new finding, because a finding of the same
 * rule in the same file may be another problem.
 * @param parts what else identifies it, such as the rule
 */
export function identifyCode(
  tool: string,
  parts: readonly Part[],
  location: CodeLocation,
  workspace: Workspace,
): Identify {
  const { line, column, secrets } = location;
  const lines = sourceOf(location.file, workspace);
  const flagged = location.code?.trim() ? limitLines(location.code) : flaggedLines(location, lines);
  if (!flagged) return (file) => fingerprintOf(tool, ...parts, file, 'line', line, column);
  const code = sourceIdentity(normalizeCode(flagged), secrets);
  const scope = lines && line ? scopeOf(lines, line) : undefined;
  return (file) => fingerprintOf(tool, ...parts, file, 'code', ...code, scope);
}

/** The lines of a finding's file. Its path starts with the prefix; those of the workspace do not. */
export function sourceOf(
  file: string | undefined,
  { linesOf, pathPrefix }: Workspace,
): readonly string[] | undefined {
  if (file === undefined) return undefined;
  const path = pathPrefix && file.startsWith(`${pathPrefix}/`) ? file.slice(pathPrefix.length + 1) : file;
  return linesOf?.(path);
}

/** A longer range is identified by its first line, because it contains much that the rule is not about. */
const MAX_FLAGGED_LINES = 10;

function limitLines(code: string): string {
  const lines = code.trim().split('\n');
  return lines.length > MAX_FLAGGED_LINES ? (lines[0] ?? '') : code;
}

function flaggedLines({ line, endLine }: CodeLocation, lines: readonly string[] | undefined) {
  if (!lines || !line || line > lines.length) return undefined;
  const last = endLine && endLine >= line && endLine - line < MAX_FLAGGED_LINES ? endLine : line;
  const flagged = lines.slice(line - 1, last).join('\n');
  return flagged.trim() === '' ? undefined : flagged;
}

/**
 * Removes what a formatter changes: white space, the kind of quotes, semicolons at the ends of lines, and commas at the end
 * and before a closing bracket.
 */
const normalizeCode = (code: string): string =>
  code
    .replace(/;+[ \t]*$/gm, '')
    .replace(/[,;\s]+$/, '')
    .replace(/,(?=\s*[)\]}])/g, '')
    .replace(/'/g, '"')
    .replace(/\s+/g, '');

/** Declarations with a keyword: `def name`, `class Name`, `func (r *T) name`, `resource "type" "name"`. */
const KEYWORD_DECLARATION =
  /^(?:[\w@]+(?:\([^)]*\))?\s+)*?(def|class|function\*?|func|fn|fun|sub|module|interface|struct|impl|trait|enum|object|record|namespace|package|proc|method|resource|data|variable|provider|output|stage|task|job|target)\b\s*(?:\([^)]*\)\s*)?((?:"[^"]*"\s*)+|[\w$.:!?]+)/;

/** Functions without a keyword: `name(…) {`, `public static int name(…)`, `const name = (…) => {`, `name: function (`. */
const PLAIN_DECLARATION =
  /^(?:(?:[\w$<>[\],.?*&:@]+\s+)*[*&]?([\w$~:]+)\s*\([^;]*$|(?:export\s+)?(?:const|let|var|this\.|module\.exports\.|exports\.)?\s*([\w$.]+)\s*[=:]\s*(?:async\s*)?(?:function\b|\([^)]*\)\s*(?::[^=]+)?=>|[\w$]+\s*=>))/;

const CONTROL =
  /^(?:}\s*)?(?:if|else|elif|elsif|for|foreach|while|until|do|switch|case|default|when|match|try|catch|except|finally|with|using|lock|synchronized|unless|return|throw|await|yield|select|loop|begin|rescue|ensure)\b/;

const COMMENT = /^(?:#(?!\[)|\/\/|\/\*|\*|--|<!--|;|%|"""|''')/;

/** The end of a declaration that takes several lines, or of a block. */
const CLOSER = /^[)\]}>]/;

/**
 * The name of the innermost function, class or block around a line, found by its indentation; undefined on the top level.
 * @param line counts from 1
 */
export function scopeOf(lines: readonly string[], line: number): string | undefined {
  let indent = indentOf(lines[line - 1] ?? '');
  for (let at = line - 2, seen = 0; at >= 0 && indent > 0 && seen < MAX_SCOPE_LINES; at--, seen++) {
    const text = lines[at] ?? '';
    const trimmed = text.trim();
    if (trimmed === '' || COMMENT.test(trimmed) || CLOSER.test(trimmed)) continue;
    const depth = indentOf(text);
    if (depth >= indent) continue;
    indent = depth;
    if (trimmed.length > MAX_DECLARATION || CONTROL.test(trimmed)) continue;
    const name = declaredName(trimmed);
    if (name) return name;
  }
  return undefined;
}

/** Limits the work for hostile files. */
const MAX_SCOPE_LINES = 5_000;
const MAX_DECLARATION = 300;

function declaredName(text: string): string | undefined {
  const [, keyword, named] = KEYWORD_DECLARATION.exec(text) ?? [];
  if (keyword && named) return `${keyword} ${named.replace(/\s+/g, ' ').trim()}`;
  const [, called, assigned] = PLAIN_DECLARATION.exec(text) ?? [];
  return called ?? assigned;
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
