import { z } from 'zod';
import { type ImportContext, type Importer, read } from '../importer.ts';
import { code, describeFinding, excerpt, placeOf, plain } from '../markdown.ts';
import { findsSecrets, identityOf, masking, possibleSecrets } from '../secrets.ts';
import { cveOf, fingerprintOf, relativePath, severityOf } from '../support.ts';

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

/** `checkov -o json`: an object, or an array of one for each kind of file */
export const checkov: Importer = {
  name: 'checkov',

  detects: (report) => {
    const [document] = report.kind === 'json' ? report.documents : [];
    const [first] = Array.isArray(document) ? document : [document];
    const { results, check_type, checkov_version } = (first ?? {}) as Record<string, unknown>;
    const checks = (results as { failed_checks?: unknown } | null)?.failed_checks;
    // Where nothing was checked, only numbers and the version are left.
    return (check_type !== undefined && Array.isArray(checks)) || typeof checkov_version === 'string';
  },

  findings(report, context) {
    const [document] = report.kind === 'json' ? report.documents : [];
    const reports = Array.isArray(document)
      ? document.map((part, index) => read(Report, part, String(index)))
      : [read(Report, document)];
    const found = reports.flatMap(({ check_type, results }) =>
      (results?.failed_checks ?? []).map((check) => {
        const source = check.code_block?.map(([, line]) => line.replace(/\n?$/, '\n')).join('') ?? '';
        const isSecret = check_type === 'secrets' || check.check_id.startsWith('CKV_SECRET_');
        const secrets = isSecret || findsSecrets(check.check_name) ? possibleSecrets(source) : [];
        const place = { file: fileOf(check, context), line: check.file_line_range?.[0], secrets };
        return { check, source, isSecret, place };
      }),
    );
    const masked = masking(found.map(({ place }) => place));
    return found.map(({ check, source, isSecret, place: { file, line, secrets } }) => {
      const id = check.check_id;
      const name = check.check_name?.trim();
      const vulnerability = check.vulnerability_details;
      // The resource of a secret is its hash.
      const resource = isSecret ? undefined : check.resource;
      const dependency =
        vulnerability?.package_name && `${vulnerability.package_name} ${vulnerability.package_version ?? ''}`;
      const snippet = masked({ file, line, secrets })(source);
      const { lowest_fixed_version: fixed, status } = vulnerability ?? {};
      return {
        // Not with a resource's source, which changes with every other check that is fixed there.
        fingerprint: fingerprintOf(
          'checkov',
          id,
          file,
          ...(isSecret ? identityOf(`${source} ${check.resource}`, secrets) : [resource]),
        ),
        title: vulnerability
          ? `${vulnerability.id ?? id} in ${dependency ?? resource ?? file}`
          : [id, name].filter(Boolean).join(': '),
        // Without an account Checkov rates nothing.
        severity: severityOf(check.severity, isSecret ? 'high' : 'medium'),
        description: describeFinding({
          what: plain(
            vulnerability?.description ?? check.description ?? check.short_description ?? name ?? '',
          ),
          facts: {
            Check: [id, name].filter(Boolean).join(' '),
            Resource: resource,
            Location: placeOf(file, line),
            Package: dependency,
          },
          snippet: excerpt(snippet),
          fix:
            typeof check.fixed_definition === 'string'
              ? code(masked({ file, line, secrets })(check.fixed_definition))
              : plain(fixed ? `Update to ${fixed}.` : (status ?? '')),
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

/** The path of a file is given as it is on the disk, from where Checkov ran, and from the folder that it was given. */
function fileOf({ file_abs_path, repo_file_path, file_path }: Check, context: ImportContext) {
  const inside = `${context.workspace.replaceAll('\\', '/').replace(/\/+$/, '')}/`;
  return file_abs_path?.replaceAll('\\', '/').startsWith(inside)
    ? relativePath(file_abs_path, context)
    : relativePath(repo_file_path ?? file_path ?? file_abs_path, context);
}
