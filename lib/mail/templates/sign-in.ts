import type { MailContent } from '../mailer.ts';
import { dateTime, fact, type Link, label, line, link, PRODUCT, render } from './letter.ts';

/** Password reset link. */
export function resetPassword({ name, publicUrl, token }: Link & { name: string }): MailContent {
  return render({
    subject: 'Reset your password',
    name,
    intro: [`Somebody asked to reset the password of your ${PRODUCT} account.`],
    button: { label: 'Reset password', url: link(publicUrl, '/reset-password', { token }) },
    closing: [
      'The link works once and expires after one hour.',
      'If it was not you, ignore this mail: your password stays as it is.',
    ],
  });
}

/**
 * Verification link for a new account's address.
 * @param options.addedBy primary address of the account, if it has added this address as another one
 */
export function verifyEmail(options: Link & { emailId: string; addedBy?: string | undefined }): MailContent {
  const { publicUrl, token, emailId, addedBy } = options;
  return render({
    subject: 'Verify your e-mail address',
    intro: [
      addedBy === undefined
        ? `Please confirm that this address belongs to your ${PRODUCT} account.`
        : `The ${PRODUCT} account of ${label(addedBy, 254)} added this address. Please confirm that this account is yours.`,
    ],
    button: {
      label: 'Verify address',
      url: link(publicUrl, '/verify-email', { token, email_id: emailId }),
    },
    closing: [
      'The link works once and expires after 24 hours.',
      addedBy === undefined
        ? 'If you did not create this account yourself, do not click: its creator would act under your address. Ignore this mail and the address stays unverified.'
        : 'If this is not your account, do not click: its owner would act under your address. Ignore this mail and the address stays unverified.',
    ],
  });
}

/** One-time code for signing in, or for a step-up. */
export function emailCode({ code, stepUp = false }: { code: string; stepUp?: boolean }): MailContent {
  return render({
    // Locked screens show subjects, so the code is not in it.
    subject: stepUp ? 'Your confirmation code' : 'Your sign-in code',
    intro: [stepUp ? 'Enter this code to confirm that it is you:' : 'Enter this code to sign in:'],
    code: line(code, 20),
    closing: [
      'The code works once and expires after five minutes. Do not share it with anybody.',
      stepUp
        ? 'If you did not ask for it, somebody uses your session: sign out of all devices.'
        : 'If you are not signing in, somebody knows your password: change it.',
    ],
  });
}

/** Notice of a sign-in. */
export function loginNotification(login: {
  name: string;
  at: Date;
  ip: string;
  browser: string;
  os: string;
  deviceType: string;
}): MailContent {
  return render({
    subject: 'New sign-in to your account',
    name: login.name,
    intro: [`Somebody signed in to your ${PRODUCT} account:`],
    facts: [
      ['Time', dateTime(login.at)],
      ['Browser', fact(login.browser)],
      ['Operating system', fact(login.os)],
      ['Device', fact(login.deviceType)],
      ['IP address', line(login.ip, 100) || 'unknown'],
    ],
    closing: ['If it was you, there is nothing to do. If not, change your password and revoke the session.'],
  });
}
