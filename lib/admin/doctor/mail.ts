import { and, lt } from 'drizzle-orm';
import type { Database } from '../../../db/client.ts';
import { outgoingMails } from '../../../db/schema/platform.ts';
import type { Config } from '../../config/config.ts';
import { collectsNoMore } from '../../mail/queued-mails.ts';
import { createNodeMailer } from '../../node/mailer.ts';
import { verifySmtp } from '../../node/smtp.ts';
import { AdminError, reasonOf } from '../error.ts';
import { type Check, checksOf } from './checks.ts';

export const MAIL_DOCS = 'docs/configuration.md#mail';

const mail = checksOf('mail', MAIL_DOCS);
const DELAYED_MS = 60 * 60 * 1000;

/** Whether mails can be sent: without sending one, as far as the provider allows it. */
export async function checkProvider({
  mail: { resend, smtpUrl },
  requireVerifiedEmail,
}: Config): Promise<Check> {
  if (resend) return mail.skipped('Resend is not asked; `--mail <address>` sends a test mail');
  if (smtpUrl === undefined) {
    const effect = 'mails are only written to outbox.jsonl and the log';
    return requireVerifiedEmail
      ? mail.failed(`no mail provider: ${effect}, and nobody can verify an address`)
      : mail.warning(`no mail provider: ${effect}`);
  }
  const host = new URL(smtpUrl).host;
  return verifySmtp(smtpUrl).then(
    () => mail.ok(`${host} accepts the connection and the password`),
    (error) => mail.failed(`${host}: ${reasonOf(error)}${hintOf(error)}`),
  );
}

/** nodemailer replaces the code of the error. */
const hintOf = (error: unknown): string =>
  /self.signed certificate|unable to (?:get|verify)/i.test(reasonOf(error))
    ? ' (set NODE_EXTRA_CA_CERTS to the file of its CA, in the environment of the servers, not in .env)'
    : '';

/** Mails that the servers could not send for a while. */
export async function checkQueue({ db }: Database): Promise<Check> {
  const before = new Date(Date.now() - DELAYED_MS);
  const delayed = await db.$count(outgoingMails, and(lt(outgoingMails.createdAt, before), collectsNoMore));
  return delayed === 0
    ? mail.ok('no mail waits for more than an hour')
    : mail.failed(
        `${delayed} mails wait for more than an hour: see "mail" in the log of the servers, then run "mails retry"`,
      );
}

/** Sends a mail to an address of the operator. @throws AdminError when the address is none */
export async function checkDelivery(config: Config, recipient: string): Promise<Check> {
  if (!/^[^\s@]+@[^\s@]+$/.test(recipient)) throw new AdminError(`${recipient} is not an e-mail address`);
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const mailer = createNodeMailer(config, log);
  const text = `This is a test mail of ${config.publicUrl}. The mail provider works.`;
  try {
    await mailer.send(
      { id: crypto.randomUUID(), recipient, subject: 'Test mail', text, html: `<p>${text}</p>` },
      AbortSignal.timeout(30_000),
    );
    return mail.ok(`${mailer.name} accepted a test mail to ${recipient}`);
  } catch (error) {
    return mail.failed(`${mailer.name}: ${reasonOf(error)}`);
  } finally {
    mailer.close?.();
  }
}
