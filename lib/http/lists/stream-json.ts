import type { Raw } from '../answer.ts';
import type { PublicCall } from '../call.ts';
import { JSON_TYPE } from '../respond.ts';
import { createBodyStream } from './stream.ts';

const encoder = new TextEncoder();

/**
 * Answers with the parts of a JSON text as the `result` of an envelope, at the speed of the client. If a part cannot be read, the
 * connection is aborted, so that the client does not take the text for complete.
 * @param parts hold no connection between two of them
 * @returns undefined if there are none
 */
export async function streamJson(
  call: PublicCall,
  parts: AsyncGenerator<string>,
  filename: string,
): Promise<Raw | undefined> {
  const { c } = call;
  const request = c.get('request');
  const headers = { ...JSON_TYPE, 'content-disposition': `attachment; filename="${filename}"` };
  // The first part is read before the response begins, so that a failing query still gets an error response.
  const first = await parts.next();
  if (first.done) return undefined;
  // The body of a HEAD response is never read.
  if (c.req.method === 'HEAD') {
    await parts.return(undefined);
    return { status: 200, headers, body: null };
  }
  const head = `{"success":true,"request_id":${JSON.stringify(request.requestId)},"result":`;
  const body = createBodyStream(call, 'export').send(encoder.encode(head + first.value), {
    async next() {
      const { done, value } = await parts.next();
      return { bytes: encoder.encode(done ? '}' : value), isLast: done === true };
    },
    end: () => parts.return(undefined),
  });
  return { status: 200, headers, body };
}
