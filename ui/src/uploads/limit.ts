import * as text from '#strings/uploads/problems.ts';
import { ServiceError } from '../../../lib/client/index.ts';
import { byteSize } from '../components/bytes.ts';

/** The limit of the service, if a report was refused because of it. */
export function limitIn(error: unknown): number | undefined {
  if (!(error instanceof ServiceError) || error.code !== 'invalid_body') return undefined;
  const bytes = error.details.find(({ field }) => field === 'max_bytes')?.message;
  return bytes === undefined ? undefined : Number(bytes);
}

/** The error of a file above the limit. */
export const tooLarge = (limit: number) => ({
  title: text.tooLarge,
  advice: text.limitIs(byteSize(limit)),
  isFinal: true,
});
