import { z } from 'zod';
import { type CodeLocation, fingerprintOf, identifyCode, sourceOf } from '../identity/identity.ts';
import { sourceIdentity } from '../identity/literals.ts';
import { type ImportContext, type Importer, readAt } from '../importer.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, list, number, object, requiredText, text } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { cweOf, relativePath, severityOf } from '../support.ts';
import { describeFinding, escapeMarkdown, excerpt, formatLocation, joined } from '../text/markdown.ts';
import { recordAll } from '../text/notices.ts';
import { mapMasked, type SecretLocation, secretCandidates } from '../text/secrets.ts';

const Result = z.object({
  filename: requiredText,
  line_number: number,
  col_offset: number,
  line_range: list(z.number()),
  issue_text: requiredText,
  ...fields(text, 'issue_severity', 'issue_confidence', 'test_name', 'code', 'more_info'),
  issue_cwe: object({ id: number, link: text }),
  test_id: requiredText,
});
type Result = z.output<typeof Result>;

const Failure = z.object({ filename: text, reason: text });
const Totals = object({ nosec: number, skipped_tests: number });

/** `bandit -f json` */
export const bandit: Importer = {
  name: 'bandit',
  about: {
    tool: '[Bandit](https://bandit.readthedocs.io)',
    command: '`bandit -r . -f json -o report.json`',
    versions: '1.9; older reports, of 2020 and 2021, name no version',
    identity: 'test, file, flagged line, function',
    severity: '`issue_severity`',
  },

  detects: (report) =>
    hasKind(documentOf(report), { results: 'list', metrics: 'object', generated_at: 'value' }),

  results(report, context) {
    const document = documentOf(report);
    recordAll(
      context.error,
      list(Failure)
        .parse(property(document, 'errors'))
        .map(
          ({ filename, reason }) => `${filename ?? 'A file'} was not checked: ${reason ?? 'no reason given'}`,
        ),
    );
    const totals = Totals.parse(property(document, 'metrics', '_totals'));
    context.skip(
      'a comment in the code ignores them (nosec)',
      (totals?.nosec ?? 0) + (totals?.skipped_tests ?? 0),
    );
    const results = readAt(Result, document, 'results', context);
    const entries = results.map((result) => {
      const file = relativePath(result.filename, context);
      const secrets = HARDCODED_PASSWORD.test(result.test_id) ? passwordsIn(result) : [];
      return { result, location: { file, line: result.line_number, secrets } };
    });
    return mapMasked(entries, context, ({ result, location }, mask) => {
      const { file, line } = location;
      const name = joined([result.test_id, result.test_name], ' ');
      const formerSource = sourceIdentity(textOf(result) || result.issue_text, location.secrets);
      return {
        entries: [result],
        identify: identifyCode('bandit', [result.test_id], placeOf(result, location, context), context),
        // The lines around the flagged one were part of it.
        identifyVaguely: (file) => fingerprintOf('bandit', result.test_id, file, ...formerSource),
        title: `${name}: ${mask(result.issue_text)}`,
        rule_id: result.test_id,
        severity: severityOf(result.issue_severity),
        description: describeFinding({
          what: escapeMarkdown(mask(result.issue_text)),
          facts: { Test: name, Location: formatLocation(file, line), Confidence: result.issue_confidence },
          snippet: excerpt(mask(result.code ?? '')),
          references: [result.more_info, result.issue_cwe?.link],
        }),
        cwe: cweOf(result.issue_cwe?.id),
        file,
        line,
        column: result.col_offset,
      };
    });
  },
};

/** The source lines without line numbers, which change when code moves. */
const textOf = ({ code }: Result) => (code ?? '').replace(/^\d+ /gm, '');

/**
 * The flagged statement. `code` has the lines around it (`12 import os`), but of a long statement only some, so that the
 * source code is preferred for it.
 */
function placeOf(result: Result, location: SecretLocation, context: ImportContext): CodeLocation {
  const { code = '', line_number: line, line_range: range, col_offset: column } = result;
  const [first = line, last = line] =
    range.length > 0 && range.length <= MAX_RANGE ? [range[0], range.at(-1)] : [];
  const isFlagged = (number: number) => number >= (first ?? 0) && number <= (last ?? 0);
  const shown = code.split('\n').flatMap((text) => {
    const [, number, source = ''] = /^(\d+) (.*)$/.exec(text) ?? [];
    return number && isFlagged(Number(number)) ? [source] : [];
  });
  const isWhole = shown.length === (last ?? 0) - (first ?? 0) + 1;
  const isReadable = sourceOf(location.file, context) !== undefined;
  return {
    ...location,
    ...{ line: first, endLine: last, column },
    code: shown.length > 0 && (isWhole || !isReadable) ? shown.join('\n') : undefined,
  };
}

/** A longer statement is identified by the line that Bandit names. */
const MAX_RANGE = 10;

/** Tests whose message contains the password. */
const HARDCODED_PASSWORD = /^B10[567]$/;

function passwordsIn(result: Result): string[] {
  const [, ...quoted] = result.issue_text.split(": '");
  const last = quoted.join(": '");
  const password = last.endsWith("'") ? last.slice(0, -1) : undefined;
  const source = textOf(result);
  // The source may contain the password with escapes.
  return password !== undefined && source.includes(password)
    ? [password]
    : [password ?? '', ...secretCandidates(result.issue_text, { prose: true }), ...secretCandidates(source)];
}
