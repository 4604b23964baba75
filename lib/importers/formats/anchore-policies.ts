import { z } from 'zod';
import type { Severity } from '../finding.ts';
import {
  type ImportContext,
  type Importer,
  type Report,
  ReportError,
  type Result,
  readList,
  skipped,
} from '../importer.ts';
import { imageName } from '../kinds/dependency.ts';
import { distinct, failedCheck } from '../kinds/resources.ts';
import { fields, requiredText, text } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { cveOf, severityOf } from '../support.ts';

const Violation = z.object({
  gate: requiredText,
  ...fields(text, 'triggerName', 'triggerId', 'description', 'status', 'policyId', 'tag', 'allowlisted'),
});
type Violation = z.output<typeof Violation>;

/** Policy evaluations of anchorectl and of Anchore Enterprise. */
export const anchorePolicies: Importer = {
  name: 'anchore-policies',
  about: {
    tool: '[Anchore](https://docs.anchore.com) policy evaluations',
    command: '`anchorectl image check --detail <image> -o json > report.json`',
    versions: 'the report names no version: Enterprise, anchorectl of 2022',
    identity: 'image, gate, trigger',
    severity: 'a severity that the message starts with, or the action: stop is high, warn medium',
  },

  detects: (report) => violationsOf(report) !== undefined,

  results(report, context) {
    const found = violationsOf(report);
    if (!found) throw new ReportError('The report has no policy evaluations');
    return readList(Violation, found, '', context).flatMap((violation) => resultsOf(violation, context));
  },
};

/** The violations; undefined if the report has another format. */
function violationsOf(report: Report): unknown[] | undefined {
  if (report.kind !== 'json') return undefined;
  const entries = report.documents.flat();
  const found = entries.map((entry) => {
    if (Array.isArray(property(entry, 'evaluations')) && property(entry, 'evaluatedTag') !== undefined)
      return [property(entry, 'evaluations')]
        .flat()
        .flatMap((evaluation) => property(evaluation, 'details') ?? []);
    if (property(entry, 'finalAction') !== undefined && 'detail' in (entry as object))
      return [property(entry, 'detail') ?? []].flat();
    return tables(entry);
  });
  return found.length > 0 && found.every((list) => list !== undefined) ? found.flat() : undefined;
}

/** `{digest: {tag: [{detail: {result: {result: {image: {result: {header, rows}}}}}}]}}` */
function tables(entry: unknown): unknown[] | undefined {
  if (!isObject(entry)) return undefined;
  const [digest, ...others] = Object.keys(entry);
  if (!digest?.startsWith('sha256:') || others.length > 0) return undefined;
  const tags = entry[digest];
  return Object.values(isObject(tags) ? tags : {})
    .flat()
    .flatMap((evaluation) => {
      const images = property(evaluation, 'detail', 'result', 'result');
      // A table that is not there cannot be read, which is an error.
      if (!isObject(images)) return [{}];
      return Object.values(images).flatMap((image) => {
        const table = property(image, 'result');
        const header = [property(table, 'header') ?? []].flat().map(String);
        return [property(table, 'rows') ?? []].flat().map((row) => {
          const cell = (name: string) => (Array.isArray(row) ? row[header.indexOf(name)] : undefined);
          return {
            row,
            gate: cell('Gate'),
            triggerName: cell('Trigger'),
            triggerId: cell('Trigger_Id'),
            description: cell('Check_Output'),
            status: cell('Gate_Action'),
            policyId: cell('Policy_Id'),
            tag: cell('Repo_Tag'),
            // An object that names the list and the item, or false.
            allowlisted: Boolean(cell('Whitelisted')),
          };
        });
      });
    });
}

function resultsOf(violation: Violation, context: ImportContext): Result[] {
  const { gate, triggerName, triggerId, description, status, tag } = violation;
  if (violation.allowlisted === 'true') return skipped('on an allowlist', context);
  if (status?.toLowerCase() === 'go') return skipped('allowed by the policy', context);
  const [word] = /^[A-Za-z]+/.exec(description ?? '') ?? [];
  const byAction: Severity = status?.toLowerCase() === 'stop' ? 'high' : 'medium';
  const check = failedCheck({
    tool: 'anchore-policies',
    entries: [violation],
    id: distinct(gate, triggerName).join(' '),
    name: description,
    resource: tag,
    // The trigger id stands for what was found, such as a vulnerability and its package.
    resourceIdentity: [tag && imageName(tag), triggerId ?? description],
    severity: SEVERITY_WORD.test(word ?? '') ? severityOf(word) : byAction,
    facts: { Gate: gate, Trigger: triggerName, Action: status, Policy: violation.policyId, Image: tag },
  });
  return [{ ...check, cve: cveOf(triggerId, description) }];
}

const SEVERITY_WORD = /^(?:critical|high|medium|low|negligible)$/i;
