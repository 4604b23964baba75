import type { Db, Tx } from '../../db/client.ts';
import type { NewId } from '../../db/ids.ts';
import { mailQueue } from '../../db/schema/platform.ts';
import type { SecretBox } from '../crypto/secret-box.ts';
import type { Logger } from '../logger.ts';
import type { Mail, MailContent, Mailer } from './mailer.ts';
import { createQueuedMails, type QueuedMail, type SealedMail } from './queued-mails.ts';

/** Mails that are on their way: kept in the database, encrypted, until the provider has taken them. */
export interface MailQueue {
  /** Makes the row of a mail, for a statement that writes it together with others. */
  seal(recipient: string, content: MailContent): Promise<SealedMail>;
  /** Writes a mail into the queue, in the caller's transaction. */
  enqueue(db: Db | Tx, recipient: string, content: MailContent): Promise<void>;
  /** Writes a mail to nobody and erases it in the same transaction: takes the time of a real one. */
  pretend(tx: Tx, content: MailContent): Promise<void>;
  /** Delivers what is due soon, after the current answer and with what comes along; returns at once. */
  kick(): void;
  /** Sends all due mails now; returns how many were sent. */
  deliverDue(): Promise<number>;
  /** Takes no more mails and waits for those under way, a few seconds at the most. */
  stop(): Promise<void>;
}

/** A mail that `failed` is tried again, one that is `given_up` is not. */
export const MAIL_OUTCOMES = ['sent', 'failed', 'given_up'] as const;
export type MailOutcome = (typeof MAIL_OUTCOMES)[number];

export interface MailQueueOptions {
  db: Db;
  mailer: Mailer;
  box: SecretBox;
  log: Logger;
  clock: () => Date;
  nextId: () => NewId;
  /** Keeps the runtime alive until the task is done (`waitUntil`). */
  background?: ((task: Promise<unknown>) => void) | undefined;
  /** Told what became of each attempt to send a mail. */
  onOutcome?: ((outcome: MailOutcome) => void) | undefined;
  timing?: Partial<typeof TIMING> | undefined;
}

const TIMING = {
  /** For one mail. */
  sendMs: 15_000,
  /** For mails under way when the process stops. */
  stopMs: 3_000,
};

/** A mail waits so long for others: with many logins a second, several are taken and erased together. */
const GATHER_MS = 20;
/** Mails under way at the same time, per process. */
const CONCURRENCY = 4;
const FIRST_RETRY_MS = 30_000;
const LAST_RETRY_MS = 60 * 60_000;
/** A mail that fails when it is older is given up. */
const GIVE_UP_MS = 24 * 60 * 60_000;

/**
 * Makes a queue over `shared.outgoing_mails`. Any number of processes may share the table: each mail is taken by one of
 * them, with no transaction open while it is sent. A process that dies between sending and erasing leaves a mail that
 * is sent again, with the same id.
 */
