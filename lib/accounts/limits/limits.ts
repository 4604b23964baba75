import { RateLimiterDrizzle, RateLimiterRes } from 'rate-limiter-flexible';
import type { Db } from '../../../db/client.ts';
import { rateLimits } from '../../../db/schema/accounts.ts';
import { sha256Hex } from '../../crypto/random.ts';
import { ApiError } from '../../errors.ts';
import { networkOf } from '../../network.ts';

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;

/** Attempts (`points`) per `duration` in seconds. */
const RULES = {
  /** Sign-ins, registrations and links, by client network. */
  client: { points: 60, duration: 15 * MINUTE },
  /** The same, by wider IPv6 networks: many providers give each customer a whole one. */
  client_56: { points: 240, duration: 15 * MINUTE },
  client_48: { points: 960, duration: 15 * MINUTE },
  /** Passwords, by account and client. */
  password: { points: 10, duration: 15 * MINUTE },
  /** Passwords from unknown clients, by account. */
  password_account: { points: 100, duration: 60 * MINUTE },
  /** One-time codes, by account and client. */
  code: { points: 10, duration: 15 * MINUTE },
  /** One-time codes from unknown clients, by account. Strict, because six digits can be guessed. */
  code_account: { points: 50, duration: DAY },
  /** Answers of passkeys, by account and client. */
  passkey: { points: 10, duration: 15 * MINUTE },
  /** Answers of passkeys from unknown clients, by account. */
  passkey_account: { points: 100, duration: 60 * MINUTE },
  /** Codes that verify a new authenticator app, by device. */
  enrolment: { points: 10, duration: 15 * MINUTE },
  /** Tokens of CI systems that were refused, by client network. */
  exchange: { points: 300, duration: 15 * MINUTE },
  /** Requested mails, by account or address. */
  mail: { points: 5, duration: 15 * MINUTE },
} as const;

export type LimitRule = keyof typeof RULES;

/** A client as the limits count it. */
export interface LimitClient {
  /** Attempts with the same key are counted together. */
  key: string;
  /** Whether the account has signed in from this client before. */
  isKnown(): Promise<boolean>;
}

/** Counts attempts across all processes. */
export interface AuthLimits {
  /** Whether limits are enforced. If so, a TOTP code is accepted only once. */
  readonly on: boolean;
  /**
   * Counts an attempt. With the rule `client` the key is an address, and addresses of one network count together.
   * @throws ApiError `rate_limit_error/exceeded` with the time to wait
   */
  count(rule: LimitRule, key: string): Promise<void>;
  /** Deletes the count of attempts after a success. */
  forget(rule: LimitRule, key: string): Promise<void>;
  /**
   * Counts a guess at an account's secret before it is checked. Each client has its own budget. Unknown clients also share a
   * larger budget per account. When that is used up, known clients can still sign in.
   * @returns a function to call when the guess was right. It deletes the client's count
   * @throws ApiError `rate_limit_error/exceeded` with the time to wait
   */
  guess(
    secret: 'password' | 'code' | 'passkey',
    account: string,
    client: LimitClient,
  ): Promise<() => Promise<void>>;
}

/** The default: no limits. */
export const noLimits: AuthLimits = {
  on: false,
  count: async () => {},
  forget: async () => {},
  guess: async () => async () => {},
};

export function createAuthLimits(db: Db): AuthLimits {
  const limiters = Object.fromEntries(
    Object.entries(RULES).map(([rule, { points, duration }]) => [
      rule,
      new RateLimiterDrizzle({
        storeClient: db,
        schema: rateLimits,
        keyPrefix: rule,
        points,
        duration,
        clearExpiredByTimeout: false,
      }),
    ]),
  ) as Record<LimitRule, RateLimiterDrizzle>;

  async function count(rule: LimitRule, key: string): Promise<void> {
    if (rule !== 'client') return consume(rule, key);
    const network = networkOf(key);
    // The narrowest first, so that a client beyond its own limit does not use up that of its neighbours.
    await consume(rule, network);
    if (!network.endsWith('/64')) return;
    await consume('client_56', networkOf(key, 56));
    await consume('client_48', networkOf(key, 48));
  }

  async function consume(rule: LimitRule, key: string): Promise<void> {
    try {
      // Hashed, to keep addresses out of the table.
      await limiters[rule].consume(sha256Hex(key));
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      const retryAfter = Math.ceil(error.msBeforeNext / 1000);
      throw new ApiError('rate_limit_error/exceeded', { retryAfter, limit: { limit: rule } });
    }
  }

  const forget = async (rule: LimitRule, key: string): Promise<void> => {
    await limiters[rule].delete(sha256Hex(key));
  };

  return {
    on: true,
    count,
    forget,
    async guess(secret, account, client) {
      const own = `${account} ${client.key}`;
      const shared = `${secret}_account` as const;
      await count(secret, own);
      try {
        await count(shared, account);
      } catch (error) {
        if (!(error instanceof ApiError) || !(await client.isKnown())) throw error;
      }
      return async () => {
        await Promise.all([forget(secret, own), limiters[shared].reward(sha256Hex(account), 1)]);
      };
    },
  };
}
