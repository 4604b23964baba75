import type { Config } from '../config/config.ts';

/** Loopback, or a name of one label, such as a container in a private network. */
const isLocal = (host: string): boolean => /^(?:[^.:]*|127(?:\.\d+){3}|\[::1\])$/.test(host);

/**
 * Warnings about connections to other machines that a network attacker can read or intercept: without TLS, or without
 * certificate verification. One log message each.
 */
export function plainConnections({
  databaseUrl,
  migrationUrl,
  replicaUrl,
  mail,
}: Pick<Config, 'databaseUrl' | 'migrationUrl' | 'replicaUrl' | 'mail'>): string[] {
  const lines: string[] = [];
  for (const [variable, url] of Object.entries({
    DATABASE_URL: databaseUrl,
    DATABASE_MIGRATION_URL: migrationUrl,
    DATABASE_REPLICA_URL: replicaUrl,
  })) {
    if (url === undefined) continue;
    const { hostname, searchParams } = new URL(url);
    const mode = searchParams.get('sslmode') ?? searchParams.get('ssl');
    if (!isLocal(hostname) && mode !== 'verify-full') {
      const problem =
        mode === null || mode === 'disable'
          ? 'is not encrypted'
          : 'is encrypted, but its certificate is not checked';
      lines.push(`${variable}: the connection to ${hostname} ${problem}; add sslmode=verify-full`);
    }
  }
  if (mail.smtpUrl !== undefined && !mail.resend) {
    const { protocol, hostname, searchParams } = new URL(mail.smtpUrl);
    if (protocol === 'smtp:' && !isLocal(hostname) && searchParams.get('requireTLS') !== 'true')
      lines.push(
        `SVC_SMTP_URL: mails to ${hostname} may go unencrypted; use smtps:// or add requireTLS=true`,
      );
  }
  if (mail.resend?.baseUrl?.startsWith('http:') && !isLocal(new URL(mail.resend.baseUrl).hostname))
    lines.push('RESEND_BASE_URL: mails and the API key go unencrypted; use https');
  return lines;
}
