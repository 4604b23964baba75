import { z } from 'zod';
import { type Importer, type Result, read } from '../importer.ts';
import { distinct, failedCheck } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, number, objects, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { nameIn } from '../scanned.ts';
import { severityIn } from '../support.ts';

const Rule = z.object({
  ...fields(text, 'description', 'rationale', 'remediation', 'level', 'service', 'dashboard_name'),
  flagged_items: number,
  checked_items: number,
  items: texts,
  references: texts,
  compliance: objects({ name: text, version: text, reference: text }),
});
const Document = z.object({
  account_id: text,
  provider_code: text,
  services: z.record(z.string(), z.unknown()),
});

/** The results of Scout Suite: `scoutsuite-results/scoutsuite_results_*.js`. */
export const scoutSuite: Importer = {
  name: 'scout-suite',
  about: {
    tool: '[Scout Suite](https://github.com/nccgroup/ScoutSuite)',
    command:
      '`scout aws --no-browser`; the report is `scoutsuite-report/scoutsuite-results/scoutsuite_results_*.js`',
    versions: '5.10',
    identity: 'rule, account, resource',
    severity: '`level`: danger is high, warning medium',
  },

  detects: (report) => hasKind(documentOf(report), { services: 'object', provider_code: 'value' }),

  category: (report) => nameIn(report, 'account_id'),

  results(report, context) {
    const { account_id: account, provider_code: provider, services } = read(Document, documentOf(report));
    return Object.entries(services).flatMap(([service, content]) => {
      const findings = property(content, 'findings');
      return Object.entries(isObject(findings) ? findings : {}).flatMap(([id, found]): Result[] => {
        const rule = read(Rule, found, `services.${service}.findings.${id}`);
        const flagged = rule.flagged_items ?? rule.items.length;
        context.skip('passed', Math.max(0, (rule.checked_items ?? 0) - flagged));
        if (flagged === 0) return [];
        const items = rule.items.length > 0 ? rule.items : [undefined];
        return items.map((item) =>
          failedCheck({
            tool: 'scout-suite',
            entries: [rule, item],
            id,
            name: rule.description,
            resource: item ?? account,
            resourceIdentity: [provider, account, item],
            severity: severityIn({ danger: 'high', warning: 'medium', low: 'low' }, rule.level),
            about: rule.rationale?.replace(/<[^<>]*>/g, ''),
            fix: rule.remediation?.replace(/<[^<>]*>/g, ''),
            facts: {
              Account: account,
              Service: distinct(rule.service ?? service, rule.dashboard_name).join(', '),
              Compliance: rule.compliance
                .map(({ name, version, reference }) => distinct(name, version, reference).join(' '))
                .join(', '),
            },
            references: rule.references,
          }),
        );
      });
    });
  },
};
