import { html } from 'hono/html';
import type { MailContent } from './mailer.ts';

const PRODUCT = 'Security findings';

/** A mail's content, from which both its forms are made. Texts from users pass `line` or `person` first. */
interface Letter {
  subject: string;
  /** Name in the greeting. */
  name?: string;
  intro: string[];
  button?: { label: string; url: string };
  code?: string;
  facts?: [label: string, value: string][];
  closing: string[];
}

interface Link {
  /** Base of the links, without a slash at its end. */
  publicUrl: string;
  token: string;
}

/** For who forgot the password. */
export function resetPassword({ name, publicUrl, token }: Link & { name: string }): MailContent {
  return render({
    subject: 'Reset your password',
    name,
    intro: [`Somebody, hopefully you, asked to reset the password of your ${PRODUCT} account.`],
    button: { label: 'Reset password', url: link(publicUrl, '/reset-password', { token }) },
    closing: [
      'The link works once, and for one hour.',
      'If it was not you, ignore this mail: your password stays as it is.',
    ],
  });
}

/** For an invited account without a password whose owner asks for another link. */
export function setPassword({ publicUrl, token }: Link): MailContent {
  return render({
    subject: 'Set your password',
    intro: [`You are invited to ${PRODUCT}.`, 'An account was made for you. Set a password to use it.'],
    button: setPasswordButton(publicUrl, token),
    closing: [
      'The link works once, and for one hour. After that, ask for a new one with “Forgot password”.',
      'If you did not expect this invitation, ignore this mail.',
    ],
  });
}

const setPasswordButton = (publicUrl: string, token: string) => ({
  label: 'Set password',
  url: link(publicUrl, '/reset-password', { token, new: '1' }),
});

/** For who was invited to an organization. */
export function invitation(options: {
  publicUrl: string;
  /** The organization's pages. */
  orgUrl: string;
  inviterName: string;
  orgName: string;
  role: string;
  /** The address is not verified: a password has to be set by this link. */
  set?: { token: string; isPlaceholder: boolean };
}): MailContent {
  const { publicUrl, orgUrl, inviterName, orgName, role, set } = options;
  const org = person(orgName);
  const inviter = person(inviterName) || 'Somebody';
  const where = org ? `the organization ${org}` : 'an organization';
  return render({
    subject: `You are invited to ${org && org === line(orgName, 60) ? org : 'an organization'}`,
    intro: [
      `${inviter} invited you to ${where} on ${PRODUCT}.`,
      !set
        ? 'Your account is a member now.'
        : set.isPlaceholder
          ? 'An account was made for you. Set a password to use it.'
          : 'An account has this address, which nobody has verified yet. Set a new password to make it yours: that verifies the address and ends all sessions.',
    ],
    facts: [['Role', line(role, 20)]],
    button: set ? setPasswordButton(publicUrl, set.token) : { label: 'Open the organization', url: orgUrl },
    closing: [
      ...(set
        ? ['The link works once, and for one hour. After that, ask for a new one with “Forgot password”.']
        : []),
      set
        ? 'If you did not expect this invitation, ignore this mail. You can leave the organization at any time: choose “Leave organization” on its page “Members”.'
        : 'You can leave the organization at any time: choose “Leave organization” on its page “Members”.',
    ],
  });
}

/**
 * For who claims the address it goes to.
 * @param options.addedBy the primary address of the account that has added this one
 */
export function verifyEmail(options: Link & { emailId: string; addedBy?: string | undefined }): MailContent {
  const { publicUrl, token, emailId, addedBy } = options;
  return render({
    subject: 'Verify your e-mail address',
    intro: [
      addedBy === undefined
        ? `Please confirm that this address belongs to your ${PRODUCT} account.`
        : `The ${PRODUCT} account of ${unlinked(addedBy, 254)} added this address. Please confirm that this account is yours.`,
    ],
    button: {
      label: 'Verify address',
      url: link(publicUrl, '/verify-email', { token, email_id: emailId }),
    },
    closing: [
      'The link works once, and for 24 hours.',
      addedBy === undefined
        ? 'If you did not create this account yourself, do not click: whoever did would act under your address. Ignore this mail and the address stays unverified.'
        : 'If this is not your account, do not click: its owner would act under your address. Ignore this mail and the address stays unverified.',
    ],
  });
}

