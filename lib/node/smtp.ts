import { MAIL_HEADERS, type Mailer } from '../mail/mailer.ts';
import { MAX_SENDING } from '../mail/queue.ts';

/**
 * Sends by SMTP over a few connections that are kept for a while.
 * @param url smtp:// (STARTTLS when the server has it) or smtps://; nodemailer's options may follow as a query, such
 * as `?requireTLS=true`
 */
export function createSmtpMailer(url: string, from: string): Mailer {
  const domain = /@([^\s>]+)/.exec(from)?.[1] ?? 'localhost';
  let transport: ReturnType<typeof connect> | undefined;
  return {
    name: 'smtp',
    async send({ id, recipient, subject, html, text, headers }, signal) {
      transport ??= connect(url);
      await (await transport).sendMail({
        from,
        // Not as text, in which a comma would begin another recipient.
        to: { name: '', address: recipient },
        subject,
        html,
        text,
        headers: { ...headers, ...MAIL_HEADERS },
        // The same at every attempt, so that a mail that came twice can be recognized.
        messageId: `<${id}@${domain}>`,
        signal,
      });
    },
    close() {
      transport?.then(
        (open) => open.close(),
        () => {},
      );
      transport = undefined;
    },
  };
}

/** Connects and signs in without sending a mail. @throws Error saying what the mail server refuses */
export async function verifySmtp(url: string): Promise<void> {
  const transport = await connect(url);
  await transport.verify().finally(() => transport.close());
}

async function connect(url: string) {
  // Loaded by the first mail, because other transports do not need it.
  const { createTransport } = await import('nodemailer');
  return createTransport({
    url,
    pool: true,
    maxConnections: MAX_SENDING,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 15_000,
    dnsTimeout: 10_000,
    idleTimeout: 30_000,
    // Mails are text we wrote; nothing in them is to be fetched.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
