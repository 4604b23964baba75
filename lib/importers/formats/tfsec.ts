import { z } from 'zod';
import { identifyCode } from '../identity/identity.ts';
import { type Importer, open, ReportError, readList } from '../importer.ts';
import { failedCheck } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { fields, number, object, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { relativePath, severityOf } from '../support.ts';
import { isSecretRule } from '../text/secrets.ts';

const Finding = z.object({
  rule_id: requiredText,
  ...fields(text, 'long_id', 'rule_description', 'description', 'impact', 'resolution', 'severity', 'status'),
  ...fields(text, 'passed', 'resource', 'link'),
  links: texts,
  location: object({ filename: text, start_line: number, end_line: number }),
});
type Finding = z.output<typeof Finding>;

/** `tfsec -f json` */
export const tfsec: Importer = {
  name: 'tfsec',
  about: {
    tool: '[tfsec](https://aquasecurity.github.io/tfsec/)',
    command: '`tfsec . -f json --out report.json`',
    versions: 'the report names no version: ids of rules before and after 0.58',
    identity: 'rule, file, resource',
  },

  detects: (report) => {
    const document = documentOf(report);
    const results = property(document, 'results');
    if (results === null) return isObject(document) && Object.keys(document).length === 1;
    return (
      Array.isArray(results) && hasKind(results[0], { rule_id: 'value', location: { start_line: 'value' } })
    );
  },

  results(report, context) {
    const found = property(documentOf(report), 'results');
    if (found === undefined) throw new ReportError('expected a list', 'results');
    return open(readList(Finding, found, 'results', context), skipReason, context).map((finding) => {
      const { location, description } = finding;
      const id = finding.long_id ?? finding.rule_id;
      const [file, line] = [relativePath(location?.filename, context), location?.start_line];
      // Older versions name the resource in the description only.
      const resource =
        finding.resource || /^(?:Resource|Block|Variable|Data|Module) '([^']+)'/.exec(description ?? '')?.[1];
      const result = failedCheck({
        tool: 'tfsec',
        entries: [finding],
        id,
        name: finding.rule_description ?? description,
        resource,
        severity: severityOf(finding.severity),
        message: description?.replace(/<\/?\w+>/g, ''),
        about: finding.rule_description,
        risk: finding.impact && `Impact: ${finding.impact}`,
        fix: finding.resolution,
        references: [/https?:\/\/\S+/.exec(finding.link ?? '')?.[0], ...finding.links],
        cwe: isSecretRule(id, finding.rule_description) || /^GEN00[1-6]$/.test(id) ? 'CWE-798' : undefined,
        file,
        line,
      });
      const code = { file, line, endLine: location?.end_line };
      return resource ? result : { ...result, identify: identifyCode('tfsec', [id], code, context) };
    });
  },
};

/** The status is a word, a number, or a flag. */
function skipReason({ status, passed }: Finding): string | undefined {
  if (passed === 'true' || status === '1' || status === 'passed') return 'passed';
  return status === '2' || status === 'ignored' ? 'ignored' : undefined;
}
