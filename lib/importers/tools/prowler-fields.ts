import { z } from 'zod';
import { fields, object, objects, requiredText, text, texts } from '../read/schema.ts';

/** A check of one resource, from any version of the report. */
export const Check = z.object({
  id: requiredText,
  title: text,
  status: requiredText,
  ...fields(text, 'status_extended', 'muted', 'severity', 'provider', 'account', 'region', 'resource'),
  ...fields(text, 'resource_name', 'resource_type', 'service', 'description', 'risk', 'fix', 'command'),
  references: texts,
  compliance: text,
});
export type Check = z.output<typeof Check>;

export type Fields = Record<Exclude<keyof Check, 'references'>, string[]> & { references: string[] };

/** The names of the fields in the versions: 4 and 5, 3, and 2. The first that has a value is taken. */
export const CSV_FIELDS: Fields = {
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
export const JSON_FIELDS: Fields = {
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

export const Ocsf = z.object({
  metadata: z.object({ event_code: text }),
  ...fields(text, 'message', 'status', 'status_code', 'status_detail', 'severity'),
  finding_info: object({ title: text, desc: text, uid: text }),
  resources: objects({
    ...fields(text, 'uid', 'name', 'type', 'region', 'namespace'),
    group: object({ name: text }),
  }),
  cloud: object({ provider: text, region: text, account: object({ uid: text }) }),
  unmapped: object({ related_url: text, additional_urls: texts, provider: text, provider_uid: text }),
  remediation: object({ desc: text, references: texts }),
  risk_details: text,
});
