import { z } from 'zod';
import { type Importer, open, type Report, ReportError, readList } from '../importer.ts';
import { distinct, failedCheck } from '../kinds/resources.ts';
import { documentsOf, hasKind } from '../read/report.ts';
import { fields, object, objects, requiredText, text, texts } from '../read/schema.ts';
import { property } from '../read/values.ts';
import { severityOf } from '../support.ts';

/** A check of one resource, from any version of the report. */
const Check = z.object({
  id: requiredText,
  ...fields(text, 'title', 'status_extended', 'muted', 'severity', 'provider', 'account', 'region'),
  ...fields(text, 'resource', 'resource_name', 'resource_type', 'service', 'description', 'risk', 'fix'),
  ...fields(text, 'command', 'compliance'),
  status: requiredText,
  references: texts,
});
type Check = z.output<typeof Check>;

type Fields = Record<Exclude<keyof Check, 'references'>, string[]> & { references: string[] };

/** The names of the fields in the versions: 4 and 5, 3, and 2. The first that has a value is taken. */
const CSV_FIELDS: Fields = {
  id: ['CHECK_ID', 'TITLE_ID'],
  title: ['CHECK_TITLE', 'TITLE_TEXT'],
  status: ['STATUS', 'CHECK_RESULT'],
  status_extended: ['STATUS_EXTENDED', 'CHECK_RESULT_EXTENDED'],
  muted: ['MUTED'],
  severity: ['SEVERITY', 'CHECK_SEVERITY'],
  provider: ['PROVIDER'],
  account: ['ACCOUNT_UID', 'ACCOUNT_ID', 'ACCOUNT_NUM', 'SUBSCRIPTION', 'PROJECT_ID'],
  region: ['REGION', 'LOCATION'],
  resource: ['RESOURCE_UID', 'RESOURCE_ARN', 'RESOURCE_ID', 'CHECK_RESOURCE_ID'],
  resource_name: ['RESOURCE_NAME', 'RESOURCE_ID'],
  resource_type: ['RESOURCE_TYPE', 'CHECK_ASFF_RESOURCE_TYPE'],
  service: ['SERVICE_NAME', 'CHECK_SERVICENAME'],
  description: ['DESCRIPTION'],
  risk: ['RISK', 'CHECK_RISK'],
  fix: ['REMEDIATION_RECOMMENDATION_TEXT', 'CHECK_REMEDIATION'],
  command: ['REMEDIATION_CODE_CLI', 'REMEDIATION_RECOMMENDATION_CODE_CLI'],
  compliance: ['COMPLIANCE', 'CHECK_ASFF_TYPE'],
  references: ['REMEDIATION_RECOMMENDATION_URL', 'RELATED_URL', 'ADDITIONAL_URLS', 'CHECK_DOC'],
};

/** Version 3, and version 2. */
const JSON_FIELDS: Fields = {
  id: ['CheckID', 'Control ID'],
  title: ['CheckTitle', 'Control'],
  status: ['Status'],
  status_extended: ['StatusExtended', 'Message'],
  muted: ['Muted'],
  severity: ['Severity'],
  provider: ['Provider'],
  account: ['AccountId', 'Account Number', 'Subscription', 'ProjectId'],
  region: ['Region', 'Location'],
  resource: ['ResourceArn', 'ResourceId', 'Resource ID'],
  resource_name: ['ResourceName', 'ResourceId', 'Resource ID'],
  resource_type: ['ResourceType'],
  service: ['ServiceName', 'Service'],
  description: ['Description'],
  risk: ['Risk'],
  fix: ['Remediation'],
  command: [],
  compliance: ['Compliance'],
  references: ['RelatedUrl', 'Doc link'],
};

const Ocsf = z.object({
  metadata: z.object({ event_code: text }),
  ...fields(text, 'message', 'status', 'status_code', 'status_detail', 'severity', 'risk_details'),
  finding_info: object({ title: text, desc: text, uid: text }),
  resources: objects({
    ...fields(text, 'uid', 'name', 'type', 'region', 'namespace'),
    group: object({ name: text }),
  }),
  cloud: object({ provider: text, region: text, account: object({ uid: text }) }),
  unmapped: object({ related_url: text, additional_urls: texts, provider: text, provider_uid: text }),
  remediation: object({ desc: text, references: texts }),
});

/** Prowler 2 to 5: CSV, JSON, JSON lines and OCSF. Its ASFF reports are those of `aws-security-hub`. */
export const prowler: Importer = {
  name: 'prowler',
  about: {
    tool: '[Prowler](https://docs.prowler.com)',
    command: '`prowler aws --output-formats json-ocsf` (or `csv`)',
    versions: '4.2 and 5.4; older reports, of 2021 and 2023, name no version',
    identity: 'check, account, region, resource',
    severity: 'the severity of the check',
  },

  detects: (report) => {
    if (report.kind === 'csv') return csvFields(report.columns) !== undefined;
    const [first] = documentsOf(report).flat();
    return isOcsf(first) || jsonFields(first) !== undefined;
  },

  results(report, context) {
    return open(readList(Check, checksOf(report), '', context), skipReason, context).map(resultOf);
  },
};

