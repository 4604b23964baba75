import { expect, it } from 'vitest';
import { parseConfig } from '../../lib/config/parse.ts';
import { createLogger } from '../../lib/logger.ts';
import { warnOfUnset } from '../../lib/warnings/unset.ts';

const SECRET = 'e1a23fb51a5475aa72d853c14e882cad';

/** The log lines about settings that are not set, by their level. */
function linesFor(env: Record<string, string>): string[] {
  const lines: string[] = [];
  const write = (line: string) => {
    const { level, message } = JSON.parse(line);
    lines.push(`${level}: ${message}`);
  };
  const secrets = { JWT_SECRET: SECRET, SVC_ENCRYPTION_KEY: SECRET };
  warnOfUnset(parseConfig({ ...secrets, ...env }), createLogger({ level: 'info', format: 'json', write }));
  return lines;
}

it('a server without a mail provider says where mails are, and warns if accounts need them', () => {
  const where = 'mails are only written to ./data/outbox.jsonl, and their links to the log';
  const unset = 'RESEND_API_KEY and SVC_SMTP_URL are not set';
  expect(linesFor({})).toEqual([`info: ${unset}: ${where}`]);
  expect(
    linesFor({
      SVC_STRICT: 'on',
      SVC_REFUSE_INSECURE_SETTINGS: 'off',
      SVC_PUBLIC_URL: 'https://findings.example.com',
    }),
  ).toEqual([`warn: ${unset}: accounts must verify their addresses, but ${where}`]);
  const providers: Record<string, string>[] = [
    { RESEND_API_KEY: 're_1' },
    { SVC_SMTP_URL: 'smtps://mail.example.com' },
  ];
  for (const provider of providers)
    expect(linesFor({ ...provider, SVC_MAIL_FROM: 'findings@example.com' })).toEqual([]);
});
