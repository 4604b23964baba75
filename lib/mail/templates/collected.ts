import type { MailContent } from '../mailer.ts';
import { addToDigest, type Digest, type DigestNotice, renderDigest } from './digest.ts';
import { render } from './letter.ts';
import { LINK_TERMS } from './organizations.ts';

/** A notice for a mail that collects several: a mail to an owner beyond the quota, or a notice about findings. */
export type Notice = MailContent | DigestNotice;

/** The notices of such a mail. */
export type Collected = OwnerNotices | Digest;

const isDigest = (all: Collected | undefined): all is Digest => all !== undefined && 'time' in all;

/** Adds a notice to those of a mail. */
export const addNotice = (all: Collected | undefined, notice: Notice): Collected =>
  'group' in notice
    ? addToDigest(isDigest(all) ? all : undefined, notice)
    : addToOwners(isDigest(all) ? undefined : all, notice);

/** The mail that has collected notices. */
export const collected = (all: Collected): MailContent =>
  isDigest(all) ? renderDigest(all) : renderOwners(all);

/** Notices to an owner of an organization beyond the quota, which one mail has. */
interface OwnerNotices {
  count: number;
  /** The first ones. */
  notices: string[];
  /** The latest link that undoes a change. It does what earlier ones do. */
  link?: string | undefined;
}

/** The others are counted. */
const MOST_LISTED = 100;

function addToOwners(
  { count, notices, link }: OwnerNotices = { count: 0, notices: [] },
  { subject, facts = [], link: newLink }: MailContent,
): OwnerNotices {
  const text = [subject, ...facts.map(([label, value]) => `${label}: ${value}`)].join('. ');
  return {
    count: count + 1,
    notices: count < MOST_LISTED ? [...notices, text] : notices,
    link: newLink ?? link,
  };
}

const renderOwners = ({ count, notices, link }: OwnerNotices): MailContent =>
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
