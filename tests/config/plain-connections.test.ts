import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../lib/config/parse.ts';
import { plainConnections } from '../../lib/warnings/plain-connections.ts';

describe('connections to other machines', () => {
  const linesOf = (env: Record<string, string | undefined>) => plainConnections(parseConfig(env));

  it.each([
    [
      'a database without TLS',
      { DATABASE_URL: 'postgres://u:p@db.example.com/x' },
      /db\.example\.com is not enc/,
    ],
    [
      'a certificate that is not checked',
      { DATABASE_URL: 'postgres://u:p@10.0.0.5/x?sslmode=require' },
      /certificate is not checked/,
    ],
    [
      'a replica without TLS',
      {
        DATABASE_URL: 'postgres://u:p@127.0.0.1/x',
        DATABASE_REPLICA_URL: 'postgres://u:p@standby.example.com/x',
      },
      /^DATABASE_REPLICA_URL: .*standby\.example\.com is not enc/,
    ],
    ['opportunistic TLS', { SVC_SMTP_URL: 'smtp://u:p@mail.example.com:587' }, /requireTLS/],
    [
      'a plain mail API',
      { RESEND_API_KEY: 're_x', RESEND_BASE_URL: 'http://relay.example.com' },
      /RESEND_BASE_URL/,
    ],
  ])('are warned about: %s', (_, env, line) => {
    const lines = linesOf(env);
    expect(lines).toEqual([expect.stringMatching(line)]);
    expect(lines.join()).not.toContain('u:p');
  });

  it.each([
    { DATABASE_URL: 'postgres://u:p@db.example.com/x?sslmode=verify-full' },
    { DATABASE_URL: 'postgres://u:p@127.0.0.1:5432/x' },
    { DATABASE_URL: 'postgres://u:p@postgres:5432/x', SVC_SMTP_URL: 'smtp://mail:1025' },
    { SVC_SMTP_URL: 'smtps://u:p@mail.example.com' },
    { SVC_SMTP_URL: 'smtp://u:p@mail.example.com?requireTLS=true' },
    {},
  ])('are no matter where they are encrypted, or stay near: %j', (env) => {
    expect(linesOf(env)).toEqual([]);
  });
});
