import { ServiceError } from '../../lib/client/index.ts';

/** Whether the service refused this finding only; it may accept others. */
export const isRefusal = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && (error.status === 400 || error.status === 413 || error.status === 422);

const MAX_CHARACTERS = 2_000;

/** Describes why the service refused a finding. Longer texts would fill the journal and the terminal. */
export function describeRefusal({ message, details }: ServiceError): string {
  const text = [message, ...details.map(({ field, message }) => `${field} ${message}`)].join(' ');
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
}

/** Why a delivery cannot continue. */
export function describeError(error: Error): string {
  if (!(error instanceof ServiceError)) return error.message;
  // The client has refused a success that is not of the service.
  if (error.status < 300)
    return `a response with status ${error.status} is not from the service: a proxy or a login page may have answered`;
  return describeRefusal(error);
}

/** Why a delivery should be tried again later. */
export function describeUnreachable(error: unknown): string {
  // The message says which limit is exceeded.
  if (error instanceof ServiceError && error.status === 429) return describeRefusal(error);
  if (error instanceof ServiceError) return `the service responded with status ${error.status}`;
  const { message, cause } = error as Error & { cause?: Error };
  return `the service cannot be reached (${cause?.message || message})`;
}
