import type { Mail } from '../../lib/mail/mailer.ts';
import { startMails } from '../../lib/notifications/following.ts';
import { addMember, must, type TestMember, type TestOrg } from '../support/api/api.ts';
import type { TestApp } from '../support/server/app.ts';

/** Runs a statement on any table. */
export const run = ({ services }: TestApp, text: string, params: unknown[] = []) =>
  services.database.sql.unsafe(text, params as never[]);

/** Verifies the address of an account, and accepts its invitations. */
export async function confirm(t: TestApp, userId: string): Promise<void> {
  await run(t, 'update shared.user_emails set verified_at = now() where user_id = $1', [userId]);
  // Later than the invitation, as at the first visit.
  const accepted = "confirmed_at = created_at + interval '1 second'";
  await run(t, `update shared.memberships set ${accepted} where user_id = $1`, [userId]);
}

/** Chooses mails. */
export const choose = async ({ api }: TestApp, { cookie }: { cookie: string }, body: object) =>
  must(await api.put('/profile/notifications', { cookie, body }));

/** Adds a member with a verified address who has chosen mails. */
export async function addSubscriber(
  t: TestApp,
  org: TestOrg,
  chosen: object,
  name = 'Grace Hopper',
): Promise<TestMember> {
  const member = await addMember(t.api, org, 'member', name);
  await confirm(t, member.id);
  await choose(t, member, chosen);
  return member;
}

/** Does what the periodic task does for members who joined without choosing anew. */
export const startMailsOfAll = ({ services: { clock, database } }: TestApp) =>
  startMails(database.db, clock());

/** Invites a subscriber to another organization, too. */
export async function join(t: TestApp, org: TestOrg, { id, email }: TestMember): Promise<void> {
  must(await t.api.post('/members/invite', { ...org.asOwner, body: { email, role: 'member' } }));
  await confirm(t, id);
  await startMailsOfAll(t);
}

/** Publishes the events of an organization, writes the mails about them and sends those that are due. */
export async function flush(t: TestApp, org: Pick<TestOrg, 'id'>): Promise<void> {
  const { mail, outbox } = t.services;
  await outbox.publish(org.id);
  await outbox.run();
  await mail.deliverDue();
}

const isAboutFindings = ({ text }: Mail) => text.includes('under “Notifications”');

/** The mails to a person about findings and tokens, oldest first. */
export const mailsTo = ({ mails }: TestApp, { email }: { email: string }): Mail[] =>
  mails.filter((mail) => mail.recipient === email && isAboutFindings(mail));

/** The mails that wait in the queue. */
export const queued = (t: TestApp) =>
  run(t, 'select id, collects, next_attempt_at as due from shared.outgoing_mails order by next_attempt_at');
