import { z } from 'zod';
import { fingerprintOf } from '../../identity.ts';
import { type ImportContext, type Importer, read } from '../../importer.ts';
import { codeBlock, describeFinding, escapeMarkdown, excerpt, formatLocation } from '../../markdown.ts';
import { createMasker, isSecretRule, secretCandidates, sourceIdentity } from '../../secrets.ts';
import { cveOf, relativePath, severityOf } from '../../support.ts';

const text = z.string().nullish();

const Check = z.object({
  check_id: z.string(),
  check_name: text,
  code_block: z.array(z.tuple([z.number(), z.string()])).nullish(),
  file_path: text,
  repo_file_path: text,
  file_abs_path: text,
  file_line_range: z.array(z.number()).nullish(),
  resource: text,
  severity: text,
  description: text,
  short_description: text,
  guideline: text,
  fixed_definition: z.unknown().optional(),
  vulnerability_details: z
    .object({
      id: text,
      package_name: text,
      package_version: text,
      status: text,
      lowest_fixed_version: text,
      link: text,
      cvss: z.number().nullish(),
      vector: text,
      description: text,
    })
    .nullish(),
});
const Report = z.object({
  check_type: text,
  results: z.object({ failed_checks: z.array(Check) }).nullish(),
});

type Check = z.output<typeof Check>;

/** `checkov -o json`: an object, or an array with an object for each kind of file. */
export const checkov: Importer = {
  name: 'checkov',
  about: {
    tool: '[Checkov](https://www.checkov.io)',
    command: '`checkov -d . -o json > report.json`',
    versions: '2.0 to 3.2',
    identity: 'check, file, resource',
    severity: '`severity`, or medium where Checkov rates nothing',
  },

  detects: (report) => {
    const [document] = report.kind === 'json' ? report.documents : [];
    const [first] = Array.isArray(document) ? document : [document];
    const { results, check_type, checkov_version } = (first ?? {}) as Record<string, unknown>;
    const checks = (results as { failed_checks?: unknown } | null)?.failed_checks;
    // If nothing was checked, the report contains only counts and the version.
    return (check_type !== undefined && Array.isArray(checks)) || typeof checkov_version === 'string';
  },

  results(report, context) {
    const [document] = report.kind === 'json' ? report.documents : [];
    const reports = Array.isArray(document)
      ? document.map((part, index) => read(Report, part, String(index)))
      : [read(Report, document)];
    const entries = reports.flatMap(({ check_type, results }) =>
      (results?.failed_checks ?? []).map((check) => {
        const source = check.code_block?.map(([, line]) => line.replace(/\n?$/, '\n')).join('') ?? '';
        const isSecret = check_type === 'secrets' || check.check_id.startsWith('CKV_SECRET_');
        const secrets = isSecret || isSecretRule(check.check_name) ? secretCandidates(source) : [];
        const location = { file: fileOf(check, context), line: check.file_line_range?.[0], secrets };
        return { check, source, isSecret, location };
      }),
    );
    const maskerFor = createMasker(entries.map(({ location }) => location));
    return entries.map(({ check, source, isSecret, location: { file, line, secrets } }) => {
      const id = check.check_id;
      const name = check.check_name?.trim();
      const vulnerability = check.vulnerability_details;
      // For secrets, Checkov sets the resource to a hash of the secret.
      const resource = isSecret ? undefined : check.resource;
      const dependency =
        vulnerability?.package_name && `${vulnerability.package_name} ${vulnerability.package_version ?? ''}`;
      const snippet = maskerFor({ file, line, secrets })(source);
      const { lowest_fixed_version: fixed, status } = vulnerability ?? {};
      return {
        // Without the source of the resource, which changes when another finding in it is fixed.
        identify: () =>
          fingerprintOf(
            'checkov',
            id,
            file,
            ...(isSecret ? sourceIdentity(`${source} ${check.resource}`, secrets) : [resource]),
          ),
        title: vulnerability
          ? `${vulnerability.id ?? id} in ${dependency ?? resource ?? file}`
          : [id, name].filter(Boolean).join(': '),
        // Checkov sets the severity only for users with an account.
        severity: severityOf(check.severity, isSecret ? 'high' : 'medium'),
        description: describeFinding({
          what: escapeMarkdown(
            vulnerability?.description ?? check.description ?? check.short_description ?? name ?? '',
          ),
          facts: {
            Check: [id, name].filter(Boolean).join(' '),
            Resource: resource,
            Location: formatLocation(file, line),
            Package: dependency,
          },
          snippet: excerpt(snippet),
          fix:
            typeof check.fixed_definition === 'string'
              ? codeBlock(maskerFor({ file, line, secrets })(check.fixed_definition))
              : escapeMarkdown(fixed ? `Update to ${fixed}.` : (status ?? '')),
          references: [check.guideline, vulnerability?.link],
        }),
        cwe: isSecret ? 'CWE-798' : undefined,
        cve: cveOf(vulnerability?.id),
        cvss_score: vulnerability?.cvss ?? undefined,
        cvss_vector: vulnerability?.vector ?? undefined,
        file,
        line,
      };
    });
  },
};

/** Prefers an absolute path in the workspace. The other paths are relative to Checkov's working or scanned directory. */
function fileOf({ file_abs_path, repo_file_path, file_path }: Check, context: ImportContext) {
  const workspacePrefix = `${context.directory.replaceAll('\\', '/').replace(/\/+$/, '')}/`;
  return file_abs_path?.replaceAll('\\', '/').startsWith(workspacePrefix)
    ? relativePath(file_abs_path, context)
    : relativePath(repo_file_path ?? file_path ?? file_abs_path, context);
}
