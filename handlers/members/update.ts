import { and, eq } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { memberships, PROJECT_ACCESS, ROLES, type Role } from '../../db/schema/orgs.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { changesOf, newValues, tokensRevoked } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logEndedTokens, logSecurityEvent } from '../../lib/http/security-log.ts';
import { assignmentChanges, assignments, changeAccess } from '../../lib/members/access.ts';
import { mailRoleChange } from '../../lib/members/control.ts';
import { endOffersOf } from '../../lib/members/ending.ts';
import { findMember } from '../../lib/members/fields.ts';
import { readRoles, requireAdmin, requireOtherOwner } from '../../lib/members/owners.ts';
import { grant, hasOffer, mailOffer, standing } from '../../lib/members/ownership.ts';
import { isControlling, mayManageRole } from '../../lib/members/roles.ts';
import { mailControl, memberAddress } from '../../lib/orgs/notices.ts';
import { inOrgQuota } from '../../lib/quotas.ts';
import { Member } from '../../lib/resources.ts';
import { optional, z } from '../../lib/schema.ts';

const MemberChanges = z
  .object({
    role: optional(z.enum(ROLES).openapi({ example: 'viewer' })),
    project_access: optional(z.enum(PROJECT_ACCESS).openapi({ example: 'assigned' })),
    projects: assignments(),
    break_glass: optional(z.boolean().openapi({ example: true })),
  })
  .superRefine((changes, context) => {
    if (Object.values(changes).every((value) => value === undefined))
      context.addIssue({
        code: 'custom',
        path: ['role'],
        message: 'is required, or project_access, projects or break_glass',
      });
  })
  .openapi('MemberChanges', { example: { role: 'viewer' } });

