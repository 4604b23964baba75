import { getTableColumns } from 'drizzle-orm';
import { expect, it } from 'vitest';
import {
  apiTokenFields,
  exploitFields,
  findingFields,
  orgFields,
  projectFields,
  scanFields,
} from '../../db/resources.ts';
import { defineOrgTables } from '../../db/schema/org.ts';
import { TEMPLATE_SCHEMA } from '../../db/schema/org-schema.ts';
import { memberships, orgs } from '../../db/schema/orgs.ts';
import { ApiToken, Exploit, Finding, Organization, Project, Scan } from '../../lib/resources.ts';

const tables = defineOrgTables(TEMPLATE_SCHEMA);

/** The columns of each table that the API does not show. */
const INTERNAL = {
  orgs: [
    ...['viewer_tokens_verify', 'tokens_on_role_loss', 'project_token_creators', 'max_token_days'],
    ...['session_idle_minutes', 'session_max_hours'],
    ...['created_by', 'share_id', 'lacks_indexes'],
    ...['is_unused', 'verify_by', 'verify_warned_at'],
  ],
  projects: ['former_slug', 'deleted_at', 'transfer'],
  apiTokens: ['token_hash', 'suspended', 'expiry_told_at'],
  // `sources` shows the declared ones.
  scans: ['declared_sources', 'closed_after', 'series_id', 'tracked'],
  findings: [
    ...['severity_before', 'regressed_before', 'proposed_before', 'created_by', 'change_id'],
    ...['due_dates', 'due_before', 'resolved_at'],
  ],
  exploits: [],
};

it.each([
  [
    'orgs',
    orgs,
    { ...orgFields, role: memberships.role, project_access: 1, deleted_at: 1, purge_at: 1 },
    Organization,
  ],
  ['projects', tables.projects, { ...projectFields(tables), role: 1 }, Project],
  ['apiTokens', tables.apiTokens, apiTokenFields(tables), ApiToken],
  ['scans', tables.scans, scanFields(tables), Scan],
  ['findings', tables.findings, findingFields(tables), Finding],
  ['exploits', tables.exploits, exploitFields(tables), Exploit],
] as const)(
  '%s: every column is in the resource and in its schema, or internal',
  (name, table, fields, schema) => {
    const hidden: readonly string[] = INTERNAL[name];
    const columns = Object.values(getTableColumns(table)).map((column) => column.name);
    expect(Object.keys(schema.shape)).toEqual(Object.keys(fields));
    expect(columns.filter((column) => !(column in fields)).toSorted()).toEqual(hidden.toSorted());
  },
);
