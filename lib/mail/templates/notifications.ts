import type { MailContent } from '../mailer.ts';
import { dateTime, line, person, render, unlinked, withoutPhone } from './letter.ts';

/* Mails about findings and tokens that the recipient has chosen. Titles, names and comments come from others, who may be hostile. */

/** The links of such a mail that switch it off. */
export interface ChosenLinks {
  /** The page that asks for confirmation. */
  unsubscribePage: string;
  /** The address to which mail programs post (RFC 8058). */
  unsubscribePost: string;
}

export const CHOSEN = 'You have chosen these mails in your profile, under “Notifications”.';

/** The visible link, and the headers for mail programs. */
export const unsubscribeParts = ({ unsubscribePage, unsubscribePost }: ChosenLinks) => ({
  more: { label: 'Switch these mails off', url: unsubscribePage },
  headers: {
    'List-Unsubscribe': `<${unsubscribePost}>`,
    'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
  },
});

/** The most findings that a mail lists. */
const MOST_FINDINGS = 10;

/** A finding in a mail. */
export interface MailedFinding {
  title: string;
  severity: string;
  url: string;
}

/** A text from others, without links. */
export const quoted = (text: string, max: number): string => unlinked(text, max) || 'untitled';

/** The organization and, if there is one, the project of a notice, as one line. */
export const groupOf = (org: { name: string; slug: string }, project: string | undefined): string =>
  [
    `${person(org.name)} (${withoutPhone(org.slug)})`,
    ...(project === undefined ? [] : [quoted(project, 60)]),
  ].join(' / ');

/**
 * A text with a title in it, for a subject, which has no invisible characters. A title in which mail programs might find a link is left out.
 */
export const withTitle = (text: string, title: string): string =>
  quoted(title, 80) === line(title, 80) ? `${text}: ${line(title, 80)}` : text;

/** A mail about something that the recipient has chosen. */
export interface ChosenNotice {
  /** The name of the recipient. */
  name: string;
  subject: string;
  /** Sentences. Parts from others have passed {@link quoted}. */
  intro: string[];
  group: string;
  findings: readonly MailedFinding[];
  /** How many findings there are, listed or not. */
  total: number;
  button: { label: string; url: string };
}

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1);

export const chosenMail = (notice: ChosenNotice, links: ChosenLinks): MailContent => {
  const { name, subject, intro, group, findings, total, button } = notice;
  const listed = findings.slice(0, MOST_FINDINGS);
  return render({
    subject,
    name,
    intro,
    facts: [
      ['Where', group],
      ...listed.map(({ severity, title, url }): [string, string, string] => [
        capital(severity),
        quoted(title, 150),
        url,
      ]),
    ],
    button,
    closing: [...(total > listed.length ? [`${total - listed.length} more are not listed.`] : []), CHOSEN],
    ...unsubscribeParts(links),
  });
};

/** The facts of a token that expires. */
export const expiryText = (token: { name: string; prefix: string; expiresAt: Date }): string =>
  `The token ${quoted(token.name, 100)} (${line(token.prefix, 20)}…) expires on ${dateTime(token.expiresAt)}.`;
