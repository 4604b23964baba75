import { ServiceError } from '../../app/api.ts';
import { supportsPasskeys } from '../passkeys.ts';

/** The time to enter a second factor (API contract, "Limits"). */
export const MFA_MINUTES = 5;

/** The data for the second step of a sign-in. */
export interface Challenge {
  email: string;
  token: string;
  methods: Method[];
  /** The token expires at this time. */
  until: number;
}

export interface Method {
  id: string;
  type: 'totp' | 'email' | 'passkey';
  /** The masked address, for e-mail devices. */
  name: string;
}

/** A code and its device. */
export interface Proof {
  code: string;
  device_id?: string;
  is_recovery?: true;
}

/** Passkeys are one method: the browser shows which ones there are. */
export function methodsHere<M extends Method>(methods: readonly M[]): M[] {
  const passkey = supportsPasskeys ? methods.find(({ type }) => type === 'passkey') : undefined;
  const others = methods.filter(({ type }) => type !== 'passkey');
  return passkey ? [passkey, ...others] : others;
}

/** The code is wrong or the token has expired. The service does not tell which. */
export const isRefused = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'mfa_invalid_code';
