import type { MailContent } from '../mailer.ts';
import {
  dateTime,
  type Letter,
  type Link,
  label,
  line,
  link,
  PRODUCT,
  render,
  unlinked,
  whenAndWhere,
} from './letter.ts';

/**
 * Notice of a changed or reset password.
 * @param changed.claimed the reset verified the address for the first time, so the account may have been made by someone else
 */
export function passwordChanged(changed: {
  name: string;
  at: Date;
  ip?: string;
  claimed?: boolean;
}): MailContent {
  const { name, at, ip, claimed = false } = changed;
  const facts: Letter['facts'] = [['Time', dateTime(at)]];
  if (ip) facts.push(['IP address', line(ip, 100)]);
  return render({
    subject: 'Your password was changed',
    name,
    intro: [`The password of your ${PRODUCT} account was changed:`],
    facts,
    closing: [
      ...(claimed
        ? [
            'This was the first time your address was verified. Other addresses and second factors that had been added to the account before were removed. If it belongs to an organization that you do not know, or that has unknown members or API tokens, somebody else made it: leave it.',
          ]
        : []),
      'If it was you, there is nothing to do. If not, reset your password at once with “Forgot password”.',
    ],
  });
}

/** Notice that an operator has removed all second factors. */
export function mfaReset({ name, at }: { name: string; at: Date }): MailContent {
  return render({
    subject: 'Multi-factor authentication was reset',
    name,
    intro: [
      `An operator of ${PRODUCT} removed the MFA devices and recovery codes of your account and switched multi-factor authentication off:`,
    ],
    facts: [['Time', dateTime(at)]],
    closing: [
      'If you asked for it, sign in and set it up again. If not, change your password at once and tell the operator of the service.',
    ],
  });
}

/** Account changes that the owner is notified of. */
export type AccountChange =
  | 'email_added'
  | 'email_removed'
  | 'mfa_device_added'
  | 'mfa_device_removed'
  | 'mfa_enabled'
  | 'passkey_added'
  | 'passkey_removed'
  | 'passkey_allowed'
  | 'passkey_copied'
  | 'mfa_disabled'
  | 'recovery_codes_renewed'
  | 'primary_email_restored'
  | 'personal_token_created'
  | 'sso_linked'
  | 'sso_unlinked';

const CHANGES: Record<AccountChange, string> = {
  email_added: 'An e-mail address was added to your account',
  email_removed: 'An e-mail address was removed from your account',
  mfa_device_added: 'A second factor was added to your account',
  mfa_device_removed: 'A second factor was removed from your account',
  passkey_added: 'A passkey was added to your account: it signs in without your password',
  passkey_removed: 'A passkey was removed from your account',
  passkey_allowed: 'A passkey was allowed to sign in without your password',
  passkey_copied: 'A passkey of your account may have been copied',
  mfa_enabled: 'Multi-factor authentication was switched on',
  mfa_disabled: 'Multi-factor authentication was switched off',
  recovery_codes_renewed: 'Your recovery codes were replaced',
  personal_token_created: 'A personal access token was created',
  sso_linked: 'A sign-in at a provider was connected to your account',
  sso_unlinked: 'A sign-in at a provider was disconnected from your account',
  primary_email_restored: 'A change of your primary address was undone',
};

/** Notice of a deleted account: the last mail that it gets. */
export function accountDeleted({ name, at, ip }: { name: string; at: Date; ip?: string }): MailContent {
  return render({
    subject: 'Your account was deleted',
    name,
    intro: [`Your ${PRODUCT} account was deleted with your personal data:`],
    facts: ip === undefined ? [['Time', dateTime(at)]] : whenAndWhere(at, ip),
    closing: [
      'If it was you, there is nothing to do. You can register again with this address.',
      'If not, somebody knew your password: tell the operator of the service, and change the password wherever else you use it.',
    ],
  });
}

interface ChangeFacts {
  name: string;
  at: Date;
  ip: string;
  /** The affected address. */
  address?: string | undefined;
  /** The name of the affected second factor. */
  device?: string | undefined;
  /** The name and the scopes of a new personal access token. */
  token?: string | undefined;
}

/** Notice of a change of addresses or second factors. It has no link, so that users do not learn to click one in such mails. */
export function accountChanged(
  change: AccountChange,
  { name, at, ip, address, device, token }: ChangeFacts,
): MailContent {
  return render({
    subject: CHANGES[change],
    name,
    intro: [`${CHANGES[change]}:`],
    facts: [
      ...(address === undefined ? [] : [['Address', unlinked(address, 254)] as [string, string]]),
      ...(device === undefined ? [] : [['Second factor', label(device, 100)] as [string, string]]),
      ...(token === undefined ? [] : [['Token', label(token, 150)] as [string, string]]),
      ...whenAndWhere(at, ip),
    ],
    closing: [
      'If it was you, there is nothing to do.',
      'If not, reset your password at once with “Forgot password”, then undo the change in your profile.',
    ],
  });
}

/** Notice to the former primary address. Its link restores the address, even for an owner who can no longer sign in. */
export function primaryEmailChanged(change: Link & ChangeFacts & { address: string }): MailContent {
  const { name, at, ip, address, publicUrl, token } = change;
  return render({
    subject: 'Your primary e-mail address was changed',
    name,
    intro: [
      `The primary address of your ${PRODUCT} account was changed. Mails about the account now go to the new one. If that was not you, undo the change:`,
    ],
    facts: [['New address', unlinked(address, 254)], ...whenAndWhere(at, ip)],
    button: { label: 'Undo the change', url: link(publicUrl, '/undo-email-change', { token }) },
    closing: [
      'If it was you, there is nothing to do. Do not forward this link.',
      'If it was not you, undo it: this address becomes the primary one again, all sessions end, and a new password is needed.',
      'The link works once and expires after 72 hours.',
    ],
  });
}

/** Mail to the address that the undo link restored. */
export function primaryEmailRestored({ name, publicUrl, token }: Link & { name: string }): MailContent {
  return render({
    subject: 'Your e-mail address was restored: set a new password',
    name,
    intro: [
      `This is the primary address of your ${PRODUCT} account again. All sessions were ended, and the old password no longer works.`,
    ],
    button: { label: 'Set a new password', url: link(publicUrl, '/reset-password', { token }) },
    closing: [
      'The link works once and expires after one hour. After that, ask for a new one with “Forgot password”.',
      'Then look through the second factors, memberships and API tokens of your account.',
    ],
  });
}
