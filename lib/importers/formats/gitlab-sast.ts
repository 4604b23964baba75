import { z } from 'zod';
import { identifyCode } from '../identity/identity.ts';
import { type ImportContext, type Importer, type Report, read } from '../importer.ts';
import { describeFlow } from '../kinds/code.ts';
import {
  cweOfVulnerability,
  flagsOf,
  GitlabLocation,
  type GitlabVulnerability,
  gitlabScanOf,
  gitlabSeverity,
  linksOf,
  ruleOf,
  scannedVulnerabilities,
} from '../kinds/gitlab.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { list, number, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { nameIn } from '../scanned.ts';
import { cveOf, relativePath } from '../support.ts';
import {
  describeFinding,
  escapeMarkdown,
  excerpt,
  formatLocation,
  joined,
  sanitizeMarkdown,
} from '../text/markdown.ts';
import { isSecretRule, mapMasked, secretCandidates } from '../text/secrets.ts';

/** `gl-sast-report.json`, which GitLab's analyzers and Checkmarx One write. */
export const gitlabSast: Importer = {
  name: 'gitlab-sast',
  about: {
    tool: '[GitLab SAST](https://docs.gitlab.com/user/application_security/sast/)',
    command: 'the artifact `gl-sast-report.json` of the job',
    versions: 'schema 2.3, 3.0, 14.0 and 15.0',
    identity: 'first identifier, file, flagged lines, function',
  },

  detects: (report) => gitlabScanOf(report) === 'sast' || isEmptyVersion2(report),

  category: (report) => nameIn(report, 'scan', 'analyzer', 'id'),

  results(report, context) {
    const { found, scanner } = scannedVulnerabilities(report, ['sast'], context);
    const entries = found.map((vulnerability) => {
      const { file, start_line: line, ...place } = read(GitlabLocation.code, vulnerability.location);
      const { raw_source_code_extract: code, name, message, identifiers } = vulnerability;
      const names = identifiers.flatMap(({ type, name, value }) => [type === 'cwe' ? name : '', value]);
      const secrets =
        code && isSecretRule(name, message, cweOfVulnerability(vulnerability), ...names)
          ? secretCandidates(code)
          : [];
      return { vulnerability, place, location: { file: relativePath(file, context), line, secrets } };
    });
    return mapMasked(entries, context, ({ vulnerability, place, location }, mask) => {
      const { file, line } = location;
      const code = vulnerability.raw_source_code_extract;
      const [type, rule] = ruleOf(vulnerability);
      const title = vulnerability.name ?? vulnerability.message ?? rule;
      return {
        entries: [vulnerability],
        identify: identifyCode(
          'gitlab-sast',
          [type, rule],
          { ...location, endLine: place.end_line, code },
          context,
        ),
        title: mask(title),
        rule_id: mask(rule),
        severity: gitlabSeverity(vulnerability),
        description: describeFinding({
          what:
            sanitizeMarkdown(mask(vulnerability.description ?? '')) ||
            escapeMarkdown(mask(vulnerability.message ?? title)),
          facts: {
            Rule: mask(rule),
            Location: formatLocation(file, line),
            Class: place.class,
            Method: place.method,
            Confidence: vulnerability.confidence,
            Scanner: vulnerability.scanner?.name ?? scanner,
            Flags: flagsOf(vulnerability),
          },
          where: flowsOf(vulnerability, context),
          snippet: excerpt(mask(code ?? '')),
          fix: sanitizeMarkdown(vulnerability.solution ?? ''),
          references: linksOf(vulnerability),
        }),
        cwe: cweOfVulnerability(vulnerability),
        cve: cveOf(...vulnerability.identifiers.map(({ value }) => value)),
        file,
        line,
      };
    });
  },
};

/** An empty report of version 2, which does not say its type. */
function isEmptyVersion2(report: Report): boolean {
  const document = documentOf(report);
  return (
    hasKind(document, { vulnerabilities: 'list', remediations: 'list' }) &&
    [property(document, 'vulnerabilities')].flat().length === 0 &&
    /^2\./.test(String(property(document, 'version'))) &&
    property(document, 'scan') === undefined
  );
}

const FlowStep = z.object({
  node_type: text,
  file_location: z.object({ file_name: text, line_start: number }),
});

/** The data flows in the details. */
function flowsOf({ details }: GitlabVulnerability, context: ImportContext): string | undefined {
  if (!isObject(details)) return undefined;
  const flows = Object.values(details).flatMap((detail) => {
    if (property(detail, 'type') !== 'code-flows') return [];
    const items = property(detail, 'items');
    return Array.isArray(items) ? items.map((item) => list(FlowStep).parse(item)) : [];
  });
  const described = flows.map((steps) =>
    describeFlow(
      steps.map(({ node_type: what, file_location: { file_name: file, line_start: line } }) => ({
        file: relativePath(file, context),
        line,
        what,
      })),
    ),
  );
  return joined(described, '\n\n') || undefined;
}
