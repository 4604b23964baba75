import { connect } from 'node:net';
import fc from 'fast-check';
import type { TestOrg } from '../../tests/support/api/client.ts';
import { asMember } from '../../tests/support/http/requests.ts';

/**
 * Sends a request with changed bytes, over and over. It only reads, whatever becomes of it: what is written then is a
 * smuggler's.
 * @param failed is told of every answer that says that the server failed
 */
export async function sendSpoiledBytes(
  origin: string,
  org: TestOrg,
  options: { count: number; seed: number },
  failed: (answer: string, request: string) => void,
): Promise<void> {
  const member = asMember(org);
  const head = [
    'GET /api/v1/findings?page=1 HTTP/1.1',
    'Host: 127.0.0.1',
    ...Object.entries(member).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  ];
  const text = `${head.join('\r\n')}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
  const change = fc.record({
    at: fc.nat({ max: text.length }),
    length: fc.nat({ max: 12 }),
    put: fc.oneof(
      fc.constantFrom(
        '\r\n',
        '\n',
        '\r',
        '\0',
        ' ',
        '\t',
        ':',
        '\r\n\r\n',
        '\r\n ',
        '%00',
        '/../',
        '@',
        '\xff',
      ),
      fc.constantFrom(
        ...['Content-Length: 5\r\n', 'Host: a\r\n', 'Transfer-Encoding: x\r\n', 'Expect: 100-continue\r\n'],
      ),
      fc.constantFrom(text, 'a'.repeat(20_000), 'Upgrade: h2c\r\n', 'ffffffffffffffff'),
      fc.array(fc.nat({ max: 255 }), { maxLength: 8 }).map((codes) => String.fromCharCode(...codes)),
    ),
  });
  const several = fc.array(change, { minLength: 1, maxLength: 4 });
  for (const changes of fc.sample(several, { numRuns: options.count, seed: options.seed })) {
    let spoiled = text;
    for (const { at, length, put } of changes)
      spoiled = spoiled.slice(0, at) + put + spoiled.slice(at + length);
    const received = await exchange(origin, spoiled);
    if (/^HTTP\/1\.1 5\d\d/m.test(received)) failed(received, spoiled);
  }
}

/** What comes back until the server closes, or waits for more. */
function exchange(origin: string, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(Number(new URL(origin).port), '127.0.0.1', () => socket.end(text, 'latin1'));
    const end = () => {
      socket.destroy();
      resolve(received);
    };
    socket.setTimeout(200, end);
    socket.setEncoding('latin1').on('data', (chunk) => {
      received += chunk;
    });
    socket.on('error', end).on('close', end);
  });
}
