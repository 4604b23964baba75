import type { Db, Tx } from '../../db/client.ts';
import { backoff, createDispatcher } from '../deliveries/dispatcher.ts';
import type { MailOutcome } from '../metrics/reports.ts';
import type { Digest } from './digests.ts';
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
  /** The same for mails that others overtake: there may be very many of them. */
  enqueueBulk: QueuedMails['writeBulk'];
  /** Adds a notice to a mail that is sent later, in the caller's transaction. */
  collect: QueuedMails['collect'];
  /** Adds notices to digests, in the caller's transaction. */
  collectForDigests: QueuedMails['collectForDigests'];
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
  /** Makes the mail of a digest that is due. @returns undefined if nothing is left to tell */
  renderDigest?: ((digest: Digest) => Promise<Mail | undefined>) | undefined;
  /** Keeps the runtime alive until the task is done (`waitUntil`). */
  background?: ((task: Promise<unknown>) => void) | undefined;
  /** Called after each attempt to send a mail. */
  onOutcome?: ((outcome: MailOutcome) => void) | undefined;
  /** Timeouts of one attempt and of `stop`. */
  timing?: { sendMs?: number; stopMs?: number } | undefined;
}

/** Timeout of one attempt. */
const SEND_MS = 15_000;

/** Mails that a process sends at the same time. Bulk mails have slots of their own, so that a code to sign in waits for none of them. */
const SLOTS = { urgent: 4, bulk: 2 };
/** All of them together. */
export const MAX_SENDING = SLOTS.urgent + SLOTS.bulk;
/** A mail that fails at this age is given up. */
const GIVE_UP_MS = 24 * 60 * 60_000;

/**
 * Creates a queue on `shared.outgoing_mails`. Any number of processes may share the table: one of them leases a mail, and
 * sends it without an open transaction. If a process dies after sending a mail and before deleting it, the mail is sent
 * again with the same id.
 */
export function createMailQueue(options: MailQueueOptions): MailQueue {
  const { mailer, renderDigest, log, clock, background, onOutcome = () => {} } = options;
  const { sendMs = SEND_MS, stopMs } = options.timing ?? {};
  const queued = createQueuedMails(options);

  /** Whether to look also into the table that servers of the previous version write. */
  let checkLegacyQueue = false;
  let sentCount = 0;
  /** Ids of mails that were sent but not deleted, because the database failed in between. */
  const undeleted = new Set<string>();
  /** Abort the attempts in progress. */
  const aborts = new Set<(reason: string) => void>();

  const urgent = createDispatcher<QueuedMail>({
    ...{ slots: SLOTS.urgent, stopMs, renew: queued.renew, work: attempt },
    async take(free) {
      const mails = await queued.lease(free, 'urgent');
      if (!checkLegacyQueue || mails.length === free) return mails;
      const left = free - mails.length;
      const legacy = await queued.lease(left, 'legacy');
      checkLegacyQueue = legacy.length === left;
      return [...mails, ...legacy];
    },
  });
  const bulk = createDispatcher<QueuedMail>({
    ...{ slots: SLOTS.bulk, stopMs, renew: queued.renew, work: attempt },
    take: (free) => queued.lease(free, 'bulk'),
  });
  const dispatchers = [urgent, bulk];
  const dispatch = () => Promise.all(dispatchers.map((one) => one.dispatch()));

  async function attempt(mail: QueuedMail): Promise<void> {
    const { id, attempts, content } = mail;
    if (content instanceof Error) return failed(mail, content.message);
    let rendered: Mail | undefined;
    try {
      rendered = 'userId' in content ? await rendering(content) : content;
      if (rendered && !undeleted.has(id)) await send(id, rendered);
    } catch (error) {
      return failed(mail, reason(error, rendered), rendered);
    }
    if (rendered && !undeleted.has(id)) {
      sentCount++;
      onOutcome('sent');
    }
    undeleted.add(id);
    if (await queued.erase(mail)) undeleted.delete(id);
    if (rendered) log.debug('mail sent', { id, attempts, mailer: mailer.name });
  }

  async function rendering(digest: Digest): Promise<Mail | undefined> {
    if (!renderDigest) throw new Error('this process renders no digests');
    return await renderDigest(digest);
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
    const timeout = setTimeout(() => abort(`no answer within ${sendMs} ms`), sendMs);
    try {
      const { recipient, subject, html, text, link, headers } = mail;
      const content = { id, recipient, subject, html, text, link, headers };
      await Promise.race([mailer.send(content, controller.signal), aborted]);
    } finally {
      clearTimeout(timeout);
      aborts.delete(abort);
    }
  }

  async function failed(mail: QueuedMail, error: string, content?: Mail): Promise<void> {
    const { id, attempts } = mail;
    const recipient = content?.recipient;
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
    enqueueBulk: queued.writeBulk,
    collect: queued.collect,
    collectForDigests: queued.collectForDigests,
    pretend: queued.pretend,
    kick() {
      const delivery = dispatch();
      background?.(delivery);
    },
    async deliverDue() {
      const before = sentCount;
      checkLegacyQueue = true;
      await dispatch();
      return sentCount - before;
    },
    async stop() {
      const abort = () => {
        for (const abortOne of aborts) abortOne('the process is stopping');
      };
      await Promise.all(dispatchers.map((one) => one.stop(abort)));
      mailer.close?.();
    },
  };
}

/** An error message for the log, without words from the mail that may be tokens or codes: mail servers quote mails in errors. */
function reason(error: unknown, mail: Mail | undefined): string {
  const text = mail?.text ?? '';
  const message = error instanceof Error ? error.message : String(error);
  return message
    .slice(0, 500)
    .replace(/[\w%-]{6,}/g, (word) => (/\d/.test(word) && text.includes(word) ? '…' : word));
}
