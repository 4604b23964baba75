import type { Db, Tx } from '../../db/client.ts';
import { mailQueue } from '../../db/schema/platform.ts';
import type { MailOutcome } from '../metrics/reports.ts';
import type { Mail, MailContent, Mailer } from './mailer.ts';
import {
  createQueuedMails,
  type QueuedMail,
  type QueuedMails,
  type QueuedMailsOptions,
} from './queued-mails.ts';

/** The queue of outgoing mails, stored encrypted in the database until the provider accepts them. */
export interface MailQueue {
  /** Writes a mail into the queue, in the caller's transaction. */
  enqueue(db: Db | Tx, recipient: string, content: MailContent): Promise<void>;
  /** Adds a notice to a mail that is sent later, in the caller's transaction. */
  collect: QueuedMails['collect'];
  /** Writes a mail and deletes it in the same transaction, which takes as long as `enqueue`. */
  pretend(tx: Tx, content: MailContent): Promise<void>;
  /** Starts the delivery of due mails, after the current response. Returns immediately. */
  kick(): void;
  /** Sends all due mails now; returns how many were sent. */
  deliverDue(): Promise<number>;
  /** Claims no more mails and waits a few seconds for those being sent. */
  stop(): Promise<void>;
}

export interface MailQueueOptions extends QueuedMailsOptions {
  mailer: Mailer;
  /** Keeps the runtime alive until the task is done (`waitUntil`). */
  background?: ((task: Promise<unknown>) => void) | undefined;
  /** Called after each attempt to send a mail. */
  onOutcome?: ((outcome: MailOutcome) => void) | undefined;
  timing?: Partial<typeof TIMING> | undefined;
}

const TIMING = {
  /** Timeout of one attempt. */
  sendMs: 15_000,
  /** Timeout of `stop`. */
  stopMs: 3_000,
};

/** Delay before due mails are claimed, so that under load one statement claims several. */
const GATHER_MS = 20;
/** Mails that a process sends at the same time. */
const CONCURRENCY = 4;
const FIRST_RETRY_MS = 30_000;
const LAST_RETRY_MS = 60 * 60_000;
/** A mail that fails at this age is given up. */
const GIVE_UP_MS = 24 * 60 * 60_000;

/**
 * Creates a queue on `shared.outgoing_mails`. Any number of processes may share the table: one of them leases a mail, and
 * sends it without an open transaction. If a process dies after sending a mail and before deleting it, the mail is sent
 * again with the same id.
 */
export function createMailQueue(options: MailQueueOptions): MailQueue {
  const { mailer, log, clock, background, onOutcome = () => {} } = options;
  const timing = { ...TIMING, ...options.timing };
  const queued = createQueuedMails(options);

  let running: Promise<void> | undefined;
  /** Whether `run` has to query the queue. */
  let checkQueue = false;
  /** Whether `run` also has to query the table that servers of the previous version write. */
  let checkLegacyQueue = false;
  /** Makes `run` read `checkQueue` while it waits for attempts. */
  let wake = () => {};
  let sentCount = 0;
  let stopped = false;
  /** Ids of mails that were sent but not deleted, because the database failed in between. */
  const undeleted = new Set<string>();
  /** Abort the attempts in progress. */
  const aborts = new Set<(reason: string) => void>();

  function deliver(): Promise<void> {
    if (stopped) return running ?? Promise.resolve();
    checkQueue = true;
    wake();
    running ??= run();
    return running;
  }

  /** Sends mails until none is due. Never rejects. */
  async function run(): Promise<void> {
    const sending = new Set<Promise<void>>();
    try {
      for (;;) {
        const free = CONCURRENCY - sending.size;
        if (checkQueue && free > 0 && !stopped) {
          await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
          if (stopped) continue;
          checkQueue = false;
          const mails = await queued.lease(free);
          if (checkLegacyQueue && mails.length < free) {
            const left = free - mails.length;
            const legacy = await queued.lease(left, mailQueue);
            checkLegacyQueue = legacy.length === left;
            mails.push(...legacy);
          }
          if (mails.length === free) checkQueue = true;
          for (const mail of mails) {
            const send = attempt(mail).finally(() => sending.delete(send));
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
      // Runs without an `await` after the decision to return, so that no request to deliver is lost.
      running = undefined;
    }
  }

  async function attempt(mail: QueuedMail): Promise<void> {
    const { id, attempts, content } = mail;
    if (content instanceof Error) return failed(mail, content.message);
    try {
      if (!undeleted.has(id)) await send(id, content);
    } catch (error) {
      return failed(mail, reason(error, content));
    }
    if (!undeleted.has(id)) {
      sentCount++;
      onOutcome('sent');
    }
    undeleted.add(id);
    if (await queued.erase(mail)) undeleted.delete(id);
    log.debug('mail sent', { id, attempts, mailer: mailer.name });
  }

  /** Hands a mail to the provider. Rejects after `sendMs`, even if the mailer ignores the signal. */
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
    const timeout = setTimeout(() => abort(`no answer within ${timing.sendMs} ms`), timing.sendMs);
    try {
      const { recipient, subject, html, text, link } = mail;
      const content = { id, recipient, subject, html, text, link };
      await Promise.race([mailer.send(content, controller.signal), aborted]);
    } finally {
      clearTimeout(timeout);
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
    async enqueue(tx, recipient, content) {
      await queued.write(tx, recipient, content);
    },
    collect: queued.collect,
    pretend: queued.pretend,
    kick() {
      const delivery = deliver();
      background?.(delivery);
    },
    async deliverDue() {
      const before = sentCount;
      checkLegacyQueue = true;
      await deliver();
      return sentCount - before;
    },
    async stop() {
      stopped = true;
      if (running && !(await settles(running, timing.stopMs))) {
        for (const abort of aborts) abort('the process is stopping');
        await settles(running, 1_000);
      }
      mailer.close?.();
    },
  };
}

/** 30 seconds, doubled with every attempt up to an hour, minus a random quarter that spreads the retries. */
const backoff = (attempts: number) =>
  Math.min(FIRST_RETRY_MS * 2 ** (attempts - 1), LAST_RETRY_MS) * (1 - Math.random() / 4);

/** Whether a promise resolves within `ms`. */
async function settles(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = promise.then(() => true);
  return Promise.race([settled, timeout]).finally(() => clearTimeout(timer));
}

/** An error message for the log, without words from the mail that may be tokens or codes: mail servers quote mails in errors. */
function reason(error: unknown, { text }: Mail): string {
  const message = error instanceof Error ? error.message : String(error);
  return message
    .slice(0, 500)
    .replace(/[\w%-]{6,}/g, (word) => (/\d/.test(word) && text.includes(word) ? '…' : word));
}
