import { html } from 'hono/html';
import type { MailContent } from '../mailer.ts';

export const PRODUCT = 'svc-findings';

/** The content of a mail, rendered as HTML and as text. Pass texts from users through `line`, `person` or `unlinked` first. */
export interface Letter {
  subject: string;
  /** Name in the greeting. */
  name?: string;
  intro: string[];
  button?: { label: string; url: string };
  /** A second link, below the text. */
  more?: { label: string; url: string };
  code?: string;
  facts?: [label: string, value: string, url?: string][];
  closing: string[];
  /** Headers of the mail. */
  headers?: MailContent['headers'];
}

export interface Link {
  /** Base of the links, without a trailing slash. */
  publicUrl: string;
  token: string;
}

export const whenAndWhere = (at: Date, ip: string): [string, string][] => [
  ['Time', dateTime(at)],
  ...(ip ? [['IP address', line(ip, 100)] as [string, string]] : []),
];

export function render(letter: Letter): MailContent {
  const { button, code, facts = [], closing, more, headers } = letter;
  const subject = line(letter.subject, 150);
  const name = person(letter.name ?? '');
  const intro = [name ? `Hello ${name},` : 'Hello,', ...letter.intro];
  const footer = `${PRODUCT} sent this mail automatically; replies are not read.`;

  const text = [
    ...intro,
    button && `${button.label}: ${button.url}`,
    code,
    facts.map(([label, value, url]) => `${label}: ${value}${url ? ` ${url}` : ''}`).join('\n'),
    ...closing,
    more && `${more.label}: ${more.url}`,
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
${intro.map(paragraph)}${button && buttonHtml(button)}${code && codeHtml(code)}${factsHtml(facts)}${closing.map(paragraph)}${more && moreHtml(more)}</div>
<p style="max-width:560px;margin:16px auto;color:#6b7280;font-size:13px;text-align:center">${footer}</p>
</body>
</html>
`;
  return {
    subject,
    html: String(page),
    text: `${text.filter(Boolean).join('\n\n')}\n`,
    link: button?.url,
    ...(headers && { headers }),
  };
}

const buttonHtml = ({ label, url }: { label: string; url: string }) =>
  html`<p style="margin:24px 0"><a href="${url}" style="display:inline-block;padding:12px 24px;border-radius:6px;background:#1d4ed8;color:#fff;font-weight:600;text-decoration:none">${label}</a></p>
<p style="margin:0 0 16px;font-size:13px;color:#6b7280">Or open this address: <a href="${url}" style="color:#1d4ed8;word-break:break-all">${url}</a></p>
`;

const moreHtml = ({ label, url }: { label: string; url: string }) =>
  html`<p style="margin:0 0 16px">${label}: <a href="${url}" style="color:#1d4ed8;word-break:break-all">${url}</a></p>
`;

const codeHtml = (code: string) =>
  html`<p style="margin:24px 0;font:600 32px/1.2 ui-monospace,monospace;letter-spacing:6px">${code}</p>\n`;

const factsHtml = (facts: NonNullable<Letter['facts']>) =>
  facts.length > 0 &&
  html`<table style="margin:0 0 16px;border-collapse:collapse">
${facts.map(
  ([label, value, url]) =>
    html`<tr><td style="padding:4px 16px 4px 0;color:#6b7280">${label}</td><td style="padding:4px 0">${url ? html`<a href="${url}" style="color:#1d4ed8">${value}</a>` : value}</td></tr>\n`,
)}</table>
`;

export function link(publicUrl: string, path: string, parameters: Record<string, string>): string {
  return `${publicUrl}${path}?${new URLSearchParams(parameters)}`;
}

const DATE_TIME = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
});

export const dateTime = (at: Date) => `${DATE_TIME.format(at)} UTC`;

/** A fact from the User-Agent header, without links. Dots in version numbers are kept. */
export const fact = (value: string) =>
  line(value.replace(/\d{7,}/g, '…'), 100).replace(SEPARATOR, (separator, at, text) =>
    /\d.\d/.test(text.slice(at - 1, at + 2)) ? separator : `${separator}\u200b`,
  ) || 'unknown';

/**
 * Invisible characters and those that change the text direction, with which a text can look different from its content.
 * Joiners and variation selectors are kept, because scripts and emoji need them.
 */
const INVISIBLE = /(?!\u200c|\u200d|[\ufe00-\ufe0f])\p{Default_Ignorable_Code_Point}/gu;

/** User text as one line of at most `max` characters. */
export function line(value: string, max: number): string {
  const characters = Array.from(
    value
      .toWellFormed()
      .replace(/[\p{Cc}\s]+/gu, ' ')
      .replace(INVISIBLE, '')
      .trim(),
  );
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : characters.join('');
}

/** Characters that join words to a URL or mail address, including their equivalents in other scripts. */
const SEPARATOR = /(?<=\S)[.:@\u2024\u3002\uff0e\uff1a\uff20\uff61](?=\S)/g;

/** The name of a person or an organization, without links and telephone numbers. */
export const person = (name: string) => label(name, 60);

/** Any other name that a user chose, likewise: strangers can cause mails to an address. */
export const label = (text: string, max: number) => linkless(withoutPhone(line(text, max)));

/** As many digits as the shortest telephone numbers have. */
const PHONE_DIGITS = 7;

/** Replaces what could be a telephone number, in any script: digits with anything but letters between them. */
export const withoutPhone = (text: string): string =>
  text
    .replace(/\P{L}+/gu, (gap) => ((gap.match(/\p{N}/gu)?.length ?? 0) < PHONE_DIGITS ? gap : ' … '))
    .trim();

/**
 * User text in which mail programs find no link. They convert addresses in texts to links, so an attacker could make the
 * service send links. An invisible character after each separator prevents that.
 */
export const unlinked = (text: string, max: number) => linkless(line(text, max));

const linkless = (text: string) => text.replace(SEPARATOR, '$&\u200b');
