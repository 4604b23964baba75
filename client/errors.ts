/** Why a request got no usable response. */
export type TransportErrorCode =
  /** The service cannot be reached, or the connection was lost before the response. */
  | 'unreachable'
  /** The service did not respond, or stopped sending, within `timeoutMs`. */
  | 'timeout'
  /** The connection was lost in the middle of the response. */
  | 'cut_off'
  /** The response, or one of its rows, is larger than the limit. */
  | 'too_large'
  /** The response is not what the API describes, such as a login page of a proxy. */
  | 'invalid_response'
  /** The base URL redirects. The client does not send its token to another address. */
  | 'redirected';

/** A request without a usable response. Errors that the service responds with are `ServiceError`. */
export class TransportError extends Error {
  readonly code: TransportErrorCode;

  constructor(code: TransportErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransportError';
    this.code = code;
  }
}

/** Whether another attempt may succeed. */
export const isLost = (error: unknown): boolean =>
  error instanceof TransportError && ['unreachable', 'timeout', 'cut_off'].includes(error.code);
