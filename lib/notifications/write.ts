import type { Tx } from '../../db/client.ts';
import type { Config } from '../config/config.ts';
import type { NewNotice } from '../mail/digests.ts';
import type { MailQueue } from '../mail/queue.ts';
import { countMails } from '../mail/quota.ts';
import { chosenMail } from '../mail/templates/notifications.ts';
import { nextDigest, zoneClock } from './digest-time.ts';
import type { PersonalNotice } from './notices.ts';
import { type UnsubscribeTokens, unsubscribeLinks } from './unsubscribe.ts';

export interface WriteOptions {
  config: Pick<Config, 'quotas' | 'publicUrl'>;
  mail: Pick<MailQueue, 'enqueueBulk' | 'collectForDigests'>;
  unsubscribeTokens: UnsubscribeTokens;
}

/** The name of the quota of a notice. An address has one for each organization, so that none uses up that of another. */
const quotaOf = ({ recipient: { email }, orgId }: PersonalNotice): string =>
  orgId === undefined ? email : `${email} ${orgId}`;

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
  for (const notice of immediate) wanted.set(quotaOf(notice), (wanted.get(quotaOf(notice)) ?? 0) + 1);
  const counted = await countMails(tx, config.quotas.mailsPerHour, 'finding', wanted);
  const free = new Map([...counted].map(([quota, one]) => [quota, one.free]));
  const isFree = (notice: PersonalNotice) => {
    const left = free.get(quotaOf(notice)) ?? 0;
    free.set(quotaOf(notice), left - 1);
    return left > 0;
  };
  const sent = new Set(immediate.filter(isFree));
  await mail.enqueueBulk(
    tx,
    [...sent].map(({ recipient: { id, name, email }, kinds, summary }) => ({
      recipient: email,
      render: () => chosenMail({ name, ...summary }, unsubscribeLinks({ publicUrl, tokens }, id, kinds)),
    })),
  );
  const clocks = new Map<string, ReturnType<typeof zoneClock>>();
  const clockOf = (timeZone: string) => {
    const clock = clocks.get(timeZone) ?? zoneClock(timeZone);
    clocks.set(timeZone, clock);
    return clock;
  };
  const dueAt = (notice: PersonalNotice): Date => {
    const { hour, timeZone } = notice.recipient;
    return notice.time === 'now'
      ? new Date(now.getTime() + (counted.get(quotaOf(notice))?.wait ?? 0) * 1_000)
      : nextDigest(now, notice.time, hour, clockOf(timeZone));
  };
  const collected = notices
    .filter((notice) => !sent.has(notice))
    .map((notice): NewNotice => {
      const { recipient, time, kinds, orgId, projectId, summary } = notice;
      const { line: text, button } = summary;
      return {
        ...{ userId: recipient.id, time, dueAt: dueAt(notice) },
        notice: { kinds, orgId, projectId, text, url: button.url },
      };
    });
  await mail.collectForDigests(tx, collected);
}
