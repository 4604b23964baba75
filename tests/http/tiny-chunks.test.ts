import { beforeAll, expect, it } from 'vitest';
import { createOrg, finding, type TestOrg } from '../support/api/api.ts';
import { startApp, type TestApp } from '../support/server/app.ts';

/*
 * An attacker sends a body in chunks of one byte. The server needs microseconds for each, and answers nobody else meanwhile:
 * 30 MB of such chunks kept other requests waiting for 9 s.
 */

let t: TestApp;
let org: TestOrg;

beforeAll(async () => {
  t = await startApp();
  org = await createOrg(t.api);
});

/** Sends a text in chunks. @returns the response and how many chunks were read */
async function send(path: string, text: string, chunkBytes: number, headers: Record<string, string> = {}) {
  let at = 0;
  let read = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= text.length) return controller.close();
      controller.enqueue(Buffer.from(text.slice(at, at + chunkBytes)));
      at += chunkBytes;
      read++;
    },
  });
  const init = { method: 'POST', headers: { 'transfer-encoding': 'chunked', ...headers }, body };
  const request = new Request(`http://localhost/api/v1${path}`, {
    ...init,
    ...({ duplex: 'half' } as object),
  });
  const response = await t.app.request(request);
  return { status: response.status, text: await response.text(), read };
}

const asAgent = () => ({ authorization: `Bearer ${org.token}`, 'x-org-slug': org.slug });
const json = { 'content-type': 'application/json' };
const login = JSON.stringify({ email: 'nobody@example.com', password: 'Correct1horse' });
const report = JSON.stringify({ findings: [{ title: 'A', severity: 'low' }] });

it.each([
  ['of a sign-in', () => send('/auth/login', login.padEnd(100_000), 1, json)],
  [
    'of a batch',
    () => {
      const body = JSON.stringify({ findings: [finding(org, 'scan')] });
      return send('/agent/findings/batch', body.padEnd(100_000), 1, { ...json, ...asAgent() });
    },
  ],
  [
    'of a report',
    () => send(`/agent/reports?project_id=${org.projectId}`, report.padEnd(100_000), 1, asAgent()),
  ],
])('a body in tiny chunks is refused before it is read: %s', async (_, attack) => {
  const { status, text, read } = await attack();
  expect([status, text]).toEqual([400, expect.stringContaining('so many small chunks')]);
  expect(read).toBeLessThan(11_000);
});

it.each([
  ['a short body in tiny chunks', report.padEnd(5_000), 1],
  ['a long body in small chunks', report.padEnd(6_000_000), 256],
])('%s is accepted', async (_, body, chunkBytes) => {
  const { status } = await send(`/agent/reports?project_id=${org.projectId}`, body, chunkBytes, asAgent());
  expect(status).toBe(201);
});
