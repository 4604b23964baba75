import { RateLimiterDrizzle, RateLimiterRes } from 'rate-limiter-flexible';
import type { Db } from '../../db/client.ts';
import { rateLimits } from '../../db/shared.ts';
import { ApiError } from '../http/errors.ts';
import { sha256Hex } from './random.ts';

const MINUTE = 60;

/** Points per time, for each thing that can be tried too often. Keys are addresses, accounts or both. */
const RULES = {
  /** Sign-ins, registrations and links, by client address. */
  client: { points: 60, duration: 15 * MINUTE },
  /** Passwords, by account. */
  password: { points: 10, duration: 15 * MINUTE },
  /** One-time codes, by account. */
  code: { points: 10, duration: 15 * MINUTE },
  /** Mails asked for, by account or address. */
  mail: { points: 5, duration: 15 * MINUTE },
} as const;

export type LimitRule = keyof typeof RULES;

/** Counts attempts over all processes. */
export interface AuthLimits {
  /** Whether limits are in place; with them, a TOTP code is not taken twice. */
  readonly on: boolean;
  /** @throws ApiError `rate_limit_error/exceeded` with the time to wait */
  count(rule: LimitRule, key: string): Promise<void>;
  /** Forgets the attempts, after one that succeeded. */
  forget(rule: LimitRule, key: string): Promise<void>;
}

/** No limits, as is the default. */
export const noLimits: AuthLimits = { on: false, count: async () => {}, forget: async () => {} };

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
  return {
    on: true,
    async count(rule, key) {
      try {
        // Hashed: the table need not know who tried.
        await limiters[rule].consume(sha256Hex(key));
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw new ApiError('rate_limit_error/exceeded', { retryAfter: Math.ceil(error.msBeforeNext / 1000) });
      }
    },
    async forget(rule, key) {
      await limiters[rule].delete(sha256Hex(key));
    },
  };
}
