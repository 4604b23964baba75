/** A request that was refused or failed. The message is for the person who entered the address, and may quote the other side. */
export class OutboundError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 500), options);
  }
}

/** An answer is larger than the service reads. */
export class TooLargeError extends OutboundError {}

/** For a request with its answer. */
export const OUTBOUND_MS = 10_000;

/** Why a request failed. @param timeout its signal */
export function failureOf(error: unknown, url: string, timeout: AbortSignal): OutboundError {
  if (error instanceof OutboundError) return error;
  const { cause } = error as Error;
  if (cause instanceof OutboundError) return cause;
  const what = timeout.aborted ? `did not answer within ${OUTBOUND_MS / 1000} seconds` : 'cannot be reached';
  return new OutboundError(`${new URL(url).origin} ${what}.`, { cause: error });
}
