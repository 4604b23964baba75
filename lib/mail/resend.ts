import type { Resend } from 'resend';
import type { MailConfig } from '../config/config.ts';
import { MAIL_HEADERS, type Mailer } from './mailer.ts';

const BASE_URL = 'https://api.resend.com';

/** Sends mails by the Resend API, on any runtime. */
export function createResendMailer(
  { apiKey, baseUrl = BASE_URL }: NonNullable<MailConfig['resend']>,
  from: string,
): Mailer {
  let resend: Resend | undefined;
  /** Loads the SDK for the first mail, so that other configurations do not load it. */
  async function connect(): Promise<Resend> {
    const sdk = await import('resend');
    // Without a base URL the SDK reads the environment.
    return new sdk.Resend(apiKey, { baseUrl: baseUrl.replace(/(?<!\/)\/+$/, '') });
  }
  return {
    name: 'resend',
    async send({ id, recipient, subject, html, text, headers }, signal) {
      resend ??= await connect();
      const options = {
        idempotencyKey: id,
        // A redirect would send the mail, with its link, to another host. The SDK passes this option to `fetch`.
        redirect: 'manual',
        ...(signal && { signal }),
      };
      const { data, error } = await resend.emails.send(
        { from, to: [recipient], subject, html, text, headers: { ...headers, ...MAIL_HEADERS } },
        options,
      );
      // An error response with the body `null` has neither.
      if (data && !error) return;
      throw new Error(error ? `${error.name}: ${error.message} (${error.statusCode})` : 'no answer');
    },
  };
}
