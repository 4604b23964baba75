import { z } from 'zod';
import type { Finding } from '../finding.ts';
import { fingerprintOf, identifyCode } from '../identity/identity.ts';
import { sourceIdentity } from '../identity/literals.ts';
import {
  type Identify,
  type ImportContext,
  type Importer,
  type Report,
  type Result,
  readList,
} from '../importer.ts';
import { documentOf, hasKind } from '../read/report.ts';
import { anything, fields, list, number, object, requiredText, text, texts } from '../read/schema.ts';
import { isObject, property } from '../read/values.ts';
import { onlyName } from '../scanned.ts';
import { cveOf, isInWorkspace, plainPath, relativePath, severityOf } from '../support.ts';
import {
  codeBlock,
  describeFinding,
  escapeMarkdown,
  excerpt,
  formatLocation,
  joined,
} from '../text/markdown.ts';
import { recordAll } from '../text/notices.ts';
import { isSecretRule, mapMasked, secretCandidates } from '../text/secrets.ts';

const Check = z.object({
  check_id: requiredText,
  ...fields(text, 'check_name', 'file_path', 'repo_file_path', 'file_abs_path', 'resource', 'severity'),
  ...fields(text, 'description', 'short_description', 'guideline'),
  code_block: list(z.tuple([z.number(), z.string()])),
  file_line_range: list(z.number()),
  fixed_definition: anything,
  vulnerability_details: object({
    ...fields(text, 'id', 'package_name', 'package_version', 'status', 'lowest_fixed_version', 'link'),
    vector: text,
    description: text,
    cvss: number,
  }),
});
type Check = z.output<typeof Check>;

/** The checks of one kind of file. */
const Part = z.object({
  check_type: text,
  results: object({
    failed_checks: anything,
    skipped_checks: list(z.unknown()),
    parsing_errors: texts,
  }),
  summary: object({ skipped: number, parsing_errors: number }),
});
type Part = z.output<typeof Part>;

/** `checkov -o json`: an object, or an array with an object for each kind of file. */
export const checkov: Importer = {
  name: 'checkov',
  about: {
    tool: '[Checkov](https://www.checkov.io)',
    command: '`checkov -d . -o json > report.json`',
    versions: '1.0, 2.0 to 2.2, 3.3',
    identity:
      'check, file, resource; the lines of a Dockerfile instruction or of a step without a name of its own',
    severity: '`severity`, or medium where Checkov rates nothing',
  },

  // If nothing was checked, the report contains only counts and the version.
  detects: (report) =>
    hasKind(partsOf(report)[0], { check_type: 'value', results: { failed_checks: 'list' } }) ||
    hasKind(partsOf(report)[0], { checkov_version: 'text' }),

  category: (report) => onlyName(partsOf(report).map((part) => text.parse(property(part, 'check_type')))),

  results(report, context) {
    const isList = Array.isArray(documentOf(report));
    const entries = readList(Part, partsOf(report), '', context).flatMap((part, index) => {
      recordIncomplete(part, context);
      const path = `${isList ? `${index}.` : ''}results.failed_checks`;
      return readList(Check, part.results?.failed_checks, path, context).map((check) =>
        prepare(check, part, context),
      );
    });
    return mapMasked(entries, context, (entry, mask) => toResult(entry, mask, context));
  },
};

function partsOf(report: Report): unknown[] {
  const document = documentOf(report);
  return Array.isArray(document) ? document : isObject(document) ? [document] : [];
}

/** Files that were not checked, and checks that a comment, the configuration or the platform suppresses. */
function recordIncomplete({ check_type, results, summary }: Part, context: ImportContext): void {
  // Checkov writes only counts if it has checked nothing. A check of this name may not exist.
  if (check_type === undefined && results === undefined) context.warn('Checkov found nothing to check');
  const unparsed = results?.parsing_errors ?? [];
  const kind = check_type ? ` (${check_type})` : '';
  recordAll(
    context.error,
    unparsed.map(
      (path) => `${relativePath(path, context) ?? path} was not checked: it cannot be parsed${kind}`,
    ),
  );
  const count = summary?.parsing_errors ?? 0;
  if (unparsed.length === 0 && count > 0)
    context.error(
      count === 1
        ? `A file was not checked: it cannot be parsed${kind}`
        : `${count} files were not checked: they cannot be parsed${kind}`,
    );
  context.skip('they are suppressed in Checkov', results?.skipped_checks.length || (summary?.skipped ?? 0));
}

