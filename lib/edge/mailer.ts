import type { Config } from '../config/config.ts';
import type { Logger } from '../logger.ts';
import type { Mailer } from '../mail/mailer.ts';
import { createResendMailer } from '../mail/resend.ts';

/** Sends mails by Resend. If it is not configured, mails are not sent and their links are written to the log. */
export function createEdgeMailer({ mail }: Config, log: Logger): Mailer {
  if (mail.resend) return createResendMailer(mail.resend, mail.from);
  return {
    name: 'log',
    logsLinks: true,
    async send({ recipient, subject, link }) {
      log.info('mail not sent, Resend is not configured', { recipient, subject, link });
    },
  };
}
