import type { Tx } from '../../db/client.ts';
import type { Config } from '../config/config.ts';
import { sha256Hex } from '../crypto/random.ts';
import type { CollectedNotice } from '../mail/collect.ts';
import type { MailQueue } from '../mail/queue.ts';
import { countMails } from '../mail/quota.ts';
import { chosenMail } from '../mail/templates/notifications.ts';
import { nextDigest, zoneClock } from './digest-time.ts';
import type { PersonalNotice } from './notices.ts';
import { type UnsubscribeTokens, unsubscribeLinks } from './unsubscribe.ts';

export interface WriteOptions {
  config: Pick<Config, 'quotas' | 'publicUrl'>;
  mail: Pick<MailQueue, 'enqueueAll' | 'collectAll'>;
  unsubscribeTokens: UnsubscribeTokens;
}

/** The key of the mail that collects the notices to a person for a time. */
export const digestKey = (userId: string, time: PersonalNotice['time']): string =>
  sha256Hex(`notifications ${userId} ${time}`);

/**
 * Writes notices as mails, or into digests. Mails that are sent now are collected beyond the quota of the address. The number of
 * statements does not depend on that of the recipients, except for large batches.
 */
export async function writeNotices(
  tx: Tx,
  { config, mail, unsubscribeTokens: tokens }: WriteOptions,
  notices: readonly PersonalNotice[],
  now: Date,
): Promise<void> {
  const { publicUrl } = config;
  const immediate = notices.filter(({ time }) => time === 'now');
  const wanted = new Map<string, number>();
  for (const { recipient } of immediate) wanted.set(recipient.email, (wanted.get(recipient.email) ?? 0) + 1);
  const counted = await countMails(tx, config.quotas.mailsPerHour, 'finding', wanted);
  const free = new Map([...counted].map(([email, one]) => [email, one.free]));
  const isFree = ({ recipient: { email } }: PersonalNotice) => {
    const left = free.get(email) ?? 0;
    free.set(email, left - 1);
    return left > 0;
  };
  const sent = new Set(immediate.filter(isFree));
  await mail.enqueueAll(
    tx,
    [...sent].map(({ recipient: { id, name, email }, kinds, summary }) => ({
      recipient: email,
      content: chosenMail({ name, ...summary }, unsubscribeLinks({ publicUrl, tokens }, id, kinds)),
    })),
  );
  const clocks = new Map<string, ReturnType<typeof zoneClock>>();
  const clockOf = (timeZone: string) => {
    const clock = clocks.get(timeZone) ?? zoneClock(timeZone);
    clocks.set(timeZone, clock);
    return clock;
  };
  const dueAt = ({ recipient: { email, hour, timeZone }, time }: PersonalNotice): Date =>
    time === 'now'
      ? new Date(now.getTime() + (counted.get(email)?.wait ?? 0) * 1_000)
      : nextDigest(now, time, hour, clockOf(timeZone));
  const collected = notices
    .filter((notice) => !sent.has(notice))
    .map((notice): CollectedNotice => {
      const { recipient, time, summary } = notice;
      const links = unsubscribeLinks({ publicUrl, tokens }, recipient.id, time);
      const { group, line: text, button } = summary;
      return {
        ...{ recipient: recipient.email, key: digestKey(recipient.id, time), dueAt: dueAt(notice) },
        notice: { time, name: recipient.name, group, text, url: button.url, ...links },
      };
    });
  await mail.collectAll(tx, collected);
}
