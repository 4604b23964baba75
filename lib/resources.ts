import { PLANS, ROLES } from '../db/schema/orgs.ts';
import { FINDING_STATUSES, PERSONAS, SCAN_STATUSES, SEVERITIES } from '../db/schema/values.ts';
import { count, EXAMPLE_ID, id, shown, timestamp, z } from './http/schema.ts';

/*
 * The resources as the API shows them (API contract, "Resources and their fields"). db/resources.ts makes them from rows.
 */

export const User = z
  .object({
    id: id(),
    email: shown('ada@example.com'),
    name: shown('Ada Lovelace'),
    avatar_url: shown('', 'Empty when there is none.'),
    created_at: timestamp(),
  })
  .openapi('User');

/** A user as they see themselves. */
export const Account = z
  .object({ ...User.shape, mfa_enabled: z.boolean().openapi({ example: true }) })
  .openapi('Account');

const organization = {
  id: id(),
  name: shown('Acme'),
  slug: shown('acme'),
  plan: z.enum(PLANS),
  custom_domain: shown('findings.acme.example').optional(),
  schema_version: z.int().openapi({ example: 2 }),
  created_at: timestamp(),
};

export const Organization = z
  .object({ ...organization, role: z.enum(ROLES).openapi({ description: "The caller's." }) })
  .openapi('Organization');

export const Member = z
  .object({
    user_id: id(),
    email: shown('grace@example.com', 'The invited address; of others the primary one.'),
    name: shown('Grace Hopper'),
    avatar_url: shown('', 'Empty when there is none.'),
    role: z.enum(ROLES),
    verified: z.boolean().openapi({ description: 'The account has verified the address.', example: true }),
    pending: z
      .boolean()
      .openapi({ description: 'No access yet, until the address is verified.', example: false }),
  })
  .openapi('Member');

export const Project = z
  .object({ id: id(), name: shown('Web shop'), slug: shown('web-shop'), created_at: timestamp() })
  .openapi('Project');

export const ApiToken = z
  .object({
    id: id(),
    project_id: shown(EXAMPLE_ID, 'Empty for org-wide tokens.'),
    name: shown('ci'),
    prefix: shown('svc_5f0c1f4b'),
    created_by: id(),
    expires_at: timestamp().optional(),
    revoked: z.boolean().openapi({ example: false }),
    created_at: timestamp(),
    last_used: timestamp().optional(),
  })
  .openapi('ApiToken');

export const SeveritySummary = z
  .object({
    total: count(42),
    critical: count(1),
    high: count(5),
    medium: count(12),
    low: count(20),
    info: count(4),
  })
  .openapi('SeveritySummary');

export const ScanTarget = z
  .object({
    type: shown('repository').optional(),
    path: shown('services/web').optional(),
    url: shown('https://git.example.com/acme/web-shop').optional(),
    ref: shown('main').optional(),
  })
  .openapi('ScanTarget');

const SCAN_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

export const Scan = z
  .object({
    id: shown(SCAN_ID, 'The same as `scan_id`.'),
    scan_id: shown(SCAN_ID),
    project_id: id(),
    persona: z.enum(PERSONAS),
    name: shown('Nightly audit'),
    target: ScanTarget.optional(),
    status: z.enum(SCAN_STATUSES).openapi({ example: 'completed' }),
    error_message: shown('The scanner ran out of memory.').optional(),
    finding_count: count(42),
    summary: SeveritySummary.optional().openapi({ description: 'Once the scan has ended.' }),
    created_at: timestamp(),
    started_at: timestamp(),
    completed_at: timestamp().optional(),
  })
  .openapi('Scan');

const finding = {
  id: id(),
  scan_id: shown(SCAN_ID, 'The scan that reported it first.'),
  last_scan_id: shown(SCAN_ID),
  project_id: id(),
  fingerprint: shown('sqli-search-7f3a'),
  title: shown('SQL injection in search'),
  severity: z.enum(SEVERITIES),
  description: shown('User input reaches the **query**.', 'Markdown.'),
  cwe: shown('CWE-89').optional(),
  cve: shown('CVE-2026-12345').optional(),
  cvss_score: z.number().optional().openapi({ example: 9.8 }),
  cvss_vector: shown('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H').optional(),
  file: shown('src/search.ts').optional(),
  line: z.int().optional().openapi({ example: 42 }),
  source: shown('semgrep').optional(),
  status: z.enum(FINDING_STATUSES),
  status_changed_at: timestamp(),
  regressed: z
    .boolean()
    .openapi({ description: 'Seen again after it was fixed or verified.', example: false }),
  seen_count: count(3),
  last_seen_at: timestamp(),
  created_at: timestamp(),
  updated_at: timestamp(),
};

export const Finding = z.object(finding).openapi('Finding');

export const ListedFinding = z
  .object({
    ...finding,
    description: finding.description.optional().openapi({ description: 'Markdown. Absent when omitted.' }),
  })
  .openapi('ListedFinding');

export const PushedFinding = z
  .object({
    ...finding,
    deduplicated: z.boolean().openapi({ description: 'It was known before.', example: false }),
  })
  .openapi('PushedFinding');

export const Exploit = z
  .object({
    id: id(),
    finding_id: id(),
    filename: shown('poc.py'),
    language: shown('python'),
    code: shown('print(1)'),
    created_at: timestamp(),
  })
  .openapi('Exploit');
