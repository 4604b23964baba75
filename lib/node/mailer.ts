import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { Mailer } from '../mail/mailer.ts';
import { createResendMailer } from '../mail/resend.ts';
import { createOutboxMailer } from './outbox.ts';
import { createSmtpMailer } from './smtp.ts';

/** The mailer the configuration asks for: Resend, else SMTP, else the local outbox. */
export function createNodeMailer({ mail, dataDir }: Config, log: Logger): Mailer {
  if (mail.resend) return createResendMailer(mail.resend, mail.from);
  if (mail.smtpUrl) return createSmtpMailer(mail.smtpUrl, mail.from);
  return createOutboxMailer(dataDir, log);
}