export const updateMember = endpoint(
  {
    method: 'patch',
    path: '/members/{userId}',
    access: freshCookieOrg(
      'admin',
      'none',
      'from or to the roles `admin` and `owner`, for the `project_access` of admins, and for `break_glass`',
    ),
    audit: 'member.role_changed',
    tag: 'Members',
    summary: 'Change the role or the projects of a member',
    description:
      'Takes effect with the next request of the member. With a lower role, API tokens that the member created are kept, limited or revoked as the organization has chosen (`tokens_on_role_loss`). Only owners can make a member an owner or change the role of an owner, and the last owner stays owner. With `SVC_OWNER_ACCEPTANCE` the role `owner` is an offer: the member is an admin until `POST /members/accept-ownership`, for at most 7 days; any role set meanwhile withdraws it. The same rules apply to the own role: admins can lower their role, and nobody can raise it. All owners get a mail about a change from or to `admin` or `owner`. A former owner gets a link that undoes it for 72 hours (`POST /auth/undo-org-change`). A role that is set here is no longer that of groups at a provider. With `project_access` `assigned`, the member reaches only the projects to which `projects` or `PUT /projects/{id}/members/{userId}` assigns them, and does nothing that concerns the organization, whatever the role; owners always reach all projects. `projects` replaces all assignments of the member, who keeps them without effect while the access is `all`. 409 `conflict` while a project whose assignment changes is being transferred. All owners get a mail about the access of an admin. `break_glass` exempts an owner from `require_sso`: any owner sets it, and only the owner takes it away, so that no owner locks out another. All owners get a mail.',
    request: {
      params: z.object({ userId: idParam() }),
      body: MemberChanges,
    },
    responses: { 200: { description: 'The member.', result: Member } },
    errors: ['resource_error/conflict'],
  },
  async (call) => {
    const { body, now, org, params, services, user } = call;
    const { userId } = params;
    const { member, before, offer, tokens, access, projects } = await call.audited(
      (inside) => inOrgQuota(inside, change),
      (changed) =>
        changed.member && {
          target: { type: 'member', id: userId, name: changed.member.email },
          changes: {
            ...changesOf({ role: changed.before }, { role: changed.member.role }),
            ...newValues({ owner_offer: changed.offer }),
            ...(changed.access && { project_access: changed.access }),
            ...assignmentChanges(changed.projects),
            ...(changed.breakGlass && { break_glass: changed.breakGlass }),
            ...tokensRevoked(changed.tokens),
          },
        },
    );
    async function change(tx: Tx, tables: OrgTables) {
      const { own, other: before } = await readRoles(tx, org.id, { caller: user.id, member: userId });
      requireAdmin(own);
      const { role: other } = before;
      const asked = body.role ?? other;
      if (!mayManageRole(own.role, other) || !mayManageRole(own.role, asked)) {
        const message = 'Only an owner may make a member an owner or change the role of an owner.';
        throw new ApiError('permission_error/denied', { message });
      }
      const { config } = services;
      const granted = grant(config, { role: asked, before: other, by: user.id, now });
      const { role } = granted;
      const breakGlass = await changeBreakGlass(tx, { own: own.role, role });
      const hadOffer = await hasOffer(tx, org.id, userId, now);
      const reached = await changeAccess(
        tx,
        { org: { id: org.id, tables }, now, freshActor: () => call.freshActor() },
        { ...{ userId, before, asked, role }, access: body.project_access, projects: body.projects },
      );
      if (body.role === undefined) {
        const member = await findMember(tx, { config, now }, org.id, userId);
        const offer = hadOffer && reached.access?.to === 'assigned' ? ('withdrawn' as const) : undefined;
        return { member, before: other, offer, breakGlass, ...reached };
      }
      const offer = granted.ownerOfferUntil
        ? 'offered'
        : hadOffer && role === other
          ? 'withdrawn'
          : undefined;
      const isControl = offer || (role !== other && (isControlling(other) || isControlling(role)));
      const actor = isControl ? call.freshActor() : undefined;
      const losesOwnership = other === 'owner' && role !== 'owner';
      if (losesOwnership) await requireOtherOwner(tx, config, org.id, userId);
      await tx
        .update(memberships)
        .set({
          ...{ ...granted, ...standing(role, now) },
          // Nobody keeps the own role when the group ends.
          ...(userId !== user.id && {
            mappedBy: null,
            roleProvisioned: false,
          }),
          ...(role !== 'owner' && { breakGlass: false }),
        })
        .where(and(eq(memberships.orgId, org.id), eq(memberships.userId, userId)));
      if (losesOwnership) await endOffersOf(tx, org.id, userId);
      if (actor) await mailRoleChange(tx, actor, { orgId: org.id, userId, from: other, to: role, offer });
      if (actor && offer === 'offered') await mailOffer(tx, services, actor, { orgId: org.id, userId });
      const member = await findMember(tx, { config, now }, org.id, userId);
      return { member, before: other, offer, breakGlass, ...reached };
    }
    /** @returns the value before and after, if it changes */
    async function changeBreakGlass(tx: Tx, { own, role }: { own: Role; role: Role }) {
      const { break_glass: to } = body;
      if (to === undefined) return undefined;
      if (own !== 'owner' || (to && role !== 'owner') || (!to && userId !== user.id))
        throw new ApiError('permission_error/denied', {
          message: 'Only owners exempt owners from single sign-on, and only they themselves end it.',
        });
      const actor = call.freshActor();
      const mine = and(eq(memberships.orgId, org.id), eq(memberships.userId, userId));
      const changed = await tx
        .update(memberships)
        .set({ breakGlass: to })
        .where(and(mine, eq(memberships.breakGlass, !to)))
        .returning({ userId: memberships.userId });
      if (changed.length === 0) return undefined;
      await mailControl(tx, actor, org.id, 'setting_changed', [
        ['Setting', 'exempt from single sign-on (break_glass)'],
        ['Member', (await memberAddress(tx, org.id, userId)) ?? ''],
        ['Now', to ? 'on' : 'off'],
      ]);
      return { from: !to, to };
    }
    if (!member) throw new ApiError('resource_error/not_found');
    services.mail.kick();
    if (before !== member.role)
      logSecurityEvent(call, 'role_changed', { member: userId, from: before, to: member.role });
    if (access) logSecurityEvent(call, 'project_access_changed', { member: userId, ...access });
    for (const { projectId: project, from, to } of projects)
      logSecurityEvent(call, 'project_role_changed', { member: userId, project, from, to });
    logEndedTokens(call, userId, tokens);
    if (offer) logSecurityEvent(call, 'owner_offer', { member: userId, outcome: offer });
    return ok(member);
  },
);