const csvFields = (columns: readonly string[]) =>
  (columns.includes('CHECK_ID') && columns.includes('STATUS_EXTENDED')) ||
  (columns.includes('TITLE_ID') && columns.includes('CHECK_RESULT'))
    ? CSV_FIELDS
    : undefined;

const jsonFields = (value: unknown) =>
  hasKind(value, { CheckID: 'value', StatusExtended: 'value' }) ||
  hasKind(value, { 'Control ID': 'value', 'Account Number': 'value' })
    ? JSON_FIELDS
    : undefined;

function checksOf(report: Report): unknown[] {
  if (report.kind === 'csv') {
    const fields = csvFields(report.columns);
    if (!fields) throw new ReportError('The table has no column CHECK_ID or TITLE_ID');
    return report.rows.map((row) => checkOf(row, fields));
  }
  if (report.kind !== 'json') throw new ReportError('The report is neither JSON nor CSV');
  return report.documents
    .flat()
    .map((value) => (isOcsf(value) ? ocsfCheck(value) : checkOf(value, JSON_FIELDS)));
}

function checkOf(row: unknown, { references, ...fields }: Fields): Record<string, unknown> {
  const value = (names: readonly string[]) =>
    names
      .map((name) => property(row, name))
      .find((found) => found !== undefined && found !== null && found !== '');
  const remediation = property(row, 'Remediation');
  const recommendation = property(remediation, 'Recommendation');
  const check: Record<string, unknown> = Object.fromEntries(
    Object.entries(fields).map(([key, names]) => [key, value(names)]),
  );
  if (recommendation !== undefined) check.fix = property(recommendation, 'Text');
  check.command ??= property(remediation, 'Code', 'CLI');
  check.references = [...references.map((name) => property(row, name)), property(recommendation, 'Url')]
    .filter((link) => typeof link === 'string')
    .flatMap((link) => link.split(' | '));
  if (Array.isArray(check.compliance) || typeof check.compliance === 'object') delete check.compliance;
  return { ...check, row };
}

const isOcsf = (value: unknown) =>
  property(value, 'metadata', 'product', 'vendor_name') === 'Prowler' &&
  hasKind(value, { status_code: 'value' });

/** The OCSF "Detection Finding" of version 4 and later. */
function ocsfCheck(value: unknown): Record<string, unknown> {
  const parsed = Ocsf.safeParse(value);
  if (!parsed.success) return {};
  const { metadata, finding_info: info, resources, cloud, unmapped, remediation, ...found } = parsed.data;
  const [resource] = resources;
  const isLink = (reference: string) => /^https?:\/\//.test(reference);
  return {
    value,
    id: metadata.event_code,
    title: info?.title,
    status: found.status_code,
    status_extended: found.status_detail ?? found.message,
    muted: found.status?.toLowerCase() === 'suppressed',
    severity: found.severity,
    provider: cloud?.provider ?? unmapped?.provider,
    account: cloud?.account?.uid ?? unmapped?.provider_uid,
    region: resource?.region ?? cloud?.region ?? (resource?.namespace && `namespace: ${resource.namespace}`),
    resource: resource?.uid,
    resource_name: resource?.name,
    resource_type: resource?.type,
    service: resource?.group?.name,
    description: info?.desc,
    risk: found.risk_details,
    fix: remediation?.desc,
    command: remediation?.references.filter((reference) => !isLink(reference)).join('\n'),
    references: [
      ...(remediation?.references ?? []).filter(isLink),
      unmapped?.related_url,
      ...(unmapped?.additional_urls ?? []),
    ],
  };
}

function skipReason({ status, muted }: Check): string | undefined {
  if (muted?.toLowerCase() === 'true') return 'muted';
  switch (status.toUpperCase()) {
    case 'FAIL':
    case 'FAILED':
      return undefined;
    case 'PASS':
    case 'PASSED':
      return 'passed';
    case 'MUTED':
    case 'WARNING':
      return 'muted';
    case 'MANUAL':
    case 'INFO':
      return 'need a manual check';
  }
}

function resultOf(check: Check) {
  const { provider, account, region, resource, resource_name: name, status_extended: message } = check;
  const isKubernetes = provider?.toLowerCase() === 'kubernetes';
  // A pod gets a new id and a new name whenever it starts.
  const identity = isKubernetes && name ? withoutPodSuffix(name) : (resource ?? name);
  const shown = distinct(isKubernetes ? name : (resource ?? name)).join() || undefined;
  return {
    ...failedCheck({
      tool: 'prowler',
      entries: [check],
      id: check.id,
      name: check.title?.replace(/^\[\w+\] /, ''),
      resource: shown ?? (distinct(account, region).join(' ') || undefined),
      // Prowler 2 may name the resource in the message only.
      resourceIdentity: [account, region, identity ?? message],
      severity: severityOf(check.severity),
      message,
      about: check.description === check.title ? undefined : check.description,
      risk: check.risk,
      fix: check.fix,
      code: check.command,
      facts: {
        Service: check.service,
        'Resource type': check.resource_type,
        Account: account,
        Region: region,
        Compliance: check.compliance,
      },
      references: check.references,
    }),
    repeats: isKubernetes,
  };
}

const withoutPodSuffix = (name: string) => name.replace(/-[a-f0-9]{6,10}-[a-z0-9]{5}$/, '');
