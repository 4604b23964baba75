import { type AnyColumn, and, ilike, like, type SQL, sql } from 'drizzle-orm';
import { WILDCARD } from '../../../db/rules/patterns.ts';
import { type OrgTables, searchedText } from '../../../db/schema/org.ts';

/** A shorter text has no trigram, so that the index does not help to find it. */
const INDEXED_LENGTH = 3;

/** A pattern of paths: `*` and `?` do not match `/`, `**` does, and `**` with `/` also matches no folder at all. */
interface Glob {
  /** Matches the whole path, in the syntax of PostgreSQL. */
  regex: string;
  /** A LIKE pattern that matches at least the same paths, in less time. */
  like: string;
  /** The longest text between wildcards. */
  literal: string;
}

export function parseGlob(glob: string): Glob {
  const texts = glob.split(WILDCARD);
  const wildcards = glob.match(WILDCARD) ?? [];
  const zip = (text: (part: string) => string, wildcard: (part: string) => string) =>
    texts.map((part, i) => text(part) + (wildcards[i] === undefined ? '' : wildcard(wildcards[i]))).join('');
  return {
    regex: `^${zip(escapeRegex, regexOf)}$`,
    like: zip(escapeLike, () => '%'),
    literal: texts.reduce((longest, text) => (text.length > longest.length ? text : longest), ''),
  };
}

function regexOf(wildcard: string): string {
  if (wildcard === '?') return '[^/]';
  if (wildcard === '**/') return '(?:.*/)?';
  return wildcard === '*' ? '[^/]*' : '.*';
}

/** A text as a part of a regular expression. */
export const escapeRegex = (text: string): string => text.replace(/[^\p{L}\p{N}_/ -]/gu, '\\$&');

/** A text as a part of a LIKE pattern. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** The paths that a glob matches. The search index finds them if the glob has a text of three characters. */
export function matchesGlob(findings: OrgTables['findings'], glob: string): SQL | undefined {
  const { regex, like: wider, literal } = parseGlob(glob);
  const indexed =
    literal.length < INDEXED_LENGTH ? undefined : ilike(searchedText(findings), `%${escapeLike(literal)}%`);
  return and(indexed, pathMatches(findings.file, wider, regex));
}

/** Null for a finding without a file. */
export const pathMatchesGlob = (file: AnyColumn, glob: string): SQL => {
  const { regex, like: wider } = parseGlob(glob);
  return pathMatches(file, wider, regex);
};

const pathMatches = (file: AnyColumn, wider: string, regex: string): SQL =>
  sql`(${like(file, wider)} and ${file} ~ ${regex})`;
