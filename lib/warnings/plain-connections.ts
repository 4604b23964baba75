import type { Config } from '../config/config.ts';

/** Loopback, or a name of one label: a container's, of a network of its own. */
const isNear = (host: string): boolean => /^(?:[^.:]*|127(?:\.\d+){3}|\[::1\])$/.test(host);

/**
 * Connections to other machines that anybody in between can read or answer: without TLS, or with a certificate that nobody
 * checks. One line each, for the log.
 */
export function plainConnections({ databaseUrl, mail }: Pick<Config, 'databaseUrl' | 'mail'>): string[] {
  const lines: string[] = [];
  if (databaseUrl !== undefined) {
    const { hostname, searchParams } = new URL(databaseUrl);
    const mode = searchParams.get('sslmode') ?? searchParams.get('ssl');
    if (!isNear(hostname) && mode !== 'verify-full') {
      const fault =
        mode === null || mode === 'disable'
          ? 'is not encrypted'
          : 'is encrypted, but its certificate is not checked';
      lines.push(`DATABASE_URL: the connection to ${hostname} ${fault}; add sslmode=verify-full`);
    }
  }
  if (mail.smtpUrl !== undefined && !mail.resend) {
    const { protocol, hostname, searchParams } = new URL(mail.smtpUrl);
    if (protocol === 'smtp:' && !isNear(hostname) && searchParams.get('requireTLS') !== 'true')
      lines.push(
        `SVC_SMTP_URL: mails to ${hostname} may go unencrypted; use smtps:// or add requireTLS=true`,
      );
  }
  if (mail.resend?.baseUrl?.startsWith('http:') && !isNear(new URL(mail.resend.baseUrl).hostname))
    lines.push('RESEND_BASE_URL: mails and the API key go unencrypted; use https');
  return lines;
}
