import type { Identify, Workspace } from '../importer.ts';
import { relativePath } from '../support.ts';
import { sha256 } from './fingerprints.ts';
import { plainIdentity, shortDigest, sourceIdentity } from './literals.ts';
import { normalizeCode } from './source/normalize.ts';
import { scopeOf } from './source/scope.ts';
import {
  MAX_STATEMENT_LINES,
  neighboursOf,
  type Range,
  statementAround,
  textOf,
} from './source/statement.ts';

type Part = string | number | undefined | null;

/** A stable fingerprint: the name of the tool and the SHA-256 of the parts that identify a finding. */
export function fingerprintOf(tool: string, ...parts: Part[]): string {
  return `${tool}:${sha256(JSON.stringify(parts))}`;
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
 * Identifies a result in source code by its rule, its file, the flagged statement and the functions that contain it. It stays
 * the same when lines are added elsewhere, when code is formatted, and when the function is moved within the file. The
 * statements before and after it tell it apart from equal ones in the same function.
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
  const { file } = location;
  const lines = sourceOf(file, workspace);
  const identify = identifyLines(tool, parts, location, lines);
  if (!lines) return identify;
  // Earlier releases did not read a file that the report names through a symbolic link.
  const isLinked = (path: string | undefined) =>
    path !== file && relativePath(`/${path}`, workspace) === file;
  const identifyPath: Identify = (path) =>
    isLinked(path) ? identifyLines(tool, parts, location, undefined)(path) : identify(path);
  return Object.assign(identifyPath, identify);
}

function identifyLines(
  tool: string,
  parts: readonly Part[],
  location: CodeLocation,
  lines: readonly string[] | undefined,
): Identify {
  const { line, column, secrets = [] } = location;
  const range = lines && flaggedRange(location, lines);
  const flagged =
    lines && range
      ? partOf(textOf(lines, range), column)
      : location.code?.trim() && partOf(limitLines(location.code), column);
  if (!flagged) return (file) => fingerprintOf(tool, ...parts, file, 'line', line, column);
  // Without secrets, all literals count: with 16 bits of them, a statement could be written that takes a decision.
  const identityOf = (code: string) =>
    secrets.length === 0
      ? plainIdentity(normalizeCode(code))
      : sourceIdentity(normalizeCode(code), [...secrets, ...secrets.map(normalizeCode)]);
  const code = identityOf(flagged);
  const scope = lines && line ? scopeOf(lines, range?.[0] ?? line, location.file) : undefined;
  const identify: Identify = (file) => fingerprintOf(tool, ...parts, file, 'code', ...code, scope);
  if (!lines || !range) return identify;
  const isSame = (statement: string) => normalizeCode(statement) === normalizeCode(flagged);
  return Object.assign(identify, {
    neighbours: () => fingerprintOf('', ...neighboursOf(lines, range, isSame).flatMap(identityOf)),
  });
}

/** The lines of a finding's file. Its path is relative to the repository; those of `linesOf` are relative to the directory. */
export function sourceOf(
  file: string | undefined,
  { linesOf, pathPrefix }: Workspace,
): readonly string[] | undefined {
  if (file === undefined || !linesOf) return undefined;
  const prefix = pathPrefix?.normalize();
  const path = !prefix
    ? file
    : file.startsWith(`${prefix}/`)
      ? file.slice(prefix.length + 1)
      : `${'../'.repeat(prefix.split('/').length)}${file}`;
  // The name may be decomposed on the disk.
  const decomposed = path.normalize('NFD');
  return linesOf(path) ?? (decomposed === path ? undefined : linesOf(decomposed));
}

/** A longer range is identified by its first line, because it contains much that the rule is not about. */
function limitLines(code: string): string {
  const lines = code.trim().split('\n');
  return lines.length > MAX_STATEMENT_LINES ? (lines[0] ?? '') : code;
}

/**
 * The flagged statement in the source code; undefined if the source code has no such line, or is not what the report contains:
 * a part of a line, or another version of the file.
 */
function flaggedRange({ line, endLine, code }: CodeLocation, lines: readonly string[]): Range | undefined {
  if (!line || line > lines.length) return undefined;
  const reported = code?.trim() ? limitLines(code) : undefined;
  const wanted =
    reported === undefined ? (endLine ?? line) - line + 1 : reported.trimEnd().split('\n').length;
  const range: Range = [line, line + (wanted >= 1 && wanted <= MAX_STATEMENT_LINES ? wanted : 1) - 1];
  const text = textOf(lines, range);
  if (text.trim() === '') return undefined;
  if (reported !== undefined && normalizeCode(text) !== normalizeCode(reported)) return undefined;
  return statementAround(lines, range);
}

/**
 * Cuts a very long line, which a tool has generated, to the part that starts at the column; without a column, to its ends, its
 * length and the digest that literals have too. The work for a whole line would be quadratic.
 */
function partOf(text: string, column: number | null | undefined): string {
  if (text.length <= MAX_TEXT) return text;
  if (column) return text.slice(column - 1, column - 1 + MAX_TEXT);
  const half = MAX_TEXT / 2;
  return [text.slice(0, half), text.length, shortDigest(text), text.slice(-half)].join('\n');
}

const MAX_TEXT = 10_000;
