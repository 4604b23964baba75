import { z } from 'zod';
import type { Severity } from '../finding.ts';
import { type ImportContext, type Importer, type Result, read, readList, skipped } from '../importer.ts';
import { failedCheck, kubernetesName } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import {
  anything,
  fields,
  list,
  number,
  object,
  objects,
  record,
  requiredText,
  text,
} from '../read/schema.ts';
import { property } from '../read/values.ts';
import { nameIn } from '../scanned.ts';
import { relativePath } from '../support.ts';
import { joined } from '../text/markdown.ts';

const Status = object({ status: text, subStatus: text });
const Rule = z.object({
  name: text,
  status: text,
  exception: anything,
  paths: objects({
    ...fields(text, 'failedPath', 'reviewPath', 'deletePath'),
    fixPath: object({ path: text, value: text }),
  }),
});
const Control = z.object({
  controlID: requiredText,
  name: text,
  status: Status,
  severity: text,
  rules: list(Rule),
});
const ResourceResult = z.object({ resourceID: requiredText, controls: anything });
const Resource = z.object({
  resourceID: requiredText,
  object: object({
    ...fields(text, 'kind', 'name', 'namespace'),
    metadata: object({ name: text, namespace: text }),
  }),
  source: object({ relativePath: text }),
});
const Document = z.object({
  clusterName: text,
  summaryDetails: object({ controls: record }),
  resources: anything,
  results: anything,
});
type Control = z.output<typeof Control>;
type Resource = z.output<typeof Resource>;

/** `kubescape scan --format json` */
export const kubescape: Importer = {
  name: 'kubescape',
  about: {
    tool: '[Kubescape](https://kubescape.io)',
    command: '`kubescape scan --format json --format-version v2 --output report.json`',
    versions: '3.0; a report of 2022 names no version',
    identity: 'control, file, namespace, kind and name of the resource',
    severity: '`scoreFactor` of the control',
  },

  detects: (report) =>
    hasKind(documentOf(report), { results: 'list', summaryDetails: { controls: 'value' } }),

  category: (report) => nameIn(report, 'clusterName'),

  results(report, context) {
    const { clusterName, summaryDetails, ...document } = read(Document, documentOf(report));
    const resources = new Map(
      readList(Resource, document.resources, 'resources', context).map((resource) => [
        resource.resourceID,
        resource,
      ]),
    );
    return readList(ResourceResult, document.results, 'results', context).flatMap(
      ({ resourceID, controls }) =>
        readList(Control, controls, 'results.controls', context).flatMap((control): Result[] => {
          const status = statusOf(control);
          if (NOT_FAILED.test(status)) return skipped(status, context);
          const summary = summaryDetails?.controls?.[control.controlID];
          return [resultOf(control, summary, resourceID, resources.get(resourceID), clusterName, context)];
        }),
    );
  },
};

const NOT_FAILED = /^(?:passed|skipped|warning|excluded|ignored|irrelevant|accepted by exceptions)$/;

const isFailed = (rule: z.output<typeof Rule>) => rule.status?.toLowerCase() === 'failed';

/** Older versions state it for the rules only. A failed rule with an exception is accepted. */
function statusOf({ status, rules }: Control): string {
  const failed = rules.filter(isFailed);
  if (failed.length > 0 && failed.every(({ exception }) => exception)) return 'accepted by exceptions';
  if (/exception/i.test(status?.subStatus ?? '')) return 'accepted by exceptions';
  const stated = status?.status?.toLowerCase();
  if (stated) return stated;
  const statuses = new Set(rules.map((rule) => rule.status?.toLowerCase() ?? 'passed'));
  return ['failed', 'warning', 'skipped', 'excluded'].find((word) => statuses.has(word)) ?? 'passed';
}

function resultOf(
  control: Control,
  summary: unknown,
  resourceID: string,
  resource: Resource | undefined,
  cluster: string | undefined,
  context: ImportContext,
): Result {
  const { kind, metadata, name = metadata?.name, namespace = metadata?.namespace } = resource?.object ?? {};
  const file = relativePath(resource?.source?.relativePath || undefined, context);
  const paths = control.rules.flatMap((rule) => (isFailed(rule) && !rule.exception ? rule.paths : []));
  const changes = paths.flatMap(({ fixPath }) =>
    fixPath?.path ? [`${fixPath.path}: ${fixPath.value ?? ''}`] : [],
  );
  const places = paths.map(
    ({ failedPath, reviewPath, deletePath }) => deletePath || reviewPath || failedPath,
  );
  const id = control.controlID;
  const shown = kubernetesName(namespace, kind, name) ?? resourceID;
  const result = failedCheck({
    tool: 'kubescape',
    entries: [resource, control],
    id,
    name: control.name,
    resource: shown,
    resourceIdentity: [cluster, withoutPaths(resourceID)],
    severity: severityOfFactor(number.parse(property(summary, 'scoreFactor'))),
    message: places.some(Boolean) ? `Fields: ${joined(places, ', ')}` : undefined,
    code: changes.join('\n'),
    facts: { Cluster: cluster, Category: text.parse(property(summary, 'category', 'name')) },
    references: [`https://kubescape.io/docs/controls/${id.toLowerCase()}/`],
    file,
  });
  return file ? { ...result, title: `${result.title} (${shown})` } : result;
}

/** Hashes of the paths of files. */
const withoutPaths = (id: string) => id.replace(/\bpath=\d+\//g, '');

/** As Kubescape rates it. */
function severityOfFactor(factor: number | undefined): Severity {
  if (factor === undefined) return 'medium';
  if (factor >= 9) return 'critical';
  if (factor >= 7) return 'high';
  if (factor >= 4) return 'medium';
  return factor >= 1 ? 'low' : 'info';
}