/** The second factor of who is signing in, or proves once more who they are (`stepUp`). */
export function emailCode({ code, stepUp = false }: { code: string; stepUp?: boolean }): MailContent {
  return render({
    // Without the code: subjects show up on locked screens.
    subject: stepUp ? 'Your confirmation code' : 'Your sign-in code',
    intro: [stepUp ? 'Enter this code to confirm that it is you:' : 'Enter this code to sign in:'],
    code: line(code, 20),
    closing: [
      'The code works once, and for five minutes. Never tell it to anybody.',
      stepUp
        ? 'If you did not ask for it, somebody uses your session: sign out of all devices.'
        : 'If you are not signing in, somebody knows your password: change it.',
    ],
  });
}

/** After a sign-in. */
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

/**
 * After a password was changed or reset.
 * @param changed.claimed the reset gave the account to the owner of an address that nobody had verified before
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

/** After an operator has removed all second factors. */
export function mfaReset({ name, at }: { name: string; at: Date }): MailContent {
  return render({
    subject: 'Multi-factor authentication was reset',
    name,
    intro: [
      `An operator of ${PRODUCT} removed the MFA devices and recovery codes of your account and switched multi-factor authentication off:`,
    ],
    facts: [['Time', dateTime(at)]],
    closing: [
      'If you asked for it, sign in and set it up again. If not, change your password at once and tell whoever runs the service.',
    ],
  });
}

/** A change of an account that its owner is told about. */
export type AccountChange =
  | 'email_added'
  | 'email_removed'
  | 'mfa_device_added'
  | 'mfa_device_removed'
  | 'mfa_enabled'
  | 'mfa_disabled'
  | 'recovery_codes_renewed'
  | 'primary_email_restored';

const CHANGES: Record<AccountChange, string> = {
  email_added: 'An e-mail address was added to your account',
  email_removed: 'An e-mail address was removed from your account',
  mfa_device_added: 'A second factor was added to your account',
  mfa_device_removed: 'A second factor was removed from your account',
  mfa_enabled: 'Multi-factor authentication was switched on',
  mfa_disabled: 'Multi-factor authentication was switched off',
  recovery_codes_renewed: 'Your recovery codes were replaced',
  primary_email_restored: 'A change of your primary address was undone',
};

interface ChangeFacts {
  name: string;
  at: Date;
  ip: string;
  /** The address it is about. */
  address?: string | undefined;
  /** The name of the second factor it is about. */
  device?: string | undefined;
}

/** After a change of addresses or second factors. It has no link: nobody learns to click one in such a mail. */
export function accountChanged(
  change: AccountChange,
  { name, at, ip, address, device }: ChangeFacts,
): MailContent {
  return render({
    subject: CHANGES[change],
    name,
    intro: [`${CHANGES[change]}:`],
    facts: [
      ...(address === undefined ? [] : [['Address', unlinked(address, 254)] as [string, string]]),
      ...(device === undefined ? [] : [['Second factor', unlinked(device, 100)] as [string, string]]),
      ...whenAndWhere(at, ip),
    ],
    closing: [
      'If it was you, there is nothing to do.',
      'If not, reset your password at once with “Forgot password”, then undo the change in your profile.',
    ],
  });
}

/** To the former primary address. Its link gives the account back, even to an owner who can no longer sign in. */
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
      'The link works once, and for 72 hours.',
    ],
  });
}

/** To the address that the undo link restored. */
export function primaryEmailRestored({ name, publicUrl, token }: Link & { name: string }): MailContent {
  return render({
    subject: 'Your e-mail address was restored: set a new password',
    name,
    intro: [
      `This is the primary address of your ${PRODUCT} account again. All sessions were ended, and the old password no longer works.`,
    ],
    button: { label: 'Set a new password', url: link(publicUrl, '/reset-password', { token }) },
    closing: [
      'The link works once, and for one hour. After that, ask for a new one with “Forgot password”.',
      'Then look through the second factors, memberships and API tokens of your account.',
    ],
  });
}

