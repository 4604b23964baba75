import { and, eq, isNull } from 'drizzle-orm';
import type { Tx } from '../../db/client.ts';
import { memberships, orgs, type Role } from '../../db/schema/orgs.ts';
import { issueMailedToken } from '../accounts/mailed-tokens.ts';
import type { Config } from '../config/config.ts';
import type { MailQueue } from '../mail/queue.ts';
import { requireMailQuota } from '../mail/quota.ts';
import { invitation } from '../mail/templates/invitations.ts';
import type { Org } from '../orgs/directory.ts';
import { issueDeclineLink } from './declining.ts';

/** The recipient of an invitation. */
export interface Invitee {
  userId: string;
  /** The invited address and its id. */
  address: string;
  emailId: string;
  /** The account has verified the address. */
  verified: boolean;
  /** The account was created for the invitation and has no password yet. */
  isPlaceholder: boolean;
  role: Role;
  /** An owner asks the admin to become an owner. */
  isOffered?: boolean;
}

/** How long the link of an invitation works that creates an account. A link that replaces a password works for one hour. */
const INVITATION_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Enqueues the mail of an invitation. If the account has not verified the address, the link sets a new password. A link that
 * only verifies the address would give access to an attacker who registered it.
 * @throws ApiError `rate_limit_error/exceeded` when the address gets too many mails
 */
export async function mailInvitation(
  tx: Tx,
  { config, mail }: { config: Config; mail: MailQueue },
  invitee: Invitee,
  { now, org, user }: { now: Date; org: Org; user: { name: string } },
): Promise<void> {
  const { userId, emailId, address, verified, isPlaceholder, role, isOffered = false } = invitee;
  await requireMailQuota(tx, config.quotas.mailsPerHour, 'link', address);
  const [row] = await tx.select({ name: orgs.name }).from(orgs).where(eq(orgs.id, org.id));
  const token = verified
    ? undefined
    : await issueMailedToken(
        tx,
        { purpose: 'reset_password', userId, emailId },
        now,
        isPlaceholder ? INVITATION_MS : undefined,
      );
  await mail.enqueue(
    tx,
    address,
    invitation({
      publicUrl: config.publicUrl,
      orgUrl: orgUrl(config, org.slug),
      inviterName: user.name,
      orgName: row?.name ?? org.slug,
      role,
      isOffered,
      decline: await issueDeclineLink(tx, { orgId: org.id, userId }, now),
      ...(token !== undefined && { set: { token, isPlaceholder } }),
    }),
  );
}

/** The URL of an organization's pages. */
export function orgUrl(
  { publicUrl, baseDomain }: Pick<Config, 'publicUrl' | 'baseDomain'>,
  slug: string,
): string {
  if (baseDomain === undefined) return `${publicUrl}/o/${slug}`;
  const url = new URL(publicUrl);
  url.hostname = `${slug}.${baseDomain}`;
  return url.origin;
}

/**
 * Confirms the memberships of an account that were invited by `email`, which the account has just verified. Held memberships stay as
 * they are: somebody else may have registered the address, whose owner merely verifies it.
 */
export async function confirmMemberships(
  tx: Tx,
  { userId, email }: { userId: string; email: string },
  now: Date,
): Promise<void> {
  await tx
    .update(memberships)
    .set({ confirmedAt: now })
    .where(
      and(
        eq(memberships.userId, userId),
        eq(memberships.invitedEmail, email),
        isNull(memberships.confirmedAt),
        eq(memberships.isHeld, false),
      ),
    );
}

/**
 * Gives the memberships that are held to the owner of the mailbox, who has set a password by a mailed link.
 * @returns whether there were any
 */
export async function releaseHeld(
  tx: Tx,
  { userId, email }: { userId: string; email: string },
  now: Date,
): Promise<boolean> {
  const released = await tx
    .update(memberships)
    .set({ confirmedAt: now, isHeld: false })
    .where(
      and(eq(memberships.userId, userId), eq(memberships.invitedEmail, email), eq(memberships.isHeld, true)),
    )
    .returning({ orgId: memberships.orgId });
  return released.length > 0;
}
