import { TooLargeError } from './error.ts';

/** The largest answer. Providers and trackers have answers of a few kilobytes. */
const MAX_BYTES = 1024 * 1024;

/** The body of an answer. @throws TooLargeError if it is larger than 1 MiB */
export async function readBounded(response: Response, url: string): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > MAX_BYTES) {
      await reader.cancel().catch(() => {});
      throw new TooLargeError(`The answer of ${new URL(url).origin} is larger than 1 MiB.`);
    }
    parts.push(value);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}
