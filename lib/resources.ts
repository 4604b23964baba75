import { PLANS, PROJECT_ACCESS, ROLES } from '../db/schema/orgs.ts';
import { PERSONAS, SCAN_STATUSES, TOKEN_SCOPES } from '../db/schema/values.ts';
import { findingShape } from './findings/output.ts';
import { count, EXAMPLE_ID, id, shown, timestamp, z } from './schema.ts';

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
  .object({
    ...organization,
    role: z.enum(ROLES).openapi({ description: "The caller's." }),
    project_access: z.literal('assigned').optional().openapi({
      description: 'The caller reaches only assigned projects. Otherwise absent.',
    }),
    deleted_at: timestamp()
      .optional()
      .openapi({ description: 'Present while the organization is deleted and can be restored.' }),
    purge_at: timestamp()
      .optional()
      .openapi({ description: 'When a deleted organization is removed for good.' }),
  })
  .openapi('Organization');

export const Member = z
  .object({
    user_id: id(),
    email: shown('grace@example.com', 'The invited address; of others the primary one.'),
    name: shown('Grace Hopper'),
    avatar_url: shown('', 'Empty when there is none.'),
    role: z.enum(ROLES),
    project_access: z.enum(PROJECT_ACCESS).openapi({
      description:
        '`assigned`: reaches only the projects to which the member is assigned. Always `all` for owners.',
    }),
    verified: z.boolean().openapi({ description: 'The account has verified the address.', example: true }),
    pending: z
      .boolean()
      .openapi({ description: 'No access yet, until the address is verified.', example: false }),
    suspended: z.literal(true).optional().openapi({
      description: 'Provisioning has taken all access from the member. Otherwise absent.',
    }),
    role_mapped: z.literal(true).optional().openapi({
      description: 'Groups at a provider, or provisioning, gave the role, and take it. Otherwise absent.',
    }),
    break_glass: z.literal(true).optional().openapi({
      description: 'An owner who is exempt from `require_sso`. Otherwise absent.',
    }),
    owner_offer_until: timestamp().optional().openapi({
      description: 'An owner has offered the admin to become an owner, who can accept until then.',
    }),
    mfa_enabled: z.boolean().optional().openapi({
      description:
        'The account has multi-factor authentication. Only in `GET /members`, for admins and owners.',
      example: true,
    }),
    last_active_at: timestamp().optional().openapi({
      description:
        'When the member last used this organization, exact to an hour. Only in `GET /members`, for admins and owners.',
    }),
    api_tokens: z.int().optional().openapi({
      description:
        'Active API tokens of the organization that the member has created. Only in `GET /members`, for admins and owners.',
      example: 2,
    }),
    personal_tokens: z.int().optional().openapi({
      description:
        'Personal access tokens of the member that work in this organization. Only in `GET /members`, for admins and owners.',
      example: 1,
    }),
  })
  .openapi('Member');

export const Project = z
  .object({
    id: id(),
    name: shown('Web shop'),
    slug: shown('web-shop'),
    created_at: timestamp(),
    close_after_scans: z.int().optional().openapi({
      example: 3,
      description:
        'A finding that so many comparable scans in a row did not report becomes `fixed`. Absent: none does.',
    }),
    source_url: shown(
      'https://github.com/acme/web-shop',
      'The address of the repository, or a template of links to its files. Absent: findings have no links to code.',
    ).optional(),
    default_ref: shown(
      'main',
      'The default branch. Absent: all refs count as the default branch.',
    ).optional(),
    tracked_refs: z
      .array(z.string())
      .optional()
      .openapi({
        example: ['release/*'],
        description:
          'Patterns of further refs that the state of findings follows; `*` stands for any characters. Absent: none.',
      }),
    demo: z.boolean().optional().openapi({
      example: false,
      description: 'True for the project with demo data. Otherwise absent.',
    }),
    transferring: z.boolean().optional().openapi({
      example: false,
      description:
        'True while the project moves to another organization. Until then it takes no changes. Otherwise absent.',
    }),
    role: z.enum(ROLES).optional().openapi({
      description:
        "The caller's in the project, if the caller does not reach all projects. Otherwise absent.",
    }),
  })
  .openapi('Project');

export const ApiToken = z
  .object({
    id: id(),
    project_id: shown(EXAMPLE_ID, 'Empty for org-wide tokens.'),
    name: shown('ci'),
    prefix: shown('svc_5f0c1f4b'),
    scopes: z.array(z.enum(TOKEN_SCOPES)).openapi({ example: ['ingest'] }),
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
    base_ref: shown('main', 'The branch that a pull request goes into.').optional(),
    default_ref: shown('main', 'The default branch of the repository.').optional(),
    category: shown(
      'registry.example.com/acme/web-shop',
      'Tells scans of one source apart that look at different things.',
    ).optional(),
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
    error_message: shown(
      '2 of 31 files could not be parsed.',
      'Why the scan failed, or the problems of a scan that completed with warnings.',
    ).optional(),
    finding_count: count(42),
    summary: SeveritySummary.optional().openapi({ description: 'Once the scan has ended.' }),
    created_at: timestamp(),
    started_at: timestamp(),
    completed_at: timestamp().optional(),
    commit: shown('4f2a9c1e6d8b7a5039c1e2f4a6b8d0c2e4f6a8b0', 'The scanned commit.').optional(),
    sources: z
      .array(z.string())
      .optional()
      .openapi({
        description:
          'The scanners that ran, also those that found nothing, if the agent or report says; otherwise the sources of the findings, once the scan has ended.',
        example: ['semgrep'],
      }),
  })
  .openapi('Scan');

export const Finding = z.object(findingShape).openapi('Finding');

/** The id of a change, in the response to it. */
export const changeId = () =>
  id().openapi({ description: 'Identifies the change for `POST /changes/{id}/undo`.' });

export const ListedFinding = z
  .object({
    ...findingShape,
    description: findingShape.description
      .optional()
      .openapi({ description: 'Markdown. Absent when omitted.' }),
  })
  .openapi('ListedFinding');

export const PushedFinding = z
  .object({
    ...findingShape,
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
