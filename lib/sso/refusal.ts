import { ApiError, type ErrorKey } from '../errors.ts';

/** Why a sign-in at a provider ends without a session. The sign-in page has a text for each. */
export const SSO_REFUSALS = {
  /** The state is missing, was used, or belongs to another browser. */
  expired: 'auth_error/invalid_credentials',
  /** The provider refused, or the person cancelled. */
  denied: 'auth_error/invalid_credentials',
  /** The answer of the provider is not valid. */
  invalid: 'auth_error/invalid_credentials',
  disabled: 'auth_error/invalid_credentials',
  /** Registration is closed, and the operator does not speak for the address. */
  closed: 'permission_error/denied',
  no_email: 'auth_error/invalid_credentials',
  unreachable: 'resource_error/conflict',
  /** An account has the address. Its owner must connect it. */
  link: 'resource_error/conflict',
  /** The account to connect does not have the address. */
  other_address: 'resource_error/conflict',
  /** The account at the provider is connected already. */
  linked: 'resource_error/conflict',
  /** Another account is signed in in this browser. */
  other_account: 'resource_error/conflict',
  no_role: 'permission_error/denied',
  groups_overage: 'permission_error/denied',
  not_found: 'resource_error/not_found',
} as const satisfies Record<string, ErrorKey>;

export type SsoReason = keyof typeof SSO_REFUSALS;

export class SsoRefusal extends ApiError {
  readonly reason: SsoReason;
  constructor(reason: SsoReason, message: string, cause?: unknown) {
    super(SSO_REFUSALS[reason], { message, ...(cause !== undefined && { cause }) });
    this.reason = reason;
  }
}