export function createMailQueue(options: MailQueueOptions): MailQueue {
  const { db, mailer, box, log, clock, nextId, background, onOutcome = () => {} } = options;
  const timing = { ...TIMING, ...options.timing };
  const queued = createQueuedMails({ db, box, log, clock, nextId });

  /** The delivery under way. */
  let running: Promise<void> | undefined;
  /** Somebody asked for a look at the queue. */
  let wanted = false;
  /** And at what servers of the version before have written. */
  let olderWanted = false;
  /** Lets the delivery see `wanted` while it waits for sends. */
  let wake = () => {};
  let sent = 0;
  let stopped = false;
  /** Sent, but not erased yet because the database failed in between. */
  const taken = new Set<string>();
  /** End the sends under way. */
  const aborts = new Set<(reason: string) => void>();

  function look(): Promise<void> {
    if (stopped) return running ?? Promise.resolve();
    wanted = true;
    wake();
    running ??= run();
    return running;
  }

  /** Sends until nothing is due; a look that is asked for meanwhile is taken. Never rejects. */
  async function run(): Promise<void> {
    const sending = new Set<Promise<void>>();
    try {
      for (;;) {
        const free = CONCURRENCY - sending.size;
        if (wanted && free > 0 && !stopped) {
          // The answer that brought us here goes first, and what comes next comes along.
          await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
          if (stopped) continue;
          wanted = false;
          const mails = await queued.take(free);
          if (olderWanted && mails.length < free) {
            const left = free - mails.length;
            const older = await queued.take(left, mailQueue);
            olderWanted = older.length === left;
            mails.push(...older);
          }
          if (mails.length === free) wanted = true;
          for (const mail of mails) {
            const send = deliver(mail).finally(() => sending.delete(send));
            sending.add(send);
          }
        } else if (sending.size > 0) {
          const woken = new Promise<void>((resolve) => {
            wake = resolve;
          });
          await Promise.race([...sending, woken]);
        } else {
          return;
        }
      }
    } finally {
      // In the same turn as the decision to end, so that no look is lost in between.
      running = undefined;
    }
  }

  async function deliver(mail: QueuedMail): Promise<void> {
    const { id, attempts, content } = mail;
    if (content instanceof Error) return failed(mail, content.message);
    try {
      if (!taken.has(id)) await send(id, content);
    } catch (error) {
      return failed(mail, reason(error, content));
    }
    if (!taken.has(id)) {
      sent++;
      onOutcome('sent');
    }
    taken.add(id);
    if (await queued.erase(mail)) taken.delete(id);
    log.debug('mail sent', { id, attempts, mailer: mailer.name });
  }

  /** Hands a mail to the provider, for as long as a send may last. */
  async function send(id: string, mail: Mail): Promise<void> {
    const controller = new AbortController();
    let abort = (_: string) => {};
    const aborted = new Promise<never>((_, reject) => {
      abort = (reason) => {
        const error = new Error(reason);
        reject(error);
        controller.abort(error);
      };
    });
    aborts.add(abort);
    const late = setTimeout(() => abort(`no answer within ${timing.sendMs} ms`), timing.sendMs);
    try {
      const { recipient, subject, html, text, link } = mail;
      const content = { id, recipient, subject, html, text, link };
      await Promise.race([mailer.send(content, controller.signal), aborted]);
    } finally {
      clearTimeout(late);
      aborts.delete(abort);
    }
  }

  async function failed(mail: QueuedMail, error: string): Promise<void> {
    const { id, attempts, content } = mail;
    const recipient = content instanceof Error ? undefined : content.recipient;
    const now = clock();
    if (now.getTime() - mail.createdAt.getTime() >= GIVE_UP_MS) {
      if (!(await queued.drop(mail))) return;
      onOutcome('given_up');
      log.error('mail given up', { id, recipient, attempts, mailer: mailer.name, error });
      return;
    }
    const nextAttemptAt = new Date(now.getTime() + backoff(attempts));
    onOutcome('failed');
    log.warn('mail not sent', { id, attempts, mailer: mailer.name, error, nextAttemptAt });
    await queued.postpone(mail, nextAttemptAt);
  }

  return {
    seal: queued.seal,
    async enqueue(tx, recipient, content) {
      await queued.write(tx, recipient, content);
    },
    pretend: queued.pretend,
    kick() {
      const delivery = look();
      background?.(delivery);
    },
    async deliverDue() {
      const before = sent;
      olderWanted = true;
      await look();
      return sent - before;
    },
    async stop() {
      stopped = true;
      if (running && !(await settles(running, timing.stopMs))) {
        for (const abort of aborts) abort('the process stops');
        await settles(running, 1_000);
      }
      mailer.close?.();
    },
  };
}

/** 30 seconds, doubled with every attempt up to an hour, less up to a quarter, so that mails do not come in herds. */
const backoff = (attempts: number) =>
  Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS) * (1 - Math.random() / 4);

/** Whether a promise settles in time. */
async function settles(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = promise.then(() => true);
  return Promise.race([settled, late]).finally(() => clearTimeout(timer));
}

/** An error for the log. Servers may quote what they refuse: words with digits that the mail has too are left out. */
function reason(error: unknown, { text }: Mail): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .slice(0, 500)
    .replace(/[\w%-]{6,}/g, (word) => (/\d/.test(word) && text.includes(word) ? '…' : word));
}
