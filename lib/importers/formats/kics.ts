import { z } from 'zod';
import { identifyCode } from '../identity/identity.ts';
import { sourceIdentity } from '../identity/literals.ts';
import { type ImportContext, type Importer, type Result, read, readList } from '../importer.ts';
import { distinct, failedCheck } from '../kinds/resources.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { anything, fields, number, requiredText, text } from '../read/schema.ts';
import { relativePath, severityOf } from '../support.ts';
import { maskCredentials } from '../text/credentials.ts';
import { isSecretRule } from '../text/secrets.ts';

const File = z.object({
  file_name: requiredText,
  line: number,
  ...fields(text, 'issue_type', 'resource_type', 'resource_name', 'search_key', 'search_value'),
  ...fields(text, 'expected_value', 'actual_value', 'remediation'),
});
const Query = z.object({
  ...fields(text, 'query_id', 'query_url', 'severity', 'platform', 'category', 'description', 'cwe'),
  query_name: requiredText,
  files: anything,
});
type Query = z.output<typeof Query>;
const Document = z.object({
  queries: anything,
  files_failed_to_scan: number,
  queries_failed_to_execute: number,
});

/** `kics scan --report-formats json` */
export const kics: Importer = {
  name: 'kics',
  about: {
    tool: '[KICS](https://docs.kics.io)',
    command: '`kics scan -p . --report-formats json -o .`',
    versions: 'the report names no version',
    identity: 'query, file, the place that KICS names (`search_key`)',
  },

  detects: (report) => hasKind(documentOf(report), { queries: 'list', queries_total: 'value' }),

  results(report, context) {
    const {
      queries,
      files_failed_to_scan: files = 0,
      queries_failed_to_execute: failed = 0,
    } = read(Document, documentOf(report));
    if (files > 0) context.error(`${files} files were not scanned`);
    if (failed > 0) context.error(`${failed} queries failed`);
    return readList(Query, queries, 'queries', context).flatMap((query, index) =>
      readList(File, query.files, `queries.${index}.files`, context).map((file) =>
        resultOf(query, file, context),
      ),
    );
  },
};

function resultOf(query: Query, found: z.output<typeof File>, context: ImportContext): Result {
  const [file, line] = [relativePath(found.file_name, context), found.line];
  const id = query.query_id ?? query.query_name;
  const isSecret = isSecretRule(query.query_name, query.category);
  const resource = distinct(found.resource_type, found.resource_name).join(' ');
  const result = failedCheck({
    tool: 'kics',
    entries: [query, found],
    id,
    name: query.query_name,
    resource: maskCredentials(resource || found.search_key || ''),
    // The key of a secret may contain it.
    resourceIdentity: isSecret
      ? sourceIdentity(`${found.search_key} ${found.search_value}`)
      : [found.search_key, found.search_value, resource],
    severity: severityOf(query.severity),
    // For secrets, the value that was found may be the secret.
    message: isSecret
      ? undefined
      : distinct(
          found.actual_value && `Found: ${found.actual_value}`,
          found.expected_value && `Expected: ${found.expected_value}`,
        ).join('\n'),
    about: query.description,
    code: isSecret ? undefined : found.remediation,
    facts: { Platform: query.platform, Category: query.category },
    references: [query.query_url],
    cwe: query.cwe,
    file,
    line,
  });
  return {
    ...result,
    title: query.query_name,
    cwe: result.cwe ?? (isSecret ? 'CWE-798' : undefined),
    ...(!found.search_key &&
      !found.search_value && { identify: identifyCode('kics', [id], { file, line }, context) }),
  };
}
