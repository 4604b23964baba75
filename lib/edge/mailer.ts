import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { Mailer } from '../mail/mailer.ts';
import { createResendMailer } from '../mail/resend.ts';

/** Resend; without it mails are not sent, and their links are in the log, as on a server's first day. */
export function createEdgeMailer({ mail }: Config, log: Logger): Mailer {
  if (mail.resend) return createResendMailer(mail.resend, mail.from);
  return {
    name: 'log',
    async send({ recipient, subject, link }) {
      log.info('mail in the log only', { recipient, subject, link });
    },
  };
}
