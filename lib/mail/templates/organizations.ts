import type { MailContent } from '../mailer.ts';
import {
  dateTime,
  type Letter,
  type Link,
  line,
  link,
  person,
  render,
  unlinked,
  withoutPhone,
} from './letter.ts';

/*
 * Notices to the owners of an organization. They have no link, so that users do not learn to click one in such mails. The mails about
 * a deletion and about a lost ownership are exceptions: their link undoes it.
 */

/** A notice about an organization. */
export interface OrgNotice {
  /** The name of the recipient. */
  name: string;
  org: { name: string; slug: string };
  /** The actor: a member, with the address that the organization sees, or unset for an operator of the service. */
  by?: { name: string; email?: string | undefined } | undefined;
  at: Date;
}

const named = ({ name, slug }: OrgNotice['org']) => `${person(name)} (${withoutPhone(slug)})`;

/** Everybody chooses the own name, so the address is there too. */
const member = ({ name, email }: { name: string; email?: string | undefined }) =>
  email === undefined ? person(name) : `${person(name)} (${unlinked(email, 254)})`;

const facts = ({ org, by, at }: OrgNotice, more: Letter['facts'] = []): Letter['facts'] => [
  ['Organization', named(org)],
  ['By', by === undefined ? 'an operator of the service' : member(by)],
  ['Time', dateTime(at)],
  ...more,
];

const renderNotice = (letter: Letter): MailContent => ({ ...render(letter), facts: letter.facts ?? [] });

/** The name for a subject, or the slug if mail programs might find a link in the name: a subject has no invisible characters. */
const inSubject = ({ name, slug }: OrgNotice['org']) =>
  person(name) === line(name, 60) ? person(name) : withoutPhone(slug);

/** Changes of control over an organization, and what the subject of the mail says about them. */
const CHANGES = {
  member_added: 'A member was added to',
  role_changed: 'The role of a member was changed in',
  roles_changed: 'The roles of several members were changed in',
  member_removed: 'A member left or was removed from',
  ownership_offered: 'A member was asked to become an owner of',
  ownership_withdrawn: 'A member is no longer asked to become an owner of',
  ownership_declined: 'A member declined to become an owner of',
  owner_restored: 'A former owner has the role again in',
  token_created: 'An API token was created for',
  personal_token_created: 'An admin created a personal access token for',
  setting_changed: 'A setting was changed in',
  connection_created: 'A connection for single sign-on was added to',
  connection_changed: 'A connection for single sign-on was changed in',
  connection_deleted: 'A connection for single sign-on was deleted from',
  scim_token_created: 'A token for provisioning (SCIM) was created for',
  scim_token_removed: 'The token for provisioning (SCIM) was removed from',
  member_suspended: 'A member was deactivated by provisioning in',
  member_reactivated: 'A member was activated again by provisioning in',
  webhook_created: 'A webhook was added to',
  webhook_changed: 'A webhook was changed in',
  webhook_deleted: 'A webhook was deleted from',
  integration_created: 'An integration was added to',
  integration_changed: 'An integration was changed in',
  integration_deleted: 'An integration was deleted from',
  domain_verified: 'A domain was proven for',
  domain_removed: 'A domain was removed from',
  domain_lost: 'Another organization has proven a domain of',
  transfer_started: 'A project is being transferred from',
  project_deleted: 'A project was deleted from',
  deletion_purged: 'Deleted findings were removed for good from',
  retention_shortened: 'Old findings or scans are removed from',
} as const;

export type ControlChange = keyof typeof CHANGES;

const subjectOf = (change: ControlChange, { org }: OrgNotice) =>
  `${CHANGES[change]} the organization ${inSubject(org)}`;

/**
 * Notice of a change of control.
 * @param about the facts. Texts from users are cut and have no links here
 */
export const controlChanged = (
  change: ControlChange,
  notice: OrgNotice,
  about: Letter['facts'] = [],
): MailContent =>
  renderNotice({
    subject: subjectOf(change, notice),
    name: notice.name,
    intro: [`${subjectOf(change, notice)}, which you own:`],
    facts: facts(notice, shown(about)),
    closing: [
      'If you expected this, there is nothing to do.',
      'If not, sign in and undo what can be undone. Then look through the members, the API tokens and the settings of the organization, and tell the other owners.',
    ],
  });

