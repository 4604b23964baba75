import { z } from 'zod';
import { type Importer, type Result, readList } from '../importer.ts';
import { failedCheck, kubernetesName } from '../kinds/resources.ts';
import { documentOf, documentsOf, hasKind } from '../read/report.ts';
import { fields, requiredText, text } from '../read/schema.ts';
import { severityIn } from '../support.ts';

const Line = z.object({
  AuditResultName: requiredText,
  ...fields(text, 'ResourceKind', 'ResourceName', 'ResourceNamespace', 'Container', 'Capability'),
  ...fields(text, 'MissingAnnotation', 'level', 'msg'),
});

/** `kubeaudit all --format json`: a line per result. */
export const kubeaudit: Importer = {
  name: 'kubeaudit',
  about: {
    tool: '[kubeaudit](https://github.com/Shopify/kubeaudit)',
    command: '`kubeaudit all --format json > report.jsonl`',
    versions: 'the report names no version: a report of 2023',
    identity: 'audit, namespace, kind, name, container, capability',
    severity: '`level`: error is high, warning medium, info low',
  },

  detects: (report) => hasKind(documentOf(report), { AuditResultName: 'value', msg: 'value' }),

  results(report, context) {
    return readList(Line, documentsOf(report).flat(), '', context).map((line): Result => {
      const resource = kubernetesName(
        line.ResourceNamespace,
        line.ResourceKind,
        line.ResourceName,
        line.Container,
      );
      return failedCheck({
        tool: 'kubeaudit',
        entries: [line],
        id: line.AuditResultName,
        name: line.AuditResultName.replace(/(?<=[a-z])(?=[A-Z])/g, ' '),
        resource,
        resourceIdentity: [
          line.ResourceNamespace,
          line.ResourceKind,
          line.ResourceName,
          line.Container,
          line.Capability ?? line.MissingAnnotation,
        ],
        severity: severityIn({ error: 'high', warning: 'medium', info: 'low' }, line.level),
        message: line.msg,
        facts: { Capability: line.Capability, Annotation: line.MissingAnnotation },
      });
    });
  },
};
