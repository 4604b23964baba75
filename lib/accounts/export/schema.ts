import { MAILED_TOKEN_PURPOSES, MFA_TYPES } from '../../../db/schema/accounts.ts';
import { PROJECT_ACCESS, ROLES } from '../../../db/schema/orgs.ts';
import { EVENT_KINDS, PROJECT_ROLES, TOKEN_SCOPES, TRIAGE_REASONS } from '../../../db/schema/values.ts';
import { Notifications } from '../../notifications/settings.ts';
import { count, id, shown, timestamp, z } from '../../schema.ts';
import { Identity } from '../../sso/identities.ts';
import { View } from '../../views/views.ts';

const flag = () => z.boolean().openapi({ example: true });
const email = () => shown('ada@example.com');
const token = {
  id: id(),
  name: shown('weekly report'),
  prefix: shown('svc_0123abcd'),
  scopes: z.array(z.enum(TOKEN_SCOPES)),
  created_at: timestamp(),
  expires_at: timestamp().optional(),
  last_used: timestamp().optional(),
};
const finding = z.object({ id: id(), title: shown('SQL injection in search') });
const org = { id: id(), slug: shown('acme'), name: shown('Acme') };

const activity = z.object({
  finding_id: id(),
  id: id(),
  at: timestamp(),
  kind: z.enum(EVENT_KINDS),
  from: shown('open').optional(),
  to: shown('fixed').optional(),
  reason: z.enum(TRIAGE_REASONS).optional(),
  note: shown('Fixed in 2.1').optional(),
  edited_at: timestamp().optional(),
  by_you: z.boolean().openapi({
    description: 'You made the change. If false, it assigns the finding to you or its comment mentions you.',
    example: true,
  }),
});

const organization = z.object({
  ...org,
  left_out: z
    .enum([
      ...([
        'deleted',
        'membership_pending',
        'mfa_required_by_org',
        'sso_required',
        'address_not_allowed',
      ] as const),
      'being_migrated',
    ])
    .optional()
    .openapi({ description: 'Why its records are left out: you have no access to it now.' }),
  api_tokens: z
    .array(z.object({ ...token, project_id: id().optional(), revoked: flag() }))
    .optional()
    .openapi({ description: 'Tokens that you created. They belong to the organization.' }),
  saved_views: z.array(View).optional(),
  project_roles: z
    .array(z.object({ project_id: id(), role: z.enum(PROJECT_ROLES), created_at: timestamp() }))
    .optional()
    .openapi({ description: 'The projects to which you are assigned.' }),
  rules: z
    .array(
      z.object({ id: id(), name: shown('Tests', 'Absent if you reach assigned projects only.').optional() }),
    )
    .optional()
    .openapi({ description: 'Rules that assign findings to you.' }),
  assigned_findings: z.array(finding).optional(),
  imported_findings: z
    .array(finding)
    .optional()
    .openapi({ description: 'Findings of reports that you uploaded.' }),
  changes: z
    .array(
      z.object({
        id: id(),
        at: timestamp(),
        what: z.looseObject({}).openapi({ type: 'object', example: { status: { to: 'fixed' } } }),
        undone_at: timestamp().optional(),
      }),
    )
    .optional()
    .openapi({ description: 'Your changes of the last 30 days, which can be undone.' }),
  activity: z
    .array(activity)
    .optional()
    .openapi({ description: 'Changes and comments by you or about you.' }),
});

/** Everything that is stored about a person, without secrets. */
export const AccountExport = z
  .object({
    exported_at: timestamp(),
    account: z.object({
      id: id(),
      name: shown('Ada Lovelace'),
      avatar_url: shown('', 'Empty when there is none.'),
      has_password: flag(),
      mfa_enabled: flag(),
      sign_ins: count(12),
      disabled_at: timestamp().optional(),
      created_at: timestamp(),
    }),
    emails: z.array(
      z.object({
        id: id(),
        email: email(),
        is_primary: flag(),
        verified_at: timestamp().optional(),
        created_at: timestamp(),
      }),
    ),
    memberships: z.array(
      z.object({
        ...{ org_id: id(), slug: org.slug, name: org.name, role: z.enum(ROLES) },
        project_access: z.enum(PROJECT_ACCESS),
        ...{ invited_email: email().optional(), confirmed_at: timestamp().optional() },
        owner_offer_until: timestamp().optional(),
        last_active_at: timestamp().optional(),
        suspended_at: timestamp().optional(),
        provisioned_as: z
          .object({
            ...{
              user_name: shown('ada@acme.example'),
              external_id: shown('00ujl29u0le5T6Aj10h7').optional(),
            },
            ...{
              email: shown('ada@acme.example').optional(),
              display_name: shown('Ada Lovelace').optional(),
            },
            ...{ given_name: shown('Ada').optional(), family_name: shown('Lovelace').optional() },
            groups: z
              .array(z.string())
              .optional()
              .openapi({ example: ['security'] }),
          })
          .optional(),
        created_at: timestamp(),
      }),
    ),
    created_organizations: z
      .array(z.object({ id: id(), slug: org.slug.optional(), name: org.name.optional() }))
      .openapi({ description: 'Organizations of which you are no longer a member have their id only.' }),
    sessions: z.array(
      z.object({
        ...{ id: id(), ip_address: shown('192.0.2.7'), user_agent: shown('Mozilla/5.0') },
        ...{ browser: shown('Firefox 140'), os: shown('Linux'), device_type: shown('desktop') },
        ...{ created_at: timestamp(), last_active_at: timestamp(), expires_at: timestamp() },
        ...{ stepped_up_at: timestamp().optional(), revoked_at: timestamp().optional() },
        idle_seconds: z.int().openapi({
          description: 'The longest time between two requests since the sign-in or the latest step-up.',
          example: 300,
        }),
      }),
    ),
    mfa_devices: z.array(
      z.object({
        ...{ id: id(), type: z.enum(MFA_TYPES), name: shown('Phone'), verified: flag() },
        ...{ last_used_at: timestamp().optional(), created_at: timestamp() },
      }),
    ),
    identities: z.array(Identity),
    recovery_codes: z.array(z.object({ used_at: timestamp().optional() })),
    personal_tokens: z.array(z.object({ ...token, org_id: id().optional() })),
    notifications: Notifications,
    mailed_links: z.array(
      z.object({
        ...{ purpose: z.enum(MAILED_TOKEN_PURPOSES), email: email() },
        ...{ created_at: timestamp(), expires_at: timestamp() },
      }),
    ),
    mailed_codes: z.array(z.object({ device_id: id(), expires_at: timestamp() })),
    unfinished_sign_ins: z.array(z.object({ failures: count(1), expires_at: timestamp() })),
    primary_email_changes: z.array(
      z.object({
        ...{ old_email: email(), new_email: shown('ada@example.org') },
        ...{ changed_at: timestamp(), expires_at: timestamp() },
      }),
    ),
    organization_undo_links: z.array(
      z.object({
        ...{ org_id: id(), invited_email: email().optional() },
        ...{ member_since: timestamp(), used_at: timestamp().optional(), expires_at: timestamp() },
      }),
    ),
    queued_mails: z.array(
      z.object({ recipient: email(), subject: shown('Your password was changed'), created_at: timestamp() }),
    ),
    organizations: z
      .array(organization)
      .openapi({ description: 'The data that each of your organizations stores.' }),
  })
  .openapi('AccountExport');
