import { z } from 'zod';
import { type ImportContext, type Importer, type Report, readList } from '../importer.ts';
import { type CodeFinding, codeResults } from '../kinds/code.ts';
import { flag, isObject, list, number, optional, property, requiredText, text } from '../read/schema.ts';
import { cweOf, relativePath, severityOf } from '../support.ts';
import { escapeMarkdown, formatLocation, sanitizeMarkdown } from '../text/markdown.ts';

const Issue = z.object({
  severity: text,
  confidence: text,
  cwe: optional(z.object({ id: text, url: text })),
  rule_id: requiredText,
  details: requiredText,
  file: requiredText,
  code: text,
  /** A number, or a range: `12-14`. */
  line: text,
  column: number,
  nosec: flag,
  suppressions: list(z.object({ kind: text, justification: text })),
  autofix: text,
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
    severity: '`severity`',
  },

  detects(report) {
    const document = documentOf(report);
    const found = property(property(document, 'Stats'), 'found');
    const issues = property(document, 'Issues');
    return found !== undefined && (Array.isArray(issues) || issues === null);
  },

  results(report, context) {
    const document = documentOf(report);
    recordErrors(property(document, 'Golang errors'), context);
    const issues = readList(Issue, property(document, 'Issues'), 'Issues', context);
    const open = issues.filter(({ nosec, suppressions }) => !nosec && suppressions.length === 0);
    context.skip('they are suppressed in the code', issues.length - open.length);
    return codeResults(
      'gosec',
      open.map((issue): CodeFinding => {
        const [first, last] = (issue.line ?? '').split('-').map(Number);
        const line = first && first > 0 ? first : undefined;
        return {
          title: `${issue.rule_id}: ${issue.details}`,
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

const documentOf = (report: Report): unknown => (report.kind === 'json' ? report.documents[0] : undefined);

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
