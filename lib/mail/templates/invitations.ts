import type { MailContent } from '../mailer.ts';
import { type Link, line, link, PRODUCT, person, render } from './letter.ts';

/** A new link for an invited account that has no password yet. */
export function setPassword({ publicUrl, token }: Link): MailContent {
  return render({
    subject: 'Your account is ready',
    intro: [`You are invited to ${PRODUCT}. Set a password to use your account.`],
    button: setPasswordButton(publicUrl, token),
    closing: [
      'The link works once and expires after one hour. After that, ask for a new one with “Forgot password”.',
      'If you did not expect this invitation, ignore this mail.',
    ],
  });
}

const setPasswordButton = (publicUrl: string, token: string) => ({
  label: 'Set password',
  url: link(publicUrl, '/reset-password', { token, new: '1' }),
});

/** Invitation to an organization. */
export function invitation(options: {
  publicUrl: string;
  /** URL of the organization's pages. */
  orgUrl: string;
  inviterName: string;
  orgName: string;
  role: string;
  /** The member is asked to become an owner. */
  isOffered?: boolean;
  /** The token that declines the invitation. */
  decline: string;
  /** Set if the address is not verified: the link sets a password. */
  set?: { token: string; isPlaceholder: boolean };
}): MailContent {
  const { publicUrl, orgUrl, inviterName, orgName, role, isOffered, decline, set } = options;
  const org = person(orgName);
  const inviter = person(inviterName) || 'Somebody';
  const where = org ? `the organization ${org}` : 'an organization';
  /** A subject has no invisible characters, so a name in which mail programs might find a link is left out. */
  const inSubject = (name: string, otherwise: string) =>
    (person(name) === line(name, 60) && person(name)) || otherwise;
  return render({
    subject: `${inSubject(inviterName, 'Somebody')} invited you to ${inSubject(orgName, 'an organization')}`,
    intro: [
      `${inviter} invited you to ${where} on ${PRODUCT}.`,
      !set
        ? 'Your account is a member now.'
        : set.isPlaceholder
          ? 'Your account is ready. Set a password to use it.'
          : 'An account has this address, which nobody has verified yet. Set a new password to make it yours: that verifies the address and ends all sessions.',
    ],
    facts: [['Role', isOffered ? `${line(role, 20)}, and owner once you accept it` : line(role, 20)]],
    button: set ? setPasswordButton(publicUrl, set.token) : { label: 'Open the organization', url: orgUrl },
    closing: [
      ...(set
        ? [
            `The link works once and expires after ${set.isPlaceholder ? '7 days' : 'one hour'}. After that, ask for a new one with “Forgot password”.`,
          ]
        : []),
      ...(isOffered ? ['To become an owner, sign in and accept on the page “Members” within 7 days.'] : []),
      set
        ? 'If you did not expect this invitation, decline it or ignore this mail. You can leave the organization at any time: choose “Leave organization” on its page “Members”.'
        : 'If you did not expect this invitation, decline it. You can leave the organization at any time: choose “Leave organization” on its page “Members”.',
    ],
    more: {
      label: 'Decline the invitation',
      url: link(publicUrl, '/decline-invitation', { token: decline }),
    },
  });
}