const whenAndWhere = (at: Date, ip: string): [string, string][] => [
  ['Time', dateTime(at)],
  ...(ip ? [['IP address', line(ip, 100)] as [string, string]] : []),
];

function render(letter: Letter): MailContent {
  const { button, code, facts = [], closing } = letter;
  const subject = line(letter.subject, 150);
  const name = person(letter.name ?? '');
  const intro = [name ? `Hello ${name},` : 'Hello,', ...letter.intro];
  const footer = `${PRODUCT} sent this mail automatically; replies are not read.`;

  const text = [
    ...intro,
    button && `${button.label}: ${button.url}`,
    code,
    facts.map(([label, value]) => `${label}: ${value}`).join('\n'),
    ...closing,
    `--\n${footer}`,
  ];
  const paragraph = (content: unknown) => html`<p style="margin:0 0 16px">${content}</p>\n`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${subject}</title>
</head>
<body style="margin:0;padding:24px;background:#f3f4f6;color:#1f2937;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto;padding:32px;background:#fff;border-radius:8px">
<h1 style="margin:0 0 24px;font-size:22px;line-height:1.3">${subject}</h1>
${intro.map(paragraph)}${button && buttonHtml(button)}${code && codeHtml(code)}${factsHtml(facts)}${closing.map(paragraph)}</div>
<p style="max-width:560px;margin:16px auto;color:#6b7280;font-size:13px;text-align:center">${footer}</p>
</body>
</html>
`;
  return { subject, html: String(page), text: `${text.filter(Boolean).join('\n\n')}\n`, link: button?.url };
}

const buttonHtml = ({ label, url }: { label: string; url: string }) =>
  html`<p style="margin:24px 0"><a href="${url}" style="display:inline-block;padding:12px 24px;border-radius:6px;background:#1d4ed8;color:#fff;font-weight:600;text-decoration:none">${label}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#6b7280">Or open this address: <a href="${url}" style="color:#1d4ed8;word-break:break-all">${url}</a></p>
`;

const codeHtml = (code: string) =>
  html`<p style="margin:24px 0;font:600 32px/1.2 ui-monospace,monospace;letter-spacing:6px">${code}</p>\n`;

const factsHtml = (facts: [string, string][]) =>
  facts.length > 0 &&
  html`<table style="margin:0 0 16px;border-collapse:collapse">
${facts.map(
  ([label, value]) =>
    html`<tr><td style="padding:4px 16px 4px 0;color:#6b7280">${label}</td><td style="padding:4px 0">${value}</td></tr>\n`,
)}</table>
`;

function link(publicUrl: string, path: string, parameters: Record<string, string>): string {
  return `${publicUrl}${path}?${new URLSearchParams(parameters)}`;
}

const DATE_TIME = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});
const dateTime = (at: Date) => `${DATE_TIME.format(at)} UTC`;

/** What a browser says of itself; the dots of versions stay what they are. */
const fact = (value: string) =>
  line(value, 100).replace(JOINT, (joint, at, text) =>
    /\d.\d/.test(text.slice(at - 1, at + 2)) ? joint : `${joint}\u200b`,
  ) || 'unknown';

/**
 * What turns the direction of writing or is not seen at all: with it a text shows other than it is. Joiners and
 * variation selectors are part of scripts and emoji.
 */
const UNSEEN = /(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** One line of at most `max` characters, of whatever a user gave us. */
function line(value: string, max: number): string {
  const characters = Array.from(
    value
      .toWellFormed()
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .replace(UNSEEN, '')
      .trim(),
  );
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : characters.join('');
}

/** What joins words to an address, also as browsers and mail programs read it in other scripts. */
const JOINT = /(?<=\S)[.:@\u2024\u3002\uff0e\uff1a\uff20\uff61](?=\S)/g;

/**
 * The name of a person or an organization. Mail programs make links of what looks like an address, so anybody could
 * have us send theirs to others: what joins words to an address gets an invisible character after it.
 */
const person = (name: string) => unlinked(name, 60);

/** The same for any text, such as an address that somebody claims. */
const unlinked = (text: string, max: number) => line(text, max).replace(JOINT, '$&\u200b');
