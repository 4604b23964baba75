import { ApiError } from '../errors.ts';

/** The values of `scimType` (RFC 7644, 3.12) that this service answers. */
export type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'uniqueness';

/** A refused request of an identity provider: 409 for `uniqueness`, otherwise 400. */
export class ScimError extends ApiError {
  readonly scimType: ScimType;

  constructor(scimType: ScimType, message: string) {
    super(scimType === 'uniqueness' ? 'resource_error/already_exists' : 'validation_error/invalid_request', {
      message,
    });
    this.scimType = scimType;
  }
}

const SYNTAX = 'validation_error/invalid_body';

/** The body of an error (RFC 7644, 3.12). */
export function toScimError(error: ApiError, status: number): object {
  const { details = [], key, message } = error;
  const scimType = error instanceof ScimError ? error.scimType : key === SYNTAX ? 'invalidSyntax' : undefined;
  const fields = details.map((detail) => ` ${detail.field} ${detail.message}.`);
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType && { scimType }),
    detail: [message, ...fields].join(''),
  };
}
