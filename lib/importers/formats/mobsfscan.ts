import { z } from 'zod';
import { type Importer, readList } from '../importer.ts';
import { type CodeFinding, codeResults } from '../kinds/code.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, list, object, objects, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cweOf, relativePath, severityOf } from '../support.ts';
import { escapeMarkdown, firstSentence, joined } from '../text/markdown.ts';

const Rule = z.object({
  name: z.string(),
  files: objects({ file_path: requiredText, match_lines: list(z.number()), match_string: text }),
  metadata: object(fields(text, 'cwe', 'description', 'severity', 'reference', 'masvs', 'owasp-mobile')),
});

/** `mobsfscan --json` */
export const mobsfscan: Importer = {
  name: 'mobsfscan',
  about: {
    tool: '[mobsfscan](https://github.com/MobSF/mobsfscan)',
    command: '`mobsfscan --json -o report.json .`',
    versions: '0.0.6 and 0.2.0',
    identity: 'rule, file, flagged lines, function',
    severity: '`severity` of the rule',
  },

  detects: (report) => hasKind(documentOf(report), { results: 'object', mobsfscan_version: 'value' }),

  results(report, context) {
    const document = documentOf(report);
    const errors = property(document, 'errors');
    for (const error of Array.isArray(errors) ? errors : []) {
      const message = joined(
        [property(error, 'file'), property(error, 'error'), property(error, 'message')].map((part) =>
          text.parse(part),
        ),
        ': ',
      );
      context.error(`Not checked: ${message || (text.parse(error) ?? 'no reason given')}`);
    }
    const rules = Object.entries(property(document, 'results') ?? {});
    const named = rules.map(([name, rule]) => (isObject(rule) ? { ...rule, name } : rule));
    const findings = readList(Rule, named, 'results', context).flatMap((rule): CodeFinding[] => {
      const { name, files, metadata } = rule;
      const description = metadata?.description ?? name;
      const found = {
        entries: [rule],
        title: `${name}: ${firstSentence(description)}`,
        rule_id: name,
        severity: severityOf(metadata?.severity),
        identity: [name],
        rule: [name, metadata?.cwe],
        describe: {
          what: escapeMarkdown(description),
          facts: { Rule: name, 'OWASP Mobile': metadata?.['owasp-mobile'], MASVS: metadata?.masvs },
          references: [metadata?.reference],
        },
        cwe: cweOf(metadata?.cwe),
      };
      // A rule about the whole app, such as a check that is missing, has no files.
      if (files.length === 0) return [found];
      return files.map((file) => ({
        ...found,
        entries: [rule, file],
        file: relativePath(file.file_path, context),
        line: file.match_lines[0],
        endLine: file.match_lines[1],
        code: file.match_string,
      }));
    });
    return codeResults('mobsfscan', findings, context);
  },
};
