import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDirectory } from '../../db/embedded/directory.ts';
import type { Logger } from '../logger.ts';
import type { Mailer } from '../mail/mailer.ts';

/** Keeps mails in a file, one JSON line each, and shows their link in the log, where a newcomer can click it. */
export function createOutboxMailer(dataDir: string, log: Logger): Mailer {
  const file = join(dataDir, 'outbox.jsonl');
  return {
    name: 'outbox',
    logsLinks: true,
    async send({ id, recipient, subject, html, text, link, headers }) {
      const line = JSON.stringify({ id, time: new Date(), recipient, subject, headers, link, text, html });
      const append = () => appendFile(file, `${line}\n`, { mode: 0o600 });
      await append().catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        await createDirectory(dataDir);
        await append();
      });
      log.info('mail in the outbox', { recipient, subject, link, file });
    },
  };
}