const shown = (about: Letter['facts'] = []): [string, string][] =>
  about.map(([label, value]) => [label, unlinked(value, 254)]);

const undoButton = (undo: Link | undefined, label: string): Pick<Letter, 'button'> =>
  undo ? { button: { label, url: link(undo.publicUrl, '/undo-org-change', { token: undo.token }) } } : {};

export const LINK_TERMS = 'The link works once and expires after 72 hours. Do not forward it.';

/** Mail to an owner who lost the role. Its link gives it back, even to an owner who can no longer sign in. */
export const ownershipLost = (
  change: ControlChange,
  notice: OrgNotice & { undo?: Link | undefined },
  about: Letter['facts'],
): MailContent =>
  renderNotice({
    subject: `You are no longer an owner of the organization ${inSubject(notice.org)}`,
    name: notice.name,
    intro: [
      change === 'member_removed'
        ? 'You are no longer a member of an organization that you owned.'
        : 'Your role in an organization that you owned was changed.',
      ...(notice.undo ? ['If that should not be, undo it:'] : []),
    ],
    facts: facts(notice, shown(about)),
    ...undoButton(notice.undo, 'Become an owner again'),
    closing: notice.undo
      ? ['If you agree, there is nothing to do.', LINK_TERMS]
      : ['If you do not agree, tell the other owners or the operator of the service.'],
  });

/** Mail to a member whom an owner asks to become an owner. */
export const ownershipOffered = (notice: OrgNotice & { url: string }): MailContent =>
  render({
    subject: `Become an owner of the organization ${inSubject(notice.org)}?`,
    name: notice.name,
    intro: [
      'An owner of an organization asks you to become an owner too. You are an admin until you accept:',
    ],
    facts: facts(notice),
    button: { label: 'Accept or decline', url: notice.url },
    closing: [
      'Owners manage the other owners, and can delete the organization. If you do not know it, decline, or ignore this mail: the offer ends after 7 days.',
    ],
  });

export const orgDeleted = (notice: OrgNotice & { purgeAt: Date; undo?: Link | undefined }): MailContent =>
  renderNotice({
    subject: `The organization ${inSubject(notice.org)} was deleted`,
    name: notice.name,
    intro: [
      'An organization that you own was deleted. Its members and API tokens can no longer use it. Nothing is removed yet:',
    ],
    facts: facts(notice, [['Removed for good', dateTime(notice.purgeAt)]]),
    ...undoButton(notice.undo, 'Undo the deletion'),
    closing: [
      ...(notice.undo ? [LINK_TERMS] : []),
      'Until then an owner can restore it with all its data: sign in, open the list of your organizations and choose “Restore”.',
    ],
  });

export const orgPurgeNear = ({
  name,
  org,
  at,
  purgeAt,
}: Omit<OrgNotice, 'by'> & { purgeAt: Date }): MailContent =>
  renderNotice({
    subject: `The organization ${inSubject(org)} will be removed for good`,
    name,
    intro: ['A deleted organization that you own will be removed for good, with all its findings:'],
    facts: [
      ['Organization', named(org)],
      ['Deleted', dateTime(at)],
      ['Removed for good', dateTime(purgeAt)],
    ],
    closing: [
      'To keep it, restore it before that time: sign in, open the list of your organizations and choose “Restore”. Otherwise there is nothing to do.',
    ],
  });

/** Mail to the owner of an organization whose creator has not verified the address. */
export const orgUnverified = ({
  name,
  org,
  at,
  publicUrl,
}: Omit<OrgNotice, 'by'> & { publicUrl: string }): MailContent =>
  render({
    subject: `Verify your address to keep the organization ${inSubject(org)}`,
    name,
    intro: [
      'You have an organization, but its creator has not verified the e-mail address. It will be removed:',
    ],
    facts: [
      ['Organization', named(org)],
      ['Removed for good', dateTime(at)],
    ],
    button: { label: 'Verify the address', url: `${publicUrl}/verify` },
    closing: ['If you do not know the organization, ignore this mail.'],
  });

export const orgRestored = (notice: OrgNotice): MailContent =>
  renderNotice({
    subject: `The organization ${inSubject(notice.org)} was restored`,
    name: notice.name,
    intro: ['A deleted organization that you own was restored. Its members and API tokens can use it again:'],
    facts: facts(notice),
    closing: ['If nobody should use it, an owner can delete it again.'],
  });
