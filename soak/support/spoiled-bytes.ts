import fc from 'fast-check';
import type { TestOrg } from '../../tests/support/api/client.ts';
import { asMember, exchangeBytes } from '../../tests/support/http/requests.ts';

const QUIET_MS = 200;

/**
 * Sends a request with changed bytes, repeatedly. The request only reads: anything that is written was smuggled.
 * @param failed is called with every response that reports a server error
 */
export async function sendSpoiledBytes(
  url: string,
  org: TestOrg,
  options: { count: number; seed: number },
  failed: (answer: string, request: string) => void,
): Promise<void> {
  const port = Number(new URL(url).port);
  const head = [
    'GET /api/v1/findings?page=1 HTTP/1.1',
    'Host: 127.0.0.1',
    ...Object.entries(asMember(org)).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  ];
  const text = `${head.join('\r\n')}\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
  const change = fc.record({
    at: fc.nat({ max: text.length }),
    length: fc.nat({ max: 12 }),
    put: fc.oneof(
      fc.constantFrom(
        ...['\r\n', '\n', '\r', '\0', ' ', '\t', ':', '\r\n\r\n', '\r\n ', '%00', '/../', '@', '\xff'],
      ),
      fc.constantFrom(
        'Content-Length: 5\r\n',
        'Host: a\r\n',
        'Transfer-Encoding: x\r\n',
        'Expect: 100-continue\r\n',
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
    const received = (await exchangeBytes(port, spoiled, QUIET_MS, true)).toString('latin1');
    if (/^HTTP\/1\.1 5\d\d/m.test(received)) failed(received, spoiled);
  }
}