function prepare(check: Check, { check_type }: Part, context: ImportContext) {
  const source = check.code_block.map(([, line]) => line.replace(/\n?$/, '\n')).join('');
  const isSecret = check_type === 'secrets' || check.check_id.startsWith('CKV_SECRET_');
  const secrets = isSecret || isSecretRule(check.check_name) ? secretCandidates(source) : [];
  const location = { file: fileOf(check, context), line: check.file_line_range[0], secrets };
  return { check, check_type, source, isSecret, location };
}
type Entry = ReturnType<typeof prepare>;

function toResult(entry: Entry, mask: (text: string) => string, context: ImportContext): Result {
  const { check, source, isSecret, location } = entry;
  const { file, line } = location;
  const id = check.check_id;
  const name = check.check_name?.trim();
  const vulnerability = check.vulnerability_details;
  // For secrets, Checkov sets the resource to a hash of the secret.
  const resource = isSecret ? undefined : check.resource;
  const dependency =
    vulnerability?.package_name && `${vulnerability.package_name} ${vulnerability.package_version ?? ''}`;
  const { lowest_fixed_version: fixed, status } = vulnerability ?? {};
  return {
    entries: [{ check_type: entry.check_type }, check],
    ...identityOf(entry, context),
    ...(vulnerability && { repeats: true }),
    title: vulnerability
      ? `${vulnerability.id ?? id} in ${dependency ?? resource ?? file}`
      : joined([id, name], ': '),
    rule_id: vulnerability?.id ?? id,
    // Checkov sets the severity only for users with an account.
    severity: severityOf(check.severity, isSecret ? 'high' : 'medium'),
    description: describeFinding({
      what: escapeMarkdown(
        vulnerability?.description ?? check.description ?? check.short_description ?? name ?? '',
      ),
      facts: {
        Check: joined([id, name], ' '),
        Resource: resource,
        Location: formatLocation(file, line),
        Package: dependency,
      },
      snippet: excerpt(mask(source)),
      fix:
        typeof check.fixed_definition === 'string'
          ? codeBlock(mask(check.fixed_definition))
          : escapeMarkdown(fixed ? `Update to ${fixed}.` : (status ?? '')),
      references: [check.guideline, vulnerability?.link],
    }),
    cwe: isSecret ? 'CWE-798' : undefined,
    cve: cveOf(vulnerability?.id),
    cvss_score: vulnerability?.cvss,
    cvss_vector: vulnerability?.vector,
    file,
    line,
  };
}

/** The source of a resource is not part of its identity, because it changes when another finding in it is fixed. */
function identityOf(entry: Entry, context: ImportContext): Omit<Result, keyof Finding | 'entries'> {
  const { check, check_type, source, isSecret, location } = entry;
  const { check_id: id, resource = '', file_path: path } = check;
  const former: Identify = (file) => fingerprintOf('checkov', id, file, check.resource);
  if (isSecret) {
    return {
      identify: (file) =>
        fingerprintOf('checkov', id, file, ...sourceIdentity(`${source} ${resource}`, location.secrets)),
    };
  }
  // The file may be renamed.
  const name = path && path.length > 1 ? resource.replaceAll(path, '') : resource;
  if (!isPositional(resource, check_type)) {
    const identify: Identify = (file) => fingerprintOf('checkov', id, file, check.resource && name);
    return { identify, ...(name !== resource && { identifyFormerly: former }) };
  }
  const place = { ...location, endLine: check.file_line_range[1], code: source };
  const identify = identifyCode('checkov', [id, name.replace(/\[\d+\]/g, '[]')], place, context);
  return { identify, identifyVaguely: former };
}

/**
 * Whether a resource is named by its kind or position: `/Dockerfile.RUN`, `jobs(build).steps[2]`. Another one takes over the
 * name when one is removed. In Terraform, `[0]` is an instance of a named resource.
 */
const isPositional = (resource: string, type: string | undefined): boolean =>
  type === 'dockerfile'
    ? /\.[A-Z]+$/.test(resource)
    : /\[\d+\]/.test(resource) && !/terraform|cloudformation/i.test(type ?? '');

/** Prefers an absolute path in the workspace. The other paths are relative to the repository or the scanned directory. */
function fileOf({ file_abs_path, repo_file_path, file_path }: Check, context: ImportContext) {
  const { pathPrefix } = context;
  if (isInWorkspace(file_abs_path?.replaceAll('\\', '/'), context))
    return relativePath(file_abs_path, context);
  const inRepository = plainPath(repo_file_path);
  if (pathPrefix && inRepository?.startsWith(`${pathPrefix}/`)) return inRepository;
  return relativePath(inRepository ?? plainPath(file_path) ?? file_abs_path, context);
}
