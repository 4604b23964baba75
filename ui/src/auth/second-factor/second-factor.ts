import { ServiceError } from '../../app/api.ts';

/** How long a second factor is waited for (API contract, "Limits"). */
export const MFA_MINUTES = 5;

/** What a login with a second factor needs. */
export interface Challenge {
  email: string;
  token: string;
  methods: Method[];
  /** The token is refused after this time. */
  until: number;
}

export interface Method {
  id: string;
  type: 'totp' | 'email';
  /** Of e-mail devices the masked address. */
  name: string;
}

/** A code, and where it is from. */
export interface Proof {
  code: string;
  device_id?: string;
  is_recovery?: true;
}

/** A wrong code, or a token whose time is over: the service does not say which. */
export const isRefused = (error: unknown): boolean =>
  error instanceof ServiceError && error.code === 'mfa_invalid_code';
