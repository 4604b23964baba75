import type { MailContent } from '../mailer.ts';
import { render } from './letter.ts';
import { LINK_TERMS } from './organizations.ts';

/** Notices to an owner of an organization beyond the quota, which one mail has. */
export interface Collected {
  count: number;
  /** The first ones. */
  notices: string[];
  /** The latest link that undoes a change. It does what earlier ones do. */
  link?: string | undefined;
}

/** The others are counted. */
const MOST_LISTED = 100;

export function addNotice(
  { count, notices, link }: Collected = { count: 0, notices: [] },
  { subject, facts = [], link: newLink }: MailContent,
): Collected {
  const text = [subject, ...facts.map(([label, value]) => `${label}: ${value}`)].join('. ');
  return {
    count: count + 1,
    notices: count < MOST_LISTED ? [...notices, text] : notices,
    link: newLink ?? link,
  };
}

export const collected = ({ count, notices, link }: Collected): MailContent =>
  render({
    subject: `${count === 1 ? 'Another change' : `${count} further changes`} of an organization that you own`,
    intro: ['The limit of mails per hour was reached, so this mail has the changes after the last mail:'],
    facts: notices.map((notice, i) => [`${i + 1}`, notice]),
    ...(link && { button: { label: 'Become an owner again and undo a deletion', url: link } }),
    closing: [
      ...(count > notices.length ? [`${count - notices.length} more are not listed.`] : []),
      'If you did not expect them, sign in and look through the members, the API tokens and the settings of the organization, and tell the other owners.',
      ...(link ? [LINK_TERMS] : []),
    ],
  });
