import { fitToLimits } from './clean.ts';
import type { Finding, Rating } from './finding.ts';
import type { Fingerprints } from './identity/fingerprints.ts';
import type { Shown } from './importer.ts';
import { severityFor } from './support.ts';
import { maskObvious } from './text/credentials.ts';

/** All fields of a finding, also those that have no value. */
type AllOf<T> = { [Name in keyof Required<T>]: T[Name] };

/** The finding of a result. @param source the tool, unless the result names another one */
export function findingOf(result: Omit<Shown, 'raw'>, fingerprints: Fingerprints, source: string): Finding {
  // Named one by one: results of many shapes are copied slowly.
  const finding: AllOf<Finding> = {
    fingerprint: fingerprints.fingerprint,
    previous_fingerprints: fingerprints.previous_fingerprints,
    title: maskObvious(result.title),
    severity: severityFor(result.severity),
    description: maskObvious(result.description),
    cwe: result.cwe,
    cve: result.cve,
    cvss_score: result.cvss_score,
    cvss_vector: result.cvss_vector,
    file: result.file,
    line: result.line,
    source: 'source' in result ? result.source : source,
    rule_id: result.rule_id && maskObvious(result.rule_id),
  };
  const fitting = fitToLimits(finding);
  const { line } = fitting;
  if (line !== undefined) fitting.title = withoutLine(fitting.title, line);
  return fitting;
}

/** ` (line 9)`, ` at line 9, column 2`, `, lines 3-5` */
const PLACE =
  / ?(?:[([](?:(?:at|on|in|from|near|see) )?|(?:,| (?:at|on|in|from|near|see)) )lines? \d+(?:(?: ?[-–] ?|, ?| to | and )\d+)*(?:,? col(?:umn)? \d+)?(?!\w)[)\]]?/gi;
/** `Line 9: ` */
const LABEL = /(?<![\w-])lines? \d+: /gi;
/** `Line 9 logs` */
const SUBJECT = /(?<![\w-])(l)ine(s?) \d+(?:(?: ?[-–] ?|, ?| to | and )\d+)*(?!\w)/gi;
/** `app.js:9:5` */
const SUFFIX = /(?<=\.[a-z]\w{0,9}):(\d+)(?::\d+)?(?!\w)/gi;

/**
 * A title without the numbers of lines that tools write into their messages: they change with each edit of the code.
 * @param line that of the finding, which may follow the path of a file
 */
function withoutLine(title: string, line: number): string {
  const stable = title
    .replace(PLACE, '')
    .replace(LABEL, '')
    .replace(SUBJECT, (_, l: string, s: string) => (s ? `${l}ines` : l === 'L' ? 'A line' : 'a line'))
    .replace(SUFFIX, (found, number: string) => (Number(number) === line ? '' : found))
    .trim();
  return stable || title;
}

/** Counts the results whose severity is not known, by the word of the tool. */
export class UnknownSeverities {
  #counts = new Map<string, number>();

  add(rating: Rating): void {
    if (typeof rating === 'string') return;
    const { word } = rating;
    const known = this.#counts.get(word);
    if (known !== undefined || this.#counts.size < MAX_WORDS) this.#counts.set(word, (known ?? 0) + 1);
  }

  warnings(): string[] {
    return [...this.#counts].map(
      ([word, count]) =>
        `Unknown severity “${maskObvious(word)}” of ${count} ${count === 1 ? 'result' : 'results'}: rated as medium, or higher by the CVSS score`,
    );
  }
}

const MAX_WORDS = 20;
