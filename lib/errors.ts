/** Every error of the API, by `type/code` (docs/api.md, "Errors"). */
export const ERRORS = {
  'auth_error/not_authenticated': { ref: 'E10001', status: 401, message: 'Authentication is required.' },
  'auth_error/invalid_credentials': { ref: 'E10002', status: 401, message: 'Invalid e-mail or password.' },
  'auth_error/mfa_invalid_code': {
    ref: 'E10005',
    status: 401,
    message: 'The code is invalid or has expired.',
  },
  'auth_error/session_revoked': {
    ref: 'E10006',
    status: 401,
    message: 'The session was revoked or has expired.',
  },
  'auth_error/base_domain_only': {
    ref: 'E10007',
    status: 403,
    message: 'This is only possible on the base domain.',
  },
  'token_error/invalid': { ref: 'E20001', status: 401, message: 'The API token is unknown or revoked.' },
  'token_error/expired': { ref: 'E20002', status: 401, message: 'The API token has expired.' },
  'token_error/scope_mismatch': {
    ref: 'E20003',
    status: 403,
    message: 'The token lacks the scope, or belongs to another project or organization.',
  },
  'token_error/invalid_format': {
    ref: 'E20004',
    status: 401,
    message: 'The Authorization header must be "Bearer svc_…".',
  },
  'tenant_error/not_found': {
    ref: 'E30001',
    status: 404,
    message: 'No organization answers at this address.',
  },
  'tenant_error/not_member': {
    ref: 'E30002',
    status: 403,
    message: 'You are not a member of this organization.',
  },
  'tenant_error/slug_taken': { ref: 'E30003', status: 409, message: 'The slug is taken.' },
  'tenant_error/slug_reserved': { ref: 'E30004', status: 409, message: 'The slug is reserved.' },
  'tenant_error/deleted': {
    ref: 'E30005',
    status: 403,
    message: 'The organization was deleted. An owner can restore it until it is purged.',
  },
  'resource_error/not_found': { ref: 'E40001', status: 404, message: 'Not found.' },
  'resource_error/method_not_allowed': {
    ref: 'E40004',
    status: 405,
    message: 'This path does not support the method.',
  },
  'resource_error/conflict': {
    ref: 'E40002',
    status: 409,
    message: 'The current state does not allow this.',
  },
  'resource_error/already_exists': { ref: 'E40003', status: 409, message: 'It already exists.' },
  'validation_error/invalid_request': { ref: 'E50001', status: 400, message: 'The request is invalid.' },
  'validation_error/invalid_body': {
    ref: 'E50002',
    status: 400,
    message: 'The body must be a JSON object of at most 1 MiB, sent as application/json.',
  },
  'validation_error/field_required': { ref: 'E50003', status: 400, message: 'A required field is missing.' },
  'validation_error/field_invalid': { ref: 'E50004', status: 400, message: 'A field has an invalid value.' },
  'permission_error/denied': { ref: 'E60001', status: 403, message: 'You are not allowed to do this.' },
  'permission_error/feature_disabled': {
    ref: 'E60002',
    status: 403,
    message: 'This feature is switched off.',
  },
  'permission_error/mfa_required_by_org': {
    ref: 'E60003',
    status: 403,
    message: 'This organization requires multi-factor authentication.',
  },
  'permission_error/feature_not_provisioned': {
    ref: 'E60004',
    status: 403,
    message: 'This feature is not available to this organization.',
  },
  'permission_error/step_up_required': {
    ref: 'E60005',
    status: 403,
    message: 'Confirm your password first: this needs a sign-in or a step-up within the last 10 minutes.',
  },
  'permission_error/email_not_verified': {
    ref: 'E60006',
    status: 403,
    message: 'Verify your e-mail address first.',
  },
  'permission_error/address_not_allowed': {
    ref: 'E60007',
    status: 403,
    message: 'This organization cannot be used from your network.',
  },
  'permission_error/sso_required': {
    ref: 'E60008',
    status: 403,
    message: 'This organization requires single sign-on: sign in by its provider.',
  },
  'rate_limit_error/exceeded': { ref: 'E70001', status: 429, message: 'Too many requests.' },
  'server_error/internal': { ref: 'E90001', status: 500, message: 'Something went wrong on our side.' },
  'server_error/unavailable': {
    ref: 'E90002',
    status: 500,
    message: 'The database cannot be reached at the moment.',
  },
} as const satisfies Record<string, { ref: `E${number}`; status: number; message: string }>;

export type ErrorKey = keyof typeof ERRORS;

/** Seconds after which a server that is overloaded or has no database may answer. */
export const RETRY_AFTER_S = 2;

/** A field that failed validation. */
export interface FieldError {
  field: string;
  message: string;
}

/** The name of a limit, and further fields for the security log. */
export interface ExceededLimit {
  limit: string;
  [field: string]: unknown;
}

/** An error that the app converts to one of the responses in {@link ERRORS}. */
export class ApiError extends Error {
  readonly key: ErrorKey;
  readonly details: FieldError[] | undefined;
  /** Seconds to wait, for the Retry-After header. */
  readonly retryAfter: number | undefined;
  /** The limit that was exceeded, as the security log shows it. */
  readonly limit: ExceededLimit | undefined;

  constructor(
    key: ErrorKey,
    options: {
      message?: string;
      details?: FieldError[];
      retryAfter?: number;
      limit?: ExceededLimit;
      cause?: unknown;
    } = {},
  ) {
    super(
      options.message ?? ERRORS[key].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'ApiError';
    this.key = key;
    this.details = options.details;
    this.retryAfter = options.retryAfter ?? (key === 'server_error/unavailable' ? RETRY_AFTER_S : undefined);
    this.limit = options.limit;
  }

  get status(): number {
    return ERRORS[this.key].status;
  }

  /** The error object of the envelope. */
  toJSON() {
    const [type, code] = this.key.split('/') as [string, string];
    return {
      type,
      code,
      ref: ERRORS[this.key].ref,
      message: this.message,
      ...(this.details && { details: this.details }),
    };
  }
}
