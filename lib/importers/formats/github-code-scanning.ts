import { z } from 'zod';
import { fingerprintOf } from '../identity/identity.ts';
import { type Importer, readList } from '../importer.ts';
import { codeResults } from '../kinds/code.ts';
import { fields, number, object, requiredText, text, texts } from '../read/schema.ts';
import { cweOf, relativePath, severityOf } from '../support.ts';
import { escapeMarkdown, joined, sanitizeMarkdown } from '../text/markdown.ts';
import { alertsOf, hasProperties, isOpen, numberOf } from '../tools/github-alerts.ts';

const Alert = z.object({
  number,
  ...fields(text, 'url', 'html_url', 'state', 'dismissed_reason'),
  rule: z.object({
    id: requiredText,
    ...fields(text, 'name', 'description', 'full_description', 'help', 'severity', 'security_severity_level'),
    tags: texts,
  }),
  tool: object({ name: text, version: text }),
  most_recent_instance: object({
    message: object({ text }),
    location: object({ path: text, start_line: number, end_line: number, start_column: number }),
    ref: text,
  }),
});

/** The alerts of `/repos/OWNER/REPO/code-scanning/alerts`. */
export const githubCodeScanning: Importer = {
  name: 'github-code-scanning',
  about: {
    tool: '[GitHub code scanning](https://docs.github.com/rest/code-scanning/code-scanning)',
    command: '`gh api --paginate "repos/OWNER/REPO/code-scanning/alerts?state=open" > report.json`',
    versions: 'the API names no version: alerts of 2024',
    identity: 'repository and number of the alert',
    severity: '`security_severity_level`, or `severity` of the rule',
  },

  detects: (report) => hasProperties(report, 'number', 'rule', 'tool'),

  results(report, context) {
    const alerts = readList(Alert, alertsOf(report), '', context).filter(({ state, dismissed_reason }) =>
      isOpen(state, dismissed_reason, context),
    );
    return codeResults(
      'github-code-scanning',
      alerts.map((alert) => {
        const { rule, tool, most_recent_instance: instance } = alert;
        const { path, start_line: line, end_line: endLine, start_column: column } = instance?.location ?? {};
        const known = numberOf(alert);
        const message = instance?.message?.text;
        const description = rule.description ?? rule.name ?? rule.id;
        return {
          entries: [alert],
          title: description,
          rule_id: rule.id,
          severity: severityOf(rule.security_severity_level ?? rule.severity, 'medium'),
          identity: [tool?.name, rule.id],
          identify: known && (() => fingerprintOf('github-code-scanning', ...known)),
          rule: [rule.id, ...rule.tags],
          file: relativePath(path, context),
          line,
          endLine,
          column,
          describe: {
            what: escapeMarkdown(message ?? description),
            facts: {
              Rule: rule.id,
              Tool: joined([tool?.name, tool?.version], ' '),
              Tags: rule.tags.join(', '),
              Branch: instance?.ref,
            },
            help: sanitizeMarkdown(rule.help ?? rule.full_description ?? ''),
            references: [alert.html_url],
          },
          cwe: cweOf(rule.tags.find((tag) => /\bcwe-\d/i.test(tag))?.replace(/^.*(?=cwe-)/i, '')),
        };
      }),
      context,
    );
  },
};
