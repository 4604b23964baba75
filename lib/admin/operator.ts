import { userInfo } from 'node:os';
import type { Database } from '../../db/client.ts';
import { createIds } from '../../db/ids.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Logger } from '../logger.ts';
import { createQueuedMails } from '../mail/queued-mails.ts';
import type { Actor } from '../orgs/notices.ts';

/** The operating system user that runs the command, for the log. */
export function operator(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** The input of commands that change who controls an organization. */
export interface ControlCall {
  database: Database;
  log: Logger;
  /** For mails to the owners. */
  box: SecretBox;
}

/** The operator as the actor of a change of control. Servers send the mails. */
export function operatorActor({ database: { db }, log, box }: ControlCall): Actor {
  const clock = () => new Date();
  const { write } = createQueuedMails({ db, box, log, clock, nextId: createIds(clock) });
  return { now: clock(), writeMail: (tx, { email }, content) => write(tx, email, content) };
}
