import { and, eq } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import type { OrgTables } from '../../db/schema/org.ts';
import { memberships, ROLES, type Role } from '../../db/schema/orgs.ts';
import { ApiError } from '../../lib/errors.ts';
import { freshCookieOrg } from '../../lib/http/access.ts';
import { ok } from '../../lib/http/answer.ts';
import { changesOf, newValues, tokensRevoked } from '../../lib/http/audit.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { idParam } from '../../lib/http/fields.ts';
import { logEndedTokens, logSecurityEvent } from '../../lib/http/security-log.ts';
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
import { endTokensOf } from '../../lib/tokens/creators.ts';
import { rankOf } from '../../lib/tokens/scopes.ts';

const MemberChanges = z
  .object({
    role: optional(z.enum(ROLES).openapi({ example: 'viewer' })),
    break_glass: optional(z.boolean().openapi({ example: true })),
  })
  .superRefine(({ role, break_glass: breakGlass }, context) => {
    if (role === undefined && breakGlass === undefined)
      context.addIssue({ code: 'custom', path: ['role'], message: 'is required, or break_glass' });
  })
  .openapi('MemberChanges', { example: { role: 'viewer' } });

export const updateMember = endpoint(
  {
    method: 'patch',
    path: '/members/{userId}',
    access: freshCookieOrg(
      'admin',
      'none',
      'from or to the roles `admin` and `owner`, and for `break_glass`',
    ),
    audit: 'member.role_changed',
    tag: 'Members',
    summary: 'Change the role of a member',
    description:
      'Takes effect with the next request of the member. With a lower role, API tokens that the member created are kept, limited or revoked as the organization has chosen (`tokens_on_role_loss`). Only owners can make a member an owner or change the role of an owner, and the last owner stays owner. With `SVC_OWNER_ACCEPTANCE` the role `owner` is an offer: the member is an admin until `POST /members/accept-ownership`, for at most 7 days; any role set meanwhile withdraws it. The same rules apply to the own role: admins can lower their role, and nobody can raise it. All owners get a mail about a change from or to `admin` or `owner`. A former owner gets a link that undoes it for 72 hours (`POST /auth/undo-org-change`). A role that is set here is no longer that of groups at a provider. `break_glass` exempts an owner from `require_sso`: any owner sets it, and only the owner takes it away, so that no owner locks out another. All owners get a mail.',
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
    const { member, before, offer, tokens } = await call.audited(
      (inside) => inOrgQuota(inside, change),
      (changed) =>
        changed.member && {
          target: { type: 'member', id: userId, name: changed.member.email },
          changes: {
            ...changesOf({ role: changed.before }, { role: changed.member.role }),
            ...newValues({ owner_offer: changed.offer }),
            ...(changed.breakGlass && { break_glass: changed.breakGlass }),
            ...tokensRevoked(changed.tokens),
          },
        },
    );
    async function change(tx: Tx, tables: OrgTables) {
      const roles = await readRoles(tx, org.id, { caller: user.id, member: userId });
      requireAdmin(roles);
      const { own, other } = roles;
      const asked = body.role ?? other;
      if (!mayManageRole(own, other) || !mayManageRole(own, asked)) {
        const message = 'Only an owner may make a member an owner or change the role of an owner.';
        throw new ApiError('permission_error/denied', { message });
      }
      const { config } = services;
      const granted = grant(config, { role: asked, before: other, by: user.id, now });
      const { role } = granted;
      const breakGlass = await changeBreakGlass(tx, { own, role });
      if (body.role === undefined) {
        const member = await findMember(tx, { config, now }, org.id, userId);
        return { member, before: other, offer: undefined, tokens: [], breakGlass };
      }
      const hadOffer = await hasOffer(tx, org.id, userId, now);
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
          ...(userId !== user.id && { mappedBy: null }),
          ...(role !== 'owner' && { breakGlass: false }),
        })
        .where(and(eq(memberships.orgId, org.id), eq(memberships.userId, userId)));
      if (losesOwnership) await endOffersOf(tx, org.id, userId);
      if (actor) await mailRoleChange(tx, actor, { orgId: org.id, userId, from: other, to: role, offer });
      if (actor && offer === 'offered') await mailOffer(tx, services, actor, { orgId: org.id, userId });
      const member = await findMember(tx, { config, now }, org.id, userId);
      const isLowered = rankOf(role) < rankOf(other);
      const tokens = isLowered ? await endTokensOf(tx, { id: org.id, tables }, userId) : [];
      return { member, before: other, offer, tokens, breakGlass };
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
    logEndedTokens(call, userId, tokens);
    if (offer) logSecurityEvent(call, 'owner_offer', { member: userId, outcome: offer });
    return ok(member);
  },
);
