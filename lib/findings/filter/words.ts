import { and, eq, ilike, inArray, or, type SQL } from 'drizzle-orm';
import { type OrgTables, searchedText } from '../../../db/schema/org.ts';
import { escapeLike } from './glob.ts';

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const CWE = /^cwe-\d{1,9}$/i;
/** A file, its line, and perhaps a column. */
const PLACE = /^(.*?[^:]):(\d{1,9})(?::\d{1,9})?$/s;

/** The words of a search. Each selects findings that contain it, or that it names. */
export function words(q: string | undefined): string[] {
  return [...new Set(q?.trim().split(/\s+/).filter(Boolean))];
}

/** Findings whose title, file, CVE or rule contain a word, and those whose id, CWE, source or place it is. */
export function matchesWord(f: OrgTables['findings'], word: string): SQL | undefined {
  const contains = (text: string) => ilike(searchedText(f), `%${escapeLike(text)}%`);
  const [, file, line] = PLACE.exec(word) ?? [];
  return or(
    contains(word),
    inArray(f.source, [word, word.toLowerCase()]),
    UUID.test(word) ? eq(f.id, word) : undefined,
    CWE.test(word) ? eq(f.cwe, word.toUpperCase()) : undefined,
    file === undefined || Number(line) > MAX_LINE
      ? undefined
      : // The first condition is the one that the search index serves.
        and(contains(file), ilike(f.file, `%${escapeLike(file)}`), eq(f.line, Number(line))),
  );
}

const MAX_LINE = 2_147_483_647;
