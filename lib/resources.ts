import { FINDING_STATUSES, PERSONAS, SCAN_STATUSES, SEVERITIES } from '../db/org.ts';
import { PLANS, ROLES } from '../db/shared.ts';
import { timestamp, z } from './http/schema.ts';

/*
 * The resources as the API shows them (SPEC.md "Resources and their fields"). db/resources.ts makes them from rows.
 */

const id = () => z.string().openapi({ format: 'uuid' });
const count = () => z.number().int();

export const User = z
  .object({
    id: id(),
    email: z.string().openapi({ format: 'email' }),
    name: z.string(),
    avatar_url: z.string(),
    created_at: timestamp(),
  })
  .openapi('User');

export const Organization = z
  .object({
    id: id(),
    name: z.string(),
    slug: z.string(),
    plan: z.enum(PLANS),
    custom_domain: z.string().optional(),
    schema_version: z.number().int(),
    created_at: timestamp(),
  })
  .openapi('Organization');

export const OrganizationWithRole = Organization.extend({ role: z.enum(ROLES) }).openapi(
  'OrganizationWithRole',
);

export const Project = z
  .object({ id: id(), name: z.string(), slug: z.string(), created_at: timestamp() })
  .openapi('Project');

export const ApiToken = z
  .object({
    id: id(),
    project_id: z.string().openapi({ description: 'Empty for org-wide tokens.' }),
    name: z.string(),
    prefix: z.string(),
    created_by: id(),
    expires_at: timestamp().optional(),
    revoked: z.boolean(),
    created_at: timestamp(),
    last_used: timestamp().optional(),
  })
  .openapi('ApiToken');

export const SeveritySummary = z
  .object({
    total: count(),
    critical: count(),
    high: count(),
    medium: count(),
    low: count(),
    info: count(),
  })
  .openapi('SeveritySummary');

export const ScanTarget = z
  .object({
    type: z.string().optional(),
    path: z.string().optional(),
    url: z.string().optional(),
    ref: z.string().optional(),
  })
  .openapi('ScanTarget');

export const Scan = z
  .object({
    id: z.string(),
    scan_id: z.string(),
    project_id: id(),
    persona: z.enum(PERSONAS),
    name: z.string(),
    target: ScanTarget.optional(),
    status: z.enum(SCAN_STATUSES),
    error_message: z.string().optional(),
    finding_count: count(),
    summary: SeveritySummary.optional(),
    created_at: timestamp(),
    started_at: timestamp(),
    completed_at: timestamp().optional(),
  })
  .openapi('Scan');

export const Finding = z
  .object({
    id: id(),
    scan_id: z.string().openapi({ description: 'The scan that reported it first.' }),
    last_scan_id: z.string(),
    project_id: id(),
    fingerprint: z.string(),
    title: z.string(),
    severity: z.enum(SEVERITIES),
    description: z.string().openapi({ description: 'Markdown.' }),
    cwe: z.string().optional(),
    cve: z.string().optional(),
    cvss_score: z.number().optional(),
    cvss_vector: z.string().optional(),
    file: z.string().optional(),
    line: z.number().int().optional(),
    source: z.string().optional(),
    status: z.enum(FINDING_STATUSES),
    status_changed_at: timestamp(),
    regressed: z.boolean().openapi({ description: 'Seen again after it was fixed or verified.' }),
    seen_count: count(),
    last_seen_at: timestamp(),
    created_at: timestamp(),
    updated_at: timestamp(),
  })
  .openapi('Finding');

export const Exploit = z
  .object({
    id: id(),
    finding_id: id(),
    filename: z.string(),
    language: z.string(),
    code: z.string(),
    created_at: timestamp(),
  })
  .openapi('Exploit');
