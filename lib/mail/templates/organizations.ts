import type { MailContent } from '../mailer.ts';
import { dateTime, type Letter, person, render, unlinked } from './letter.ts';

/* Notices to the owners of an organization. They have no link, so that users do not learn to click one in such mails. */

/** A notice about an organization. */
export interface OrgNotice {
  /** The name of the recipient. */
  name: string;
  org: { name: string; slug: string };
  /** The actor: the name of a member, or unset for an operator of the service. */
  by?: string | undefined;
  at: Date;
}

const facts = ({ org, by, at }: OrgNotice, more: Letter['facts'] = []): Letter['facts'] => [
  ['Organization', `${person(org.name)} (${org.slug})`],
  ['By', by === undefined ? 'an operator of the service' : unlinked(by, 100)],
  ['Time', dateTime(at)],
  ...more,
];

export const orgDeleted = (notice: OrgNotice & { purgeAt: Date }): MailContent =>
  render({
    subject: `The organization ${person(notice.org.name)} was deleted`,
    name: notice.name,
    intro: [
      'An organization that you own was deleted. Its members and API tokens can no longer use it. Nothing is removed yet:',
    ],
    facts: facts(notice, [['Removed for good', dateTime(notice.purgeAt)]]),
    closing: [
      'Until then an owner can restore it with all its data: sign in, open the list of your organizations and choose “Restore”.',
    ],
  });

export const orgPurgeNear = ({
  name,
  org,
  at,
  purgeAt,
}: Omit<OrgNotice, 'by'> & { purgeAt: Date }): MailContent =>
  render({
    subject: `The organization ${person(org.name)} will be removed for good`,
    name,
    intro: ['A deleted organization that you own will be removed for good, with all its findings:'],
    facts: [
      ['Organization', `${person(org.name)} (${org.slug})`],
      ['Deleted', dateTime(at)],
      ['Removed for good', dateTime(purgeAt)],
    ],
    closing: [
      'To keep it, restore it before that time: sign in, open the list of your organizations and choose “Restore”. Otherwise there is nothing to do.',
    ],
  });

export const orgRestored = (notice: OrgNotice): MailContent =>
  render({
    subject: `The organization ${person(notice.org.name)} was restored`,
    name: notice.name,
    intro: ['A deleted organization that you own was restored. Its members and API tokens can use it again:'],
    facts: facts(notice),
    closing: ['If nobody should use it, an owner can delete it again.'],
  });

export const roleSet = (notice: OrgNotice & { member: string; from: string; to: string }): MailContent =>
  render({
    subject: `A role in the organization ${person(notice.org.name)} was changed`,
    name: notice.name,
    intro: ['The role of a member of an organization that you own was changed:'],
    facts: facts(notice, [
      ['Member', unlinked(notice.member, 100)],
      ['Role', `${notice.to} (before: ${notice.from})`],
    ]),
    closing: ['If you did not expect this, contact the operator of the service.'],
  });
