import { createHmac, timingSafeEqual } from 'node:crypto';
import { validate } from 'uuid';
import { NOTIFICATION_KINDS } from '../../db/schema/values.ts';
import type { Key, KeyRing } from '../crypto/keys.ts';
import { DIGEST_TIMES, type DigestTime } from '../mail/digests.ts';
import type { ChosenLinks } from '../mail/templates/notifications.ts';
import { z } from '../schema.ts';
import type { NotificationKind, Settings } from './settings.ts';

/** The mails that a link switches off: some kinds, or all kinds that are sent at a time. */
export type Unsubscribed = readonly NotificationKind[] | DigestTime;

/** Signs and verifies the tokens of links that switch mails off. They do not expire, and do nothing else. */
export interface UnsubscribeTokens {
  sign(userId: string, what: Unsubscribed): string;
  /** @returns undefined if no key has signed the token */
  verify(token: string): { userId: string; what: Unsubscribed } | undefined;
}

const KINDS: readonly string[] = NOTIFICATION_KINDS;

function parse(text: string): Unsubscribed | undefined {
  const digest = DIGEST_TIMES.find((time) => time === text);
  if (digest) return digest;
  const kinds = text.split('-');
  return kinds.every((kind) => KINDS.includes(kind)) ? (kinds as NotificationKind[]) : undefined;
}

/** A token is `<user>.<what>.<MAC>`: 36 characters of the id, kinds with hyphens between them, and the HMAC in base64url. */
export function createUnsubscribeTokens(keys: KeyRing): UnsubscribeTokens {
  const [first] = keys;
  if (!first) throw new Error('no key for links that switch mails off');
  const macOf = ({ bytes }: Key, text: string) => createHmac('sha256', bytes).update(text).digest();
  return {
    sign(userId, what) {
      const text = `${userId}.${typeof what === 'string' ? what : what.join('-')}`;
      return `${text}.${macOf(first, text).toString('base64url')}`;
    },
    verify(token) {
      const [userId = '', what = '', mac = ''] = token.split('.');
      const given = Buffer.from(mac, 'base64url');
      const isSigned = keys.some((key) => {
        const expected = macOf(key, `${userId}.${what}`);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      const parsed = isSigned && validate(userId) ? parse(what) : undefined;
      return parsed && { userId, what: parsed };
    },
  };
}

/** The page in the web UI that asks before it switches mails off. */
export const UNSUBSCRIBE_PAGE = '/unsubscribe';
export const UNSUBSCRIBE_PATH = '/profile/notifications/unsubscribe';

/** The query of such a link. */
export const unsubscribeQuery = z.object({
  token: z.string().openapi({
    description: 'The token of the link in a mail.',
    example: '0199d1a5-7c00-7b6e-9d53-2f4c8e1a6b07.daily.Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm8',
  }),
});

/** The links of a mail that switch it off. */
export function unsubscribeLinks(
  { publicUrl, tokens }: { publicUrl: string; tokens: UnsubscribeTokens },
  userId: string,
  what: Unsubscribed,
): ChosenLinks {
  const query = new URLSearchParams({ token: tokens.sign(userId, what) });
  return {
    unsubscribePage: `${publicUrl}${UNSUBSCRIBE_PAGE}?${query}`,
    unsubscribePost: `${publicUrl}/api/v1${UNSUBSCRIBE_PATH}?${query}`,
  };
}

/** The settings without some mails. */
export const without = ({ kinds, ...others }: Settings, what: Unsubscribed): Settings => ({
  ...others,
  kinds: Object.fromEntries(
    Object.entries(kinds).map(([kind, time]) => {
      const isOff = typeof what === 'string' ? time === what : what.some((one) => one === kind);
      return [kind, isOff ? 'off' : time];
    }),
  ) as Settings['kinds'],
});
