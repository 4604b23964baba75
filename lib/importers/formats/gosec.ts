import { z } from 'zod';
import { type ImportContext, type Importer, readAt } from '../importer.ts';
import { type CodeFinding, codeResults } from '../kinds/code.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, flag, list, number, object, objects, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cweOf, relativePath, severityOf } from '../support.ts';
import { escapeMarkdown, formatLocation, sanitizeMarkdown } from '../text/markdown.ts';

const Issue = z.object({
  ...fields(text, 'severity', 'confidence', 'code', 'autofix'),
  cwe: object({ id: text, url: text }),
  rule_id: requiredText,
  details: requiredText,
  file: requiredText,
  /** A number, or a range: `12-14`. */
  line: text,
  column: number,
  nosec: flag,
  suppressions: objects({ kind: text, justification: text }),
});

const Failure = z.object({ line: number, error: text });

/** `gosec -fmt json` */
export const gosec: Importer = {
  name: 'gosec',
  about: {
    tool: '[gosec](https://github.com/securego/gosec)',
    command: '`gosec -fmt json -out report.json ./...`',
    versions: '2.30; an older report names no version',
    identity: 'rule, file, flagged lines, function',
  },

  detects: (report) =>
    hasKind(documentOf(report), { Stats: { found: 'value' }, Issues: 'list' }) ||
    (hasKind(documentOf(report), { Stats: { found: 'value' } }) &&
      property(documentOf(report), 'Issues') === null),

  results(report, context) {
    const document = documentOf(report);
    recordErrors(property(document, 'Golang errors'), context);
    const issues = readAt(Issue, document, 'Issues', context);
    const open = issues.filter(({ nosec, suppressions }) => !nosec && suppressions.length === 0);
    context.skip('they are suppressed in the code', issues.length - open.length);
    return codeResults(
      'gosec',
      open.map((issue): CodeFinding => {
        const [first, last] = (issue.line ?? '').split('-').map(Number);
        const line = first && first > 0 ? first : undefined;
        return {
          entries: [issue],
          title: `${issue.rule_id}: ${issue.details}`,
          rule_id: issue.rule_id,
          severity: severityOf(issue.severity),
          identity: [issue.rule_id],
          rule: [issue.details],
          file: relativePath(issue.file, context),
          line,
          endLine: last,
          column: issue.column,
          code: flaggedLines(issue.code, line, last),
          snippet: issue.code,
          describe: {
            what: escapeMarkdown(issue.details),
            facts: { Rule: issue.rule_id, Confidence: issue.confidence },
            fix: sanitizeMarkdown(issue.autofix ?? ''),
            references: [issue.cwe?.url],
          },
          cwe: cweOf(issue.cwe?.id),
        };
      }),
      context,
    );
  },
};

/** The flagged lines of a snippet with numbers: `12: x := 1`. An old snippet has only the flagged lines. */
function flaggedLines(code: string | undefined, first = 0, last = first): string | undefined {
  const lines = (code ?? '').split('\n').map((line) => /^(\d+): (.*)$/.exec(line));
  if (!lines.some(Boolean)) return code;
  const flagged = lines.flatMap((match) => {
    const number = Number(match?.[1]);
    return match && number >= first && number <= last ? [match[2]] : [];
  });
  return flagged.length > 0 ? flagged.join('\n') : undefined;
}

/** Packages that do not compile are not checked, or only in part. The output of the compiler has no name. */
function recordErrors(errors: unknown, context: ImportContext) {
  if (!isObject(errors)) return;
  const files = Object.entries(errors);
  const named = files.filter(([name]) => name !== '');
  for (const [name, listed] of named.length > 0 ? named : files) {
    const [first] = list(Failure).parse(listed);
    const place = formatLocation(relativePath(name, context) ?? 'the code', first?.line);
    context.error(`${place} was not checked: ${first?.error ?? 'no reason given'}`);
  }
}
